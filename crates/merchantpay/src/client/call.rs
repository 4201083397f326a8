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

/// A request is about to be sent, and has to be answered before `end`.
pub(super) fn begin(end: Instant) {
    CALL.set(Call { end: Some(end), written: false, opening: false });
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
