//! The common code of the Rust programs of the bench: it reads the driver's settings, and executes the
//! driver's commands.

use std::error::Error;
use std::io::{BufRead, Write};

/// A result with any error: a program of the bench prints the error and ends.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The settings that the driver has put into the environment.
pub struct Settings {
    /// The URL of the bench's server.
    pub url: String,
    /// The merchant's private key.
    pub private_key: String,
    /// The server's public key.
    pub server_public_key: String,
    /// The order id in every reply.
    pub order_id: String,
    /// The webhook's bytes.
    pub webhook: Vec<u8>,
    /// The server's signature of the webhook's bytes.
    pub signature: String,
    /// A file with the certificate of the server's CA, if the URL is https.
    pub ca_file: Option<String>,
    /// The URL of an http proxy, if there is one.
    pub proxy: Option<String>,
}

/// The key ids of the merchant and of the server.
pub const KEY_ID: &str = "merchant-1";
/// See [`KEY_ID`].
pub const SERVER_KEY_ID: &str = "service-1";

impl Settings {
    /// Reads the settings.
    ///
    /// # Errors
    ///
    /// Fails if a setting is missing or invalid.
    pub fn read() -> Result<Settings> {
        let variable = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set"));
        Ok(Settings {
            url: variable("BENCH_URL")?,
            private_key: variable("BENCH_PRIVATE_KEY")?,
            server_public_key: variable("BENCH_SERVER_PUBLIC_KEY")?,
            order_id: variable("BENCH_ORDER_ID")?,
            webhook: std::fs::read(variable("BENCH_WEBHOOK")?)?,
            signature: variable("BENCH_SIGNATURE")?,
            ca_file: variable("BENCH_CA").ok(),
            proxy: variable("BENCH_PROXY").ok(),
        })
    }
}

/// Executes each line of the standard input, which is a task and a number, and answers each with one line.
///
/// # Errors
///
/// Returns the first error of a task.
pub fn serve(mut perform: impl FnMut(&str, usize) -> Result<()>) -> Result<()> {
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (task, count) = line.split_once(' ').ok_or("a command is a task and a number")?;
        perform(task, count.parse()?)?;
        out.write_all(b"ok\n")?;
        out.flush()?;
    }
    Ok(())
}

/// Checks that the result of a call has the data of the bench's server and webhook.
///
/// # Errors
///
/// Fails if `right` is false.
pub fn expect(right: bool) -> Result<()> {
    if right { Ok(()) } else { Err("this is not what the server has sent".into()) }
}
