//! The variables that the program reads: first those of the environment file, then those of the process.
//!
//! The file's format is that of systemd's `EnvironmentFile=` (systemd.exec(5)), so that one file serves a
//! service and a command. Where systemd would skip a line, or would read something that nobody means, the
//! program refuses the file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use merchantpay::{Error, Result, check_path};

const VARIABLE: &str = "MERCHANTPAY_ENV_FILE";
const PREFIX: &str = "MERCHANTPAY_";
const MAX_BYTES: usize = 1024 * 1024;

static FILE: OnceLock<EnvironmentFile> = OnceLock::new();

struct EnvironmentFile {
    path: PathBuf,
    ours: BTreeMap<String, String>,
    /// Names of other programs' variables, whose values are not kept.
    others: Vec<String>,
}

pub(crate) fn load(flag: Option<&Path>) -> Result<()> {
    let named = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let Some(path) = flag.map(Path::to_path_buf).or(named) else { return Ok(()) };
    let wrong = |why: String| {
        Error::invalid_argument(format!("the environment file {} cannot be used: {why}", path.display()))
    };
    check_path(if flag.is_some() { "--env-file" } else { VARIABLE }, &path)?;
    let bytes = read(&path).map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => wrong("the user who runs the program may not read it".to_owned()),
        _ => wrong(error.to_string()),
    })?;
    if bytes.len() > MAX_BYTES {
        return Err(wrong("it is larger than 1 MiB".to_owned()));
    }
    let assignments = parse(&bytes).map_err(wrong)?;
    let (mut ours, mut others) = (BTreeMap::new(), Vec::new());
    for Assignment { line, name, value } in assignments {
        if !name.starts_with(PREFIX) {
            others.push(name);
            continue;
        }
        if name == VARIABLE {
            return Err(wrong(format!("line {line} names another file by {VARIABLE}, which is not read")));
        }
        let value = String::from_utf8(value).map_err(|_| wrong(format!("line {line} is not UTF-8")))?;
        ours.insert(name, value);
    }
    FILE.get_or_init(|| EnvironmentFile { path, ours, others });
    Ok(())
}

/// Reads one byte more than is allowed, because the file may be a device or a pipe without an end.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The file wins, because an older value that a shell has exported could otherwise name another journal than the file.
pub(crate) fn value(name: &str) -> Option<OsString> {
    let in_file = |name: &str| FILE.get().and_then(|file| file.ours.get(name));
    match in_file(name) {
        Some(value) => Some(value.into()),
        // An inherited key or password must not beat the one whose place the file names.
        None if in_file(&format!("{name}_FILE")).is_some_and(|place| !place.is_empty()) => None,
        None => std::env::var_os(name),
    }
}

/// By the name without the prefix. An empty variable is treated as missing.
pub(crate) fn variable(name: &str) -> Option<String> {
    let value = value(&format!("{PREFIX}{name}"))?;
    value.into_string().ok().filter(|value| !value.is_empty())
}

pub(crate) fn file_of(name: &str) -> Option<&'static Path> {
    FILE.get().filter(|file| file.ours.contains_key(name)).map(|file| file.path.as_path())
}

pub(crate) fn names() -> impl Iterator<Item = String> {
    let of_file = FILE.get().into_iter().flat_map(|file| file.ours.keys().chain(&file.others).cloned());
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).chain(of_file)
}

pub(crate) fn of_file() -> impl Iterator<Item = (&'static str, &'static str)> {
    let file = FILE.get().into_iter();
    file.flat_map(|file| file.ours.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

/// The first of these variables of other programs that the file sets: there they have no effect.
pub(crate) fn without_effect(names: &[&'static str]) -> Option<(&'static str, &'static Path)> {
    let file = FILE.get()?;
    let found = names.iter().find(|name| file.others.iter().any(|other| other == *name))?;
    Some((found, &file.path))
}

struct Assignment {
    line: usize,
    name: String,
    value: Vec<u8>,
}

/// The error says what is wrong, and never repeats a value, which may be a key.
type Parsed<T> = std::result::Result<T, String>;

fn parse(bytes: &[u8]) -> Parsed<Vec<Assignment>> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err("it is UTF-16: save it as UTF-8".to_owned());
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        let line = 1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count();
        return Err(format!("line {line} contains a NUL byte"));
    }
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut text = Text { bytes: without_carriage_returns(bytes), at: 0, line: 1 };
    let mut assignments = Vec::new();
    loop {
        text.skip(|byte| is_blank(byte) || is_line_end(byte));
        let line = text.line;
        match text.peek() {
            None => return Ok(assignments),
            Some(b'#' | b';') => {
                let comment = text.take(|byte| !is_line_end(byte));
                let backslashes = comment.iter().rev().take_while(|byte| **byte == b'\\').count();
                if backslashes % 2 == 1 {
                    return Err(format!(
                        "line {line} is a comment that ends with a backslash, after which some versions of \
                         systemd skip the next line: remove the backslash"
                    ));
                }
            }
            Some(_) => {
                let name = text.take(|byte| byte != b'=' && !is_line_end(byte));
                if text.next() != Some(b'=') {
                    return Err(no_assignment(line));
                }
                let name = variable_name(&name, line)?;
                assignments.push(Assignment { line, name, value: text.value()? });
            }
        }
    }
}

fn no_assignment(line: usize) -> String {
    format!("line {line} is not NAME=value")
}

fn variable_name(bytes: &[u8], line: usize) -> Parsed<String> {
    let text = std::str::from_utf8(bytes).map_err(|_| no_assignment(line))?.trim_end();
    let is_name = |text: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        text.bytes().all(is_letter) && !text.starts_with(|first: char| first.is_ascii_digit())
    };
    let exported = text.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t'])).map(str::trim);
    match exported {
        Some(name) if is_name(name) => Err(format!(
            "line {line} sets {name} by `export`: remove this word, because the file is not a shell script"
        )),
        None if is_name(text) && !text.is_empty() => Ok(text.to_owned()),
        _ => Err(no_assignment(line)),
    }
}

/// Also within a quoted text of several lines.
fn without_carriage_returns(bytes: &[u8]) -> Vec<u8> {
    let next = bytes.iter().skip(1).map(Some).chain([None]);
    let kept = bytes.iter().zip(next).filter(|(byte, next)| (**byte, *next) != (b'\r', Some(&b'\n')));
    kept.map(|(byte, _)| *byte).collect()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

struct Text {
    bytes: Vec<u8>,
    at: usize,
    line: usize,
}

impl Text {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        self.line += usize::from(byte == b'\n');
        Some(byte)
    }

    fn take(&mut self, is_wanted: impl Fn(u8) -> bool) -> Vec<u8> {
        let mut taken = Vec::new();
        while let Some(byte) = self.peek().filter(|byte| is_wanted(*byte)) {
            taken.push(byte);
            self.next();
        }
        taken
    }

    fn skip(&mut self, is_wanted: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&is_wanted) {
            self.next();
        }
    }

    /// Reads up to the end of the value's line. Quoted texts that follow each other are one value; after the
    /// first byte without a quote, quotes have no meaning.
    fn value(&mut self) -> Parsed<Vec<u8>> {
        let mut value = Vec::new();
        let mut is_after_quote = false;
        loop {
            self.skip(is_blank);
            match self.peek() {
                Some(quote @ (b'"' | b'\'')) => value.extend(self.quoted(quote)?),
                // systemd would take the comment for a part of the value.
                Some(b'#' | b';') if is_after_quote => {
                    return Err(format!(
                        "line {} has a comment after a value: give the comment a line of its own",
                        self.line
                    ));
                }
                _ => {
                    value.extend(self.unquoted());
                    return Ok(value);
                }
            }
            is_after_quote = true;
        }
    }

    fn quoted(&mut self, quote: u8) -> Parsed<Vec<u8>> {
        let unclosed = format!("line {} begins a quote that does not end", self.line);
        let mut value = Vec::new();
        self.next();
        loop {
            let byte = self.next().ok_or_else(|| unclosed.clone())?;
            if byte == quote {
                return Ok(value);
            }
            if byte != b'\\' || quote == b'\'' {
                value.push(byte);
                continue;
            }
            match self.next().ok_or_else(|| unclosed.clone())? {
                b'\n' => {}
                escaped @ (b'"' | b'\\' | b'`' | b'$') => value.push(escaped),
                other => value.extend([b'\\', other]),
            }
        }
    }

    fn unquoted(&mut self) -> Vec<u8> {
        let (mut value, mut length) = (Vec::new(), 0);
        while let Some(byte) = self.peek().filter(|byte| !is_line_end(*byte)) {
            self.next();
            if byte == b'\\' {
                value.extend(self.next().filter(|escaped| !is_line_end(*escaped)));
                length = value.len();
                continue;
            }
            value.push(byte);
            if !is_blank(byte) {
                length = value.len();
            }
        }
        value.truncate(length);
        value
    }
}
