//! `sandbox`: the whole service on this machine, and how to reach it.

use std::net::SocketAddr;

use merchantpay::{Balance, Error, PublicKey};
use merchantpay_sandbox::{Options, STEERINGS, Sandbox};

use crate::args;
use crate::output::{Failure, print_line};

/// Where the sandbox listens unless told otherwise.
const PORT: u16 = 8700;

pub(crate) fn run(arguments: &args::Sandbox) -> Result<(), Failure> {
    let sandbox = start(arguments)?;
    print_line(&configuration(&sandbox))?;
    loop {
        std::thread::park();
    }
}

fn start(arguments: &args::Sandbox) -> Result<Sandbox, Error> {
    let options = |port| -> Result<Options, Error> {
        let mut options = Options { address: SocketAddr::new(arguments.host, port), ..Options::default() };
        if let (Some(key_id), Some(public_key)) = (&arguments.key_id, &arguments.public_key) {
            if key_id.is_empty() || !key_id.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(Error::invalid_argument("the key id must be visible ASCII without spaces"));
            }
            options.merchant = Some((key_id.clone(), PublicKey::from_base64(public_key)?));
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
    started.map_err(|error| Error::invalid_argument(format!("the sandbox cannot listen there: {error}")))
}

/// Lines that a shell can read.
fn configuration(sandbox: &Sandbox) -> String {
    let mut lines = vec![
        format!("# merchantpay sandbox at {} - a simulator: no money moves here", sandbox.url()),
        format!("export MERCHANTPAY_BASE_URL={}", sandbox.url()),
        format!("export MERCHANTPAY_KEY_ID={}", shell_word(sandbox.merchant_key_id())),
    ];
    if let Some(private_key) = sandbox.merchant_private_key() {
        lines.push(format!("export MERCHANTPAY_PRIVATE_KEY={}", private_key.to_base64().as_str()));
    }
    lines.push(format!("export MERCHANTPAY_SERVER_PUBLIC_KEY={}", sandbox.server_public_key().to_base64()));
    lines.push(format!("export MERCHANTPAY_SERVER_KEY_ID={}", sandbox.server_key_id()));
    lines.push("# A customerAccount steers what becomes of a payment; any other pays exactly:".to_owned());
    lines.extend(STEERINGS.iter().map(|steering| format!("#   {:24} {}", steering.account, steering.effect)));
    lines.push("# Stop it with Ctrl-C.".to_owned());
    lines.join("\n")
}

/// A word that a shell reads as it is.
fn shell_word(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(&byte);
    if word.bytes().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
