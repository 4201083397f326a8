//! What the program prints, and what it exits with.

use std::io::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use merchantpay::{Code, Error, Outcome};

use crate::json::quoted;
use crate::terminal::visible::visible;
use crate::terminal::{self, advice};

/// Why the program does not exit with 0.
pub(crate) enum Failure {
    /// The library's error.
    Error(Error),
    /// A webhook that does not verify: its error line, and for a person the error and what to do.
    Unverified { line: String, text: String, advice: String },
    /// A message that the library did not send, so that it has no error for it.
    Sending { code: Code, outcome: Outcome, message: String },
    /// Something has already been printed.
    AlreadyReported(u8),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(error)
    }
}

impl Failure {
    /// Prints the error line and gives the exit status.
    pub(crate) fn report(&self) -> u8 {
        match self {
            Failure::AlreadyReported(status) => *status,
            Failure::Unverified { line, text, advice } => {
                if terminal::are_errors_for_people() {
                    eprint_error(text, advice);
                } else {
                    eprint_line(line);
                }
                5
            }
            Failure::Sending { code, outcome, message } => {
                if terminal::are_errors_for_people() {
                    eprint_error(
                        message,
                        "start the receiver, or check its URL; then send the webhook again",
                    );
                } else {
                    let error = [("code", code.name()), ("outcome", outcome.name()), ("message", message)];
                    let fields: Vec<String> =
                        error.iter().map(|(name, text)| format!("\"{name}\":{}", quoted(text))).collect();
                    eprint_line(&format!("{{\"error\":{{{}}}}}", fields.join(",")));
                }
                if *outcome == Outcome::NotSent { 3 } else { 4 }
            }
            Failure::Error(error) => {
                if terminal::are_errors_for_people() {
                    eprint_error(&full_text(error), &advice::after(error));
                } else {
                    eprint_line(&error_line(error, ""));
                }
                exit_status(error)
            }
        }
    }
}

/// 1 rejected, 2 wrong input and nothing sent, 3 not sent, 4 outcome unknown.
fn exit_status(error: &Error) -> u8 {
    match (error.code(), error.outcome()) {
        (Code::InvalidArgument | Code::InvalidKey, _) => 2,
        (_, Outcome::Rejected) => 1,
        (_, Outcome::NotSent) => 3,
        _ => 4,
    }
}

/// One line on stdout. A reader that has gone away has not learnt the outcome of the request.
pub(crate) fn print_line(line: &str) -> Result<(), Failure> {
    print(std::io::stdout().lock(), line)
}

/// A line for a person, with colours unless they are not wanted or not possible.
pub(crate) fn print_styled(line: &str) -> Result<(), Failure> {
    print(anstream::stdout().lock(), line)
}

fn print(mut out: impl Write, line: &str) -> Result<(), Failure> {
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| {
        let why = format!("it is done, but its result could not be printed: {error}");
        Failure::Error(Error::internal(Outcome::Unknown, why))
    })
}

/// The error as JSON, with `more` fields behind its own.
pub(crate) fn error_line(error: &Error, more: &str) -> String {
    let text = |value: Option<&str>| value.map_or_else(|| "null".to_owned(), quoted);
    let status = error.http_status().map_or_else(|| "null".to_owned(), |status| status.to_string());
    format!(
        "{{\"error\":{{\"code\":{},\"outcome\":{},\"message\":{},\"description\":{},\"reason\":{},\"httpStatus\":{status},\"orderId\":{}{more}}}}}",
        quoted(error.code().name()),
        quoted(error.outcome().name()),
        quoted(error.message()),
        text(error.description()),
        text(error.reason().map(|reason| reason.name())),
        text(error.order_id()),
    )
}

/// The error's text, and the service's own where it has one.
fn full_text(error: &Error) -> String {
    let description = error.description().filter(|text| !error.message().contains(text));
    match description {
        Some(text) => format!("{}: {text}", error.message()),
        None => error.message().to_owned(),
    }
}

/// Two lines on stderr for a person: the error, and what to do.
pub(crate) fn eprint_error(text: &str, advice: &str) {
    let style = anstyle::AnsiColor::Red.on_default().bold();
    let lines = format!("{style}error:{style:#} {}\n  → {}", visible(text), visible(advice));
    let _ = writeln!(anstream::stderr(), "{lines}");
}

/// One line on stderr. Where that cannot be written either, the exit status has to do.
pub(crate) fn eprint_line(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// What clap has to say: help and version on stdout, anything else as an error line.
pub(crate) fn usage(error: &clap::Error) -> u8 {
    let text = error.to_string();
    if !error.use_stderr() {
        let styled = error.render().ansi().to_string();
        return match print_styled(styled.trim_end()) {
            Ok(()) => 0,
            Err(failure) => failure.report(),
        };
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        eprint_line(text.trim_end());
        return 2;
    }
    let complaint = complaint(error, &text);
    if terminal::are_errors_for_people() {
        eprint_error(&complaint, &advice::about_usage(error));
        return 2;
    }
    Failure::Error(Error::invalid_argument(complaint)).report()
}

/// The first paragraph of what clap says. A word that is no flag is not repeated: it may be an account or a
/// key.
fn complaint(error: &clap::Error, text: &str) -> String {
    let word = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) => word.as_str(),
        _ => "",
    };
    if error.kind() == ErrorKind::UnknownArgument && !word.starts_with("--") {
        return "unexpected argument".to_owned();
    }
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.trim_start_matches("error: ").split_whitespace().collect();
    words.join(" ")
}
