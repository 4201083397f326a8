//! `webhook listen`: verifies each webhook, prints it, answers it, and forwards it if the user wants that.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;
use axum::http::header::{ALLOW, HeaderName, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use merchantpay::{Error, Event, PublicKey, WebhookVerifier};
use merchantpay_sandbox::pages::joined;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::send::Forward;
use super::{Problem, event_line, explained};
use crate::args::Listen;
use crate::output::{ErrorLine, Failure, eprint_line, exit_with, print_line, stdout_is_human, visible};
use crate::server::{self, Arrival, Webhook};
use crate::signals::interrupts;

/// Further webhooks wait.
const THREADS: usize = 32;

const UNVERIFIED: u8 = 5;

pub(crate) fn listen(arguments: &Listen) -> Result<(), Failure> {
    let (stop, stopped) = watch::channel(false);
    let receiver = Arc::new(WebhookReceiver::of(arguments, stop)?);
    let runtime = server::runtime(THREADS)
        .map_err(|error| Error::invalid_argument(format!("the listener cannot start: {error}")))?;
    let listened = runtime.block_on(listen_until_stopped(arguments, &receiver, stopped));
    // Waits for no answer of the local program.
    runtime.shutdown_background();
    listened?;
    receiver.exit_result()
}

async fn listen_until_stopped(
    arguments: &Listen,
    receiver: &Arc<WebhookReceiver>,
    stopped: watch::Receiver<bool>,
) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| {
        Error::invalid_argument(format!("the listener cannot use this address: {error}"))
    };
    let listener =
        TcpListener::bind(SocketAddr::new(arguments.host, arguments.port)).await.map_err(cannot)?;
    let interrupted = interrupts().map_err(cannot)?;
    receiver.report.listening(&format!("http://{}/", listener.local_addr().map_err(cannot)?))?;
    let handler = Arc::clone(receiver);
    let serving = server::receive(listener, Arc::new(move |arrival| handler.receive(arrival)), stopped);
    tokio::pin!(serving);
    tokio::select! {
        () = serving.as_mut() => {}
        () = interrupted => {
            receiver.interrupted.store(true, Ordering::Relaxed);
            receiver.stop.send_replace(true);
            serving.await;
        }
    }
    Ok(())
}

struct WebhookReceiver {
    verifier: WebhookVerifier,
    signature_header: HeaderName,
    key_id_header: HeaderName,
    forward: Option<Forward>,
    forward_unverified: bool,
    report: Report,
    /// The number of webhooks that may still be accepted, and the number that must still be answered.
    to_accept: AtomicU64,
    to_answer: AtomicU64,
    refused: AtomicU64,
    interrupted: AtomicBool,
    /// Of a line that could not be printed.
    failure: Mutex<Option<Failure>>,
    stop: watch::Sender<bool>,
}

impl WebhookReceiver {
    /// Forwards nothing and takes any number of webhooks.
    fn new(
        verifier: WebhookVerifier,
        [signature_header, key_id_header]: [HeaderName; 2],
        report: Report,
        stop: watch::Sender<bool>,
    ) -> WebhookReceiver {
        WebhookReceiver {
            verifier,
            signature_header,
            key_id_header,
            forward: None,
            forward_unverified: false,
            report,
            to_accept: AtomicU64::new(u64::MAX),
            to_answer: AtomicU64::new(u64::MAX),
            refused: AtomicU64::new(0),
            interrupted: AtomicBool::new(false),
            failure: Mutex::default(),
            stop,
        }
    }

    fn of(arguments: &Listen, stop: watch::Sender<bool>) -> Result<WebhookReceiver, Error> {
        let header = |name: &str| {
            name.parse().map_err(|_| Error::invalid_argument("the name of the header is not valid"))
        };
        let headers = [header(&arguments.signature_header)?, header(&arguments.key_id_header)?];
        let report = if stdout_is_human() { Report::Text } else { Report::JsonLines };
        let count = arguments.count.unwrap_or(u64::MAX);
        let forward = arguments.forward_to.as_deref().map(|url| Forward::new(url, &arguments.settings));
        Ok(WebhookReceiver {
            forward: forward.transpose()?,
            forward_unverified: arguments.forward_unverified,
            to_accept: AtomicU64::new(count),
            to_answer: AtomicU64::new(count),
            ..WebhookReceiver::new(arguments.settings.verifier()?, headers, report, stop)
        })
    }

    /// Ctrl-C is the usual end, not a failure. With `--count` the exit status says whether all webhooks verified.
    fn exit_result(&self) -> Result<(), Failure> {
        if let Some(failure) = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(failure);
        }
        let all_verified = self.refused.load(Ordering::Relaxed) == 0;
        exit_with(if all_verified || self.interrupted.load(Ordering::Relaxed) { 0 } else { UNVERIFIED })
    }

    fn receive(&self, arrival: Arrival) -> Response {
        let counts = matches!(arrival, Arrival::Webhook(_) | Arrival::TooLarge);
        let accept = || {
            let one_less = |left: u64| left.checked_sub(1);
            self.to_accept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
        };
        if counts && !accept() {
            // The program is ending and would not print this webhook: the sender shall send it again.
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
        let (answer, reported) = match arrival {
            Arrival::Webhook(webhook) => self.webhook(&webhook),
            Arrival::NotPost(method, ..) => {
                let hint = format!("A webhook must be a POST request, but this request is a {method}.");
                let (mut answer, reported) = self.reject(StatusCode::METHOD_NOT_ALLOWED, "not_post", hint);
                answer.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
                (answer, reported)
            }
            Arrival::TooLarge => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                self.reject(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "too_large",
                    "The body has more than 1 MiB.".to_owned(),
                )
            }
            Arrival::TooSlow => self.reject(
                StatusCode::REQUEST_TIMEOUT,
                "too_slow",
                "The sender did not send the whole body in time.".to_owned(),
            ),
        };
        let printed = reported.is_ok();
        if let Err(failure) = reported {
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
        }
        if !printed || (counts && self.to_answer.fetch_sub(1, Ordering::Relaxed) == 1) {
            self.stop.send_replace(true);
        }
        // 500: the sender shall send again what could not be printed.
        if printed { answer } else { StatusCode::INTERNAL_SERVER_ERROR.into_response() }
    }

    fn reject(
        &self,
        status: StatusCode,
        cause: &'static str,
        hint: String,
    ) -> (Response, Result<(), Failure>) {
        (status.into_response(), self.report.problem("unverified", &Problem { cause, hint }, status))
    }

    fn webhook(&self, webhook: &Webhook) -> (Response, Result<(), Failure>) {
        let [signature, key_id] =
            [&self.signature_header, &self.key_id_header].map(|name| joined(&webhook.headers, name));
        let (signature, key_id) = (signature.as_deref().unwrap_or_default(), key_id.as_deref());
        match self.verifier.verify(&webhook.body, signature, key_id) {
            Ok(event) => self.verified(webhook, &event),
            Err(error) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                let cause = explained(&error, &self.verifier, &webhook.body, signature, key_id);
                let mut answer = StatusCode::BAD_REQUEST.into_response();
                let mut problem = None;
                // A browser names its page: a page of another site must not reach the local program.
                let is_browser =
                    webhook.headers.contains_key("origin") || webhook.headers.contains_key("sec-fetch-site");
                let forward = self.forward.as_ref().filter(|_| self.forward_unverified && !is_browser);
                if let Some(forward) = forward {
                    (answer, problem) = forwarded(forward, webhook);
                }
                let reported = self.report.refusal(&error, cause.as_ref(), answer.status());
                let reported = reported.and_then(|()| self.report_forwarding(problem, answer.status()));
                (answer, reported)
            }
        }
    }

    fn verified(&self, webhook: &Webhook, event: &Event) -> (Response, Result<(), Failure>) {
        let (answer, problem) = match &self.forward {
            Some(forward) => forwarded(forward, webhook),
            None => (StatusCode::OK.into_response(), None),
        };
        let reported = self.report.event(event, answer.status());
        let reported = reported.and_then(|()| self.report_forwarding(problem, answer.status()));
        (answer, reported)
    }

    fn report_forwarding(&self, problem: Option<Problem>, status: StatusCode) -> Result<(), Failure> {
        problem.map_or(Ok(()), |problem| self.report.problem("transport", &problem, status))
    }
}

/// The local program's answer, or 502 with the reason.
fn forwarded(forward: &Forward, webhook: &Webhook) -> (Response, Option<Problem>) {
    match forward.send(webhook) {
        Ok(answer) => (answer, None),
        Err(why) => {
            let problem = Problem {
                cause: "forward_failed",
                hint: format!("The webhook could not be forwarded: {why}"),
            };
            (StatusCode::BAD_GATEWAY.into_response(), Some(problem))
        }
    }
}

/// No report has a signature or a key.
#[derive(Clone, Copy)]
enum Report {
    JsonLines,
    Text,
    Nothing,
}

impl Report {
    /// Goes to stdout, but a program gets refusals on stderr.
    fn print(
        self,
        is_refusal: bool,
        json: impl FnOnce() -> String,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        match self {
            Report::JsonLines if is_refusal => eprint_line(&json()),
            Report::JsonLines => return print_line(&json()),
            Report::Text => return print_line(&text()),
            Report::Nothing => {}
        }
        Ok(())
    }

    fn listening(self, url: &str) -> Result<(), Failure> {
        let text = || format!("Listening for webhooks at {url} - Ctrl-C ends it");
        self.print(false, || json!({"listening": url}).to_string(), text)
    }

    fn event(self, event: &Event, answered: StatusCode) -> Result<(), Failure> {
        self.print(false, || event_line(event), || pretty(event, answered))
    }

    fn refusal(self, error: &Error, problem: Option<&Problem>, answered: StatusCode) -> Result<(), Failure> {
        let cause = problem.map(|problem| problem.cause);
        let hint = problem.map(|problem| problem.hint.as_str());
        let answered = answered.as_u16();
        let json = || ErrorLine { answered: Some(answered), cause, hint, ..ErrorLine::of(error) }.json();
        let text =
            || refused(answered, cause.unwrap_or(error.code().name()), hint.unwrap_or(error.message()));
        self.print(true, json, text)
    }

    /// Reports a request that is not a webhook, or a webhook that could not be forwarded.
    fn problem(self, code: &str, problem: &Problem, answered: StatusCode) -> Result<(), Failure> {
        let Problem { cause, hint } = problem;
        let answered = answered.as_u16();
        let json = || {
            let error =
                json!({"code": code, "message": hint, "answered": answered, "cause": cause, "hint": hint});
            json!({"error": error}).to_string()
        };
        self.print(true, json, || refused(answered, cause, hint))
    }
}

fn refused(answered: u16, cause: &str, hint: &str) -> String {
    format!("REFUSED {answered} {cause}\n    {}", visible(hint))
}

fn pretty(event: &Event, answered: StatusCode) -> String {
    let payment = event.payment();
    let number = |amount: Option<merchantpay::Amount>| amount.map(|amount| amount.to_string());
    let text = |text: Option<&str>| text.map(str::to_owned);
    let fields = [
        ("sum", number(payment.sum())),
        ("currency", text(payment.currency())),
        ("payee", text(payment.payee_account())),
        ("bank", text(payment.payee_account_bank())),
        ("name", text(payment.payee_name())),
        ("deal", number(payment.deal_sum())),
        ("deal currency", text(payment.deal_currency())),
        ("rate", number(payment.deal_rate())),
        ("link", text(payment.deeplink())),
    ];
    let status = payment.status().map_or("", |status| status.as_str());
    let mut lines = vec![format!(
        "OK {} {} {} {}",
        answered.as_u16(),
        event.kind(),
        visible(payment.order_id()),
        visible(status)
    )];
    lines.extend(
        fields.into_iter().filter_map(|(name, value)| Some(format!("    {name:14}{}", visible(&value?)))),
    );
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// Runs `webhook listen` for its fuzz target: answers every request, prints nothing and never ends.
///
/// # Errors
///
/// If the listener cannot be used.
pub fn webhook_listen(listener: std::net::TcpListener, server_key: PublicKey) -> std::io::Result<()> {
    let verifier = WebhookVerifier::with_keys(&[server_key], &[], Some("merchant"))
        .map_err(|error| std::io::Error::other(error.message().to_owned()))?;
    let headers = ["x-signature", "x-keyid"].map(HeaderName::from_static);
    let (stop, stopped) = watch::channel(false);
    let receiver = Arc::new(WebhookReceiver::new(verifier, headers, Report::Nothing, stop));
    let runtime = server::runtime(THREADS)?;
    listener.set_nonblocking(true)?;
    runtime.block_on(async {
        let handler = Arc::new(move |arrival| receiver.receive(arrival));
        server::receive(TcpListener::from_std(listener)?, handler, stopped).await;
        Ok(())
    })
}
