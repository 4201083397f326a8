//! One call: its attempts, the pauses between them, and what is reported to the observer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::Client;
use super::http::{self, Plan};
use super::pool::Selection;
use crate::attempt::{Attempt, Exchanged, RawReply};
use crate::config::LONGEST;
use crate::error::{Code, Error, Outcome, Result};
use crate::exchange::Prepared;
use crate::operation::{Reply, UnsignedRequest};

impl Client {
    /// Repeats the request where that is safe and the deadline allows it.
    pub(super) fn call<R: Reply>(&self, request: UnsignedRequest<R>) -> Result<R> {
        let end = Instant::now() + self.timeout.min(LONGEST);
        let guard = self.handle.begin().map_err(|error| request.about(error))?;
        let running = guard.call();
        let prepared = self.shared.protocol.prepare(request).map_err(|error| match running.check() {
            Ok(()) => error,
            // A signer that waits for a device gives up then, in whatever way.
            Err(_) => Error::cancelled(Outcome::NotSent).with_order_id(error.order_id()),
        })?;
        let is_repeatable = prepared.operation().is_repeatable;
        let mut sent_before = false;
        let mut number = 1;
        loop {
            let selection = match number {
                1 if is_repeatable => Selection::Any,
                1 => Selection::Recent,
                _ => Selection::New,
            };
            let may_follow = is_repeatable && number <= self.shared.max_retries;
            let error =
                match self.attempt(&prepared, number, &Plan { end, selection, may_follow, call: running }) {
                    Ok(reply) => return Ok(reply),
                    // An earlier attempt may have arrived, although this one was not sent.
                    Err(error) if sent_before && error.outcome() == Outcome::NotSent => {
                        error.with_outcome(Outcome::Unknown)
                    }
                    Err(error) => error,
                };
            sent_before |= error.outcome() != Outcome::NotSent;
            let pause = backoff(number).max(error.retry_after().unwrap_or_default());
            if error.code() == Code::Cancelled
                || number > self.shared.max_retries
                || !(error.is_transient() && (error.outcome() == Outcome::NotSent || is_repeatable))
                || end.saturating_duration_since(Instant::now()) <= pause
            {
                return Err(error);
            }
            if !running.sleep(pause) {
                let outcome = if sent_before { Outcome::Unknown } else { Outcome::NotSent };
                return Err(Error::cancelled(outcome).with_order_id(prepared.order_id()));
            }
            number += 1;
        }
    }

    fn attempt<R: Reply>(&self, prepared: &Prepared<R>, number: u32, plan: &Plan<'_>) -> Result<R> {
        let started = Instant::now();
        let sent = self.shared.http.send(prepared.request(), plan);
        if let Some(tap) = &self.shared.tap {
            let reply = sent.as_ref().ok().map(|reply| RawReply {
                http_status: reply.status,
                headers: reply.headers().collect(),
                body: &reply.body,
            });
            tap(&Exchanged { request: prepared.request(), reply });
        }
        let status = sent.as_ref().map_or_else(Error::http_status, |reply| Some(reply.status));
        let date = sent.as_ref().ok().and_then(http::Reply::date);
        let result = sent.map_err(|error| error.with_order_id(prepared.order_id())).and_then(|reply| {
            let result = prepared.open(reply.status, reply.headers(), &reply.body);
            match &result {
                Err(error) if reply.was_stopped && error.code() == Code::Unverified => {
                    Err(Error::cancelled(Outcome::Unknown).with_order_id(prepared.order_id()))
                }
                Err(error) if error.code() != Code::Rejected => result,
                _ => {
                    reply.keep_connection();
                    result
                }
            }
        });
        if let Some(observer) = &self.shared.observer {
            let attempt = Attempt {
                operation: prepared.operation().name,
                order_id: result
                    .as_ref()
                    .map_or_else(Error::order_id, Reply::order_id)
                    .or(prepared.order_id()),
                number,
                http_status: status,
                date,
                elapsed: started.elapsed(),
                code: result.as_ref().err().map(Error::code),
                outcome: result.as_ref().err().map(Error::outcome),
            };
            // A panic of the observer, which is the host's code, must not cost the result.
            let _ = catch_unwind(AssertUnwindSafe(|| observer(&attempt)));
        }
        result
    }
}

/// Exponential back-off: 100 ms, 200 ms, 400 ms … up to 2 s, each with up to 50 % jitter.
fn backoff(number: u32) -> Duration {
    let full =
        Duration::from_millis(100).saturating_mul(1 << (number - 1).min(5)).min(Duration::from_secs(2));
    let random = getrandom::u32().unwrap_or(0) % 512;
    full - full * random / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_back_off_doubles_up_to_two_seconds_with_jitter() {
        for (number, full) in
            [(1, 100), (2, 200), (3, 400), (4, 800), (5, 1600), (6, 2000), (7, 2000), (u32::MAX, 2000)]
        {
            let full = Duration::from_millis(full);
            let pauses: Vec<Duration> = (0..200).map(|_| backoff(number)).collect();
            assert!(pauses.iter().all(|pause| *pause > full / 2 && *pause <= full), "{number}");
            let (low, high) = (pauses.iter().min().unwrap(), pauses.iter().max().unwrap());
            assert!(*low < full * 3 / 4 && *high > full * 3 / 4, "{number}");
        }
    }
}
