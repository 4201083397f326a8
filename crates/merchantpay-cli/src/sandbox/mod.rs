//! `sandbox`: runs the whole service on this machine and prints how to reach it.

mod control;

use std::ffi::OsString;
use std::io::{ErrorKind, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use merchantpay::{Balance, Error, Keypair, PrivateKey, PublicKey};
use merchantpay_sandbox::{ClientSettings, Options, Sandbox};
use tokio::sync::oneshot;

use crate::args::sandbox::Start;
use crate::environment::{self, variable};
use crate::keys::{new_private_file, read_private_key};
use crate::output::{ErrorLine, Failure, eprint_line, exit_with, print_line};
use crate::signals::{interruption, supervise};

pub(crate) use control::{check_receiver, run as control, story};

pub(crate) fn run(arguments: &Start) -> Result<(), Failure> {
    let sandbox = start(arguments)?;
    if arguments.allow_remote {
        eprint_line(&format!(
            "warning: with --allow-remote everybody who can reach {} controls this sandbox",
            sandbox.address()
        ));
    }
    let settings = sandbox.settings();
    if !arguments.run.is_empty() {
        return run_command(&arguments.run, settings);
    }
    // Before the line is printed, because who has read the line can send a signal.
    let cannot =
        |error: std::io::Error| Error::invalid_argument(format!("the sandbox cannot start: {error}"));
    let (runtime, interrupted) = interruption().map_err(cannot)?;
    print_line(&settings.text(arguments.format))?;
    if !arguments.exit_with_stdin {
        runtime.block_on(interrupted);
        return Ok(());
    }
    let closed = stdin_closed().map_err(cannot)?;
    runtime.block_on(async {
        tokio::select! {
            () = interrupted => {}
            _ = closed => {}
        }
    });
    Ok(())
}

/// If the program that started the sandbox is killed, the system closes its pipe, so standard input ends.
fn stdin_closed() -> std::io::Result<oneshot::Receiver<()>> {
    let (sender, closed) = oneshot::channel();
    let read = move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        let _ = sender.send(());
    };
    std::thread::Builder::new().name("stdin".to_owned()).spawn(read)?;
    Ok(closed)
}

fn start(arguments: &Start) -> Result<Sandbox, Error> {
    let server_private_key = arguments.server_private_key_file.as_deref().map(kept_key).transpose()?;
    let mut options =
        Options { address: SocketAddr::new(arguments.host, arguments.port), ..Options::default() };
    if let (Some(key_id), Some(public_key)) = (&arguments.key_id, &arguments.public_key) {
        if key_id.is_empty() || !key_id.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::about("key_id", "must be visible ASCII without spaces"));
        }
        options.merchant = Some((key_id.clone(), PublicKey::from_base64(public_key)?));
    }
    options.server_private_key = server_private_key;
    options.seed = arguments.seed;
    options.database = arguments.db.clone();
    options.hold = arguments.hold;
    options.public_url = arguments.public_url.clone();
    options.allowed_hosts = arguments.allowed_hosts.clone();
    options.allow_remote = arguments.allow_remote;
    options.webhook_hosts = arguments.webhook_hosts.clone();
    options.ca_file = arguments.ca_file.clone().or_else(|| variable("CA_FILE").map(PathBuf::from));
    options.clock = arguments.clock;
    options.pace = arguments.pace.unwrap_or(options.pace);
    if arguments.balance == "usdt" {
        options = options.with_balance(Balance::Usdt);
    }
    Sandbox::start(options).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => Error::invalid_argument(format!(
            "port {} of {} is in use by another program, perhaps another sandbox: choose another port with \
             --port, or any free port with --port 0",
            arguments.port, arguments.host
        )),
        _ => Error::invalid_argument(format!("the sandbox cannot start: {error}")),
    })
}

/// A missing file is created with a new key.
fn kept_key(path: &Path) -> Result<PrivateKey, Error> {
    match new_private_file(path) {
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
        "the file {} for the sandbox's private key cannot be created: {error}",
        path.display()
    ))
}

/// These describe an installation and not an account, so they keep their values.
pub(crate) const INSTALLATION_VARIABLES: [&str; 2] = ["MERCHANTPAY_LIBRARY", "MERCHANTPAY_PROGRAM"];

/// These keep their values if the sandbox does not have the merchant's private key.
const MERCHANT_KEY_VARIABLES: [&str; 2] = ["MERCHANTPAY_PRIVATE_KEY", "MERCHANTPAY_PRIVATE_KEY_FILE"];

fn run_command(words: &[OsString], settings: &ClientSettings) -> Result<(), Failure> {
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
    let status = supervise(command).map_err(|error| {
        let program = program.to_string_lossy();
        let message = format!("the command {program:?} cannot be started: {error}");
        eprint_line(&ErrorLine::of(&Error::invalid_argument(message)).json());
        // As shells do.
        Failure::AlreadyReported(if error.kind() == ErrorKind::NotFound { 127 } else { 126 })
    })?;
    exit_with(status)
}

/// A setting left over in the shell, such as a proxy or the real journal, must not mix with the sandbox's.
fn is_unset(variable: &str, has_private_key: bool) -> bool {
    variable.starts_with("MERCHANTPAY_")
        && !INSTALLATION_VARIABLES.contains(&variable)
        && (has_private_key || !MERCHANT_KEY_VARIABLES.contains(&variable))
}
