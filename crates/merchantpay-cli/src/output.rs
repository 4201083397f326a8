//! Prints the results of the program and sets its exit status.

use std::io::{ErrorKind, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind as Usage};
use merchantpay::{Code, Error, Outcome};

use crate::json::quoted;
use crate::terminal::visible::visible;
use crate::terminal::{self, advice};

/// The reason why the program does not exit with 0.
pub(crate) enum Failure {
    /// An error of the library.
    Error(Error),
    /// An error of a call that changes nothing, whatever its outcome is.
    OfRead(Error),
    /// A webhook that does not verify: the error line, and for a person the error and the advice.
    Unverified { line: String, text: String, advice: String },
    /// The message is already printed; only the exit status is left.
    AlreadyReported(u8),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(error)
    }
}

impl Failure {
    /// Prints the error line and returns the exit status.
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
            Failure::Error(error) => report(error, &advice::after(error)),
            Failure::OfRead(error) => report(error, &advice::after_read(error)),
        }
    }
}

fn report(error: &Error, advice: &str) -> u8 {
    if terminal::are_errors_for_people() {
        eprint_error(&full_text(error), advice);
    } else {
        eprint_line(&error_line(error, ""));
    }
    exit_status(error)
}

/// Returns 1 for a rejection, 2 for wrong input with nothing sent, 3 for a request that was not sent, and 4
/// for an unknown outcome.
fn exit_status(error: &Error) -> u8 {
    match (error.code(), error.outcome()) {
        (Code::InvalidArgument | Code::InvalidKey, _) => 2,
        (_, Outcome::Rejected) => 1,
        (_, Outcome::NotSent) => 3,
        _ => 4,
    }
}

/// Prints one line to stdout. If the line cannot be printed, the function returns an error, because nobody
/// has read the outcome of the request.
pub(crate) fn print_line(line: &str) -> Result<(), Failure> {
    print(std::io::stdout().lock(), line)
}

/// Prints a result: text for a person, otherwise JSON.
pub(crate) fn print_result(json: &str, text: &str) -> Result<(), Failure> {
    print_line(if terminal::is_for_people() { text } else { json })
}

/// Prints a file.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| unprinted(&error))
}

/// Prints a line for a person. The line has colours if the terminal supports colours and the user has not
/// turned them off.
pub(crate) fn print_styled(line: &str) -> Result<(), Failure> {
    print(anstream::stdout().lock(), line)
}

fn print(mut out: impl Write, line: &str) -> Result<(), Failure> {
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| unprinted(&error))
}

fn unprinted(error: &std::io::Error) -> Failure {
    let why = format!("the command has succeeded, but its result could not be printed: {error}");
    Failure::Error(Error::internal(Outcome::Unknown, why))
}

/// The error as JSON, with the fields of `more` after the error's own fields.
pub(crate) fn error_line(error: &Error, more: &str) -> String {
    let text = |value: Option<&str>| value.map_or_else(|| "null".to_owned(), quoted);
    let status = error.http_status().map_or_else(|| "null".to_owned(), |status| status.to_string());
    let pause = error.retry_after().map(|pause| format!(",\"retryAfterMs\":{}", pause.as_millis()));
    let pause = pause.unwrap_or_default();
    format!(
        "{{\"error\":{{\"code\":{},\"outcome\":{},\"message\":{},\"description\":{},\"reason\":{},\"httpStatus\":{status},\"orderId\":{}{pause}{more}}}}}",
        quoted(error.code().name()),
        quoted(error.outcome().name()),
        quoted(error.message()),
        text(error.description()),
        text(error.reason().map(|reason| reason.name())),
        text(error.order_id()),
    )
}

/// The error's text, and the service's own text if the service sent a text.
pub(crate) fn full_text(error: &Error) -> String {
    let description = error.description().filter(|text| !error.message().contains(text));
    match description {
        Some(text) => format!("{}: {text}", error.message()),
        None => error.message().to_owned(),
    }
}

/// Prints two lines to stderr for a person: the error and the advice.
pub(crate) fn eprint_error(text: &str, advice: &str) {
    let style = anstyle::AnsiColor::Red.on_default().bold();
    let lines = format!("{style}error:{style:#} {}\n  → {}", visible(text), visible(advice));
    let _ = writeln!(anstream::stderr(), "{lines}");
}

/// Prints one line to stderr. If the line cannot be printed, only the exit status reports the failure.
pub(crate) fn eprint_line(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints help, which a reader such as `head` need not read to its end.
pub(crate) fn print_help(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed.map_err(|error| unprinted(&error)),
    }
}

/// Prints clap's message: help and version to stdout, anything else as an error line.
pub(crate) fn usage(error: &clap::Error) -> u8 {
    let text = error.to_string();
    if !error.use_stderr() {
        return match print_help(&error.render().ansi().to_string()) {
            Ok(()) => 0,
            Err(failure) => failure.report(),
        };
    }
    if error.kind() == Usage::DisplayHelpOnMissingArgumentOrSubcommand {
        eprint_line(text.trim_end());
        return 2;
    }
    let complaint = complaint(error, &text);
    if terminal::are_errors_for_people() {
        eprint_error(&complaint, &advice::about_usage(error));
        return 2;
    }
    let question = advice::did_you_mean(error).map_or_else(String::new, |question| format!(": {question}"));
    Failure::Error(Error::invalid_argument(format!("{complaint}{question}"))).report()
}

/// The first paragraph of clap's message. The paragraph does not repeat a word that is not a flag, because
/// the word may be an account or a key.
fn complaint(error: &clap::Error, text: &str) -> String {
    let word = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) => word.as_str(),
        _ => "",
    };
    if error.kind() == Usage::UnknownArgument && !word.starts_with("--") {
        return "unexpected argument".to_owned();
    }
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    // The likely value says more than all possible values.
    let all = if advice::did_you_mean(error).is_some() { "[possible values" } else { "\0" };
    let paragraph = paragraph.split(all).next().unwrap_or_default();
    let words: Vec<&str> = paragraph.trim_start_matches("error: ").split_whitespace().collect();
    words.join(" ")
}
