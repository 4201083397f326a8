//! Measures the number of signed `/status` calls a second that the sandbox answers to clients in the same
//! process, first without a database, then with a database.
//!
//! `cargo run --release --package merchantpay-bench --bin status_rate`

use std::time::{Duration, Instant};

use merchantpay::{Client, Config, PaymentMethod, PaymentRequest};
use merchantpay_sandbox::{Options, Sandbox};

const CLIENTS: usize = 4;
const LONG: Duration = Duration::from_secs(4);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::temp_dir().join(format!("merchantpay-status-rate-{}.db", std::process::id()));
    for database in [None, Some(file.clone())] {
        let kept = if database.is_some() { "with a database" } else { "in memory" };
        let sandbox = Sandbox::start(Options { database, ..Options::default() })?;
        println!("{:8.0} calls a second {kept}", rate(&sandbox)?);
    }
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{ending}", file.display()));
    }
    Ok(())
}

fn rate(sandbox: &Sandbox) -> Result<f64, Box<dyn std::error::Error>> {
    let key = sandbox.merchant_private_key().ok_or("the sandbox has made no key")?.clone();
    let client =
        Client::new(Config::new(sandbox.url(), sandbox.merchant_key_id(), key, sandbox.server_public_key()))?;
    let payment = client.new_payment(&PaymentRequest::new(100, PaymentMethod::Sbp, "79001234567"))?;
    let started = Instant::now();
    let calls = std::thread::scope(|scope| {
        let caller = || {
            let mut calls = 0u64;
            while started.elapsed() < LONG && client.get_status(payment.order_id()).is_ok() {
                calls += 1;
            }
            calls
        };
        let callers: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(caller)).collect();
        callers.into_iter().map(|caller| caller.join().unwrap_or(0)).sum::<u64>()
    });
    Ok(calls as f64 / started.elapsed().as_secs_f64())
}
