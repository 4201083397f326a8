//! C and C++ programs that use the installed library and a sandbox.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use merchantpay_sandbox::{Options, Sandbox};

use super::{pkg_config, prefix, run};

/// A fast sandbox.
pub fn sandbox() -> Sandbox {
    let options = Options {
        pace: Duration::from_millis(5),
        credentials_wait: Duration::from_millis(500),
        ..Options::default()
    };
    Sandbox::start(options).expect("a sandbox")
}

/// Compiles a program and links it with the installed library.
pub fn compile(compiler: &str, flags: &[&str], sources: &[&Path], program: &Path) {
    let libraries = pkg_config(&["--cflags", "--libs"]);
    run(Command::new(compiler).args(flags).args(sources).arg("-o").arg(program).args(libraries));
}

/// A command without this project's settings, except the library's path.
pub fn clean(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MERCHANTPAY_")) {
        command.env_remove(name);
    }
    command.env("LD_LIBRARY_PATH", prefix().join("lib")).stdin(Stdio::null());
    command
}

/// Like [`clean`], with the settings for a sandbox, as `examples/README.md` lists them.
pub fn at(sandbox: &Sandbox, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let key = sandbox.merchant_private_key().expect("the sandbox has made the merchant's keys");
    let mut command = clean(program);
    command
        .env("MERCHANTPAY_BASE_URL", sandbox.url())
        .env("MERCHANTPAY_KEY_ID", sandbox.merchant_key_id())
        .env("MERCHANTPAY_PRIVATE_KEY", key.to_base64().as_str())
        .env("MERCHANTPAY_SERVER_PUBLIC_KEY", sandbox.server_public_key().to_base64())
        .env("MERCHANTPAY_SERVER_KEY_ID", sandbox.server_key_id());
    command
}
