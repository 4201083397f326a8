//! Shows progress on a terminal: one line on stderr that is rewritten, and with `status --wait` one line per
//! new status. If stderr is a pipe, nothing is shown.

use std::io::Write as _;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::visible::visible;
use crate::output::eprint_line;

/// The time is shown at this interval.
const TICK: Duration = Duration::from_millis(500);

/// Moves the cursor to the beginning of the line and clears the line.
#[cfg(not(windows))]
const CLEAR: &str = "\r\x1b[K";
/// A console of Windows 7 prints escape sequences as text, so spaces clear the line.
#[cfg(windows)]
const CLEAR: &str = concat!("\r", "                                                            ", "\r");

/// Shows how long a call takes, after the first half second of the call.
pub(crate) struct Waiting {
    stop: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Waiting {
    pub(crate) fn start(text: &'static str) -> Waiting {
        if !super::are_errors_for_people() {
            return Waiting { stop: None };
        }
        let (stop, stopped) = channel();
        let started = Instant::now();
        let show = move || {
            let mut is_shown = false;
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let _ = write!(std::io::stderr(), "{CLEAR}{}  {text} ...", clock(started));
                is_shown = true;
            }
            if is_shown {
                let _ = write!(std::io::stderr(), "{CLEAR}");
            }
        };
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(show).ok();
        Waiting { stop: thread.map(|thread| (stop, thread)) }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.stop.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

fn clock(started: Instant) -> String {
    let seconds = started.elapsed().as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

pub(crate) struct Progress {
    started: Instant,
    status: Option<String>,
    on_terminal: bool,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        Progress { started: Instant::now(), status: None, on_terminal: super::are_errors_for_people() }
    }

    /// Stores the status that the service has reported, and shows a new status.
    pub(crate) fn status(&mut self, status: &str) {
        if self.status.as_deref() == Some(status) {
            return;
        }
        let before = self.status.replace(status.to_owned());
        if self.on_terminal {
            let arrow = before.map_or_else(String::new, |before| format!("{} -> ", visible(&before)));
            eprint_line(&format!("{CLEAR}{}  {arrow}{}", self.clock(), visible(status)));
        }
    }

    /// Sleeps, and shows the elapsed time meanwhile.
    pub(crate) fn sleep(&self, pause: Duration) {
        let end = Instant::now() + pause;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            if self.on_terminal {
                let status = self.status.as_deref().map_or_else(|| "no answer yet".to_owned(), visible);
                let _ = write!(std::io::stderr(), "{CLEAR}{}  {status} ...", self.clock());
            }
            std::thread::sleep(if self.on_terminal { left.min(TICK) } else { left });
        }
    }

    fn clock(&self) -> String {
        clock(self.started)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.on_terminal {
            let _ = write!(std::io::stderr(), "{CLEAR}");
        }
    }
}
