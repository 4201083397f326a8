//! `wait`: queries the service about one reference until its attempt has credentials or is final.

use std::time::{Duration, Instant};

use merchantpay::{Code, Result, words};

use crate::api::confirm::no_entry;
use crate::api::entry::Entry;
use crate::api::journal::{Journal, LONGEST};
use crate::model::event::Event;
use crate::model::record::Record;
use crate::model::standing::Standing;
use crate::storage::queries::not_sent;

words! {
    /// The event that ends `wait`.
    #[non_exhaustive]
    pub enum Until {
        /// Wait for credentials. The wait also ends if the attempt is refused or final, or if its outcome is
        /// unknown, because no credentials are expected soon.
        Credentials = "credentials", 1, since "0.2.0";
        /// Wait for a final status. The wait also ends if the attempt is refused or its outcome is unknown,
        /// because no final status is expected soon.
        Final = "final", 2, since "0.2.0";
    }
}

#[expect(clippy::derivable_impls, reason = "the variants of words! take no attribute")]
impl Default for Until {
    fn default() -> Until {
        Until::Credentials
    }
}

/// The first pause. Each further pause is longer, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// After this many pauses, the pause no longer grows.
const MOST_PAUSES: u32 = 10;

impl Journal {
    /// Waits until the last attempt of a reference has reached `until` or the time is up, and returns the
    /// entry. Meanwhile `wait` queries the service. The times of the queries are stored with the attempt, so
    /// several short waits query no more often than one long wait.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if there is no such reference; `storage` if the journal failed; `cancelled` if the
    /// client was interrupted.
    pub fn wait(&self, reference: &str, timeout: Duration, until: Until) -> Result<Entry> {
        self.wait_with(reference, timeout, until, |pause| self.client.pause(pause))
    }

    /// Like [`wait`](Journal::wait), for a host that must do something while it waits, such as handle
    /// signals. `pause_for` sleeps for each pause; an error of `pause_for` ends the waiting.
    ///
    /// # Errors
    ///
    /// The errors of [`wait`](Journal::wait), and every error of `pause_for`.
    pub fn wait_with(
        &self,
        reference: &str,
        timeout: Duration,
        until: Until,
        mut pause_for: impl FnMut(Duration) -> Result<()>,
    ) -> Result<Entry> {
        let end = Instant::now() + timeout.min(LONGEST);
        loop {
            let attempts = self.queries.attempts(reference).map_err(not_sent)?;
            let asked_in = attempts.first().map_or(Duration::ZERO, |(now, last)| asked_in(last, *now));
            self.check_account(attempts.first().map(|(_, record)| record))?;
            let mut entry = Entry::of_attempts(attempts).ok_or_else(no_entry)?;
            let mut pause = asked_in;
            if asked_in.is_zero() && !is_reached_by(&entry, until) {
                // A query near the end still gets the time of the first pause.
                let question_end = end.max(Instant::now() + FIRST_PAUSE);
                let finished = self.apply_until(entry.record(), Event::Awaited, question_end)?;
                if let Some(error) = finished.error.as_ref().filter(|error| error.code() == Code::Cancelled) {
                    return Err(error.clone());
                }
                entry = finished.entry().ok_or_else(no_entry)?;
                pause = pause_after(entry.record().tries);
            }
            let left = end.saturating_duration_since(Instant::now());
            if is_reached_by(&entry, until) || left.is_zero() {
                return Ok(entry);
            }
            pause_for(pause.min(left))?;
        }
    }
}

/// The pause before the next `getStatus` of an attempt. The pause depends on the attempt alone, so several
/// short waits query no more often than one long wait.
fn asked_in(record: &Record, now: i64) -> Duration {
    if record.tries == 0 {
        return Duration::ZERO;
    }
    let pause = pause_after(record.tries);
    let since = u64::try_from(now.saturating_sub(record.updated_at)).unwrap_or_default();
    // If the clock was set back, the query still waits no longer than the normal pause.
    pause.saturating_sub(Duration::from_millis(since))
}

/// The pause after this many consecutive queries without a change.
fn pause_after(tries: u32) -> Duration {
    let longer = |pause: Duration, _| (pause * 3 / 2).min(LONGEST_PAUSE);
    (1..tries.min(MOST_PAUSES)).fold(FIRST_PAUSE, longer)
}

fn is_reached_by(entry: &Entry, until: Until) -> bool {
    is_reached(entry.standing(), entry.credentials().is_some(), until)
}

/// Returns `true` if the wait ends. A superseded attempt ends the wait, because this attempt does not change
/// any more. The next `pay` makes a new attempt.
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
    fn each_pause_is_half_as_long_again_up_to_five_seconds() {
        let pauses: Vec<u128> = (0..11).map(|tries| pause_after(tries).as_millis()).collect();
        assert_eq!(pauses, [250, 250, 375, 562, 843, 1265, 1898, 2847, 4271, 5000, 5000]);
    }

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
