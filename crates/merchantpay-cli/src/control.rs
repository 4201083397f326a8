//! `sandbox control`, `story` and `check-receiver`: a client of the sandbox's control API. Each request
//! prints its reply as one JSON line, or as text for a person.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::time::Duration;

use merchantpay::{Error, Outcome, check_path};
use merchantpay_sandbox::SettingsFormat;
use serde_json::{Map, Value, json};

use crate::args::control::{CheckReceiver, ClockCommand, Control, ControlCommand, Page, SandboxUrl, Story};
use crate::json::{one_line, quoted};
use crate::output::{Failure, eprint_error, eprint_line, print_line, print_styled};
use crate::settings::variable;
use crate::terminal::{self, document};

const DEFAULT_URL: &str = "http://127.0.0.1:8700";
/// The deadline of one request. `check-receiver` needs the most: the sandbox waits for seven answers, and
/// each may take 5 s.
const DEADLINE: Duration = Duration::from_secs(60);
/// The largest reply that is accepted: a receipt may have 32 MiB.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A request to the control API without the URL of the sandbox.
enum Request {
    Get(String),
    Post(String, Value),
    Delete(String),
}

pub(crate) fn run(arguments: &Control) -> Result<(), Failure> {
    let url = &sandbox(&arguments.at)?;
    if let ControlCommand::Receipt { order_id, number, output } = &arguments.command {
        return save(url, &format!("/sandbox/payments/{}/receipts/{number}", segment(order_id)), output);
    }
    if let ControlCommand::Events { only } = &arguments.command {
        return follow(url, only.as_deref());
    }
    if let ControlCommand::Settings { format } = &arguments.command {
        return settings(url, *format);
    }
    print_reply(url, &request(&arguments.command)?).map(drop)
}

/// Makes the sandbox run a story, and prints the payment of the story.
pub(crate) fn story(arguments: &Story) -> Result<(), Failure> {
    let path = format!("/sandbox/stories/{}", segment(&arguments.name));
    let body = fields([("webhookUrl", json!(arguments.webhook_url))]);
    print_reply(&sandbox(&arguments.at)?, &Request::Post(path, body)).map(drop)
}

/// Checks a receiver. Fails if one of the receiver's answers is not the expected answer.
pub(crate) fn check_receiver(arguments: &CheckReceiver) -> Result<(), Failure> {
    let body = fields([("url", json!(arguments.receiver)), ("orderId", json!(arguments.order_id))]);
    let request = Request::Post("/sandbox/receiver-checks".to_owned(), body);
    let results = print_reply(&sandbox(&arguments.at)?, &request)?;
    let results: Value = serde_json::from_slice(&results).map_err(|_| no_sandbox())?;
    if results["passed"] == true { Ok(()) } else { Err(Failure::AlreadyReported(1)) }
}

/// The URL of the sandbox, after the server there has said that it is one: every other server must get no
/// request that could change something.
fn sandbox(at: &SandboxUrl) -> Result<String, Failure> {
    let url = at.url.clone().or_else(|| variable("SANDBOX_URL")).unwrap_or_else(|| DEFAULT_URL.to_owned());
    let url = url.trim().trim_end_matches('/').to_owned();
    check_path("the sandbox's URL", Path::new(&url))?;
    let (status, reply) = exchange(&url, &Request::Get("/sandbox".to_owned()))
        .map_err(|error| error.with_outcome(Outcome::NotSent))?;
    let overview: Value = serde_json::from_slice(&reply).unwrap_or_default();
    match status {
        200 if overview["sandbox"] == true && overview["version"].is_string() => Ok(url),
        // A sandbox on another machine without --allow-remote.
        403 if overview["error"]["code"] == "forbidden" => Err(refusal(status, &reply)),
        _ => Err(no_sandbox().with_outcome(Outcome::NotSent).into()),
    }
}

/// Prints the reply, as text for a person or as one line for a program. Returns the reply's bytes.
fn print_reply(url: &str, request: &Request) -> Result<Vec<u8>, Failure> {
    let reply = ask(url, request)?;
    let text = std::str::from_utf8(&reply).map_err(|_| no_sandbox())?;
    serde_json::from_str::<&serde_json::value::RawValue>(text).map_err(|_| no_sandbox())?;
    match Some(text).filter(|_| terminal::is_for_people()).and_then(document::text) {
        Some(shown) => print_styled(&shown)?,
        None => print_line(&one_line(text))?,
    }
    Ok(reply)
}

fn request(command: &ControlCommand) -> Result<Request, Error> {
    let payment = |order_id: &str, below: &str| format!("/sandbox/payments/{}{below}", segment(order_id));
    Ok(match command {
        ControlCommand::Info => Request::Get("/sandbox".to_owned()),
        ControlCommand::Payments { status, merchant_id, page } => {
            list("/sandbox/payments", &[("status", status), ("merchantId", merchant_id)], page)
        }
        ControlCommand::Payment { order_id } => Request::Get(payment(order_id, "")),
        ControlCommand::Pay { order_id, pays, sum } => {
            let body = sum.as_ref().map_or_else(|| json!({"pays": pays}), |sum| json!({"sum": sum}));
            Request::Post(payment(order_id, "/customer"), body)
        }
        ControlCommand::Operate { order_id, action } => {
            Request::Post(payment(order_id, "/operator"), json!({"action": camel_case(action)}))
        }
        ControlCommand::Settings { .. } | ControlCommand::Receipt { .. } | ControlCommand::Events { .. } => {
            return Err(Error::internal(
                Outcome::NotSent,
                "this command is not a request with one JSON reply",
            ));
        }
        ControlCommand::Exchanges { order_id, operation, page } => {
            list("/sandbox/exchanges", &[("orderId", order_id), ("operation", operation)], page)
        }
        ControlCommand::Exchange { number } => Request::Get(format!("/sandbox/exchanges/{number}")),
        ControlCommand::Webhooks { order_id, merchant_id, token, page } => list(
            "/sandbox/webhooks",
            &[("orderId", order_id), ("merchantId", merchant_id), ("token", token)],
            page,
        ),
        ControlCommand::Webhook { number } => Request::Get(format!("/sandbox/webhooks/{number}")),
        ControlCommand::Resend { number, action, delay_ms } => {
            let body = fields([("action", json!(camel_case(action))), ("delayMs", json!(delay_ms))]);
            Request::Post(format!("/sandbox/webhooks/{number}"), body)
        }
        ControlCommand::NextWebhook { order_id, action, .. } if action == "clear" => {
            Request::Delete(payment(order_id, "/webhooks"))
        }
        ControlCommand::NextWebhook { order_id, action, delay_ms, times } => {
            let body = fields([
                ("action", json!(camel_case(action))),
                ("delayMs", json!(delay_ms)),
                ("times", json!(times)),
            ]);
            Request::Post(payment(order_id, "/webhooks"), body)
        }
        ControlCommand::Fault(fault) => {
            let body = fields([
                ("kind", json!(camel_case(&fault.kind))),
                ("operation", json!(fault.operation)),
                ("times", json!(fault.times)),
                ("latencyMs", json!(fault.latency_ms)),
                ("bytes", json!(fault.bytes)),
                ("probability", json!(fault.probability)),
                ("seed", json!(fault.seed)),
            ]);
            Request::Post("/sandbox/faults".to_owned(), body)
        }
        ControlCommand::Faults => Request::Get("/sandbox/faults".to_owned()),
        ControlCommand::Clear { number: None } => Request::Delete("/sandbox/faults".to_owned()),
        ControlCommand::Clear { number: Some(number) } => {
            Request::Delete(format!("/sandbox/faults/{number}"))
        }
        ControlCommand::Clock { command: None } => Request::Get("/sandbox/clock".to_owned()),
        ControlCommand::Clock { command: Some(ClockCommand::Advance { ms }) } => {
            Request::Post("/sandbox/clock".to_owned(), json!({"advanceMs": ms}))
        }
    })
}

fn list(path: &str, filters: &[(&str, &Option<String>)], page: &Page) -> Request {
    let numbers = [("limit", page.limit), ("before", page.before)];
    let filters = filters.iter().filter_map(|(name, value)| (*value).clone().map(|value| (*name, value)));
    let parameters =
        filters.chain(numbers.into_iter().filter_map(|(name, value)| Some((name, value?.to_string()))));
    let parameters: Vec<String> =
        parameters.map(|(name, value)| format!("{name}={}", segment(&value))).collect();
    let question_mark = if parameters.is_empty() { "" } else { "?" };
    Request::Get(format!("{path}{question_mark}{}", parameters.join("&")))
}

/// Makes a JSON object of the fields that have a value.
fn fields<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let given = fields.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(given.map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

/// Turns a name such as `wrong-key` into the sandbox's form of the name, `wrongKey`. A word without a hyphen
/// stays the same.
fn camel_case(word: &str) -> String {
    let mut parts = word.split('-');
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    name
}

/// Encodes a text as one segment of a URL's path.
fn segment(text: &str) -> String {
    let mut segment = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~') {
            segment.push(char::from(byte));
        } else {
            segment.push_str(&format!("%{byte:02X}"));
        }
    }
    segment
}

fn agent(deadline: Option<Duration>) -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).proxy(None);
    config.timeout_connect(Some(DEADLINE)).timeout_global(deadline).build().new_agent()
}

/// Sends the request and returns the bytes of the reply. If the sandbox refuses, prints its refusal and
/// fails.
fn ask(url: &str, request: &Request) -> Result<Vec<u8>, Failure> {
    match exchange(url, request)? {
        (200..300, reply) => Ok(reply),
        (status, reply) => Err(refusal(status, &reply)),
    }
}

/// The HTTP status and the body of the reply.
fn exchange(url: &str, request: &Request) -> Result<(u16, Vec<u8>), Error> {
    let agent = agent(Some(DEADLINE));
    let sent = match request {
        Request::Get(path) => agent.get(format!("{url}{path}")).call(),
        Request::Delete(path) => agent.delete(format!("{url}{path}")).call(),
        Request::Post(path, body) => agent
            .post(format!("{url}{path}"))
            .header("Content-Type", "application/json")
            .send(body.to_string().as_bytes()),
    };
    let mut answer = sent.map_err(|error| failed(&error))?;
    let status = answer.status().as_u16();
    let reply =
        answer.body_mut().with_config().limit(LARGEST).read_to_vec().map_err(|error| failed(&error))?;
    Ok((status, reply))
}

fn refusal(status: u16, reply: &[u8]) -> Failure {
    let refusal: Value = serde_json::from_slice(reply).unwrap_or_default();
    let Some(message) = refusal["error"]["message"].as_str() else { return no_sandbox().into() };
    if terminal::are_errors_for_people() {
        eprint_error(
            &format!("the sandbox refused: {message}"),
            "nothing took effect; `merchantpay sandbox control info` lists what the sandbox can do",
        );
        return Failure::AlreadyReported(1);
    }
    eprint_line(&format!(
        "{{\"error\":{{\"code\":\"rejected\",\"outcome\":\"rejected\",\"message\":{},\"description\":{},\"reason\":null,\
         \"httpStatus\":{status},\"orderId\":null}}}}",
        quoted(&format!("the sandbox refused: {message}")),
        quoted(message),
    ));
    Failure::AlreadyReported(1)
}

/// Prints the settings of the merchant's client. Not every format of the settings is JSON.
fn settings(url: &str, format: SettingsFormat) -> Result<(), Failure> {
    let reply = ask(url, &Request::Get("/sandbox/settings".to_owned()))?;
    let reply: Value = serde_json::from_slice(&reply).map_err(|_| no_sandbox())?;
    let formats = reply["formats"].as_array().into_iter().flatten();
    let text = formats.clone().find(|one| one["name"] == format.name()).ok_or_else(no_sandbox)?;
    print_line(text["text"].as_str().unwrap_or_default())
}

fn save(url: &str, path: &str, output: &Path) -> Result<(), Failure> {
    let bytes = ask(url, &Request::Get(path.to_owned()))?;
    let unwritable = |error| {
        Error::invalid_argument(format!("{} cannot be written: {error}", output.display()))
            .with_outcome(Outcome::Unknown)
    };
    let mut file =
        std::fs::OpenOptions::new().write(true).create_new(true).open(output).map_err(unwritable)?;
    file.write_all(&bytes).map_err(unwritable)?;
    print_line(&format!("{{\"file\":{},\"size\":{}}}", quoted(&output.display().to_string()), bytes.len()))
}

/// Prints the stream of events until it ends. The stream ends when the sandbox ends.
fn follow(url: &str, only: Option<&str>) -> Result<(), Failure> {
    let mut answer =
        agent(None).get(format!("{url}/sandbox/events")).call().map_err(|error| failed(&error))?;
    if answer.status() != 200 {
        return Err(no_sandbox().into());
    }
    let mut name = String::new();
    for line in BufReader::new(answer.body_mut().as_reader()).lines() {
        let Ok(line) = line else { break };
        match line.split_once(": ") {
            Some(("event", event)) => event.clone_into(&mut name),
            Some(("data", data)) if only.is_none_or(|only| only == name) => {
                let line = if terminal::is_for_people() {
                    document::event(&name, data)
                } else {
                    format!("{{\"event\":{},\"data\":{data}}}", quoted(&name))
                };
                print_line(&line)?;
            }
            _ => {}
        }
    }
    Err(Error::transport("the connection to the sandbox has ended").with_outcome(Outcome::Unknown).into())
}

/// The error of a failed request. If there was no connection, nothing was sent. After any other failure the
/// request may have taken effect.
fn failed(error: &ureq::Error) -> Error {
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
    fn words_and_addresses_are_written_as_the_sandbox_reads_them() {
        for (word, name) in [
            ("wrong-key", "wrongKey"),
            ("drop-after-commit", "dropAfterCommit"),
            ("wrongKey", "wrongKey"),
            ("", ""),
        ] {
            assert_eq!(camel_case(word), name);
        }
        assert_eq!(segment("sb-1/../a b?"), "sb-1%2F%2E%2E%2Fa%20b%3F");
    }
}
