//! `sandbox -- COMMAND…`: runs a command with the sandbox's settings in its environment.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::Command;

use merchantpay::Error;
use merchantpay_sandbox::ClientSettings;

use super::supervisor;
use crate::environment;
use crate::output::{Failure, eprint_line, error_line};

/// Variables that describe an installation and not an account. They keep their values.
pub(crate) const OF_THE_INSTALLATION: [&str; 2] = ["MERCHANTPAY_LIBRARY", "MERCHANTPAY_PROGRAM"];

/// The variables of the merchant's private key. They keep their values if the sandbox does not have the key.
const OF_THE_MERCHANT: [&str; 2] = ["MERCHANTPAY_PRIVATE_KEY", "MERCHANTPAY_PRIVATE_KEY_FILE"];

/// Runs the command. Returns the command's exit status as a failure unless the status is 0.
pub(crate) fn run(words: &[OsString], settings: &ClientSettings) -> Result<(), Failure> {
    let Some((program, arguments)) = words.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(arguments);
    let has_key = settings.has_private_key();
    for (variable, _) in std::env::vars_os() {
        let is_beaten = |name: &str| environment::value(name).is_none();
        if variable.to_str().is_some_and(|name| is_unset(name, has_key) || is_beaten(name)) {
            command.env_remove(variable);
        }
    }
    command.envs(environment::of_file().filter(|(variable, _)| !is_unset(variable, has_key)));
    command.envs(settings.environment());
    let status = supervisor::run(command).map_err(|error| {
        let program = program.to_string_lossy();
        let message = format!("the command {program:?} cannot be started: {error}");
        eprint_line(&error_line(&Error::invalid_argument(message), ""));
        // Shells use the same exit statuses.
        Failure::AlreadyReported(if error.kind() == ErrorKind::NotFound { 127 } else { 126 })
    })?;
    if status == 0 { Ok(()) } else { Err(Failure::AlreadyReported(status)) }
}

/// Returns `true` if a variable is removed for the command. A setting left over in the shell, such as a proxy
/// or the real journal, must not mix with the sandbox's settings.
fn is_unset(variable: &str, has_private_key: bool) -> bool {
    variable.starts_with("MERCHANTPAY_")
        && !OF_THE_INSTALLATION.contains(&variable)
        && (has_private_key || !OF_THE_MERCHANT.contains(&variable))
}
