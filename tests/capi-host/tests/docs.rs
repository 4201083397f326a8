//! The documentation says what is so: its programs are built and run, its reference renders.

mod support;

use std::path::PathBuf;
use std::process::Command;

use merchantpay_sandbox::Sandbox;
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
