//! The programs of `tests/c`, built against the installed library and run against real services: plain, under
//! valgrind, and with sanitizers.

mod support;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use merchantpay::{Keypair, PublicKey};
use merchantpay_sandbox::{Fault, Options, Sandbox};
use support::tls::Authority;
use support::{pkg_config, prefix, root, run, scratch, unstripped_folder};

const MERCHANT: &str = "merchant";
const SERVER: &str = "server";

/// A healthy service and one for each fault, all with the same keys.
struct Services {
    variables: Vec<(&'static str, String)>,
    _sandboxes: Vec<Sandbox>,
}

impl Services {
    fn start() -> Services {
        Services::with(false)
    }

    fn start_behind_tls() -> Services {
        Services::with(true)
    }

    fn with(tls: bool) -> Services {
        let authority = Authority::new();
        let (merchant, server) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
        let start = |fault: Option<Fault>| {
            let sandbox = Sandbox::start(Options {
                merchant: Some((MERCHANT.to_owned(), merchant.public_key())),
                server_private_key: Some(server.private_key().clone()),
                server_key_id: SERVER.to_owned(),
                pace: Duration::from_millis(5),
                webhook_retries: Vec::new(),
                ..Options::default()
            })
            .unwrap();
            if let Some(fault) = fault {
                sandbox.misbehave(fault, None, u32::MAX);
            }
            sandbox
        };
        let url =
            |sandbox: &Sandbox| if tls { authority.front(sandbox.url()) } else { sandbox.url().to_owned() };
        let healthy = start(None);
        let base_url = url(&healthy);
        let (scheme, port) = (base_url.split(':').next().unwrap(), base_url.rsplit(':').next().unwrap());
        let faulty = [
            ("SERVICE_UNSIGNED", Fault::Unsigned),
            ("SERVICE_WRONG_KEY", Fault::WrongKey),
            ("SERVICE_TAMPERED", Fault::Tampered),
            ("SERVICE_REFLECTED", Fault::Reflected),
            ("SERVICE_BAD_GATEWAY", Fault::HtmlBadGateway),
            ("SERVICE_WRONG_ORDER", Fault::WrongOrder),
            ("SERVICE_DUPLICATE_KEYS", Fault::DuplicateKeys),
            ("SERVICE_REDIRECT", Fault::Redirect),
            ("SERVICE_OVERSIZED", Fault::Oversized(2 << 20)),
            ("SERVICE_DROPS", Fault::DropAfterCommit),
            ("SERVICE_SLOW", Fault::Latency(Duration::from_secs(60))),
        ]
        .map(|(name, fault)| (name, start(Some(fault))));

        let text = str::to_owned;
        let closes = closes();
        let file = |name: &str, content: &str| {
            let path = scratch("c").join(format!("{port}-{name}"));
            std::fs::write(&path, content).unwrap();
            path.display().to_string()
        };
        let (certificate, key) = authority.client();
        let mut variables = vec![
            ("MERCHANTPAY_BASE_URL", base_url.clone()),
            ("MERCHANTPAY_KEY_ID", text(MERCHANT)),
            ("MERCHANTPAY_PRIVATE_KEY", merchant.private_key().to_base64().to_string()),
            ("MERCHANTPAY_SERVER_PUBLIC_KEY", server.public_key().to_base64()),
            ("MERCHANTPAY_SERVER_KEY_ID", text(SERVER)),
            ("MERCHANT_PUBLIC_KEY", merchant.public_key().to_base64()),
            (
                "SIGNATURE_OF_NO_SUCH_ORDER",
                merchant.private_key().sign(br#"{"orderId":"no-such-order"}"#).to_base64(),
            ),
            ("SERVICE_NOBODY", format!("{scheme}://{}", nobody())),
            ("SERVICE_CLOSES", format!("{scheme}://{closes}")),
            ("SERVICE_CLOSES_PORT", closes.port().to_string()),
            ("SERVICE_BY_NAME", format!("{scheme}://localhost:{port}")),
            ("SERVICE_MUTUAL_TLS", authority.mutual_front(healthy.url())),
            ("SERVICE_PIN", text(authority.pin())),
            ("AUTHORITY", file("authority.pem", authority.pem())),
            ("CLIENT_CERTIFICATE", file("client.pem", certificate)),
            ("CLIENT_KEY", file("client.key", key)),
            ("RECEIPT", file("receipt.pdf", "%PDF-1.4\n")),
        ];
        for (body_name, signature_name, body) in [
            (
                "WEBHOOK_BODY",
                "WEBHOOK_SIGNATURE",
                r#"{"success":true,"orderId":"order-1","status":"doneSuccess","sum":1500.50}"#,
            ),
            (
                "CREDENTIALS_BODY",
                "CREDENTIALS_SIGNATURE",
                r#"{"success":true,"orderId":"order-1","payeeAccount":"2200"}"#,
            ),
            ("FAILED_BODY", "FAILED_SIGNATURE", r#"{"success":false,"orderId":"order-1"}"#),
            (
                "PENDING_BODY",
                "PENDING_SIGNATURE",
                r#"{"success":true,"orderId":"order-1","status":"pending"}"#,
            ),
            ("CONFIRMED_BODY", "CONFIRMED_SIGNATURE", r#"{"success":true,"orderId":"order-1"}"#),
            (
                "AMOUNTS_BODY",
                "AMOUNTS_SIGNATURE",
                r#"{"success":true,"availableAmounts":[1000,1500.505],"otherAmountsPossible":true}"#,
            ),
        ] {
            variables.push((body_name, text(body)));
            variables.push((signature_name, server.private_key().sign(body.as_bytes()).to_base64()));
        }
        variables.extend(faulty.iter().map(|(name, sandbox)| (*name, url(sandbox))));
        if tls {
            variables.push(("SERVICE_CA_FILE", file("authority.pem", authority.pem())));
        }
        assert_ne!(merchant.public_key(), PublicKey::from_base64(&server.public_key().to_base64()).unwrap());
        let mut sandboxes: Vec<_> = faulty.into_iter().map(|(_, sandbox)| sandbox).collect();
        sandboxes.push(healthy);
        Services { variables, _sandboxes: sandboxes }
    }

    fn give<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.envs(self.variables.iter().map(|(name, value)| (name, value)))
    }
}

/// An address that refuses connections. A port that was free a moment ago may be another test's by now; this
/// one is never given out.
fn nobody() -> std::net::SocketAddr {
    ([127, 0, 0, 1], 1).into()
}

/// A service that ends every connection after its first bytes, so that the next write meets a broken pipe:
/// first it says that it will send no more, then it closes with bytes unread.
fn closes() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = std::io::Read::read(&mut stream, &mut [0; 16]);
            let _ = stream.shutdown(std::net::Shutdown::Write);
        }
    });
    address
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c")
}

/// Builds a program, with `check.c`, against the installed library.
fn build(name: &str, variant: &str, flags: &[&str]) -> PathBuf {
    let program = scratch("c").join(format!("{name}-{variant}"));
    let library = prefix().join("lib");
    run(Command::new("gcc")
        .args([
            "-std=c99",
            "-g",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Wstrict-prototypes",
            "-Werror",
            "-pthread",
        ])
        .args(flags)
        .args([sources().join(format!("{name}.c")), sources().join("check.c")])
        .args(pkg_config(&["--cflags", "--libs"]))
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .arg("-o")
        .arg(&program));
    program
}

fn valgrind(tool: &[&str]) -> Command {
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--error-exitcode=99", "--num-callers=30"]).args(tool);
    command
}

const MEMCHECK: &[&str] = &[
    "--tool=memcheck",
    "--leak-check=full",
    "--errors-for-leak-kinds=definite,indirect",
    "--show-leak-kinds=definite,indirect",
];

#[test]
fn every_function_keeps_its_word_for_right_and_wrong_arguments() {
    let program = build("suite", "plain", &[]);
    for services in [Services::start(), Services::start_behind_tls()] {
        let printed = run(services.give(&mut Command::new(&program)));
        assert!(
            printed.lines().count() >= 22 && printed.lines().all(|line| line.starts_with("ok ")),
            "{printed}"
        );
    }
}

#[test]
fn the_suite_calls_every_function_there_is() {
    let header = std::fs::read_to_string(root().join("include/merchantpay.ffi.h")).unwrap();
    let suite: String = ["suite.c", "check.c", "../../../conformance/programs/c/fields.h"]
        .map(|name| std::fs::read_to_string(sources().join(name)).unwrap())
        .concat();
    let is_name = |name: &&str| name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    let declared = header.split("mpay_").filter_map(|rest| rest.split_once('(')).map(|(name, _)| name);
    let functions: Vec<_> = declared.filter(is_name).collect();
    assert!(functions.len() > 100, "{}", functions.len());
    // The journal's are called by tests of their own: the C crate's, and those of C++ through its header.
    let journal: String = ["crates/merchantpay-capi/tests/journal.rs", "include/merchantpay.hpp"]
        .map(|name| std::fs::read_to_string(root().join(name)).unwrap())
        .concat();
    let is_journal = |function: &str| {
        ["journal_", "entry_", "entries_", "rows_"].iter().any(|prefix| function.starts_with(prefix))
    };
    for function in functions {
        let calls = if is_journal(function) { &journal } else { &suite };
        assert!(calls.contains(&format!("mpay_{function}")), "mpay_{function}");
    }
}

#[test]
fn memcheck_finds_no_error_and_no_leak_in_any_of_it() {
    memcheck("memcheck", &Services::start());
}

#[test]
fn memcheck_finds_no_error_and_no_leak_in_any_of_it_over_tls() {
    memcheck("memcheck-tls", &Services::start_behind_tls());
}

fn memcheck(variant: &str, services: &Services) {
    let ghash = sources().join("ghash.c").display().to_string();
    let program = build("suite", variant, &[&ghash]);
    // The function that it wraps is known by its name, which a stripped library does not have.
    run(services.give(valgrind(MEMCHECK).arg(program)).env("LD_LIBRARY_PATH", unstripped_folder()));
}

#[test]
fn the_sanitizers_find_nothing_in_any_of_it() {
    let services = Services::start();
    let program = build("suite", "sanitized", &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    let library = sanitized("address", &[]);
    run(services
        .give(&mut Command::new(program))
        .env("LD_LIBRARY_PATH", library)
        .env("ASAN_OPTIONS", "detect_leaks=1"));
}

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// The folder of the library built with a sanitizer, under the name that programs look for. In a target
/// folder of its own: another set of compiler flags would rebuild everything else in a shared one.
fn sanitized(sanitizer: &str, arguments: &[&str]) -> PathBuf {
    let target = scratch(sanitizer);
    run(Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root())
        .args([
            "build",
            "--locked",
            "--quiet",
            "--package",
            "merchantpay-capi",
            "--lib",
            "--target",
            TRIPLE,
            "--target-dir",
        ])
        .arg(&target)
        .args(arguments)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", format!("-Zsanitizer={sanitizer} -Zexternal-clangrt")));
    let folder = target.join("lib");
    std::fs::create_dir_all(&folder).unwrap();
    let built = target.join(TRIPLE).join("debug/libmerchantpay_capi.so");
    std::fs::copy(built, folder.join(concat!("libmerchantpay.so.", env!("CARGO_PKG_VERSION_MAJOR"))))
        .unwrap();
    folder
}

/// Builds `threads.c` with ThreadSanitizer and the runtime that belongs to this Rust, which no C compiler
/// brings along.
fn build_for_thread_sanitizer(library: &Path, name: &str, flags: &[&str]) -> PathBuf {
    let sysroot = run(Command::new("rustc").args(["--print", "sysroot"]));
    let runtimes = Path::new(sysroot.trim()).join("lib/rustlib").join(TRIPLE).join("lib");
    let is_runtime = |path: &PathBuf| path.to_string_lossy().ends_with("_rt.tsan.a");
    let runtime = std::fs::read_dir(runtimes)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(is_runtime)
        .expect("the runtime");
    let objects = ["threads", "check"].map(|source| {
        let object = scratch("c").join(format!("{name}-{source}.o"));
        let source = sources().join(format!("{source}.c"));
        let mut compiler = Command::new("gcc");
        compiler
            .args(["-std=c99", "-g", "-fsanitize=thread", "-pthread"])
            .args(flags)
            .args(pkg_config(&["--cflags"]));
        run(compiler.arg("-c").arg(source).arg("-o").arg(&object));
        object
    });
    let program = scratch("c").join(name);
    run(Command::new("g++")
        .arg("-rdynamic")
        .args(objects)
        .arg(library.join(concat!("libmerchantpay.so.", env!("CARGO_PKG_VERSION_MAJOR"))))
        .arg("-Wl,--whole-archive")
        .arg(runtime)
        .args(["-Wl,--no-whole-archive", "-lpthread", "-ldl", "-lm", "-lrt", "-o"])
        .arg(&program));
    program
}

#[test]
fn thread_sanitizer_finds_no_race_between_eight_threads() {
    let services = Services::start();
    // The standard library too: what it guards would else look unguarded.
    let library = sanitized("thread", &["-Zbuild-std=std,panic_unwind"]);
    let mut command = Command::new(build_for_thread_sanitizer(&library, "threads-tsan", &[]));
    run(services.give(&mut command).env("LD_LIBRARY_PATH", &library).env("TSAN_OPTIONS", "exitcode=66"));

    // That it would find one: the same program with a counter that nothing guards.
    let mut command = Command::new(build_for_thread_sanitizer(&library, "threads-race", &["-DRACE"]));
    let raced = services
        .give(&mut command)
        .env("LD_LIBRARY_PATH", &library)
        .env("TSAN_OPTIONS", "exitcode=66")
        .output()
        .unwrap();
    assert_eq!(raced.status.code(), Some(66), "{}", String::from_utf8_lossy(&raced.stderr));
}

#[test]
fn eight_threads_share_a_client_and_a_verifier() {
    let services = Services::start();
    let program = build("threads", "plain", &[]);
    run(services.give(&mut Command::new(&program)));
    run(services.give(valgrind(MEMCHECK).arg(&program)));
}

#[test]
fn after_a_fork_both_go_on_and_neither_gets_the_others_reply() {
    run(Services::start().give(&mut Command::new(build("fork", "plain", &[]))));
}

#[test]
fn a_broken_pipe_does_not_end_the_host() {
    // Rust's runtime ignores SIGPIPE in this process, and a child would inherit that.
    let mut command = Command::new("env");
    run(Services::start().give(command.arg("--default-signal=PIPE").arg(build("sigpipe", "plain", &[]))));
}

#[test]
fn only_making_a_client_reads_the_environment() {
    run(Services::start().give(&mut Command::new(build("environment", "plain", &["-rdynamic"]))));
}

#[test]
fn a_host_may_unload_the_library_while_a_thread_is_in_it() {
    let program = scratch("c").join("unload");
    let library = prefix().join("lib/libmerchantpay.so");
    run(Command::new("gcc")
        .args(["-std=c99", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"])
        .arg(sources().join("unload.c"))
        .args(pkg_config(&["--cflags"]))
        .args(["-ldl", "-o"])
        .arg(&program));
    run(Services::start().give(&mut Command::new(program)).env("LIBRARY", library));
}
