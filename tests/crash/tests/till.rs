//! The till in C has its journal in PostgreSQL, and uses libpq. The till continues after a power failure at
//! any line of its output.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use merchantpay_crash::{PostgresStore, Postgresql, random};
use merchantpay_journal::{Dialect, Store as _, schema};
use merchantpay_sandbox::{Options, Sandbox};

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The program, and the folder with the library that it needs.
fn built() -> (PathBuf, PathBuf) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let library = PathBuf::from(run(&mut Command::new(root.join("tools/release/library"))).trim());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("till");
    fs::create_dir_all(&folder).unwrap();
    for name in ["libmerchantpay.so", concat!("libmerchantpay.so.", env!("CARGO_PKG_VERSION_MAJOR"))] {
        fs::copy(library.join("libmerchantpay.so"), folder.join(name)).unwrap();
    }
    let libpq = run(Command::new("pkg-config").args(["--cflags", "--libs", "libpq"]));
    let program = folder.join("till");
    run(Command::new("cc")
        .args(["-DWITH_POSTGRESQL", "-pthread", "-I"])
        .arg(root.join("include"))
        .arg(root.join("examples/c/till.c"))
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(&folder)
        .arg("-lmerchantpay")
        .args(libpq.split_whitespace()));
    (program, folder)
}

#[test]
fn a_till_over_postgresql_that_loses_its_power_at_any_line_goes_on_with_the_same_payment() {
    let (program, library) = built();
    let server = Postgresql::new();
    let database = format!("till_{}", random());
    PostgresStore::create(server.host(), &database);
    let store = PostgresStore::new(server.host(), &database);
    for statement in schema(Dialect::Postgresql) {
        store.run(&statement, &[]).unwrap();
    }
    let sandbox = Sandbox::start(Options { pace: std::time::Duration::ZERO, ..Options::default() }).unwrap();
    let place = format!("host={} user=shop dbname={database}", server.host().display());
    let sale = |reference: &str| {
        let mut command = Command::new(&program);
        command.arg(&place);
        command.args([reference, "1500.50"]).env("LD_LIBRARY_PATH", &library);
        command.env("MERCHANTPAY_BASE_URL", sandbox.url());
        command.env("MERCHANTPAY_KEY_ID", sandbox.merchant_key_id());
        command.env("MERCHANTPAY_PRIVATE_KEY", sandbox.merchant_private_key().unwrap().to_base64().as_str());
        command.env("MERCHANTPAY_SERVER_PUBLIC_KEY", sandbox.server_public_key().to_base64());
        command
    };
    let whole = run(&mut sale("whole"));
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[4]), (5, "whole open", "sold whole"), "{whole}");
    for cut in 1..=lines.len() {
        let reference = format!("cut-{cut}");
        let mut child = sale(&reference).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let printed: Vec<String> = output.lines().take(cut).map(Result::unwrap).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        let again = run(&mut sale(&reference));
        let sold = format!("sold {reference}");
        assert!(printed.contains(&sold) || again.lines().any(|line| line == sold), "{printed:?} {again}");
        assert_eq!(sandbox.requests("newPayment"), 1 + cut as u64, "{printed:?} {again}");
    }
    // While the database is down, nothing is sent.
    let sent = sandbox.requests("newPayment");
    drop(server);
    let gone = sale("gone").output().unwrap();
    let said = String::from_utf8_lossy(&gone.stderr);
    assert!(gone.status.code() == Some(1) && said.starts_with("error storage not_sent"), "{said}");
    assert_eq!(sandbox.requests("newPayment"), sent);
}
