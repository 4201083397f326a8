//! The adapter in Rust: reads one command per line from stdin, and writes one result per line to stdout. See
//! tests/contract/README.md.

mod callbacks;
mod journal;

use std::io::Write;

use merchantpay::{
    AvailableAmounts, Client, Config, Error, PAYMENT_FIELDS, Payment, Prepared, Protocol, Receipt,
    RequestValues, Result, SignedRequest, Status, UnsignedRequest, WebhookVerifier, operation,
};
use merchantpay_journal::{Journal, JournalConfig};
use serde_json::{Map, Value, json};

use callbacks::{add_heard, interrupted, with_callbacks};
use journal::Journals;

fn text<'a>(of: &'a Value, name: &str) -> Option<&'a str> {
    of[name].as_str()
}

/// Empty if it is absent: the library refuses it.
fn needed<'a>(of: &'a Value, name: &str) -> &'a str {
    text(of, name).unwrap_or_default()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(hex: &str) -> Vec<u8> {
    let pairs = hex.as_bytes().chunks(2);
    pairs.filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// A list has several texts for one name.
fn set_all(values: &Value, mut set: impl FnMut(&str, Option<&str>) -> Result<()>) -> Result<()> {
    for (name, value) in values.as_object().into_iter().flatten() {
        match value {
            Value::Array(texts) => texts.iter().try_for_each(|text| set(name, text.as_str()))?,
            text => set(name, text.as_str())?,
        }
    }
    Ok(())
}

fn config(command: &Value) -> Result<Config> {
    let settings = &command["settings"];
    if command["from_environment"] == true {
        return with_callbacks(environment(settings)?, command);
    }
    let mut config = Config::default();
    set_all(settings, |name, text| config.set(name, text))?;
    with_callbacks(config, command)
}

/// The environment, with `settings` on top.
fn environment(settings: &Value) -> Result<Config> {
    if settings.as_object().is_none_or(Map::is_empty) {
        return Config::from_env();
    }
    let mut failure = Ok(());
    let config = Config::from_texts(|row| match text(settings, &row.name_with_unit()) {
        Some(text) => Some(text.to_owned()),
        None => row
            .from_env()
            .unwrap_or_else(|error| {
                failure = Err(error);
                None
            })
            .map(|text| text.to_string()),
    });
    failure.and(config)
}

fn protocol(command: &Value) -> Result<Protocol> {
    config(command)?.protocol()
}

fn verifier(command: &Value) -> Result<WebhookVerifier> {
    if command["from_environment"] == true {
        WebhookVerifier::from_env()
    } else {
        config(command)?.verifier()
    }
}

fn client(command: &Value) -> Result<Client> {
    Client::new(config(command)?)
}

fn fields(arguments: &Value) -> RequestValues {
    let mut fields = RequestValues::default();
    for (name, value) in arguments.as_object().expect("arguments") {
        // The request reports what the values refuse.
        let _ = fields.set(name, value.as_str());
    }
    fields
}

fn receipt(arguments: &Value) -> Result<Receipt> {
    let mut receipt = Receipt::new(needed(arguments, "order_id"));
    for file in arguments["files"].as_array().into_iter().flatten() {
        match text(file, "path") {
            Some(path) => receipt.add_file(path)?,
            None => receipt.add_bytes(
                needed(file, "name"),
                needed(file, "content_type"),
                &unhex(needed(file, "data")),
            )?,
        };
    }
    Ok(receipt)
}

/// With any type of result.
enum Sent {
    Amounts(Prepared<AvailableAmounts>),
    Payment(Prepared<Payment>),
}

impl Sent {
    fn request(&self) -> &SignedRequest {
        match self {
            Sent::Amounts(prepared) => prepared.request(),
            Sent::Payment(prepared) => prepared.request(),
        }
    }
}

fn prepare(command: &Value) -> Result<Sent> {
    fn payment(protocol: &Protocol, request: UnsignedRequest<Payment>) -> Result<Sent> {
        protocol.prepare(request).map(Sent::Payment)
    }
    let (protocol, arguments) = (protocol(command)?, &command["arguments"]);
    let order_id = needed(arguments, "order_id");
    match needed(command, "operation") {
        "get_available_amounts" => protocol
            .prepare(operation::get_available_amounts(&fields(arguments).amounts_request()?))
            .map(Sent::Amounts),
        "new_payment" => payment(&protocol, operation::new_payment(&fields(arguments).payment_request()?)),
        "new_payment_async" => {
            payment(&protocol, operation::new_payment_async(&fields(arguments).payment_request()?))
        }
        "confirm" => payment(&protocol, operation::confirm(order_id)),
        "cancel" => payment(&protocol, operation::cancel(order_id)),
        "get_status" => payment(&protocol, operation::get_status(order_id)),
        "attach_receipt" => payment(&protocol, operation::attach_receipt(&receipt(arguments)?)),
        unknown => panic!("unknown operation {unknown}"),
    }
}

fn open(command: &Value) -> Result<Value> {
    let reply = &command["reply"];
    let status = reply["status"].as_u64().and_then(|status| status.try_into().ok()).expect("a status");
    let headers: Vec<(String, String)> = serde_json::from_value(reply["headers"].clone()).expect("pairs");
    let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let body = unhex(needed(reply, "body"));
    match prepare(command)? {
        Sent::Amounts(prepared) => prepared.open(status, headers, &body).map(|amounts| of_amounts(&amounts)),
        Sent::Payment(prepared) => prepared.open(status, headers, &body).map(|payment| of_payment(&payment)),
    }
}

fn call(client: &Client, operation: &str, arguments: &Value) -> Result<Value> {
    let order_id = needed(arguments, "order_id");
    let payment = match operation {
        "get_available_amounts" => {
            let request = fields(arguments).amounts_request()?;
            return client.get_available_amounts(&request).map(|amounts| of_amounts(&amounts));
        }
        "new_payment" => client.new_payment(&fields(arguments).payment_request()?)?,
        "new_payment_async" => client.new_payment_async(&fields(arguments).payment_request()?)?,
        "confirm" => client.confirm(order_id)?,
        "cancel" => client.cancel(order_id)?,
        "get_status" => client.get_status(order_id)?,
        "attach_receipt" => client.attach_receipt(&receipt(arguments)?)?,
        unknown => panic!("unknown operation {unknown}"),
    };
    Ok(of_payment(&payment))
}

fn of_amounts(amounts: &AvailableAmounts) -> Value {
    let texts: Vec<String> = amounts.available_amounts().iter().map(ToString::to_string).collect();
    json!({"amounts": texts, "other_amounts_possible": amounts.other_amounts_possible(), "json": amounts.json()})
}

fn of_payment(payment: &Payment) -> Value {
    let texts = PAYMENT_FIELDS.iter().map(|field| field.snake_case).zip(payment.texts());
    let fields: Map<_, _> = texts.filter_map(|(name, text)| Some((name.to_owned(), text?.into()))).collect();
    json!({
        "payment": fields,
        "final": payment.is_final(),
        "known": payment.status().is_some_and(|status| Status::ALL.contains(status)),
        "json": payment.json(),
        "sum_minor": payment.sum().and_then(|sum| sum.minor()).map(|minor| minor.to_string()),
    })
}

fn answer(command: &Value, journals: &mut Journals) -> Result<Value> {
    match needed(command, "do") {
        "settings" => match needed(command, "makes") {
            "client" => client(command).map(drop),
            "protocol" => protocol(command).map(drop),
            _ => verifier(command).map(drop),
        }
        .map(|()| json!({})),
        "prepare" => {
            let sent = prepare(command)?;
            let request = sent.request();
            let headers: Vec<_> = request.headers().map(|(name, value)| json!([name, value])).collect();
            Ok(json!({"url": request.url(), "headers": headers, "body": hex(request.body())}))
        }
        "open" => open(command),
        "verify" => {
            let body = unhex(needed(command, "body"));
            let event =
                verifier(command)?.verify(&body, needed(command, "signature"), text(command, "key_id"))?;
            let mut shown = of_payment(event.payment());
            shown["kind"] = event.kind().into();
            Ok(shown)
        }
        "explain" => {
            let body = unhex(needed(command, "body"));
            let signature = text(command, "signature").unwrap_or_default();
            let explanation = verifier(command)?.explain(&body, signature, text(command, "key_id"));
            Ok(explanation.map_or_else(
                || json!({"cause": ""}),
                |explanation| json!({"cause": explanation.cause().name(), "hint": explanation.hint()}),
            ))
        }
        "call" => {
            let client = client(command)?;
            let mut last = Value::Null;
            for _ in 0..command["times"].as_u64().unwrap_or(1) {
                let once = || call(&client, needed(command, "operation"), &command["arguments"]);
                last = interrupted(command, || client.interrupt(), once)?;
            }
            Ok(last)
        }
        _ => journals.answer(command),
    }
}

/// The present members of an object.
fn present(object: Value) -> Value {
    let Value::Object(fields) = object else { unreachable!() };
    Value::Object(fields.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
}

fn failure(error: &Error) -> Value {
    let fields = json!({
        "message": error.message(),
        "code": error.code().name(),
        "outcome": error.outcome().name(),
        "is_transient": error.is_transient(),
        "description": error.description(),
        "reason": error.reason().map(|reason| reason.name()),
        "http_status": error.http_status(),
        "retry_after_ms": error.retry_after().map(|pause| pause.as_millis() as u64),
        "order_id": error.order_id(),
        "content_type": error.content_type(),
        "excerpt": error.excerpt(),
        "body": error.body().map(hex),
    });
    present(fields)
}

/// For the command `journal_open`.
///
/// # Errors
///
/// If the journal cannot be opened.
pub fn open_journal(command: &Value, config: fn(String) -> JournalConfig) -> Result<(Client, Journal)> {
    let client = client(&json!({"settings": command["client"]}))?;
    let journal = Journal::open(&client, journal::config(config, command)?)?;
    Ok((client, journal))
}

/// Answers each command until the input ends. `config` makes the settings of a journal at a place.
///
/// # Errors
///
/// If a command cannot be read, or its answer cannot be written.
pub fn run(config: fn(String) -> JournalConfig) -> std::io::Result<()> {
    let mut journals = Journals::new(config);
    let mut line = String::new();
    // No lock is held while a command runs: another thread reads the interruption.
    while std::io::stdin().read_line(&mut line)? > 0 {
        let command = serde_json::from_str(&line)?;
        line.clear();
        let mut written = match answer(&command, &mut journals) {
            Ok(result) if result["cannot"].is_string() => result,
            Ok(result) => json!({"ok": result}),
            Err(error) => json!({"error": failure(&error)}),
        };
        add_heard(&command, &mut written);
        writeln!(std::io::stdout(), "{written}")?;
    }
    Ok(())
}
