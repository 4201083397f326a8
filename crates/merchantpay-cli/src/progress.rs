//! What `status --wait` shows on a terminal: one line on stderr that is written again, and a line for each
//! change. In a pipe there is nothing.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use crate::output::eprint_line;

/// How often the time is shown.
const TICK: Duration = Duration::from_millis(500);

/// To the beginning of the line, and away with what it says.
#[cfg(not(windows))]
const CLEAR: &str = "\r\x1b[K";
/// A console of Windows 7 prints escape sequences as they are.
#[cfg(windows)]
const CLEAR: &str = concat!("\r", "                                                            ", "\r");

pub(crate) struct Progress {
    started: Instant,
    status: Option<String>,
    on_terminal: bool,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        Progress { started: Instant::now(), status: None, on_terminal: std::io::stderr().is_terminal() }
    }

    /// The service has said where the payment stands.
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

    /// Sleeps, and shows that time passes.
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
        let seconds = self.started.elapsed().as_secs();
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.on_terminal {
            let _ = write!(std::io::stderr(), "{CLEAR}");
        }
    }
}

/// An unknown status is the service's own text.
pub(crate) fn visible(status: &str) -> String {
    status.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
