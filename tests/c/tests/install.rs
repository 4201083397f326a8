//! The files that `make install`, `make uninstall` and `make dist` create and remove.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{prefix, root, run, scratch};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Every file and link under a folder: its path, and its mode or target.
fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap_or_else(|error| panic!("{}: {error}", next.display())) {
            let path = entry.expect("an entry").path();
            let meta = path.symlink_metadata().expect("metadata");
            let name = path.strip_prefix(folder).expect("a path in the folder").display().to_string();
            if meta.is_dir() {
                assert_eq!(meta.permissions().mode() & 0o777, 0o755, "{name}");
                folders.push(path);
            } else if meta.is_symlink() {
                found.insert(name, fs::read_link(&path).expect("a link").display().to_string());
            } else {
                found.insert(name, format!("{:o}", meta.permissions().mode() & 0o777));
            }
        }
    }
    found
}

/// The files that must be under a prefix, with these folders for libraries and headers.
fn expected(lib: &str, include: &str) -> BTreeMap<String, String> {
    let (library, abi) = (format!("libmerchantpay.so.{VERSION}"), env!("CARGO_PKG_VERSION_MAJOR"));
    let mut expected = BTreeMap::from([
        (format!("{lib}/{library}"), "755".to_owned()),
        (format!("{lib}/libmerchantpay.so.{abi}"), library),
        (format!("{lib}/libmerchantpay.so"), format!("libmerchantpay.so.{abi}")),
    ]);
    let texts = [
        "libmerchantpay.a",
        "pkgconfig/merchantpay.pc",
        "cmake/merchantpay/merchantpayConfig.cmake",
        "cmake/merchantpay/merchantpayConfigVersion.cmake",
    ];
    expected.extend(texts.map(|name| (format!("{lib}/{name}"), "644".to_owned())));
    let headers = fs::read_dir(root().join("include"))
        .expect("the headers")
        .map(|entry| entry.expect("a header").file_name());
    expected.extend(headers.map(|name| (format!("{include}/{}", name.display()), "644".to_owned())));
    expected
}

/// An empty folder with this name.
fn fresh(name: &str) -> PathBuf {
    let folder = scratch(name);
    fs::remove_dir_all(&folder).expect("it can be emptied");
    scratch(name)
}

fn make(target: &str, variables: &[(&str, &str)]) {
    let set = variables.iter().map(|(name, value)| format!("{name}={value}"));
    // This command runs with a umask that denies all other users access to new files.
    run(Command::new("sh")
        .args(["-c", "umask 077; exec make --no-print-directory --silent \"$@\"", "sh", target])
        .args(set)
        .current_dir(root()));
}

#[test]
fn the_shared_library_is_stripped_and_has_its_soname() {
    let library = prefix().join("lib/libmerchantpay.so");
    let dynamic = run(Command::new("objdump").arg("-p").arg(&library));
    assert!(
        dynamic.contains(concat!(
            "SONAME               libmerchantpay.so.",
            env!("CARGO_PKG_VERSION_MAJOR"),
            "\n"
        )),
        "{dynamic}"
    );
    let sections = run(Command::new("objdump").arg("-h").arg(&library));
    assert!(!sections.contains(".debug_"), "{sections}");
    assert!(run(Command::new("nm").arg(&library)).is_empty());
}

#[test]
fn what_was_installed_is_taken_away_and_nothing_else() {
    for (lib, include, space) in [("lib", "include", ""), ("lib64", "include/merchantpay", " ")] {
        let place = fresh(&format!("install{space}{lib}"));
        let prefix = place.join("prefix");
        let prefix_text = prefix.display().to_string();
        let variables = [("PREFIX", prefix_text.as_str()), ("LIBDIR", lib), ("INCLUDEDIR", include)];
        make("install", &variables);
        assert_eq!(tree(&prefix), expected(lib, include));
        // Installing twice has the same result.
        make("install", &variables);
        fs::write(prefix.join(lib).join("libother.so"), "").expect("it can be written");
        make("uninstall", &variables);
        assert_eq!(tree(&prefix).into_keys().collect::<Vec<_>>(), [format!("{lib}/libother.so")]);
    }
}

#[test]
fn the_folder_that_a_package_is_made_in_is_in_no_file() {
    let stage = fresh("stage here");
    let stage_text = stage.display().to_string();
    make("install", &[("PREFIX", "/usr"), ("DESTDIR", &stage_text), ("LIBDIR", "/usr/lib/x86_64-linux-gnu")]);
    let files = tree(&stage.join("usr"));
    assert_eq!(files, expected("lib/x86_64-linux-gnu", "include"));
    let home = format!("{}/", std::env::var("HOME").expect("HOME"));
    for name in files.keys() {
        let bytes = fs::read(stage.join("usr").join(name)).expect("an installed file");
        // No file contains a path of the build.
        for place in [stage_text.as_str(), &root().display().to_string(), env!("CARGO_TARGET_TMPDIR"), &home]
        {
            assert!(
                !bytes.windows(place.len()).any(|window| window == place.as_bytes()),
                "{place} is in {name}"
            );
        }
    }
    let package = fs::read_to_string(stage.join("usr/lib/x86_64-linux-gnu/pkgconfig/merchantpay.pc"))
        .expect("merchantpay.pc");
    assert!(
        package.contains("prefix=${pcfiledir}/../../..\nlibdir=${prefix}/lib/x86_64-linux-gnu\nincludedir=${prefix}/include\n"),
        "{package}"
    );
}

#[test]
fn an_archive_is_the_same_tree_with_licences_and_checksums_and_the_same_bytes_every_time() {
    let place = fresh("dist");
    let made = [place.join("one"), place.join("two")].map(|folder| {
        PathBuf::from(run(Command::new(root().join("tools/release/archive")).arg(folder)).trim())
    });
    let [one, two] = made.each_ref().map(|archive| fs::read(archive).expect("an archive"));
    assert!(one == two);
    let archive = made[0].file_name().expect("a name").to_str().expect("a name in ASCII");
    let name = archive.strip_suffix(".tar.gz").expect("an archive");
    assert!(name.starts_with(&format!("merchantpay-{VERSION}-{}-", std::env::consts::ARCH)), "{name}");
    run(Command::new("sha256sum")
        .args(["--check", "--quiet"])
        .arg(format!("{archive}.sha256"))
        .current_dir(place.join("one")));

    run(Command::new("tar").arg("-xzf").arg(&made[0]).current_dir(&place));
    let unpacked = place.join(name);
    let mut expected = expected("lib", "include");
    let licences = ["LICENSE-MIT", "LICENSE-APACHE", "LICENSE-THIRD-PARTY"];
    let texts =
        ["README.md", "PACKAGING.md", "CHANGELOG.md", "SECURITY.md", "merchantpay.cdx.json", "SHA256SUMS"]
            .into_iter()
            .chain(licences);
    expected.extend(texts.map(|text| (text.to_owned(), "644".to_owned())));
    let copied = ["examples/c", "examples/cpp", "examples/pascal"].map(|name| (name, name));
    for (folder, from) in copied.into_iter().chain([("pascal", "bindings/pascal/src")]) {
        for file in fs::read_dir(root().join(from)).expect("a folder of the sources") {
            let file = file.expect("a file");
            if file.path().is_file() {
                let name = format!("{folder}/{}", file.file_name().to_str().expect("a name in ASCII"));
                expected.insert(name, "644".to_owned());
            }
        }
    }
    for page in ["examples/README.md", "pascal/README.md"] {
        expected.insert(page.to_owned(), "644".to_owned());
    }
    assert_eq!(tree(&unpacked), expected);
    run(Command::new("sha256sum")
        .args(["--check", "--strict", "--quiet", "SHA256SUMS"])
        .current_dir(&unpacked));
    let sums = fs::read_to_string(unpacked.join("SHA256SUMS")).expect("the checksums");
    // All files except the links and the checksum file itself.
    assert_eq!(sums.lines().count(), expected.len() - 3);
    let others = fs::read_to_string(unpacked.join("LICENSE-THIRD-PARTY")).expect("the licences");
    for part in ["rustls v", "ring v", "==== ring v", "==== ed25519-dalek v"] {
        assert!(others.contains(part), "{part}");
    }
    // The bill of materials names each crate of the licence list, and contains no path of a file.
    let bill = fs::read_to_string(unpacked.join("merchantpay.cdx.json")).expect("the bill of materials");
    let crates: Vec<_> = others
        .lines()
        .skip(3)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_once(" v"))
        .collect();
    assert!(crates.len() > 30, "{crates:?}");
    for (name, rest) in crates {
        let version = rest.split(' ').next().unwrap_or_default();
        assert!(bill.contains(&format!("\"purl\": \"pkg:cargo/{name}@{version}\"")), "{name} {version}");
    }
    assert!(bill.contains("\"specVersion\": \"1.5\"") && !bill.contains("file:"), "{bill}");
}
