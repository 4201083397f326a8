//! Runs this program as another process. The environment of that process names its role.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use merchantpay::{Client, Config, PrivateKey, PublicKey};
use merchantpay_journal_old::{Journal, JournalConfig};
use merchantpay_sandbox::Sandbox;

use crate::shop::CALLBACK;
#[cfg(unix)]
use crate::{clocks, forks};
use crate::{crash, disk, many};

const ROLES: &[(&str, fn())] = &[
    ("customer", crash::customer),
    ("worker", many::worker),
    #[cfg(unix)]
    ("parent", forks::parent),
    #[cfg(unix)]
    ("first", forks::first_to_end),
    #[cfg(unix)]
    ("traveller", clocks::traveller),
    #[cfg(unix)]
    ("asker", clocks::asker),
    #[cfg(unix)]
    ("filler", disk::filler),
    ("other", disk::other_process),
    ("reader", disk::reader),
];

/// Executes the role that the environment names. Returns `false` if the environment names no role.
pub fn play() -> bool {
    let Ok(name) = std::env::var("JOURNAL_ROLE") else { return false };
    let (_, role) = ROLES.iter().find(|(known, _)| *known == name).expect("a role");
    role();
    true
}

pub fn value(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

pub fn number(name: &str) -> u32 {
    value(name).parse().unwrap_or_default()
}

/// The command that runs this program in a role, with a sandbox and a file.
pub fn command(role: &str, sandbox: &Sandbox, file: &Path) -> Command {
    with_environment(Command::new(std::env::current_exe().unwrap()), role, sandbox, file)
}

pub fn with_environment(mut command: Command, role: &str, sandbox: &Sandbox, file: &Path) -> Command {
    command
        .env("JOURNAL_ROLE", role)
        .env("FILE", file)
        .env("BASE_URL", sandbox.url())
        .env("KEY_ID", sandbox.merchant_key_id());
    command.env("PRIVATE_KEY", &*sandbox.merchant_private_key().unwrap().to_base64());
    command.env("SERVER_KEY", sandbox.server_public_key().to_base64());
    command
}

/// The client that the environment describes.
pub fn client() -> Client {
    let key = PrivateKey::from_base64(&value("PRIVATE_KEY")).unwrap();
    let server = PublicKey::from_base64(&value("SERVER_KEY")).unwrap();
    Client::new(Config::new(value("BASE_URL"), value("KEY_ID"), key, server).timeout(Duration::from_secs(5)))
        .unwrap()
}

pub fn with_settings(config: JournalConfig) -> JournalConfig {
    config
        .callback_url(CALLBACK)
        .timeout(Duration::from_secs(15))
        .calls_per_second(1000)
        .pay_wait(Duration::ZERO)
}

pub fn journal() -> Journal {
    Journal::open(&client(), with_settings(JournalConfig::new(value("FILE")).create(true))).unwrap()
}
