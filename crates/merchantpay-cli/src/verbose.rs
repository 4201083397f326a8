//! `--verbose`: shows each call on stderr as it was sent and answered.

use std::sync::atomic::{AtomicBool, Ordering};

use merchantpay::{Config, Exchanged};
use serde_json::json;

use crate::output::eprint_line;
use crate::terminal::{self, visible::visible};

/// This value is set once per run, from `--verbose`.
static VERBOSE: AtomicBool = AtomicBool::new(false);

pub(crate) fn set(verbose: bool) {
    VERBOSE.store(verbose, Ordering::Relaxed);
}

/// The settings of a client whose calls are shown, if the user wants that.
pub(crate) fn watched(config: Config) -> Config {
    if VERBOSE.load(Ordering::Relaxed) { config.tap(show) } else { config }
}

fn show(exchanged: &Exchanged<'_>) {
    let request = exchanged.request;
    let sent: Vec<_> = request.headers().collect();
    if !terminal::are_errors_for_people() {
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
