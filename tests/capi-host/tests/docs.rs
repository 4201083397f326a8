//! The documentation is true: its programs build and run, and its reference renders.

mod support;

use std::path::PathBuf;
use std::process::Command;

use merchantpay_sandbox::Sandbox;
use support::programs::{at, clean, compile, sandbox};
use support::{pkg_config, prefix, root, run, scratch};

/// The C programs of the crate's README, in order.
fn programs() -> Vec<PathBuf> {
    let readme = std::fs::read_to_string(root().join("crates/merchantpay-capi/README.md")).unwrap();
    let blocks = readme.split("```c\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    blocks
        .enumerate()
        .map(|(index, source)| {
            let path = scratch("docs").join(format!("readme-{index}.c"));
            std::fs::write(&path, source).unwrap();
            path
        })
        .collect()
}

#[test]
fn the_readmes_payment_is_paid() {
    let sandbox = Sandbox::start(Default::default()).unwrap();
    let program = scratch("docs").join("payment");
    run(Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .arg(&programs()[0])
        .args(pkg_config(&["--cflags", "--libs"]))
        .arg(format!("-Wl,-rpath,{}", prefix().join("lib").display()))
        .arg("-o")
        .arg(&program));
    let printed = run(Command::new(program)
        .env("MERCHANTPAY_BASE_URL", sandbox.url())
        .env("MERCHANTPAY_KEY_ID", sandbox.merchant_key_id())
        .env("MERCHANTPAY_PRIVATE_KEY", sandbox.merchant_private_key().unwrap().to_base64().as_str())
        .env("MERCHANTPAY_SERVER_PUBLIC_KEY", sandbox.server_public_key().to_base64()));
    assert!(printed.contains(": pay 1500.50 to "), "{printed}");
}

#[test]
fn the_readmes_functions_compile() {
    let programs = programs();
    assert_eq!(programs.len(), 4, "webhook, waiting, an HTTP stack of one's own");
    for source in &programs[1..] {
        for compiler in [&["cc", "-std=c99"][..], &["c++", "-xc++", "-std=c++11"]] {
            let mut command = Command::new(compiler[0]);
            command.args(&compiler[1..]).args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c"]);
            run(command
                .arg(source)
                .args(pkg_config(&["--cflags"]))
                .arg("-o")
                .arg(source.with_extension("o")));
        }
    }
}

/// The example programs, with arguments with which they reach their first call.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("accept", &[]),
    ("arbitrate", &["receipt.pdf"]),
    ("first", &[]),
    ("guide", &["receipt.pdf"]),
    ("outcomes", &[]),
    ("recover", &["/nowhere/payments.db"]),
    ("till", &["", "order-1017", "1500.50"]),
    ("webhook", &["1"]),
];

/// The complete C programs on the pages.
fn programs_of_pages() -> Vec<PathBuf> {
    let pages = ["docs/install.md", "crates/merchantpay-capi/README.md"];
    let programs = pages.iter().map(|page| {
        let text = std::fs::read_to_string(root().join(page)).unwrap();
        let blocks = text.split("```c\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
        let program = blocks.into_iter().find(|block| block.contains("int main(")).expect("a program");
        let path = scratch("docs").join(format!("{}.c", page.replace('/', "-")));
        std::fs::write(&path, program).unwrap();
        path
    });
    programs.collect()
}

/// What the library says where settings are missing, nothing listens, or the C++ header got none.
const MESSAGES: [&str; 5] = [
    "base_url is empty",
    "are missing: set them",
    "server_public_key is missing",
    "the connection failed before anything was sent",
    "cannot be taken",
];

#[test]
fn a_program_that_fails_prints_the_librarys_message_whichever_compiler_built_it() {
    let others = run(Command::new("pkg-config").args(["--cflags", "--libs", "libmicrohttpd", "libpq"]));
    let (sandbox, of_pages) = (sandbox(), programs_of_pages());
    // These programs end after a call that fails.
    let reaches_the_service =
        |name: &str| name.starts_with("first") || name.starts_with("guide") || name.contains(".md");
    for (language, compilers) in [("c", ["gcc", "clang"]), ("cpp", ["g++", "clang++"])] {
        let folder = root().join("examples").join(language);
        let examples =
            EXAMPLES.iter().map(|(name, arguments)| (folder.join(name).with_extension(language), *arguments));
        // The README has no first program in C++.
        let mut programs: Vec<_> = examples.filter(|(source, _)| source.is_file()).collect();
        assert_eq!(programs.len(), EXAMPLES.len() - usize::from(language == "cpp"));
        if language == "c" {
            programs.extend(of_pages.iter().map(|source| (source.clone(), &[][..])));
        }
        for (source, arguments) in programs {
            for compiler in compilers {
                let name = source.file_name().unwrap().to_string_lossy();
                let program = scratch("docs").join(format!("{name}-{compiler}"));
                // In this command the libraries precede the source, so the linker must keep them all.
                let mut flags = vec!["-pthread", "-Wl,--no-as-needed"];
                flags.extend((language == "cpp").then_some("-std=c++11"));
                flags.extend(others.split_whitespace());
                compile(compiler, &flags, &[&source], &program);
                let mut commands = vec![clean(&program)];
                if reaches_the_service(&name) {
                    // No server listens on the port of these settings.
                    commands.push(at(&sandbox, &program));
                    commands[1].env("MERCHANTPAY_BASE_URL", "http://127.0.0.1:1");
                }
                for mut command in commands {
                    command.args(arguments);
                    let output = command.output().expect("it starts");
                    let printed = [output.stdout, output.stderr].concat();
                    let printed = String::from_utf8(printed).expect("text");
                    assert!(!printed.contains("(null)"), "{name} by {compiler}: {printed}");
                    assert!(
                        MESSAGES.iter().any(|text| printed.contains(text)),
                        "{name} by {compiler}: {printed}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_reference_renders_without_a_warning() {
    let output = scratch("docs").join("reference");
    std::fs::create_dir_all(&output).unwrap();
    let doxyfile = std::fs::read_to_string(root().join("crates/merchantpay-capi/Doxyfile")).unwrap();
    let here = output.join("Doxyfile");
    std::fs::write(&here, format!("{doxyfile}\nOUTPUT_DIRECTORY = \"{}\"\n", output.display())).unwrap();
    run(Command::new("doxygen").arg(&here).current_dir(root()));
    let page = std::fs::read_to_string(output.join("html/merchantpay_8h.html")).unwrap();
    assert!(page.contains("mpay_verify_webhook") && page.contains("MPAY_OUTCOME_UNKNOWN"));
}
