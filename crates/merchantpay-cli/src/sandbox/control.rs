//! The verbs of `sandbox`, `story` and `check-receiver`: a client of the sandbox's control API. Each request
//! prints its reply as one JSON line, or as text for a person.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::Duration;

use clap::ValueEnum as _;
use merchantpay::{Error, Outcome, check_path};
use merchantpay_sandbox::{STORIES, SettingsFormat};
use percent_encoding::{NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use serde_json::{Map, Value, json};

use crate::args::sandbox::{Api, CheckReceiver, FaultsCommand, SandboxUrl, Story, Verb};
use crate::document::{event, parts, print_document};
use crate::environment::variable;
use crate::output::{
    ErrorLine, Failure, eprint_error, exit_with, print_bytes, print_line, print_styled, stdout_is_human,
};

const DEFAULT_URL: &str = "http://127.0.0.1:8700";
/// `check-receiver` needs the most: the sandbox waits for seven answers, and each may take 5 s.
const DEADLINE: Duration = Duration::from_secs(60);
/// A receipt may have 32 MiB.
const LARGEST_REPLY: u64 = 64 * 1024 * 1024;

/// The fields of the control API that are numbers; every other field is a text, also a sum and an account.
const NUMBERS: [&str; 7] = ["advanceMs", "bytes", "delayMs", "latencyMs", "probability", "seed", "times"];

struct Request {
    method: &'static str,
    path: String,
    body: Option<Value>,
    /// The fields of the body were flags, so a refusal names the flags.
    has_flags: bool,
}

impl Request {
    fn get(path: impl Into<String>) -> Request {
        Request { method: "GET", path: path.into(), body: None, has_flags: false }
    }

    fn delete(path: impl Into<String>) -> Request {
        Request { method: "DELETE", ..Request::get(path) }
    }

    /// Leaves out fields without a value.
    fn post(path: impl Into<String>, mut body: Value) -> Request {
        body.as_object_mut().into_iter().for_each(|fields| fields.retain(|_, value| !value.is_null()));
        Request { method: "POST", body: Some(body), has_flags: true, ..Request::get(path) }
    }
}

pub(crate) fn run(verb: &Verb) -> Result<(), Failure> {
    let payment = |order_id: &str, below: &str| format!("payments/{}/{below}", path_segment(order_id));
    let (at, request) = match verb {
        Verb::Api(arguments) => return api(arguments),
        Verb::Events { only, at } => return follow(&checked_url(at)?, "events", only.as_deref()),
        Verb::Settings { format, at } => return settings(&checked_url(at)?, *format),
        Verb::Pay { order_id, pays, sum, at } => {
            let pays = sum.is_none().then_some(pays);
            (at, Request::post(payment(order_id, "customer"), json!({"pays": pays, "sum": sum})))
        }
        Verb::Operate { order_id, action, at } => {
            (at, Request::post(payment(order_id, "operator"), json!({"action": action})))
        }
        Verb::Faults { command: None | Some(FaultsCommand::List), at } => (at, Request::get("faults")),
        Verb::Faults { command: Some(FaultsCommand::Add(fault)), at } => {
            (at, Request::post("faults", json!(fault)))
        }
        Verb::Faults { command: Some(FaultsCommand::Clear { number: None }), at } => {
            (at, Request::delete("faults"))
        }
        Verb::Faults { command: Some(FaultsCommand::Clear { number: Some(number) }), at } => {
            (at, Request::delete(format!("faults/{number}")))
        }
        Verb::Resend { number, action, delay, at } => {
            (at, Request::post(format!("webhooks/{number}"), json!({"action": action, "delayMs": delay})))
        }
        Verb::NextWebhook { order_id, clear: true, at, .. } => {
            (at, Request::delete(payment(order_id, "webhooks")))
        }
        Verb::NextWebhook { order_id, action, delay, times, at, .. } => {
            let plan = json!({"action": action, "delayMs": delay, "times": times});
            (at, Request::post(payment(order_id, "webhooks"), plan))
        }
        Verb::Clock { advance: None, at } => (at, Request::get("clock")),
        Verb::Clock { advance, at } => (at, Request::post("clock", json!({"advanceMs": advance}))),
    };
    print_reply(&checked_url(at)?, &request).map(drop)
}

/// A person also reads what happened, and what the merchant's program should do.
pub(crate) fn story(arguments: &Story) -> Result<(), Failure> {
    let body = json!({"webhookUrl": arguments.webhook_url});
    let request = Request::post(format!("stories/{}", path_segment(&arguments.name)), body);
    let url = checked_url(&arguments.at)?;
    let story = STORIES.iter().find(|story| story.name == arguments.name);
    let Some(story) = story.filter(|_| stdout_is_human()) else {
        return print_reply(&url, &request).map(drop);
    };
    let reply = String::from_utf8(ask(&url, &request)?).map_err(|_| no_sandbox())?;
    let names = ["orderId", "status", "requestedSum", "sum", "timeline", "exchangeList", "webhookList"];
    let shown = parts(&reply, &names).ok_or_else(no_sandbox)?;
    print_styled(&format!("{}: {}\n\n{shown}\n\n{}", story.title, story.events, story.advice))
}

/// Exit status 1 if the receiver answered one of the webhooks wrongly.
pub(crate) fn check_receiver(arguments: &CheckReceiver) -> Result<(), Failure> {
    let body = json!({"url": arguments.receiver, "orderId": arguments.order_id});
    let request = Request::post("receiver-checks", body);
    let results = print_reply(&checked_url(&arguments.at)?, &request)?;
    let results: Value = serde_json::from_slice(&results).map_err(|_| no_sandbox())?;
    exit_with(u8::from(results["passed"] != true))
}

fn api(arguments: &Api) -> Result<(), Failure> {
    let path = arguments.path.trim_start_matches('/');
    let path = path.strip_prefix("sandbox/").unwrap_or(path);
    let path = if path == "sandbox" { "" } else { path };
    let mut body = Map::new();
    for field in &arguments.fields {
        let (name, text) = field.split_once('=').ok_or_else(|| {
            Error::invalid_argument("a field of the body has the form FIELD=VALUE, such as action=approve")
        })?;
        let number = serde_json::from_str(text).ok().filter(|_| NUMBERS.contains(&name));
        body.insert(name.to_owned(), number.unwrap_or_else(|| json!(text)));
    }
    let method = match arguments.method.as_deref() {
        Some("DELETE") => "DELETE",
        Some("POST") => "POST",
        None if !body.is_empty() => "POST",
        _ => "GET",
    };
    if method != "POST" && !body.is_empty() {
        return Err(Error::invalid_argument("only a POST has fields; filters belong to the path").into());
    }
    let body = (method == "POST").then_some(Value::Object(body));
    let url = checked_url(&arguments.at)?;
    match path.split('?').next() {
        Some("events") => follow(&url, path, None),
        _ => print_reply(&url, &Request { method, path: path.to_owned(), body, has_flags: false }).map(drop),
    }
}

/// The URL of the sandbox, after the server there has said that it is one: every other server must get no
/// request that could change something.
fn checked_url(at: &SandboxUrl) -> Result<String, Failure> {
    let url = at.url.clone().or_else(|| variable("SANDBOX_URL")).unwrap_or_else(|| DEFAULT_URL.to_owned());
    let url = url.trim().trim_end_matches('/').to_owned();
    // Refuses quotes and control characters; nothing else in it is about files.
    check_path("the sandbox's URL", Path::new(&url))?;
    let (status, reply) =
        exchange(&url, &Request::get("")).map_err(|error| error.with_outcome(Outcome::NotSent))?;
    let overview: Value = serde_json::from_slice(&reply).unwrap_or_default();
    match status {
        200 if overview["sandbox"] == true && overview["version"].is_string() => Ok(url),
        // A sandbox on another machine without --allow-remote.
        403 if overview["error"]["code"] == "forbidden" => Err(refusal(status, &reply, false)),
        _ => Err(no_sandbox().with_outcome(Outcome::NotSent).into()),
    }
}

/// A reply that is no JSON, such as a receipt, is printed as it is. Returns the reply's bytes.
fn print_reply(url: &str, request: &Request) -> Result<Vec<u8>, Failure> {
    let reply = ask(url, request)?;
    let text = std::str::from_utf8(&reply).ok();
    let is_json = |text: &&str| serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
    match text.filter(is_json) {
        Some(text) => print_document(text)?,
        None => print_bytes(&reply)?,
    }
    Ok(reply)
}

fn path_segment(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, NON_ALPHANUMERIC)
}

fn agent(deadline: Option<Duration>) -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).proxy(None);
    config.timeout_connect(Some(DEADLINE)).timeout_global(deadline).build().new_agent()
}

fn ask(url: &str, request: &Request) -> Result<Vec<u8>, Failure> {
    let failed = if request.method == "GET" { Failure::OfRead } else { Failure::Error };
    match exchange(url, request).map_err(failed)? {
        (200..300, reply) => Ok(reply),
        (status, reply) => Err(refusal(status, &reply, request.has_flags)),
    }
}

fn exchange(url: &str, request: &Request) -> Result<(u16, Vec<u8>), Error> {
    let body = request.body.as_ref().map(Value::to_string);
    let mut sent = ureq::http::Request::builder().method(request.method).uri(url_of(url, &request.path));
    if body.is_some() {
        sent = sent.header("Content-Type", "application/json");
    }
    let sent = sent.body(body.unwrap_or_default()).map_err(|error| transport_error(&error.into()))?;
    let mut answer = agent(Some(DEADLINE)).run(sent).map_err(|error| transport_error(&error))?;
    let status = answer.status().as_u16();
    let reply = answer
        .body_mut()
        .with_config()
        .limit(LARGEST_REPLY)
        .read_to_vec()
        .map_err(|error| transport_error(&error))?;
    Ok((status, reply))
}

fn url_of(url: &str, path: &str) -> String {
    let slash = if path.is_empty() { "" } else { "/" };
    format!("{url}/sandbox{slash}{path}")
}

fn refusal(status: u16, reply: &[u8], has_flags: bool) -> Failure {
    let refusal: Value = serde_json::from_slice(reply).unwrap_or_default();
    let Some(message) = refusal["error"]["message"].as_str() else { return no_sandbox().into() };
    let shown = if has_flags { with_flag(message) } else { message.to_owned() };
    let text = format!("the sandbox refused: {shown}");
    let line = ErrorLine {
        code: "rejected",
        outcome: "rejected",
        message: &text,
        description: Some(message),
        http_status: Some(status),
        ..ErrorLine::default()
    };
    let advice = "nothing took effect; `merchantpay sandbox api /` lists what the sandbox can do";
    eprint_error(&line.json(), &text, advice);
    Failure::AlreadyReported(1)
}

/// Names the flag for the field: `delayMs must …` becomes `--delay must …`.
fn with_flag(message: &str) -> String {
    match message.split_once(' ') {
        Some(("advanceMs", rest)) => format!("TIME {rest}"),
        Some((field, rest)) if NUMBERS.contains(&field) => {
            format!("--{} {rest}", field.trim_end_matches("Ms"))
        }
        _ => message.to_owned(),
    }
}

/// As text: `shell` and `env-file` are no JSON.
fn settings(url: &str, format: SettingsFormat) -> Result<(), Failure> {
    let reply = ask(url, &Request::get("settings"))?;
    let reply: Value = serde_json::from_slice(&reply).map_err(|_| no_sandbox())?;
    let name = format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let formats = reply["formats"].as_array().into_iter().flatten();
    let text = formats.clone().find(|one| one["name"] == name.as_str()).ok_or_else(no_sandbox)?;
    print_line(text["text"].as_str().unwrap_or_default())
}

/// The end of the sandbox is an error, so that a reader notices it.
fn follow(url: &str, path: &str, only: Option<&str>) -> Result<(), Failure> {
    let answer = agent(None).get(url_of(url, path)).call();
    let mut answer = answer.map_err(|error| Failure::OfRead(transport_error(&error)))?;
    if answer.status() != 200 {
        return Err(no_sandbox().into());
    }
    let mut name = String::new();
    for line in BufReader::new(answer.body_mut().as_reader()).lines() {
        let Ok(line) = line else { break };
        match line.split_once(": ") {
            Some(("event", event)) => event.clone_into(&mut name),
            Some(("data", data)) if only.is_none_or(|only| only == name) => {
                print_line(&match stdout_is_human() {
                    true => event(&name, data),
                    false => format!("{{\"event\":{},\"data\":{data}}}", json!(name)),
                })?;
            }
            _ => {}
        }
    }
    let ended = Error::transport("the connection to the sandbox has ended");
    Err(Failure::OfRead(ended.with_outcome(Outcome::Unknown)))
}

/// Without a connection nothing was sent; after any other failure the request may have taken effect.
fn transport_error(error: &ureq::Error) -> Error {
    let refused = |error: &std::io::Error| error.kind() == std::io::ErrorKind::ConnectionRefused;
    match error {
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            Error::invalid_argument(format!("the sandbox's URL cannot be used: {error}"))
        }
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => unreachable(error),
        ureq::Error::Io(why) if refused(why) => unreachable(error),
        _ => Error::transport(format!("the sandbox did not answer: {error}")).with_outcome(Outcome::Unknown),
    }
}

fn unreachable(error: &ureq::Error) -> Error {
    Error::transport(format!(
        "no sandbox answers: {error}; start one by `merchantpay sandbox`, or name one by --sandbox or \
         MERCHANTPAY_SANDBOX_URL"
    ))
}

fn no_sandbox() -> Error {
    Error::transport(
        "the server at this URL is not a sandbox: name one by --sandbox or MERCHANTPAY_SANDBOX_URL",
    )
    .with_outcome(Outcome::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_id_is_one_segment_of_a_path() {
        assert_eq!(path_segment("sb-1/../a b?").to_string(), "sb%2D1%2F%2E%2E%2Fa%20b%3F");
    }
}
