//! The vectors that every language is held against, in C and in C++. The programs are handed them as lines,
//! as `c/flat.h` says: what is done here is to spell out the JSON, not to understand it.

mod support;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use support::programs::{clean, compile};
use support::{root, scratch};

const FILES: &[&str] =
    &["amounts", "headers", "keys", "misdirected", "receipts", "replies", "requests", "statuses", "webhooks"];

/// The kinds of case that the programs know, and how many of them there are.
#[derive(Default)]
struct Counts(Vec<(String, usize)>);

impl Counts {
    fn add(&mut self, kind: &str) {
        match self.0.iter_mut().find(|(known, _)| known == kind) {
            Some((_, count)) => *count += 1,
            None => self.0.push((kind.to_owned(), 1)),
        }
    }

    fn lines(&self, unsaid: usize) -> Vec<String> {
        let mut lines: Vec<_> = self.0.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        lines.push(format!("unsaid {unsaid}"));
        lines.sort();
        lines
    }
}

struct Vectors {
    flat: String,
    counts: Counts,
    /// With a NUL where C would need a text.
    nul: usize,
}

fn vectors() -> Vectors {
    let folder = root().join("tests/contract/vectors");
    let mut names: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the vectors")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    names.sort();
    assert_eq!(names.iter().filter_map(|path| path.file_stem()?.to_str()).collect::<Vec<_>>(), FILES);
    let mut vectors = Vectors { flat: String::new(), counts: Counts::default(), nul: 0 };
    for (path, name) in names.iter().zip(FILES) {
        let text = std::fs::read_to_string(path).expect("a file of vectors");
        vectors.add_file(name, &serde_json::from_str(&text).expect("JSON"));
    }
    vectors
}

impl Vectors {
    fn add_file(&mut self, name: &str, file: &Value) {
        let cases = file["cases"].as_array().expect("cases");
        assert!(cases.len() >= 30 && file["count"].as_u64() == Some(cases.len() as u64), "{name}");
        for case in cases {
            let mut case = case.as_object().expect("a case").clone();
            let mut settings = file["settings"].as_object().expect("settings").clone();
            settings.extend(case.get("settings").and_then(Value::as_object).cloned().unwrap_or_default());
            case.insert("settings".to_owned(), Value::Object(settings));
            case.insert("file".to_owned(), Value::from(name));
            self.counts.add(case["kind"].as_str().expect("a kind"));
            let parts =
                ["arguments", "settings", "text"].map(|part| case.get(part).cloned().unwrap_or_default());
            let webhook = case
                .get("webhook")
                .map(|webhook| (webhook["signature"].clone(), webhook["key_id"].clone()))
                .unwrap_or_default();
            let headers = case.get("reply").map(|reply| reply["headers"].clone()).unwrap_or_default();
            let texts = parts.iter().chain([&webhook.0, &webhook.1, &headers]);
            self.nul += usize::from(texts.into_iter().any(has_nul));
            self.flat.push_str("case\n");
            flatten(&mut self.flat, "", &Value::Object(case));
            self.flat.push_str("end\n");
        }
    }
}

/// Whether there is a NUL in a text, other than in bytes.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name != "data" && has_nul(value)),
        _ => false,
    }
}

fn flatten(flat: &mut String, path: &str, value: &Value) {
    let below = |name: &dyn std::fmt::Display| {
        if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
    };
    match value {
        Value::Object(fields) => match fields.get("base64") {
            Some(text) => {
                line(flat, path, &BASE64_STANDARD.decode(text.as_str().expect("base64")).expect("base64"))
            }
            None => fields.iter().for_each(|(name, value)| flatten(flat, &below(name), value)),
        },
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, value)| flatten(flat, &below(&at), value))
        }
        Value::String(text) => line(flat, path, text.as_bytes()),
        Value::Null => writeln!(flat, "{path} null").expect("memory"),
        other => line(flat, path, other.to_string().as_bytes()),
    }
}

fn line(flat: &mut String, path: &str, bytes: &[u8]) {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    writeln!(flat, "{path} {}", if hex.is_empty() { "-" } else { &hex }).expect("memory");
}

/// Runs a program over all cases; gives the lines that it prints.
fn printed_by(program: &Path, vectors: &Vectors) -> Vec<String> {
    let mut command = clean(program);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let flat = vectors.flat.clone();
    // Beside it, so that neither waits for the other.
    let writer = std::thread::spawn(move || input.write_all(flat.as_bytes()));
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}: {}\n{}", program.display(), output.status, text(&output.stderr));
    writer.join().expect("the writer").expect("all was read");
    let mut lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

const SANITIZED: &[&str] = &[
    "-g",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Werror",
];

#[test]
fn c_does_what_every_vector_says() {
    let vectors = vectors();
    let program = scratch("c").join("vectors");
    let sources = ["vectors.c", "flat.c", "check.c"]
        .map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name));
    compile(
        "gcc",
        &[&["-std=c99", "-Wstrict-prototypes"], SANITIZED].concat(),
        &[&sources[0], &sources[1], &sources[2]],
        &program,
    );
    assert!(vectors.nul >= 10, "{}", vectors.nul);
    assert_eq!(printed_by(&program, &vectors), vectors.counts.lines(vectors.nul));
}

#[test]
fn cpp_does_what_every_vector_says() {
    let vectors = vectors();
    let program = scratch("cpp").join("vectors");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cpp/vectors.cpp");
    compile("g++", &[&["-std=c++11"], SANITIZED].concat(), &[&source], &program);
    // A std::string can have a NUL in it, and the header looks.
    assert_eq!(printed_by(&program, &vectors), vectors.counts.lines(0));
}

#[test]
fn a_kind_that_they_do_not_know_is_a_failure() {
    let mut vectors = vectors();
    vectors.flat.push_str("case\nkind 7878\nfile 78\nname 78\nend\n");
    let sources = ["vectors.c", "flat.c", "check.c"]
        .map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name));
    let (c, cpp) = (scratch("c").join("vectors-unknown"), scratch("cpp").join("vectors-unknown"));
    compile("gcc", &["-std=c99"], &[&sources[0], &sources[1], &sources[2]], &c);
    compile(
        "g++",
        &["-std=c++11"],
        &[&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cpp/vectors.cpp")],
        &cpp,
    );
    for program in [c, cpp] {
        let input = scratch("c").join("unknown-kind");
        std::fs::write(&input, &vectors.flat).expect("a file");
        let mut command: Command = clean(&program);
        let output =
            command.stdin(std::fs::File::open(&input).expect("the file")).output().expect("the program runs");
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(1) && printed.lines().count() == 1,
            "{}: {printed}",
            program.display()
        );
    }
}
