//! The seven operations: each takes flags and prints one reply. A person sees the progress of those that take long.

use std::io::Write as _;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use merchantpay::{Client, Code, NextStep, Payment, Receipt, Result, Status, StatusWait};

use crate::args::{self, flags};
use crate::document::print_document;
use crate::output::{Failure, exit_with, stderr_is_human, visible};

type Done = std::result::Result<(), Failure>;

pub(crate) fn available(arguments: &args::WithFields<flags::Available>) -> Done {
    let request = arguments.request.values().amounts_request()?;
    let amounts = arguments.settings.client()?.get_available_amounts(&request).map_err(Failure::OfRead)?;
    print_document(amounts.json())
}

pub(crate) fn new(arguments: &args::WithFields<flags::New>) -> Done {
    let request = arguments.request.values().payment_request()?;
    let client = arguments.settings.client()?;
    let waiting = Progress::start("waiting for the credentials");
    let payment = client.new_payment(&request);
    drop(waiting);
    print_document(payment?.json())
}

pub(crate) fn new_async(arguments: &args::WithFields<flags::NewAsync>) -> Done {
    let request = arguments.request.values().payment_request()?;
    print_document(arguments.settings.client()?.new_payment_async(&request)?.json())
}

pub(crate) fn confirm(arguments: &args::Order) -> Done {
    print_document(arguments.settings.client()?.confirm(&arguments.order_id)?.json())
}

pub(crate) fn cancel(arguments: &args::Order) -> Done {
    print_document(arguments.settings.client()?.cancel(&arguments.order_id)?.json())
}

pub(crate) fn status(arguments: &mut args::Order, wait: bool) -> Done {
    let limit = if wait { arguments.settings.take_time_limit() } else { None };
    let client = arguments.settings.client()?;
    let order_id = &arguments.order_id;
    if !wait {
        return print_document(client.get_status(order_id).map_err(Failure::OfRead)?.json());
    }
    let payment = until_final(&client, order_id, limit).map_err(Failure::OfRead)?;
    print_document(payment.json())?;
    exit_with(if payment.is_final() { 0 } else { 4 })
}

pub(crate) fn attach(arguments: &args::Order, files: &[std::path::PathBuf]) -> Done {
    let mut receipt = Receipt::new(&arguments.order_id);
    for file in files {
        receipt.add_file(file)?;
    }
    print_document(arguments.settings.client()?.attach_receipt(&receipt)?.json())
}

/// When the time is over, returns the payment as it is, if the last request was answered.
fn until_final(client: &Client, order_id: &str, limit: Option<Duration>) -> Result<Payment> {
    let mut wait = StatusWait::new(order_id, limit);
    let progress = Progress::start("no answer yet");
    loop {
        let answer = client.derive(wait.question_timeout(client.timeout())).get_status(order_id);
        let last = answer.as_ref().ok().cloned();
        if let Some(payment) = &last {
            progress.status(payment.status().map_or("no status", Status::as_str));
        }
        match wait.answer(answer) {
            NextStep::Ask(pause) => std::thread::sleep(pause),
            NextStep::Done(result) => {
                return result.or_else(|error| last.filter(|_| error.code() == Code::Timeout).ok_or(error));
            }
        }
    }
}

/// A call that is shorter shows nothing.
const TICK: Duration = Duration::from_millis(500);

#[cfg(not(windows))]
const CLEAR: &str = "\r\x1b[K";
/// A console of Windows 7 prints escape sequences as text, so spaces clear the line.
#[cfg(windows)]
const CLEAR: &str = concat!("\r", "                                                            ", "\r");

/// One line on stderr that a thread rewrites, and one line per new status. If stderr is a pipe, nothing is shown.
struct Progress {
    line: Arc<Mutex<Line>>,
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
}

struct Line {
    started: Instant,
    text: String,
    status: Option<String>,
    is_shown: bool,
}

impl Line {
    fn write(&mut self, text: &str, end: &str) {
        let seconds = self.started.elapsed().as_secs();
        let _ = write!(std::io::stderr(), "{CLEAR}{}:{:02}  {text}{end}", seconds / 60, seconds % 60);
        self.is_shown = true;
    }
}

impl Progress {
    fn start(text: &str) -> Progress {
        let line = Line { started: Instant::now(), text: text.to_owned(), status: None, is_shown: false };
        let line = Arc::new(Mutex::new(line));
        if !stderr_is_human() {
            return Progress { line, ticker: None };
        }
        let (stop, stopped) = channel();
        let shown = Arc::clone(&line);
        let show = move || {
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let mut line = shown.lock().unwrap_or_else(PoisonError::into_inner);
                let text = line.text.clone();
                line.write(&text, " ...");
            }
        };
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(show).ok();
        Progress { line, ticker: thread.map(|thread| (stop, thread)) }
    }

    fn status(&self, status: &str) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if self.ticker.is_none() || line.status.as_deref() == Some(status) {
            return;
        }
        let before = line.status.replace(status.to_owned());
        let arrow = before.map_or_else(String::new, |before| format!("{} -> ", visible(&before)));
        line.text = visible(status);
        line.write(&format!("{arrow}{}", visible(status)), "\n");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.ticker.take() {
            drop(stop);
            let _ = thread.join();
        }
        if self.line.lock().unwrap_or_else(PoisonError::into_inner).is_shown {
            let _ = write!(std::io::stderr(), "{CLEAR}");
        }
    }
}
