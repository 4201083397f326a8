//! The control API as CONTROL.md describes it, and the console's page.

mod causes;
mod clock;
mod console;
mod database;
mod events;
mod faults;
mod foreign;
mod guard;
mod keys;
mod lists;
mod payments;
mod stories;
mod webhooks;
