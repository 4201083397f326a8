//! Checks that cbindgen writes the committed headers from this crate. `make generate` writes them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

#[path = "header/description.rs"]
mod description;
#[path = "header/groups.rs"]
mod groups;
#[path = "header/writer.rs"]
mod writer;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

#[test]
fn committed_headers_are_current() {
    let described = ("include/merchantpay.json", description::text());
    for (name, made) in writer::all().into_iter().chain([described]) {
        if std::env::var_os("MERCHANTPAY_WRITE_HEADERS").is_some() {
            std::fs::write(path(name), &made).expect("the file can be written");
        }
        let committed = std::fs::read_to_string(path(name)).unwrap_or_default();
        assert!(made == committed, "{name} is not current: run `make generate`");
    }
}

/// Some compilers read a header in another code page.
#[test]
fn headers_are_ascii() {
    for name in ["merchantpay.h", "merchantpay_bindings.h", "merchantpay.ffi.h", "merchantpay.hpp"] {
        let text = std::fs::read_to_string(path("include").join(name)).expect("a header");
        assert_eq!(text.lines().find(|line| !line.is_ascii()), None, "{name}");
    }
}

/// Keywords of Pascal, in which names that differ in case alone are one name.
const KEYWORDS: &str = "and array begin case const constructor destructor div do downto else end file for function \
    goto if implementation in inherited inline interface label library mod nil not object of on operator or packed \
    procedure program record repeat set shl shr string then to type unit until uses var while with xor";

#[test]
fn names_suit_languages_without_case() {
    let description: Value = serde_json::from_str(&description::text()).expect("JSON");
    let rows = |of: &Value, name: &str| of[name].as_array().cloned().unwrap_or_default();
    let enums = rows(&description, "enums").into_iter().flat_map(|one| rows(&one, "values"));
    let lists = ["functions", "callbacks", "handles", "constants"];
    let mut names = BTreeSet::new();
    for row in lists.into_iter().flat_map(|list| rows(&description, list)).chain(enums) {
        let name = row["name"].as_str().expect("a name").to_lowercase();
        assert!(names.insert(name), "{} differs from another name in case alone", row["name"]);
        for parameter in rows(&row, "parameters") {
            let name = parameter["name"].as_str().expect("a name");
            assert!(!KEYWORDS.split_whitespace().any(|keyword| keyword == name), "{}: {name}", row["name"]);
        }
    }
}
