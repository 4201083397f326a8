//! The files that `make install`, `make uninstall` and `make dist` create and remove.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use support::{ABI, VERSION, fresh, root, run, sh};

type Tree = BTreeMap<String, String>;

/// Each path with its mode or target.
fn tree(folder: &Path) -> Tree {
    let others = sh(folder, "find . -mindepth 1 -type d ! -perm 755");
    assert_eq!(others, "", "folders with another mode");
    let found = sh(folder, "find . -type f -printf '%P\\t%m\\n' -o -type l -printf '%P\\t%l\\n'");
    let pair = |line: &str| line.split_once('\t').map(|(name, value)| (name.to_owned(), value.to_owned()));
    found.lines().filter_map(pair).collect()
}

fn expected(lib: &str, include: &str) -> Tree {
    let library = format!("libmerchantpay.so.{VERSION}");
    let mut expected = Tree::from([
        (format!("{lib}/{library}"), "755".to_owned()),
        (format!("{lib}/libmerchantpay.so.{ABI}"), library),
        (format!("{lib}/libmerchantpay.so"), format!("libmerchantpay.so.{ABI}")),
    ]);
    let mut add = |name: String| expected.insert(name, "644".to_owned());
    for name in [
        "libmerchantpay.a",
        "pkgconfig/merchantpay.pc",
        "cmake/merchantpay/merchantpayConfig.cmake",
        "cmake/merchantpay/merchantpayConfigVersion.cmake",
    ] {
        add(format!("{lib}/{name}"));
    }
    for header in files("include") {
        add(format!("{include}/{header}"));
    }
    expected
}

fn files(folder: &str) -> Vec<String> {
    let found = sh(&root().join(folder), "find . -maxdepth 1 -type f -printf '%P\\n'");
    found.lines().map(str::to_owned).collect()
}

/// Runs make with a umask that denies all other users access to new files.
fn make(variables: &str) {
    sh(root(), &format!("umask 077; make --no-print-directory --silent {variables}"));
}

#[test]
fn uninstall_removes_what_install_made_and_nothing_else() {
    for (lib, include, space) in [("lib", "include", ""), ("lib64", "include/merchantpay", " ")] {
        let prefix = fresh("install").join(format!("prefix{space}here"));
        let variables = format!("PREFIX=\"{}\" LIBDIR={lib} INCLUDEDIR={include}", prefix.display());
        make(&format!("install {variables}"));
        assert_eq!(tree(&prefix), expected(lib, include));
        // Once more: the result is the same.
        make(&format!("install {variables}"));
        fs::write(prefix.join(lib).join("libother.so"), "").unwrap();
        make(&format!("uninstall {variables}"));
        assert_eq!(tree(&prefix).into_keys().collect::<Vec<_>>(), [format!("{lib}/libother.so")]);
    }
}

#[test]
fn no_file_names_the_folder_of_its_build() {
    let stage = fresh("stage here");
    let lib = "lib/x86_64-linux-gnu";
    make(&format!("install PREFIX=/usr DESTDIR=\"{}\" LIBDIR=/usr/{lib}", stage.display()));
    assert_eq!(tree(&stage.join("usr")), expected(lib, "include"));
    let home = format!("{}/", std::env::var("HOME").expect("HOME"));
    for place in
        [&stage.display().to_string(), &root().display().to_string(), env!("CARGO_TARGET_TMPDIR"), &home]
    {
        let naming = sh(&stage, &format!("grep -rlF \"{place}\" . || true"));
        assert_eq!(naming, "", "{place}");
    }
    let package = fs::read_to_string(stage.join("usr").join(lib).join("pkgconfig/merchantpay.pc")).unwrap();
    let paths =
        format!("prefix=${{pcfiledir}}/../../..\nlibdir=${{prefix}}/{lib}\nincludedir=${{prefix}}/include\n");
    assert!(package.contains(&paths), "{package}");
}

#[test]
fn archive_is_complete_and_the_same_every_time() {
    let place = fresh("dist");
    let made = ["one", "two"].map(|folder| {
        let archive = run(Command::new(root().join("tools/release/archive")).arg(place.join(folder)));
        archive.trim().to_owned()
    });
    sh(&place, &format!("cmp {} {}; cd one; sha256sum --check --quiet *.sha256", made[0], made[1]));
    let name = made[0].rsplit('/').next().and_then(|name| name.strip_suffix(".tar.gz")).expect("an archive");
    assert!(name.starts_with(&format!("merchantpay-{VERSION}-{}-", std::env::consts::ARCH)), "{name}");
    sh(&place, &format!("tar -xzf {}", made[0]));
    let unpacked = place.join(name);

    let expected = contents();
    assert_eq!(tree(&unpacked), expected);
    sh(&unpacked, "sha256sum --check --strict --quiet SHA256SUMS");
    let sums = fs::read_to_string(unpacked.join("SHA256SUMS")).unwrap();
    // All files except the links and the checksum file itself.
    assert_eq!(sums.lines().count(), expected.len() - 3);
    let others = fs::read_to_string(unpacked.join("LICENSE-THIRD-PARTY")).unwrap();
    for part in ["rustls v", "ring v", "==== ring v", "==== ed25519-dalek v"] {
        assert!(others.contains(part), "{part}");
    }
    // The bill of materials names each crate of the licence list, and contains no path of a file.
    let bill = fs::read_to_string(unpacked.join("merchantpay.cdx.json")).unwrap();
    let crates = others.lines().skip(3).take_while(|line| !line.is_empty());
    let crates: Vec<_> = crates.filter_map(|line| line.split_once(" v")).collect();
    assert!(crates.len() > 30, "{crates:?}");
    for (name, rest) in crates {
        let version = rest.split(' ').next().unwrap_or_default();
        assert!(bill.contains(&format!("\"purl\": \"pkg:cargo/{name}@{version}\"")), "{name} {version}");
    }
    assert!(bill.contains("\"specVersion\": \"1.5\"") && !bill.contains("file:"), "{bill}");
}

fn contents() -> Tree {
    let mut expected = expected("lib", "include");
    let mut names: Vec<String> =
        "LICENSE-MIT LICENSE-APACHE LICENSE-THIRD-PARTY README.md PACKAGING.md CHANGELOG.md \
        SECURITY.md merchantpay.cdx.json SHA256SUMS examples/README.md pascal/README.md"
            .split(' ')
            .map(str::to_owned)
            .collect();
    let copied = ["examples/c", "examples/cpp", "examples/pascal"].map(|folder| (folder, folder));
    for (folder, from) in copied.into_iter().chain([("pascal", "bindings/pascal/src")]) {
        names.extend(files(from).iter().map(|file| format!("{folder}/{file}")));
    }
    expected.extend(names.into_iter().map(|name| (name, "644".to_owned())));
    expected
}
