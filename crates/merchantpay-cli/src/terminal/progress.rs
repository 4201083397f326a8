//! Shows progress on a terminal: one line on stderr that a thread rewrites, and with `status --wait` one line per
//! new status. If stderr is a pipe, nothing is shown.

use std::io::Write as _;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::visible::visible;

/// The time is shown at this interval, and not before.
const TICK: Duration = Duration::from_millis(500);

/// Moves the cursor to the beginning of the line and clears the line.
#[cfg(not(windows))]
const CLEAR: &str = "\r\x1b[K";
/// A console of Windows 7 prints escape sequences as text, so spaces clear the line.
#[cfg(windows)]
const CLEAR: &str = concat!("\r", "                                                            ", "\r");

pub(crate) struct Progress {
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
    pub(crate) fn start(text: &str) -> Progress {
        let line = Line { started: Instant::now(), text: text.to_owned(), status: None, is_shown: false };
        let line = Arc::new(Mutex::new(line));
        if !super::are_errors_for_people() {
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

    /// Shows a new status that the service has reported.
    pub(crate) fn status(&self, status: &str) {
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
