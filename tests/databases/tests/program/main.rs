//! The program's `journal` commands over PostgreSQL and MariaDB.

mod refusals;
mod restore;
mod service;
mod shop;
mod tls;
