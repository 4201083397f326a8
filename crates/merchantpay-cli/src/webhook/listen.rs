//! `webhook listen`: verify what comes, print it, answer it, and hand it on where that is wanted.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hyper::StatusCode;
use hyper::header::{HeaderMap, HeaderName};
use merchantpay::{Error, Event, WebhookVerifier};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::diagnosis::{Diagnosis, Evidence};
use super::diagnosis_of;
use super::forward::Forward;
use super::inbox::{self, Answer, Arrival, Webhook};
use super::telling::Telling;
use crate::args::Listen;
use crate::interrupts::interrupts;
use crate::output::Failure;
use crate::settings::KnownKeys;

/// Threads that verify and hand on; what comes meanwhile waits.
const THREADS: usize = 32;

/// The exit status where a webhook has not verified.
const UNVERIFIED: u8 = 5;

pub(crate) fn listen(arguments: &Listen) -> Result<(), Failure> {
    let (stop, stopped) = watch::channel(false);
    let desk = Arc::new(Desk::new(arguments, stop)?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(THREADS)
        .build();
    let runtime = runtime.map_err(|error| Error::invalid_argument(format!("it cannot listen: {error}")))?;
    let listened = runtime.block_on(listen_until_told(arguments, &desk, stopped));
    // What still hangs at the local program is not waited for.
    runtime.shutdown_background();
    listened?;
    desk.verdict()
}

async fn listen_until_told(
    arguments: &Listen,
    desk: &Arc<Desk>,
    stopped: watch::Receiver<bool>,
) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| Error::invalid_argument(format!("it cannot listen there: {error}"));
    let listener =
        TcpListener::bind(SocketAddr::new(arguments.host, arguments.port)).await.map_err(cannot)?;
    let interrupted = interrupts().map_err(cannot)?;
    desk.telling.listening(&format!("http://{}/", listener.local_addr().map_err(cannot)?))?;
    let receiving = Arc::clone(desk);
    let serving = inbox::serve(listener, Arc::new(move |arrival| receiving.receive(arrival)), stopped);
    tokio::pin!(serving);
    tokio::select! {
        () = serving.as_mut() => {}
        () = interrupted => {
            desk.interrupted.store(true, Ordering::Relaxed);
            desk.stop.send_replace(true);
            serving.await;
        }
    }
    Ok(())
}

/// Everything that a webhook passes.
struct Desk {
    verifier: WebhookVerifier,
    known_keys: KnownKeys,
    signature_header: HeaderName,
    key_id_header: HeaderName,
    forward: Option<Forward>,
    forward_unverified: bool,
    telling: Telling,
    /// How many are still to be taken, and how many still to be answered; `None` for any number.
    tickets: Option<(AtomicU64, AtomicU64)>,
    refused: AtomicU64,
    interrupted: AtomicBool,
    /// A line that could not be printed.
    failure: Mutex<Option<Failure>>,
    stop: watch::Sender<bool>,
}

impl Desk {
    fn new(arguments: &Listen, stop: watch::Sender<bool>) -> Result<Desk, Error> {
        let (verifier, known_keys) = arguments.server.verifier()?;
        let header = |name: &str| {
            name.parse().map_err(|_| Error::invalid_argument("this cannot be the name of a header"))
        };
        Ok(Desk {
            verifier,
            known_keys,
            signature_header: header(&arguments.signature_header)?,
            key_id_header: header(&arguments.key_id_header)?,
            forward: arguments.forward.as_deref().map(Forward::new).transpose()?,
            forward_unverified: arguments.forward_unverified,
            telling: Telling::new(),
            tickets: arguments.count.map(|count| (AtomicU64::new(count), AtomicU64::new(count))),
            refused: AtomicU64::new(0),
            interrupted: AtomicBool::new(false),
            failure: Mutex::default(),
            stop,
        })
    }

    /// Ctrl-C is how it is meant to end. A number of webhooks is a question, to which the exit status is the
    /// answer.
    fn verdict(&self) -> Result<(), Failure> {
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

    fn receive(&self, arrival: Arrival) -> Answer {
        let counts = matches!(arrival, Arrival::Webhook(_) | Arrival::TooLarge);
        if counts && !self.take_ticket() {
            // It would not be printed any more: its sender shall come again.
            return StatusCode::SERVICE_UNAVAILABLE.into();
        }
        let (answer, told) = match arrival {
            Arrival::Webhook(webhook) => self.webhook(&webhook),
            Arrival::NotPost(method) => self.nuisance(
                StatusCode::METHOD_NOT_ALLOWED,
                "not_post",
                format!("A webhook comes by POST, this came by {method}."),
            ),
            Arrival::TooLarge => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                self.nuisance(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "too_large",
                    "The body has more than 1 MiB.".to_owned(),
                )
            }
            Arrival::TooSlow => self.nuisance(
                StatusCode::REQUEST_TIMEOUT,
                "too_slow",
                "The body did not come whole in time.".to_owned(),
            ),
        };
        let printed = told.is_ok();
        if let Err(failure) = told {
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
        }
        if !printed || (counts && self.last_ticket_used()) {
            self.stop.send_replace(true);
        }
        // What could not be printed counts as not received.
        if printed { answer } else { StatusCode::INTERNAL_SERVER_ERROR.into() }
    }

    fn take_ticket(&self) -> bool {
        let Some((left, _)) = &self.tickets else { return true };
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    fn last_ticket_used(&self) -> bool {
        self.tickets.as_ref().is_some_and(|(_, unanswered)| unanswered.fetch_sub(1, Ordering::Relaxed) == 1)
    }

    fn nuisance(&self, status: StatusCode, why: &'static str, hint: String) -> (Answer, Result<(), Failure>) {
        (status.into(), self.telling.trouble("unverified", &Diagnosis { why, hint }, status))
    }

    fn webhook(&self, webhook: &Webhook) -> (Answer, Result<(), Failure>) {
        let (signature, key_id) =
            (text(&webhook.headers, &self.signature_header), text(&webhook.headers, &self.key_id_header));
        match self.verifier.verify(&webhook.body, signature.as_deref().unwrap_or_default(), key_id.as_deref())
        {
            Ok(event) => self.verified(webhook, &event),
            Err(error) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                let evidence = Evidence {
                    body: &webhook.body,
                    signature: signature.as_deref(),
                    key_id: key_id.as_deref(),
                };
                let diagnosis = diagnosis_of(&error, &self.known_keys, &evidence);
                let mut answer = Answer::from(StatusCode::BAD_REQUEST);
                let mut trouble = None;
                if let Some(forward) = self.forward.as_ref().filter(|_| self.forward_unverified) {
                    (answer, trouble) = handed_on(forward, webhook);
                }
                let told = self.telling.refusal(&error, diagnosis.as_ref(), answer.status);
                let told = told.and_then(|()| self.forwarding(trouble, answer.status));
                (answer, told)
            }
        }
    }

    fn verified(&self, webhook: &Webhook, event: &Event) -> (Answer, Result<(), Failure>) {
        let (answer, trouble) = match &self.forward {
            Some(forward) => handed_on(forward, webhook),
            None => (StatusCode::OK.into(), None),
        };
        let told = self.telling.event(event, answer.status);
        let told = told.and_then(|()| self.forwarding(trouble, answer.status));
        (answer, told)
    }

    fn forwarding(&self, trouble: Option<Diagnosis>, status: StatusCode) -> Result<(), Failure> {
        trouble.map_or(Ok(()), |trouble| self.telling.trouble("transport", &trouble, status))
    }
}

/// The local program's answer; 502 and why, if there is none.
fn handed_on(forward: &Forward, webhook: &Webhook) -> (Answer, Option<Diagnosis>) {
    match forward.hand_on(webhook) {
        Ok(answer) => (answer, None),
        Err(why) => {
            let trouble = Diagnosis {
                why: "forward_failed",
                hint: format!("The webhook could not be forwarded: {why}"),
            };
            (StatusCode::BAD_GATEWAY.into(), Some(trouble))
        }
    }
}

/// A header's text. One that stands twice gives both texts, and so is neither.
fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let texts: Vec<_> =
        headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    (!texts.is_empty()).then(|| texts.join(","))
}
