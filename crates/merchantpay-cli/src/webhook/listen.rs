//! `webhook listen`: verifies each webhook, prints it, answers it, and forwards it if the user wants that.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;
use axum::http::header::{ALLOW, HeaderMap, HeaderName, HeaderValue};
use merchantpay::{Error, Event, WebhookVerifier};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::explained;
use super::forward::Forward;
use super::report::{Problem, Report};
use crate::args::Listen;
use crate::interrupts::interrupts;
use crate::output::Failure;
use crate::server::{self, Answer, Arrival, Webhook};

/// The number of threads that verify and forward. Further webhooks wait.
const THREADS: usize = 32;

/// The exit status if a webhook did not verify.
const UNVERIFIED: u8 = 5;

pub(crate) fn listen(arguments: &Listen) -> Result<(), Failure> {
    let (stop, stopped) = watch::channel(false);
    let receiver = Arc::new(WebhookReceiver::of(arguments, stop)?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(THREADS)
        .build();
    let runtime =
        runtime.map_err(|error| Error::invalid_argument(format!("the listener cannot start: {error}")))?;
    let listened = runtime.block_on(listen_until_stopped(arguments, &receiver, stopped));
    // Does not wait for answers of the local program that are still missing.
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

/// Handles each webhook that arrives.
pub(super) struct WebhookReceiver {
    verifier: WebhookVerifier,
    signature_header: HeaderName,
    key_id_header: HeaderName,
    forward: Option<Forward>,
    forward_unverified: bool,
    report: Report,
    /// `None` means any number.
    remaining: Option<Remaining>,
    refused: AtomicU64,
    interrupted: AtomicBool,
    /// The failure of a line that could not be printed.
    failure: Mutex<Option<Failure>>,
    stop: watch::Sender<bool>,
}

/// The number of webhooks that may still be accepted, and the number of webhooks that must still be answered.
struct Remaining {
    to_accept: AtomicU64,
    to_answer: AtomicU64,
}

impl Remaining {
    fn new(count: u64) -> Remaining {
        Remaining { to_accept: AtomicU64::new(count), to_answer: AtomicU64::new(count) }
    }

    /// Counts one more webhook as accepted. Returns false if that would be too many.
    fn accept(&self) -> bool {
        let one_less = |left: u64| left.checked_sub(1);
        self.to_accept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    /// Counts one more webhook as answered. Returns whether this webhook was the last.
    fn answer_is_last(&self) -> bool {
        self.to_answer.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

impl WebhookReceiver {
    /// Forwards nothing and takes any number of webhooks.
    pub(super) fn new(
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
            remaining: None,
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
        let forward = arguments.forward_to.as_deref().map(|url| Forward::new(url, &arguments.trust));
        Ok(WebhookReceiver {
            forward: forward.transpose()?,
            forward_unverified: arguments.forward_unverified,
            remaining: arguments.count.map(Remaining::new),
            ..WebhookReceiver::new(arguments.server.verifier()?, headers, Report::new(), stop)
        })
    }

    /// The result at the end. Ctrl-C is the usual end, not a failure. If a number of webhooks was given, the
    /// exit status says whether all of them verified.
    fn exit_result(&self) -> Result<(), Failure> {
        if let Some(failure) = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(failure);
        }
        let all_verified = self.refused.load(Ordering::Relaxed) == 0;
        if all_verified || self.interrupted.load(Ordering::Relaxed) {
            Ok(())
        } else {
            Err(Failure::AlreadyReported(UNVERIFIED))
        }
    }

    pub(super) fn receive(&self, arrival: Arrival) -> Answer {
        let counts = matches!(arrival, Arrival::Webhook(_) | Arrival::TooLarge);
        if counts && self.remaining.as_ref().is_some_and(|remaining| !remaining.accept()) {
            // The program is ending and would not print this webhook. The answer asks the sender to send it
            // again.
            return StatusCode::SERVICE_UNAVAILABLE.into();
        }
        let (answer, reported) = match arrival {
            Arrival::Webhook(webhook) => self.webhook(&webhook),
            Arrival::NotPost(method, ..) => {
                let hint = format!("A webhook must be a POST request, but this request is a {method}.");
                let (mut answer, reported) = self.reject(StatusCode::METHOD_NOT_ALLOWED, "not_post", hint);
                answer.headers.insert(ALLOW, HeaderValue::from_static("POST"));
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
        if !printed || (counts && self.remaining.as_ref().is_some_and(Remaining::answer_is_last)) {
            self.stop.send_replace(true);
        }
        // If the webhook could not be printed, the answer 500 asks the sender to send the webhook again.
        if printed { answer } else { StatusCode::INTERNAL_SERVER_ERROR.into() }
    }

    fn reject(&self, status: StatusCode, cause: &'static str, hint: String) -> (Answer, Result<(), Failure>) {
        (status.into(), self.report.problem("unverified", &Problem { cause, hint }, status))
    }

    fn webhook(&self, webhook: &Webhook) -> (Answer, Result<(), Failure>) {
        let (signature, key_id) =
            (text(&webhook.headers, &self.signature_header), text(&webhook.headers, &self.key_id_header));
        let (signature, key_id) = (signature.as_deref().unwrap_or_default(), key_id.as_deref());
        match self.verifier.verify(&webhook.body, signature, key_id) {
            Ok(event) => self.verified(webhook, &event),
            Err(error) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                let cause = explained(&error, &self.verifier, &webhook.body, signature, key_id);
                let mut answer = Answer::from(StatusCode::BAD_REQUEST);
                let mut problem = None;
                // A browser names its page: a page of another site must not reach the local program.
                let is_browser =
                    webhook.headers.contains_key("origin") || webhook.headers.contains_key("sec-fetch-site");
                let forward = self.forward.as_ref().filter(|_| self.forward_unverified && !is_browser);
                if let Some(forward) = forward {
                    (answer, problem) = forwarded(forward, webhook);
                }
                let reported = self.report.refusal(&error, cause.as_ref(), answer.status);
                let reported = reported.and_then(|()| self.report_forwarding(problem, answer.status));
                (answer, reported)
            }
        }
    }

    fn verified(&self, webhook: &Webhook, event: &Event) -> (Answer, Result<(), Failure>) {
        let (answer, problem) = match &self.forward {
            Some(forward) => forwarded(forward, webhook),
            None => (StatusCode::OK.into(), None),
        };
        let reported = self.report.event(event, answer.status);
        let reported = reported.and_then(|()| self.report_forwarding(problem, answer.status));
        (answer, reported)
    }

    fn report_forwarding(&self, problem: Option<Problem>, status: StatusCode) -> Result<(), Failure> {
        problem.map_or(Ok(()), |problem| self.report.problem("transport", &problem, status))
    }
}

/// The local program's answer. If the local program gave no answer, the answer is 502, with the reason.
fn forwarded(forward: &Forward, webhook: &Webhook) -> (Answer, Option<Problem>) {
    match forward.send(webhook) {
        Ok(answer) => (answer, None),
        Err(why) => {
            let problem = Problem {
                cause: "forward_failed",
                hint: format!("The webhook could not be forwarded: {why}"),
            };
            (StatusCode::BAD_GATEWAY.into(), Some(problem))
        }
    }
}

/// The text of a header. If the header occurs twice, the text contains both values, so that neither is
/// accepted.
fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let texts: Vec<_> =
        headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    (!texts.is_empty()).then(|| texts.join(","))
}
