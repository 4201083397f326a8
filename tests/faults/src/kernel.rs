//! The operating system's knowledge about a connection.

use std::io;
use std::time::{Duration, Instant};

use crate::PATIENCE;

/// Waits until the operating system of the side with this port knows that the peer has closed the connection, so that
/// this side finds the close when it checks next. Only Linux reports this; elsewhere it does not wait.
pub(crate) fn wait_for_end(port: u16, peer: u16) -> io::Result<()> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let end = Instant::now() + PATIENCE;
    while is_established(&std::fs::read_to_string("/proc/net/tcp")?, port, peer) {
        if Instant::now() >= end {
            return Err(io::Error::other("the end of a connection was not noticed"));
        }
        // No event reports the close.
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn is_established(table: &str, port: u16, peer: u16) -> bool {
    const ESTABLISHED: &str = "01";
    let ends_with = |address: &str, port: u16| address.ends_with(&format!(":{port:04X}"));
    table.lines().any(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let (Some(local), Some(remote), Some(state)) = (fields.next(), fields.next(), fields.next()) else {
            return false;
        };
        ends_with(local, port) && ends_with(remote, peer) && state == ESTABLISHED
    })
}
