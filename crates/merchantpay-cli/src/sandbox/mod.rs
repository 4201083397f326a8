//! `sandbox`: the whole service on this machine, and how to reach it.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use merchantpay::{Balance, Error, Keypair, PrivateKey, PublicKey};
use merchantpay_sandbox::{ClockMode, Options, Sandbox};

use crate::args;
use crate::configuration::Configuration;
use crate::output::{Failure, print_line};
use crate::settings::read_private_key;

/// Where the sandbox listens unless a port is given.
const PORT: u16 = 8700;

pub(crate) fn run(arguments: &args::Sandbox) -> Result<(), Failure> {
    let sandbox = start(arguments)?;
    print_line(&Configuration::of(&sandbox).write(arguments.format))?;
    loop {
        std::thread::park();
    }
}

fn start(arguments: &args::Sandbox) -> Result<Sandbox, Error> {
    let server_private_key = arguments.server_private_key_file.as_deref().map(kept_key).transpose()?;
    let options = |port| -> Result<Options, Error> {
        let mut options = Options { address: SocketAddr::new(arguments.host, port), ..Options::default() };
        if let (Some(key_id), Some(public_key)) = (&arguments.key_id, &arguments.public_key) {
            if key_id.is_empty() || !key_id.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(Error::invalid_argument("the key id must be visible ASCII without spaces"));
            }
            options.merchant = Some((key_id.clone(), PublicKey::from_base64(public_key)?));
        }
        options.server_private_key = server_private_key.clone();
        options.seed = arguments.seed;
        options.database = arguments.db.clone();
        options.hold = arguments.hold;
        if arguments.clock == "manual" {
            options.clock = ClockMode::Manual;
        }
        if let Some(ms) = arguments.pace_ms {
            options.pace = Duration::from_millis(ms);
        }
        if arguments.balance == "usdt" {
            options = options.with_balance(Balance::Usdt);
        }
        Ok(options)
    };
    let started = match arguments.port {
        Some(port) => Sandbox::start(options(port)?),
        None => Sandbox::start(options(PORT)?).or_else(|_| Sandbox::start(options(0).unwrap_or_default())),
    };
    started.map_err(|error| Error::invalid_argument(format!("the sandbox cannot start: {error}")))
}

/// The key in the file. A missing file is made, for its owner alone, with a new key.
fn kept_key(path: &Path) -> Result<PrivateKey, Error> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(mut file) => {
            let key = Keypair::generate()?.private_key().clone();
            writeln!(file, "{}", key.to_base64().as_str()).map_err(|error| unusable(path, &error))?;
            Ok(key)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read_private_key(path),
        Err(error) => Err(unusable(path, &error)),
    }
}

fn unusable(path: &Path, error: &std::io::Error) -> Error {
    Error::invalid_argument(format!(
        "the service's private key file {} cannot be made: {error}",
        path.display()
    ))
}
