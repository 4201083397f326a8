//! The documentation is true: its programs build and run, and its reference renders.

mod support;

use std::path::PathBuf;
use std::process::Command;

use merchantpay_sandbox::Sandbox;
use support::programs::{at, clean, compile, sandbox};
use support::{pkg_config, root, run, scratch};

/// The C programs of a page, in order.
fn programs(page: &str) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let blocks = text.split("```c\n").skip(1).filter_map(|rest| rest.split("```").next());
    let file = |(index, source): (usize, &str)| {
        let path = scratch("docs").join(format!("{}-{index}.c", page.replace('/', "-")));
        std::fs::write(&path, source).unwrap();
        path
    };
    blocks.enumerate().map(file).collect()
}

const README: &str = "crates/merchantpay-capi/README.md";

#[test]
fn the_readmes_payment_is_paid() {
    let program = scratch("docs").join("payment");
    let flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];
    compile("cc", &flags, &[&programs(README)[0]], &program);
    let printed = run(&mut at(&Sandbox::start(Default::default()).unwrap(), program));
    assert!(printed.contains(": pay 1500.50 to "), "{printed}");
}

#[test]
fn the_readmes_functions_compile() {
    let programs = programs(README);
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
    let sandbox = sandbox();
    // The first program of each page is complete.
    let of_pages = ["docs/install.md", README].map(|page| programs(page).swap_remove(0));
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
                let mut flags =
                    vec!["-pthread", "-Wl,--no-as-needed", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];
                flags.push(if language == "cpp" { "-std=c++11" } else { "-std=c99" });
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
