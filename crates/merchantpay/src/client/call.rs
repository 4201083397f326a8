//! The call that runs on this thread. It does so from its beginning to its end, so whatever is written or waited for here
//! is this call's, and there is no way for its deadline to get lost on the way down to the socket.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::config::LONGEST;

#[derive(Clone, Copy)]
struct Call {
    end: Option<Instant>,
    written: bool,
    opening: bool,
}

thread_local! {
    static CALL: Cell<Call> = const { Cell::new(Call { end: None, written: false, opening: false }) };
}

/// Sends a request, which has to be answered before `end`. Should somebody's code make another call on this thread
/// meanwhile, from a log for instance, this one goes on as it was.
pub(super) fn during<T>(end: Instant, send: impl FnOnce() -> T) -> T {
    let _before = Before(CALL.replace(Call { end: Some(end), written: false, opening: false }));
    send()
}

/// Comes back when the call has ended, by a panic too.
struct Before(Call);

impl Drop for Before {
    fn drop(&mut self) {
        CALL.set(self.0);
    }
}

/// Zero once the deadline has passed.
pub(super) fn left() -> Duration {
    CALL.get().end.map_or(LONGEST, |end| end.saturating_duration_since(Instant::now()))
}

/// Does what opens a connection: what it writes (TLS, a proxy's CONNECT) is not the request. Tells `open` whether it runs
/// within the opening of another connection, as the one to a proxy does.
pub(super) fn opening<T>(open: impl FnOnce(bool) -> T) -> T {
    let before = CALL.get();
    CALL.set(Call { opening: true, ..before });
    let opened = open(before.opening);
    CALL.set(Call { opening: before.opening, ..CALL.get() });
    opened
}

/// Bytes are about to be written to a socket. Before the write: one that fails may have written a part.
pub(super) fn note_write() {
    let call = CALL.get();
    if !call.opening {
        CALL.set(Call { written: true, ..call });
    }
}

/// Whether a byte of the request may have been written.
pub(super) fn was_written() -> bool {
    CALL.get().written
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_call_within_another_leaves_it_as_it_was() {
        let now = Instant::now();
        during(now + LONGEST, || {
            note_write();
            during(now, || assert!(!was_written() && left().is_zero()));
            assert!(was_written() && !left().is_zero());
            let panicked = catch_unwind(AssertUnwindSafe(|| during(now, || opening(|_| panic!("while it opens")))));
            assert!(panicked.is_err() && was_written() && !left().is_zero());
        });
        during(now, || opening(|_| during(now, || assert!(!opening(|within_another| within_another)))));
        during(now, || {
            note_write();
            assert!(was_written());
        });
    }
}
