//! The texts of the errors, read from the sources.
//!
//! In Rust, every string of three words or more is a text, except in documentation and tests. A string inside
//! a constructor of `Error` belongs to the code of that constructor. Any other string is a detail: another
//! text contains it, or the program prints it. In Python, PHP and Go the texts are the arguments of calls
//! that make an error.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use merchantpay::Code;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use serde::Serialize;

use crate::{Fault, calls};

/// The constructors of `Error`, with their codes. `new` is not here, because its code is an argument.
const CONSTRUCTORS: &[(&str, Code)] = &[
    ("invalid_argument", Code::InvalidArgument),
    ("about", Code::InvalidArgument),
    ("invalid_key", Code::InvalidKey),
    ("signer_failed", Code::Signer),
    ("transport", Code::Transport),
    ("cancelled", Code::Cancelled),
    ("unverified", Code::Unverified),
    ("malformed", Code::Malformed),
    ("rejected", Code::Rejected),
    ("storage", Code::Storage),
    ("conflict", Code::Conflict),
    ("internal", Code::Internal),
];

/// The Go calls that take a text, each with its code if the code is fixed.
const GO_CALLS: &[(&str, Option<Code>)] = &[
    ("invalid(", Some(Code::InvalidArgument)),
    ("sentAlready(", Some(Code::InvalidArgument)),
    ("Message: ", None),
];

/// The Python calls that take a text, each with its code if the code is fixed.
const PYTHON_CALLS: &[(&str, Option<Code>)] = &[
    ("InvalidArgumentError(", Some(Code::InvalidArgument)),
    ("_refused(", Some(Code::InvalidArgument)),
    ("RequestTimeoutError(", Some(Code::Timeout)),
    ("CallCancelledError(", Some(Code::Cancelled)),
    ("StorageError(", Some(Code::Storage)),
];

/// The parts of the product that have error texts of their own.
const PARTS: &[Part] = &[
    Part { name: "The core", language: Language::Rust { details: true }, source: "crates/merchantpay/src" },
    Part {
        name: "The journal",
        language: Language::Rust { details: true },
        source: "crates/merchantpay-journal/src",
    },
    Part {
        name: "The C library",
        language: Language::Rust { details: true },
        source: "crates/merchantpay-capi/src",
    },
    Part {
        name: "The program",
        language: Language::Rust { details: false },
        source: "crates/merchantpay-cli/src",
    },
    Part {
        name: "The Python package",
        language: Language::Rust { details: true },
        source: "crates/merchantpay-python/src",
    },
    Part {
        name: "The Python package's sources in Python",
        language: Language::Python,
        source: "bindings/python/python/merchantpay",
    },
    Part { name: "The PHP package", language: Language::Php, source: "bindings/php/src" },
    Part { name: "The Go package", language: Language::Go, source: "bindings/go" },
];

struct Part {
    name: &'static str,
    language: Language,
    source: &'static str,
}

#[derive(Clone, Copy)]
enum Language {
    Rust { details: bool },
    Python,
    Php,
    Go,
}

/// The texts of one part, sorted by code.
#[derive(Serialize)]
pub(crate) struct PartTexts {
    name: &'static str,
    rows: Vec<ErrorTexts>,
}

/// Calls and macros whose texts belong to no error.
const OTHERS: &[&str] = &["assert", "assert_eq", "debug_assert", "expect", "panic", "unreachable", "write"];

/// The texts of one code, or the details.
#[derive(Serialize)]
pub(crate) struct ErrorTexts {
    /// The error's code; `None` for the details.
    code: Option<&'static str>,
    texts: BTreeSet<String>,
}

/// Reads the texts of every part.
pub(crate) fn read(root: &Path) -> Result<Vec<PartTexts>, Fault> {
    let texts = |part: &Part| {
        let mut found = Vec::new();
        for file in files(&root.join(part.source), part.language)? {
            let source = std::fs::read_to_string(&file)?;
            match part.language {
                Language::Rust { details } => {
                    let tokens: TokenStream =
                        source.parse().map_err(|error| format!("{}: {error}", file.display()))?;
                    collect(tokens, None, &mut found);
                    found.retain(|(code, text)| code.is_some() || details && !is_other(text));
                }
                Language::Python => found.extend(calls::texts(&source, PYTHON_CALLS)),
                Language::Php => found.extend(calls::texts(&source, &[("Exception::because(", None)])),
                Language::Go => found.extend(calls::texts(&source, GO_CALLS)),
            }
        }
        Ok(PartTexts { name: part.name, rows: by_code(&found) })
    };
    PARTS.iter().map(texts).collect()
}

fn by_code(found: &[(Option<Code>, String)]) -> Vec<ErrorTexts> {
    let codes = Code::ALL.iter().map(|code| Some(*code)).chain([None]);
    let of_code = |code: Option<Code>| ErrorTexts {
        code: code.map(Code::name),
        texts: found.iter().filter(|(of, _)| *of == code).map(|(_, text)| text.clone()).collect(),
    };
    codes.map(of_code).filter(|texts| !texts.texts.is_empty()).collect()
}

fn files(folder: &Path, language: Language) -> Result<Vec<PathBuf>, Fault> {
    let ending = match language {
        Language::Rust { .. } => ".rs",
        Language::Python => ".py",
        Language::Php => ".php",
        Language::Go => ".go",
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.ends_with("tests") {
            continue;
        }
        if path.is_dir() {
            files.extend(self::files(&path, language)?);
        } else if let Some(name) = path.file_name().and_then(|name| name.to_str())
            && name.ends_with(ending)
            && !["_test.go", "tests.rs"].iter().any(|test| name.ends_with(test))
        {
            files.push(path);
        }
    }
    Ok(files)
}

fn collect(tokens: TokenStream, code: Option<Code>, found: &mut Vec<(Option<Code>, String)>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut called: Option<String> = None;
    while let Some(token) = tokens.next() {
        match token {
            // Skips an attribute, but for thiserror's. If the attribute marks a test, skips the test too.
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                tokens.next_if(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '!'));
                let Some(TokenTree::Group(attribute)) = tokens.next() else { continue };
                let text = attribute.stream().to_string().replace(' ', "");
                if text.starts_with("error(") {
                    collect(attribute.stream(), code, found);
                } else if text == "cfg(test)" {
                    let is_end = |token: &TokenTree| match token {
                        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                        TokenTree::Punct(mark) => mark.as_char() == ';',
                        _ => false,
                    };
                    tokens.by_ref().find(is_end);
                }
            }
            TokenTree::Punct(mark) if mark.as_char() == '!' => {}
            TokenTree::Ident(name) => called = Some(name.to_string()),
            TokenTree::Group(group) => match called.take() {
                Some(name) if OTHERS.contains(&name.as_str()) => {}
                name => collect(group.stream(), code_of(name.as_deref(), &group).or(code), found),
            },
            TokenTree::Literal(literal) => found.extend(text(&literal.to_string()).map(|text| (code, text))),
            TokenTree::Punct(_) => called = None,
        }
    }
}

/// Returns the code of the errors that a call with this name makes.
fn code_of(called: Option<&str>, arguments: &Group) -> Option<Code> {
    if arguments.delimiter() != Delimiter::Parenthesis {
        return None;
    }
    if called == Some("new") {
        let arguments = arguments.stream().to_string().replace(' ', "");
        return Code::ALL.iter().copied().find(|code| arguments.starts_with(&format!("Code::{code:?},")));
    }
    CONSTRUCTORS.iter().find(|(name, _)| Some(*name) == called).map(|(_, code)| *code)
}

/// Returns the text of a string literal if it has at least three words.
fn text(literal: &str) -> Option<String> {
    let text = literal.strip_prefix('"')?.strip_suffix('"')?;
    // A backslash at the end of a line continues the text on the next line.
    let text = text.split("\\\n").map(str::trim_start).collect::<String>().replace("\\\"", "\"");
    let is_sentence = text.split_whitespace().count() >= 3 && !text.contains('\\') && !text.starts_with(',');
    is_sentence.then_some(text)
}

/// Returns true if a text belongs to no error. An error's text has no full stop; a sentence of the
/// documentation has one.
fn is_other(text: &str) -> bool {
    const WORDS: [&str; 16] = [
        "SELECT",
        "INSERT",
        "UPDATE",
        "WHERE",
        "CREATE",
        "CASE",
        "CAST",
        "PRAGMA",
        "ENGINE",
        "COLLATE",
        "CHARACTER",
        "NULL",
        "CONFLICT",
        "NAMES",
        "TIMESTAMPDIFF",
        "VACUUM",
    ];
    const OPERATORS: [&str; 5] = [" <> ", " > ", " = ", " < ", " + "];
    // Names of arguments: the text of an error begins with such a name.
    const ARGUMENTS: [&str; 4] =
        ["the certificate file", "the content type", "the file name", "the key file"];
    let is_sql = text.split(|c: char| !c.is_ascii_alphabetic()).any(|word| WORDS.contains(&word))
        || OPERATORS.iter().any(|operator| text.contains(operator));
    // Python shows a value in this format.
    let is_value = text.starts_with(char::is_uppercase)
        && text.split_once('(').is_some_and(|(name, _)| !name.contains(' '));
    let are_columns = text.split(", ").all(|name| !name.contains(' '));
    let is_pem_section = text.ends_with(" PRIVATE KEY");
    is_sql || is_value || are_columns || is_pem_section || ARGUMENTS.contains(&text) || text.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<(Option<Code>, String)> {
        let mut found = Vec::new();
        collect(source.parse().unwrap(), None, &mut found);
        found
    }

    #[test]
    fn a_text_has_the_code_of_its_constructor() {
        let of = |source| found(source).into_iter().map(|(code, _)| code).collect::<Vec<_>>();
        assert_eq!(of(r#"Error::invalid_key(format!("the key is wrong"))"#), [Some(Code::InvalidKey)]);
        assert_eq!(of(r#"Error::new(Code::Timeout, outcome, "it took too long")"#), [Some(Code::Timeout)]);
        assert_eq!(of(r#"x.ok_or("it has no status")"#), [None]);
    }

    #[test]
    fn documentation_tests_and_assertions_have_no_texts() {
        let source = r#"
            //! The file has no error text either.
            /// It has no text.
            #[doc = "nor has this one"]
            fn a() { assert!(b, "it is not true"); f("two words"); }
            #[cfg(test)]
            mod tests { const C: &str = "it is a test"; }
            fn d() -> &'static str { "it is a text" }
            #[error("it is one {0}")] struct Late;
        "#;
        let texts: Vec<_> = found(source).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["it is a text", "it is one {0}"]);
    }
}
