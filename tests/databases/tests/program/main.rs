//! The program's `journal` commands over PostgreSQL and MariaDB.

mod refusals;
mod service;
mod shop;
mod tls;
