//! The program as a shell sees it, against a sandbox.

mod common;
mod doctor;
mod environment_file;
mod journal;
mod journal_settle;
mod listen;
mod pages;
mod sandbox;
mod sandbox_file;
mod sandbox_network;
mod terminal;
