//! What the program prints, and its exit status: text for a person at a terminal, JSON lines for a program.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::error::{ContextKind, ContextValue, ErrorKind as Usage};
use merchantpay::{Code, Config, Error, Exchanged, Outcome, Reason};
use serde::Serialize;
use serde_json::json;

/// From `--json`: no person reads the output, even on a terminal.
static JSON: AtomicBool = AtomicBool::new(false);
/// From `--verbose`: each call is shown on stderr as it was sent and answered.
static VERBOSE: AtomicBool = AtomicBool::new(false);

pub(crate) fn set_json(json: bool) {
    JSON.store(json, Ordering::Relaxed);
}

pub(crate) fn set_verbose(verbose: bool) {
    VERBOSE.store(verbose, Ordering::Relaxed);
}

pub(crate) fn stdout_is_human() -> bool {
    !JSON.load(Ordering::Relaxed) && std::io::stdout().is_terminal()
}

pub(crate) fn stderr_is_human() -> bool {
    !JSON.load(Ordering::Relaxed) && std::io::stderr().is_terminal()
}

pub(crate) enum Failure {
    Error(Error),
    /// An error of a call that changes nothing, whatever its outcome is.
    OfRead(Error),
    /// `line` for a program, `text` and `advice` for a person.
    Unverified {
        line: String,
        text: String,
        advice: String,
    },
    /// Only the exit status is left.
    AlreadyReported(u8),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(error)
    }
}

impl Failure {
    pub(crate) fn report(&self) -> u8 {
        match self {
            Failure::AlreadyReported(status) => *status,
            Failure::Unverified { line, text, advice } => {
                eprint_error(line, text, advice);
                5
            }
            Failure::Error(error) => report(error, &advice_after(error)),
            Failure::OfRead(error) => report(error, &advice_after_read(error)),
        }
    }
}

/// For a command that has already printed what its exit status means.
pub(crate) fn exit_with(status: u8) -> Result<(), Failure> {
    if status == 0 { Ok(()) } else { Err(Failure::AlreadyReported(status)) }
}

fn report(error: &Error, advice: &str) -> u8 {
    eprint_error(&ErrorLine::of(error).json(), &full_text(error), advice);
    match (error.code(), error.outcome()) {
        (Code::InvalidArgument | Code::InvalidKey, _) => 2,
        (_, Outcome::Rejected) => 1,
        (_, Outcome::NotSent) => 3,
        _ => 4,
    }
}

/// An error as JSON. A webhook's has further fields.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ErrorLine<'a> {
    pub code: &'a str,
    pub outcome: &'a str,
    pub message: &'a str,
    pub description: Option<&'a str>,
    pub reason: Option<&'a str>,
    pub http_status: Option<u16>,
    pub order_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u128>,
    /// The status with which the program answered the webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<&'a str>,
}

impl ErrorLine<'_> {
    pub(crate) fn of(error: &Error) -> ErrorLine<'_> {
        ErrorLine {
            code: error.code().name(),
            outcome: error.outcome().name(),
            message: error.message(),
            description: error.description(),
            reason: error.reason().map(|reason| reason.name()),
            http_status: error.http_status(),
            order_id: error.order_id(),
            retry_after_ms: error.retry_after().map(|pause| pause.as_millis()),
            ..ErrorLine::default()
        }
    }

    pub(crate) fn json(&self) -> String {
        #[derive(Serialize)]
        struct Line<'a> {
            error: &'a ErrorLine<'a>,
        }
        serde_json::to_string(&Line { error: self }).unwrap_or_default()
    }
}

/// A line that cannot be printed is an error, because nobody has read the outcome of the request.
pub(crate) fn print_line(line: &str) -> Result<(), Failure> {
    print(std::io::stdout().lock(), line)
}

pub(crate) fn print_result(json: impl Display, text: &str) -> Result<(), Failure> {
    if stdout_is_human() { print_line(text) } else { print_line(&json.to_string()) }
}

pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| unprinted(&error))
}

/// With colours, unless the terminal has none or the user has turned them off.
pub(crate) fn print_styled(line: &str) -> Result<(), Failure> {
    print(anstream::stdout().lock(), line)
}

fn print(mut out: impl Write, line: &str) -> Result<(), Failure> {
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| unprinted(&error))
}

pub(crate) fn unprinted(error: &std::io::Error) -> Failure {
    let why = format!("the command has succeeded, but its result could not be printed: {error}");
    Failure::Error(Error::internal(Outcome::Unknown, why))
}

/// With the service's own text, if there is one.
pub(crate) fn full_text(error: &Error) -> String {
    let description = error.description().filter(|text| !error.message().contains(text));
    match description {
        Some(text) => format!("{}: {text}", error.message()),
        None => error.message().to_owned(),
    }
}

pub(crate) fn eprint_error(line: &str, text: &str, advice: &str) {
    if !stderr_is_human() {
        return eprint_line(line);
    }
    let style = anstyle::AnsiColor::Red.on_default().bold();
    let lines = format!("{style}error:{style:#} {}\n  → {}", visible(text), visible(advice));
    let _ = writeln!(anstream::stderr(), "{lines}");
}

/// If the line cannot be printed, only the exit status reports the failure.
pub(crate) fn eprint_line(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Makes another program's text safe for a terminal: one line without control characters, which could move the
/// cursor or change colours, and without the marks that reverse or hide the text around them.
pub(crate) fn visible(text: &str) -> String {
    let invisible = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().map(|c| if invisible(c) { '\u{fffd}' } else { c }).collect()
}

pub(crate) fn watched(config: Config) -> Config {
    if VERBOSE.load(Ordering::Relaxed) { config.tap(show) } else { config }
}

fn show(exchanged: &Exchanged<'_>) {
    let request = exchanged.request;
    let sent: Vec<_> = request.headers().collect();
    if !stderr_is_human() {
        let reply = exchanged.reply.as_ref().map(|reply| {
            let body = String::from_utf8_lossy(reply.body);
            json!({"httpStatus": reply.http_status, "headers": reply.headers, "body": body})
        });
        let body = String::from_utf8_lossy(request.body());
        let sent = json!({"url": request.url(), "headers": sent, "body": body});
        return eprint_line(&json!({"request": sent, "reply": reply}).to_string());
    }
    eprint_line(&format!("> POST {}", visible(request.url())));
    message('>', &sent, request.body());
    match &exchanged.reply {
        Some(reply) => {
            eprint_line(&format!("< HTTP {}", reply.http_status));
            message('<', &reply.headers, reply.body);
        }
        None => eprint_line("< no reply"),
    }
}

fn message(mark: char, headers: &[(&str, &str)], body: &[u8]) {
    for (name, value) in headers {
        eprint_line(&format!("{mark} {}: {}", visible(name), visible(value)));
    }
    match std::str::from_utf8(body) {
        Ok(text) => text.lines().for_each(|line| eprint_line(&format!("{mark} {}", visible(line)))),
        Err(_) => eprint_line(&format!("{mark} {} bytes that are not text", body.len())),
    }
}

/// Only the outcome decides whether a request may be repeated.
fn advice_after(error: &Error) -> String {
    let text = match (error.code(), error.outcome()) {
        (Code::InvalidArgument, _) if error.message().contains(" is missing: ") => {
            "nothing was sent; `merchantpay doctor` checks all settings, and `merchantpay sandbox -- \
             bash` starts a shell in which they are set"
        }
        (Code::InvalidArgument, _) => "nothing was sent: correct the value, and run the command again",
        (Code::InvalidKey, _) => "nothing was sent; `merchantpay doctor` checks the keys",
        (Code::Rejected, _) => return format!("nothing took effect; {}", advice_after_refusal(error)),
        (_, Outcome::NotSent) if error.is_transient() => {
            "nothing was sent: you can run the command again; `merchantpay doctor` finds the cause"
        }
        (_, Outcome::NotSent) => "nothing was sent; `merchantpay doctor` finds the cause",
        (Code::Unverified, _) => {
            "the request may have taken effect: find out before you repeat it; `merchantpay doctor` \
             checks the keys"
        }
        _ => match error.order_id() {
            Some(order_id) => {
                return format!(
                    "the request may have taken effect: ask with `merchantpay status {order_id}`"
                );
            }
            None => {
                "the request may have taken effect: ask the service before you repeat it (docs/errors.md)"
            }
        },
    };
    text.to_owned()
}

/// A call that changes nothing can be repeated, whatever its outcome is.
fn advice_after_read(error: &Error) -> String {
    let can = match (error.code(), error.outcome()) {
        (Code::Unverified, _) => "; `merchantpay doctor` checks the keys",
        (_, Outcome::Unknown) => ": you can run the command again; `merchantpay doctor` finds the cause",
        _ => return advice_after(error),
    };
    format!("the call changes nothing{can}")
}

fn advice_after_refusal(error: &Error) -> &'static str {
    match error.reason() {
        Some(Reason::OrderNotFound | Reason::InvalidOrderId) => "check the order id",
        Some(Reason::InvalidCurrency) => "the service takes RUB only",
        Some(Reason::InvalidFileFormat) => "attach PDF, JPEG or PNG files",
        Some(Reason::PaymentCouldNotBeCanceled) => "read the status of the payment: it is probably final",
        _ if matches!(error.http_status(), Some(401 | 403)) => {
            "`merchantpay doctor` checks the key and the key id"
        }
        _ => "ask the service's support why it refused the request",
    }
}

/// Prints help, which a reader such as `head` need not read to its end.
pub(crate) fn print_help(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed.map_err(|error| unprinted(&error)),
    }
}

/// Help and version go to stdout, anything else is an error line.
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
    let question = did_you_mean(error);
    let complaint = complaint(error, &text, question.is_some());
    let whole =
        question.iter().fold(complaint.clone(), |complaint, question| format!("{complaint}: {question}"));
    let advice = question.as_deref().unwrap_or(match error.kind() {
        Usage::InvalidSubcommand => "`merchantpay --help` lists the commands",
        _ => "the command's --help lists its flags",
    });
    eprint_error(&ErrorLine::of(&Error::invalid_argument(whole)).json(), &complaint, advice);
    2
}

fn did_you_mean(error: &clap::Error) -> Option<String> {
    let suggested =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let word = suggested.into_iter().find_map(|kind| match error.get(kind)? {
        ContextValue::String(word) => Some(word),
        // The likeliest is the last.
        ContextValue::Strings(words) => words.last(),
        _ => None,
    });
    word.map(|word| format!("did you mean `{word}`?"))
}

/// The first paragraph of clap's message, without a word that is not a flag: it may be an account or a key.
fn complaint(error: &clap::Error, text: &str, has_suggestion: bool) -> String {
    let word = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) => word.as_str(),
        _ => "",
    };
    if error.kind() == Usage::UnknownArgument && !word.starts_with("--") {
        return "unexpected argument".to_owned();
    }
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    // The likely value says more than all possible values.
    let all = if has_suggestion { "[possible values" } else { "\0" };
    let paragraph = paragraph.split(all).next().unwrap_or_default();
    let words: Vec<&str> = paragraph.trim_start_matches("error: ").split_whitespace().collect();
    words.join(" ")
}
