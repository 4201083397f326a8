//! The program's `journal` commands with PostgreSQL and MariaDB.

mod refusals;
mod restore;
mod service;
mod shop;
mod tls;
