//! The exports, dependencies and size of the built library, and a check that its ABI equals the committed
//! ABI.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{prefix, root, run, scratch, unstripped};

fn library() -> PathBuf {
    prefix().join("lib/libmerchantpay.so")
}

/// A committed file of the ABI, which `make generate` writes.
fn committed(name: &str) -> PathBuf {
    root().join("tests/c/abi").join(name)
}

/// The number in PACKAGING.md between these two texts.
fn stated(before: &str, behind: &str) -> String {
    let text = fs::read_to_string(root().join("crates/merchantpay-capi/PACKAGING.md")).expect("PACKAGING.md");
    let rest = text.split_once(before).unwrap_or_else(|| panic!("PACKAGING.md does not say {before:?}")).1;
    rest.split_once(behind)
        .unwrap_or_else(|| panic!("PACKAGING.md does not say {behind:?} after {before:?}"))
        .0
        .to_owned()
}

#[test]
fn exactly_the_committed_functions_are_exported_and_no_data() {
    let list = fs::read_to_string(committed("symbols.txt")).expect("the committed list");
    let functions: Vec<_> = list.lines().collect();
    assert!(functions.iter().all(|name| name.starts_with("mpay_")), "{list}");
    let exported = exported();
    let names: Vec<_> = exported
        .iter()
        .filter(|(_, kind)| kind != "A")
        .map(|(name, _)| name.split('@').next().unwrap_or_default())
        .collect();
    assert_eq!(names, functions, "run `make generate` and look at the difference");
    assert!(
        exported.iter().all(|(name, kind)| kind == "T" || (kind == "A" && name.starts_with("MERCHANTPAY_"))),
        "{exported:?}"
    );
}

/// The exported symbols, sorted, with their kinds: functions with their versions, and the versions
/// themselves.
fn exported() -> Vec<(String, String)> {
    let text = run(Command::new("nm")
        .args(["-D", "--defined-only", "--with-symbol-versions", "--format=posix"])
        .arg(library()));
    let words = |line: &str| {
        let (name, rest) = line.split_once(' ')?;
        Some((name.to_owned(), rest.split(' ').next()?.to_owned()))
    };
    let mut exported: Vec<_> = text.lines().filter_map(words).collect();
    exported.sort();
    exported
}

#[test]
fn each_function_has_the_version_of_the_release_that_added_it() {
    let script = fs::read_to_string(root().join("crates/merchantpay-capi/package/libmerchantpay.map"))
        .expect("the version script");
    let mut wanted = Vec::new();
    for node in script.split("\nMERCHANTPAY_").skip(1) {
        let version = node.split(' ').next().unwrap_or_default();
        let functions = node
            .lines()
            .filter_map(|line| line.trim().strip_suffix(';'))
            .filter(|name| name.starts_with("mpay_"));
        wanted.extend(functions.map(|name| (format!("{name}@@MERCHANTPAY_{version}"), "T".to_owned())));
    }
    wanted.sort();
    let functions: Vec<_> = exported().into_iter().filter(|(_, kind)| kind == "T").collect();
    assert_eq!(functions, wanted);
}

/// Writes the ABI of the header to a folder of its own.
fn abi(name: &str) -> PathBuf {
    let folder = scratch(&format!("abi-{name}"));
    run(Command::new(root().join("tools/dev/abi")).arg(&folder).arg(root().join("include/merchantpay.h")));
    folder
}

#[test]
fn the_constants_are_the_committed_ones() {
    let folder = abi("constants");
    let lists = [folder.join("constants.txt"), committed("constants.txt")]
        .map(|path| fs::read_to_string(path).expect("a list"));
    assert_eq!(lists[0], lists[1], "run `make generate` and look at the difference");
    assert!(
        lists[0].contains("MPAY_REJECTED 40\n") && lists[0].contains("MPAY_NO_MINOR INT64_MIN\n"),
        "{}",
        lists[0]
    );
}

#[test]
fn the_header_has_the_committed_functions_and_abi() {
    let folder = abi("header");
    let lists = [folder.join("symbols.txt"), committed("symbols.txt")]
        .map(|path| fs::read_to_string(path).expect("a list"));
    assert_eq!(lists[0], lists[1], "run `make generate` and look at the difference");
    let mut abidiff = Command::new("abidiff");
    abidiff.arg(committed("merchantpay.abi")).arg(folder.join("merchantpay.abi"));
    let difference = abidiff.output().expect("abidiff");
    assert!(
        difference.status.success(),
        "run `make generate` and look at the difference\n{}",
        String::from_utf8_lossy(&difference.stdout)
    );
}

#[test]
fn no_newer_glibc_is_needed_than_is_stated() {
    let floor = version(&stated("machine that built it, such as ", " on Debian 12"));
    let symbols = run(Command::new("objdump").arg("-T").arg(library()));
    let newer: Vec<_> = symbols
        .lines()
        .filter(|line| {
            line.split("GLIBC_")
                .nth(1)
                .is_some_and(|rest| version(rest.split([')', ' ']).next().unwrap_or_default()) > floor)
        })
        .collect();
    assert!(newer.is_empty(), "{newer:#?}");
    assert!(symbols.contains("GLIBC_"), "{symbols}");
}

/// The numbers of a version such as `2.34`.
fn version(text: &str) -> Vec<u32> {
    text.split('.').map(|part| part.parse().unwrap_or_else(|error| panic!("{text}: {error}"))).collect()
}

#[test]
fn it_needs_nothing_but_the_c_library_and_the_unwinder_and_stays_loaded() {
    let dynamic = run(Command::new("readelf").args(["-dW"]).arg(library()));
    let needed: Vec<_> = dynamic
        .lines()
        .filter(|line| line.contains("(NEEDED)"))
        .filter_map(|line| line.split(['[', ']']).nth(1))
        .collect();
    let allowed = |name: &str| {
        ["libc.so.", "libm.so.", "libgcc_s.so.", "ld-linux"].iter().any(|start| name.starts_with(start))
    };
    assert!(!needed.is_empty() && needed.iter().all(|name| allowed(name)), "{needed:?}");
    for flag in ["NODELETE", "NOW"] {
        assert!(
            dynamic.lines().any(|line| line.contains("FLAGS_1") && line.contains(flag)),
            "{flag}: {dynamic}"
        );
    }
    assert!(
        !dynamic.contains("TEXTREL") && !dynamic.contains("RPATH") && !dynamic.contains("RUNPATH"),
        "{dynamic}"
    );
    let segments = run(Command::new("readelf").args(["-lW"]).arg(library()));
    let stack = segments.lines().find(|line| line.contains("GNU_STACK")).expect("a line for the stack");
    assert!(stack.contains(" RW ") && segments.contains("GNU_RELRO"), "{segments}");
}

/// The largest size of the stripped library, including TLS and the drivers of databases.
const LARGEST: u64 = 7_000_000;

#[test]
fn stripped_library_has_at_most_seven_megabytes() {
    let size = fs::metadata(library()).expect("the library").len();
    assert!(size <= LARGEST, "{size} bytes");
    // The stated size is correct, within the differences between compilers.
    let megabytes: f64 = stated("The stripped library has ", " MB").parse().expect("a number");
    assert!(
        (megabytes * 1e6 - size as f64).abs() < 100_000.0,
        "{size} bytes, and PACKAGING.md says {megabytes} MB"
    );
}

/// With link-time optimisation, the crates of this library are one compilation unit; without it, each crate
/// has its own. compiler_builtins always has its own.
#[test]
fn the_released_library_is_optimised_at_link_time() {
    let (library, unstripped) = (library(), unstripped());
    assert_eq!(build_id(&library), build_id(&unstripped), "the library with its names is another one");
    let symbols = run(Command::new("readelf").args(["-sW"]).arg(unstripped));
    let units = symbols
        .lines()
        .filter(|line| line.contains(" FILE "))
        .filter_map(|line| line.split_whitespace().last());
    let crates: BTreeSet<_> = units
        .filter_map(|unit| Some(unit.split_once("-cgu.")?.0.split('.').next().unwrap_or_default()))
        .collect();
    let (ours, others): (Vec<_>, Vec<_>) = crates.into_iter().partition(|name| *name == "merchantpay_capi");
    assert!(
        ours.len() == 1 && others.iter().all(|name| *name == "compiler_builtins"),
        "compiled on their own: {others:?}"
    );
}

fn build_id(library: &Path) -> String {
    let notes = run(Command::new("readelf").arg("-n").arg(library));
    let id = notes.lines().find_map(|line| line.trim().strip_prefix("Build ID: "));
    id.unwrap_or_else(|| panic!("{} has no build id: {notes}", library.display())).to_owned()
}
