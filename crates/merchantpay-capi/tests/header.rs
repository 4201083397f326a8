//! The committed headers are what cbindgen writes from this crate, and their constants are the core's lists.
//!
//! `make generate` writes them.

use std::path::{Path, PathBuf};

use merchantpay::{Code, OPERATIONS, Outcome, PAYMENT_FIELDS};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

fn include(name: &str) -> PathBuf {
    Path::new(CRATE).join("../../include").join(name)
}

fn generate(change: impl FnOnce(&mut cbindgen::Config)) -> String {
    let mut config = cbindgen::Config::from_file(Path::new(CRATE).join("cbindgen.toml")).expect("cbindgen.toml");
    change(&mut config);
    let bindings = cbindgen::Builder::new().with_crate(CRATE).with_config(config).generate().expect("the crate can be read");
    let mut text = Vec::new();
    bindings.write(&mut text);
    String::from_utf8(text).expect("a header is text")
}

/// The header for compilers.
fn header() -> String {
    let text = generate(|config| {
        let version = format!("/** The version of this header, as text. */\n#define MPAY_VERSION \"{}\"", env!("CARGO_PKG_VERSION"));
        config.after_includes = Some(format!("\n{}\n\n{version}", include_str!("header/platform.h").trim()));
        config.header = Some(include_str!("header/rules.h").trim().to_owned());
    });
    // C89 has no such comments, and nothing but a comment may follow an #endif.
    text.replace("  // extern \"C\"", "").replace("#endif  // __cplusplus", "#endif").replace("#endif // __cplusplus", "#endif")
}

/// The same declarations for readers that have no preprocessor, such as PHP's `FFI::cdef`. A constant is an enumerator here;
/// the one that does not fit in an `int` is left out.
fn declarations() -> String {
    let text = generate(|config| {
        config.header = Some("/* merchantpay.h without its preprocessor, for FFI::cdef and the like. */".to_owned());
        (config.cpp_compat, config.documentation, config.include_guard) = (false, false, None);
        config.sys_includes.clear();
        config.function.prefix = None;
    });
    let constant = |line: &str| {
        let mut words = line.strip_prefix("#define ")?.split(' ');
        let (name, value) = (words.next()?, words.next()?);
        Some(if value.parse::<i32>().is_ok() { format!("enum {{ {name} = {value} }};") } else { String::new() })
    };
    let lines: Vec<_> = text.lines().map(|line| constant(line).unwrap_or_else(|| line.to_owned())).collect();
    let mut kept: Vec<&str> = Vec::new();
    for line in &lines {
        // One blank line is enough where something was left out.
        if !(line.is_empty() && kept.last().is_some_and(|last| last.is_empty())) {
            kept.push(line);
        }
    }
    kept.join("\n") + "\n"
}

#[test]
fn the_committed_headers_are_what_the_crate_says() {
    for (name, made) in [("merchantpay.h", header()), ("merchantpay.ffi.h", declarations())] {
        if std::env::var_os("MERCHANTPAY_WRITE_HEADERS").is_some() {
            std::fs::write(include(name), &made).expect("the header can be written");
        }
        let committed = std::fs::read_to_string(include(name)).unwrap_or_default();
        assert!(made == committed, "include/{name} is not current: run `make generate`");
    }
}

#[test]
fn a_header_without_a_preprocessor_has_no_line_for_one() {
    let text = declarations();
    assert!(!text.contains('#') && text.contains("enum { MPAY_REJECTED = 40 };"), "{text}");
}

#[test]
fn the_constants_are_the_cores_numbers() {
    let header = header();
    let codes = Code::ALL.iter().map(|code| (format!("MPAY_{}", code.name().to_uppercase()), code.number()));
    let outcomes = Outcome::ALL.iter().map(|outcome| (format!("MPAY_OUTCOME_{}", outcome.name().to_uppercase()), outcome.number()));
    for (name, number) in codes.chain(outcomes) {
        assert!(header.contains(&format!("#define {name} {number}\n")), "{name} {number}");
    }
}

#[test]
fn every_operation_and_every_field_has_its_functions() {
    let header = header();
    let has = |name: &str| header.contains(&format!(" {name}(")) || header.contains(&format!("*{name}("));
    for operation in OPERATIONS.iter().map(|operation| operation.name) {
        for prefix in ["mpay", "mpay_prepare", "mpay_open"] {
            assert!(has(&format!("{prefix}_{}", snake(operation))), "{prefix} {operation}");
        }
    }
    for field in PAYMENT_FIELDS.iter().map(|field| field.name) {
        assert!(has(&format!("mpay_payment_{}", snake(field))), "{field}");
    }
}

#[test]
fn every_handle_that_c_can_own_can_be_freed() {
    let header = header();
    for handle in header.lines().filter_map(|line| line.strip_prefix("typedef struct ")?.split(' ').next()) {
        let freed = header.contains(&format!("void {handle}_free("));
        // An attempt is only ever lent.
        assert_eq!(freed, handle != "mpay_attempt", "{handle}");
    }
}

#[test]
fn every_function_says_which_threads_may_call_it_and_since_when() {
    let (header, declarations) = (header(), declarations());
    let mut functions = 0;
    for name in declarations.split("mpay_").filter_map(|rest| rest.split_once('(')).map(|(name, _)| name) {
        if !name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_') {
            continue;
        }
        let before = header.split(&format!("mpay_{name}(")).next().unwrap_or_default();
        let comment = before.rsplit("/**").next().unwrap_or_default().replace("\n * ", " ");
        assert!(comment.contains("Since 0.") && comment.contains("thread"), "mpay_{name}: {comment}");
        functions += 1;
    }
    assert!(functions > 100, "{functions}");
}

#[test]
fn the_headers_are_ascii_because_some_compilers_read_them_in_another_code_page() {
    let cpp = std::fs::read_to_string(include("merchantpay.hpp")).expect("the header for C++");
    for text in [header(), declarations(), cpp] {
        let line = text.lines().find(|line| !line.is_ascii());
        assert_eq!(line, None);
    }
}

#[test]
fn the_version_is_the_crates() {
    let part = |text: &str| text.parse::<u32>().expect("a number");
    let (major, minor, patch) =
        (part(env!("CARGO_PKG_VERSION_MAJOR")), part(env!("CARGO_PKG_VERSION_MINOR")), part(env!("CARGO_PKG_VERSION_PATCH")));
    assert_eq!(merchantpay_capi::mpay_version_number(), major * 10_000 + minor * 100 + patch);
    // It is in the SONAME, which the linker is told from the crate's version.
    assert_eq!(merchantpay_capi::mpay_abi_version(), major);
}

fn snake(camel: &str) -> String {
    camel.chars().flat_map(|letter| if letter.is_uppercase() { vec!['_', letter.to_ascii_lowercase()] } else { vec![letter] }).collect()
}
