//! `with-databases COMMAND…`: starts a PostgreSQL, a pgbouncer in transaction mode for it, and a MariaDB,
//! runs a command, and returns the command's exit status. The command finds the servers by its environment:
//!
//! - `MERCHANTPAY_POSTGRESQL`: the folder of the socket; port 5432, user `shop`, no password. A connection to
//!   the socket `restart` in that folder restarts the server, and is closed after the restart.
//! - `MERCHANTPAY_PGBOUNCER`: the same for pgbouncer
//! - `MERCHANTPAY_MARIADB`: the socket; user `root`, no password
//!
//! Each test makes a database of its own.

use std::os::unix::net::UnixListener;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, PoisonError};

use merchantpay_crash::{Mariadb, Pgbouncer, Postgresql};

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let Some(program) = words.next() else {
        eprintln!("usage: with-databases COMMAND…");
        return ExitCode::from(2);
    };
    let (postgresql, mariadb) = (Postgresql::new(), Mariadb::new());
    let pgbouncer = Pgbouncer::new(&postgresql);
    let mut command = Command::new(&program);
    command
        .args(words)
        .env("MERCHANTPAY_POSTGRESQL", postgresql.host())
        .env("MERCHANTPAY_PGBOUNCER", pgbouncer.host())
        .env("MERCHANTPAY_MARIADB", mariadb.socket());
    let restart = UnixListener::bind(postgresql.host().join("restart")).expect("a socket for restarts");
    let postgresql = Arc::new(Mutex::new(Some(postgresql)));
    let server = Arc::clone(&postgresql);
    std::thread::spawn(move || {
        for request in restart.incoming() {
            server.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(Postgresql::restart);
            drop(request);
        }
    });
    let status = command.status();
    // Explicitly, because the thread keeps its reference to the server.
    drop(postgresql.lock().unwrap_or_else(PoisonError::into_inner).take());
    match status {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(error) => {
            eprintln!("{}: {error}", program.display());
            ExitCode::FAILURE
        }
    }
}
