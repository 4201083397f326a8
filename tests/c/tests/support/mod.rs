//! The installed tree. Every consumer is built with it, never with the work tree.
#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod c_programs;
pub mod programs;
pub mod services;
pub mod tls;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The root of the project.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project's root")
    })
}

/// The folder inside the target folder to which this crate's tests may write.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c").join(name);
    std::fs::create_dir_all(&folder).expect("a folder in the target folder");
    folder
}

/// The prefix of an installed tree: `MERCHANTPAY_TEST_PREFIX`, for example an unpacked archive for another
/// target, or a tree that `make install` makes once.
pub fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        if let Some(prefix) = std::env::var_os("MERCHANTPAY_TEST_PREFIX") {
            return prefix.into();
        }
        // Removes files of another version.
        let prefix = scratch("installed");
        std::fs::remove_dir_all(&prefix).expect("it can be emptied");
        run(Command::new("make")
            .current_dir(root())
            .args(["--no-print-directory", "--silent", "install"])
            .arg(format!("PREFIX={}", prefix.display())));
        prefix
    })
}

/// The installed library, but with its function names.
pub fn unstripped() -> PathBuf {
    let folder = run(&mut Command::new(root().join("tools/release/library")));
    Path::new(folder.trim()).join("libmerchantpay.so.unstripped")
}

/// A folder with the unstripped library under the names that a linker and a program use. It is made only
/// once.
pub fn unstripped_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let (library, folder) = (unstripped(), scratch("unstripped"));
        for name in ["libmerchantpay.so", concat!("libmerchantpay.so.", env!("CARGO_PKG_VERSION_MAJOR"))] {
            std::fs::copy(&library, folder.join(name)).expect("the library can be copied");
        }
        folder
    })
}

/// The output of pkg-config for the installed library, with arguments such as `["--cflags", "--libs"]`.
pub fn pkg_config(arguments: &[&str]) -> Vec<String> {
    let output = run(Command::new("pkg-config")
        .args(arguments)
        .arg("merchantpay")
        .env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig")));
    output.split_whitespace().map(str::to_owned).collect()
}

/// Runs a command that must succeed, and returns its output.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}\n{}",
        output.status,
        shown(&output.stdout),
        shown(&output.stderr)
    );
    shown(&output.stdout)
}
