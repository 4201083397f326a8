//! Tests of the journal against the sandbox.

mod backup;
mod costs;
mod durability;
mod export;
mod files;
mod interrupted;
mod later;
mod limits;
mod old_webhooks;
mod payments;
mod persons;
mod place;
mod progress;
mod rules;
mod shop;
mod statements;
mod transient;
mod unsent;
mod upkeep;
mod versions;
mod workers;
