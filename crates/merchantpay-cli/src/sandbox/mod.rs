//! `sandbox`: runs the whole service on this machine and prints how to reach it.

mod command;
mod control;
mod supervisor;

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use merchantpay::{Balance, Error, Keypair, PrivateKey, PublicKey};
use merchantpay_sandbox::{Options, Sandbox};
use tokio::sync::oneshot;

use crate::args::sandbox::Start;
use crate::interrupts::interrupts;
use crate::keys::new_private_file;
use crate::output::{Failure, eprint_line, print_line};
use crate::settings::{read_private_key, variable};

pub(crate) use command::OF_THE_INSTALLATION;
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
        return command::run(&arguments.run, settings);
    }
    // Prepares for signals before the line is printed, because a program that has read the line can send a
    // signal.
    let cannot =
        |error: std::io::Error| Error::invalid_argument(format!("the sandbox cannot start: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(cannot)?;
    let interrupted = {
        let _entered = runtime.enter();
        interrupts().map_err(cannot)?
    };
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

/// Returns a channel that ends when standard input ends. If the program that started the sandbox is killed,
/// the system closes its pipe, so standard input ends too.
fn stdin_closed() -> std::io::Result<oneshot::Receiver<()>> {
    let (sender, closed) = oneshot::channel();
    let read = move || {
        let (mut input, mut buffer) = (std::io::stdin().lock(), [0; 1024]);
        loop {
            match input.read(&mut buffer) {
                Ok(0) => break,
                Err(error) if error.kind() != ErrorKind::Interrupted => break,
                _ => {}
            }
        }
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
            return Err(Error::invalid_argument("the key id must be visible ASCII without spaces"));
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

/// Reads the key from the file. If the file is missing, makes the file with a new key, readable only by the
/// file's owner.
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
