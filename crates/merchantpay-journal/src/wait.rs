//! `wait`: settles one reference until it has come far enough.

use std::time::{Duration, Instant};

use merchantpay::{Code, Result, words};

use crate::entry::Entry;
use crate::event::Event;
use crate::instruct::no_entry;
use crate::journal::Journal;
use crate::standing::Standing;

words! {
    /// What is waited for.
    #[non_exhaustive]
    pub enum Until {
        /// Credentials for the customer, or that there are none: refused, unknown or final.
        Credentials = "credentials", 1, since "0.2.0";
        /// A final status, or that there is none: refused or unknown.
        Final = "final", 2, since "0.2.0";
    }
}

#[expect(clippy::derivable_impls, reason = "the variants of words! take no attribute")]
impl Default for Until {
    fn default() -> Until {
        Until::Credentials
    }
}

/// The pause after the first look; it grows to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

impl Journal {
    /// Waits for the last attempt of a reference, asks the service about it meanwhile, and gives it as it is
    /// when that is reached or the time is up.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if there is no such reference; `storage` if the journal failed; `cancelled` if the
    /// client was interrupted.
    pub fn wait(&self, reference: &str, timeout: Duration, until: Until) -> Result<Entry> {
        self.wait_with(reference, timeout, until, |pause| self.client.pause(pause))
    }

    /// The same for a host that must look at something of its own while it waits, such as its signals: each
    /// pause is `pause_for`'s, and an error that it gives ends the waiting.
    ///
    /// # Errors
    ///
    /// As [`wait`](Journal::wait), and whatever `pause_for` gives.
    pub fn wait_with(
        &self,
        reference: &str,
        timeout: Duration,
        until: Until,
        mut pause_for: impl FnMut(Duration) -> Result<()>,
    ) -> Result<Entry> {
        let end = Instant::now() + timeout.min(Duration::from_secs(u64::from(u32::MAX)));
        let mut pause = FIRST_PAUSE;
        loop {
            let entry = self.find(reference)?.ok_or_else(no_entry)?;
            if is_reached_by(&entry, until) {
                return Ok(entry);
            }
            let finished = self.apply(entry.record(), Event::Claimed(true))?;
            if let Some(error) = finished.error.as_ref().filter(|error| error.code() == Code::Cancelled) {
                return Err(error.clone());
            }
            let entry = finished.entry().ok_or_else(no_entry)?;
            let left = end.saturating_duration_since(Instant::now());
            if is_reached_by(&entry, until) || left.is_zero() {
                return Ok(entry);
            }
            pause_for(pause.min(left))?;
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
        }
    }
}

fn is_reached_by(entry: &Entry, until: Until) -> bool {
    is_reached(entry.standing(), entry.credentials().is_some(), until)
}

/// Nothing more comes of an attempt that was superseded: the next `pay` makes the one behind it.
fn is_reached(standing: Standing, has_credentials: bool, until: Until) -> bool {
    match standing {
        Standing::Refused | Standing::Unknown | Standing::Final | Standing::Superseded => true,
        Standing::Open => until == Until::Credentials && has_credentials,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_where_nothing_more_comes_or_with_credentials() {
        for (standing, has_credentials, for_credentials, for_final) in [
            (Standing::Sending, false, false, false),
            (Standing::Open, false, false, false),
            (Standing::Open, true, true, false),
            (Standing::Unknown, false, true, true),
            (Standing::Refused, false, true, true),
            (Standing::Final, false, true, true),
            (Standing::Superseded, false, true, true),
        ] {
            assert_eq!(
                is_reached(standing, has_credentials, Until::Credentials),
                for_credentials,
                "{standing:?}"
            );
            assert_eq!(is_reached(standing, has_credentials, Until::Final), for_final, "{standing:?}");
        }
    }
}
