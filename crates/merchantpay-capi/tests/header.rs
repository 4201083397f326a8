//! Checks that cbindgen writes the committed headers from this crate, and that their constants match the
//! core's lists. `make generate` writes the headers.

use std::path::{Path, PathBuf};

use merchantpay::{Code, OPERATIONS, Outcome, PAYMENT_FIELDS, REQUEST_FIELDS, SETTINGS, SettingKind};

#[path = "header/calls.rs"]
mod calls;
#[path = "header/description.rs"]
mod description;
#[path = "header/groups.rs"]
mod groups;
#[path = "header/writer.rs"]
mod writer;

use writer::{function, header, version_script};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_committed_headers_are_what_the_crate_says() {
    let described = ("include/merchantpay.json", description::text());
    for (name, made) in writer::all().into_iter().chain([described]) {
        if std::env::var_os("MERCHANTPAY_WRITE_HEADERS").is_some() {
            std::fs::write(root().join(name), &made).expect("the file can be written");
        }
        let committed = std::fs::read_to_string(root().join(name)).unwrap_or_default();
        assert!(made == committed, "{name} is not current: run `make generate`");
    }
}

#[test]
fn the_constants_are_the_cores_numbers() {
    let header = header();
    let codes = Code::ALL.iter().map(|code| (format!("MPAY_{}", code.name().to_uppercase()), code.number()));
    let outcomes = Outcome::ALL
        .iter()
        .map(|outcome| (format!("MPAY_OUTCOME_{}", outcome.name().to_uppercase()), outcome.number()));
    for (name, number) in codes.chain(outcomes) {
        assert!(header.contains(&format!("#define {name} {number}\n")), "{name} {number}");
    }
}

#[test]
fn every_operation_and_every_field_has_its_functions() {
    let header = header();
    let names: Vec<_> = header.split("\n\n").filter_map(function).collect();
    let has = |name: &str| names.contains(&name);
    for operation in OPERATIONS.iter().map(|operation| operation.name) {
        for prefix in ["mpay", "mpay_prepare", "mpay_open"] {
            assert!(has(&format!("{prefix}_{}", snake(operation))), "{prefix} {operation}");
        }
    }
    for field in PAYMENT_FIELDS {
        assert!(has(&format!("mpay_payment_{}", field.snake_case)), "{}", field.name);
    }
    for field in REQUEST_FIELDS {
        assert!(has(&format!("mpay_payment_request_set_{}", field.snake_case)), "{}", field.name);
    }
    for setting in SETTINGS {
        let unit = if setting.kind == SettingKind::Milliseconds { "_ms" } else { "" };
        let verb = if setting.kind == SettingKind::Texts { "add" } else { "set" };
        // One setter sets both the certificate and its key.
        let name = if setting.name.starts_with("client_") { "client_certificate" } else { setting.name };
        let function = format!("mpay_config_{verb}_{name}{unit}");
        assert!(has(&function), "{function}");
    }
}

#[test]
fn every_handle_that_c_can_own_can_be_freed() {
    let header = header();
    for handle in header.lines().filter_map(|line| line.strip_prefix("typedef struct ")?.split(' ').next()) {
        let freed = header.contains(&format!("void MPAY_CALL {handle}_free("));
        // These handles exist only during a callback.
        let is_borrowed = ["mpay_attempt", "mpay_answer_t"].contains(&handle);
        assert_eq!(freed, !is_borrowed, "{handle}");
    }
}

#[test]
fn whoever_ignores_a_result_is_warned() {
    let header = header();
    for part in header.split("\n\n").filter(|part| function(part).is_some()) {
        let declaration = part.rsplit(" */\n").next().unwrap_or_default();
        let is_marked = declaration.starts_with("MPAY_NODISCARD MPAY_API ");
        let gives_nothing = declaration.starts_with("MPAY_API void MPAY_CALL ");
        // The result of a setter may be ignored, because its handle remembers the error. The result of
        // `mpay_client_connect` may be ignored too, because the next call opens a connection.
        let may_be_ignored = ["_set_", "_add_", "_clear_", "mpay_client_connect("]
            .iter()
            .any(|name| declaration.contains(name) && !declaration.contains("mpay_receipt_"));
        assert_eq!(is_marked, !gives_nothing && !may_be_ignored, "{part}");
    }
}

#[test]
fn no_two_names_differ_in_case_alone_and_no_parameter_is_a_keyword_of_a_language_without_case() {
    let header = header();
    let words = header.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    // A macro of C, which no other language has; mpay_call is a function.
    let words = words.filter(|word| *word != "MPAY_CALL");
    let mut names: Vec<&str> = words.filter(|word| word.to_lowercase().starts_with("mpay_")).collect();
    names.sort_unstable();
    names.dedup();
    let mut small: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    small.sort_unstable();
    small.dedup();
    assert_eq!(names.len(), small.len());
    for part in header.split("\n\n").filter(|part| function(part).is_some()) {
        let declaration = part.rsplit(" */\n").next().unwrap_or_default();
        let parameters = declaration.split(['(', ')']).nth(1).unwrap_or_default();
        for parameter in parameters.split(',') {
            let name = parameter.rsplit([' ', '*']).next().unwrap_or_default();
            assert!(!KEYWORDS.contains(&name), "{declaration}");
        }
    }
}

/// Keywords of Pascal and SQL-like languages. A parameter must not have such a name.
const KEYWORDS: &[&str] = &[
    "and",
    "array",
    "begin",
    "case",
    "const",
    "constructor",
    "destructor",
    "div",
    "do",
    "downto",
    "else",
    "end",
    "file",
    "for",
    "function",
    "goto",
    "if",
    "implementation",
    "in",
    "inherited",
    "inline",
    "interface",
    "label",
    "library",
    "mod",
    "nil",
    "not",
    "object",
    "of",
    "on",
    "operator",
    "or",
    "packed",
    "procedure",
    "program",
    "record",
    "repeat",
    "set",
    "shl",
    "shr",
    "string",
    "then",
    "to",
    "type",
    "unit",
    "until",
    "uses",
    "var",
    "while",
    "with",
    "xor",
];

#[test]
fn every_function_has_its_calling_convention() {
    let header = header();
    for part in header.split("\n\n") {
        if let Some(name) = function(part) {
            assert!(part.contains(&format!("MPAY_CALL {name}(")), "{part}");
        }
        assert!(!part.contains("typedef") || !part.contains("(*"), "{part}");
    }
}

#[test]
fn what_only_bindings_need_is_in_a_header_of_its_own() {
    let (users, bindings) = (writer::for_users(&header()), writer::for_bindings(&header()));
    for name in ["mpay_payment_fields", "mpay_event_fields", "mpay_http_request_head"] {
        assert!(
            !users.contains(&format!(" {name}(")) && bindings.contains(&format!("MPAY_CALL {name}(")),
            "{name}"
        );
    }
    let names = |text: &str| text.split("\n\n").filter_map(function).count();
    assert_eq!(names(&users) + names(&bindings), names(&header()));
}

#[test]
fn each_function_is_in_the_node_of_the_release_that_added_it() {
    let script = version_script(&header());
    let nodes: Vec<&str> = script.split("\n\n").skip(1).collect();
    let releases = ["0.1.0", "0.2.0", "0.3.0", "0.4.0"];
    assert_eq!(nodes.len(), releases.len(), "{script}");
    for (position, (node, release)) in nodes.iter().zip(releases).enumerate() {
        let before = position
            .checked_sub(1)
            .map_or(String::new(), |before| format!(" MERCHANTPAY_{}", releases[before]));
        assert!(node.starts_with(&format!("MERCHANTPAY_{release} {{")), "{node}");
        assert!(node.trim_end().ends_with(&format!("}}{before};")), "{node}");
        assert_eq!(node.contains("    local:\n        *;\n"), position == 0, "{node}");
    }
    for (name, release) in [
        ("mpay_new_payment", 0),
        ("mpay_payment_fields", 0),
        ("mpay_client_derive", 1),
        ("mpay_journal_config_set_create", 2),
        ("mpay_journal_replace", 3),
    ] {
        let holding: Vec<usize> =
            (0..nodes.len()).filter(|node| nodes[*node].contains(&format!(" {name};"))).collect();
        assert_eq!(holding, [release], "{name}");
    }
}

#[test]
fn the_headers_are_ascii_because_some_compilers_read_them_in_another_code_page() {
    let [cpp, declarations] = ["hpp", "ffi.h"].map(|end| {
        std::fs::read_to_string(root().join(format!("include/merchantpay.{end}")))
            .expect("a generated header")
    });
    for text in [header(), declarations, writer::for_bindings(&header()), cpp] {
        let line = text.lines().find(|line| !line.is_ascii());
        assert_eq!(line, None);
    }
}

#[test]
fn the_version_is_the_crates() {
    let part = |text: &str| text.parse::<u32>().expect("a number");
    let (major, minor, patch) = (
        part(env!("CARGO_PKG_VERSION_MAJOR")),
        part(env!("CARGO_PKG_VERSION_MINOR")),
        part(env!("CARGO_PKG_VERSION_PATCH")),
    );
    assert_eq!(merchantpay_capi::mpay_version_number(), major * 10_000 + minor * 100 + patch);
    // The SONAME contains the ABI version; the linker gets the ABI version from the crate's version.
    assert_eq!(merchantpay_capi::mpay_abi_version(), major);
}

fn snake(camel: &str) -> String {
    camel
        .chars()
        .flat_map(
            |letter| {
                if letter.is_uppercase() { vec!['_', letter.to_ascii_lowercase()] } else { vec![letter] }
            },
        )
        .collect()
}
