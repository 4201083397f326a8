//! The methods that a merchant calls. Each loads rows, lets `model` decide, writes by stamp, calls the
//! service, and stores the answer.

pub mod attention;
pub mod config;
mod driver;
mod effort;
pub mod entry;
pub mod instruct;
pub mod journal;
pub mod methods;
pub mod news;
pub mod operator;
mod pay;
mod question;
mod random;
mod read;
mod receipts;
pub mod receive;
mod request;
mod service;
pub mod settle;
pub mod stats;
pub mod wait;
