//! The program as a shell sees it, against a sandbox.

mod common;
mod configuration;
mod control;
mod doctor;
mod environment_file;
mod journal_databases;
mod journal_listen;
mod journal_settle;
mod journal_shop;
mod journal_upkeep;
mod journal_webhooks;
mod listen;
mod listening;
mod program_page;
mod sandbox_command;
mod sandbox_file;
mod sandbox_network;
mod sandbox_url;
mod terminal;
