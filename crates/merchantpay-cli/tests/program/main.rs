//! The program as a shell sees it, against a sandbox.

mod common;
mod doctor;
mod environment_file;
mod journal_settle;
mod journal_upkeep;
mod journal_webhooks;
mod listen;
mod pages;
mod sandbox_command;
mod sandbox_file;
mod sandbox_network;
mod sandbox_settings;
mod terminal;
