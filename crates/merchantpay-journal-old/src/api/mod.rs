//! The methods that a merchant calls: one file for each group of methods.

pub(crate) mod activity;
pub(crate) mod attention;
pub(crate) mod backup;
pub(crate) mod config;
pub(crate) mod confirm;
pub(crate) mod entry;
pub(crate) mod entry_text;
pub(crate) mod erase;
pub(crate) mod find;
pub(crate) mod journal;
pub(crate) mod news;
pub(crate) mod note;
pub(crate) mod pause;
pub(crate) mod pay;
pub(crate) mod progress;
pub(crate) mod random;
pub(crate) mod receive;
pub(crate) mod run;
pub(crate) mod service_call;
pub(crate) mod settle;
pub(crate) mod settle_workers;
pub(crate) mod stats;
pub(crate) mod transfer;
pub(crate) mod wait;
