//! The state of the call that runs on this thread. Everything that the thread writes or waits for belongs to
//! this call. So the deadline does not have to be passed down to the socket.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::connections::{Connection, Selection};
use super::interrupt::RunningCall;
use crate::config::LONGEST;

/// The plan of a call.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// The deadline for the response.
    pub(super) end: Instant,
    /// The connections that the request may use.
    pub(super) selection: Selection,
    /// The time limit for the answer of a pooled connection, if a retry on another connection is possible.
    pub(super) reuse_limit: Option<Duration>,
    /// `true` if the call only opens a connection and sends no request.
    pub(super) only_opens: bool,
}

#[derive(Clone, Copy)]
struct Call {
    plan: Option<Plan>,
    written: bool,
    /// The deadline for the answer of a pooled connection.
    answered_by: Option<Instant>,
    /// The deadline for the connection that is being opened.
    opened_by: Option<Instant>,
    /// The deadline for opening the connection after the latest DNS lookup.
    looked_up_for: Option<Instant>,
    /// `true` if a read must not wait, and returns only bytes that have already arrived.
    must_not_wait: bool,
}

thread_local! {
    /// The handle with which another thread can end the call.
    static RUNNING: RefCell<Option<Arc<RunningCall>>> = const { RefCell::new(None) };
    /// The call's connection, after the response was read completely.
    static RETURNED: RefCell<Option<Connection>> = const { RefCell::new(None) };
    static CALL: Cell<Call> = const { Cell::new(Call::NONE) };
}

impl Call {
    const NONE: Call = Call {
        plan: None,
        written: false,
        answered_by: None,
        opened_by: None,
        looked_up_for: None,
        must_not_wait: false,
    };

    fn end(&self) -> Option<Instant> {
        self.plan.map(|plan| plan.end).into_iter().chain(self.answered_by).min()
    }
}

/// Runs `send`, which sends a request according to `plan`. Meanwhile the host's code, for example an
/// observer, can make another call on this thread. The first call continues after the other call.
pub(super) fn during<T>(plan: Plan, running: &Arc<RunningCall>, send: impl FnOnce() -> T) -> T {
    let call = CALL.replace(Call { plan: Some(plan), ..Call::NONE });
    let _before =
        Before { call, running: RUNNING.replace(Some(Arc::clone(running))), returned: RETURNED.take() };
    send()
}

/// Restores the state of the previous call when the other call ends, also after a panic.
struct Before {
    call: Call,
    running: Option<Arc<RunningCall>>,
    returned: Option<Connection>,
}

impl Drop for Before {
    fn drop(&mut self) {
        CALL.set(self.call);
        RUNNING.set(self.running.take());
        RETURNED.set(self.returned.take());
    }
}

/// Runs `read`, which reads through all layers of a connection. Meanwhile reads return only bytes that have
/// arrived, and nothing is written.
pub(super) fn without_waiting<T>(read: impl FnOnce() -> T) -> T {
    let before = CALL.get();
    CALL.set(Call { must_not_wait: true, ..before });
    let result = read();
    CALL.set(Call { must_not_wait: before.must_not_wait, ..CALL.get() });
    result
}

/// Returns `true` if a socket must return `WouldBlock` instead of waiting.
pub(super) fn must_not_wait() -> bool {
    CALL.get().must_not_wait
}

/// The connections that the call may use.
pub(super) fn selection() -> Selection {
    CALL.get().plan.map_or(Selection::New, |plan| plan.selection)
}

/// Returns `true` if the call only opens a connection and sends no request.
pub(super) fn only_opens() -> bool {
    CALL.get().plan.is_some_and(|plan| plan.only_opens)
}

/// Notes that the call uses a pooled connection.
pub(super) fn note_reuse() {
    let call = CALL.get();
    let limit = call.plan.and_then(|plan| plan.reuse_limit);
    CALL.set(Call { answered_by: limit.map(|limit| Instant::now() + limit.min(LONGEST)), ..call });
}

/// If a pooled connection has not answered within its time limit, returns that limit. The call then retries
/// on another connection.
pub(super) fn unanswered_for() -> Option<Duration> {
    let call = CALL.get();
    call.answered_by.filter(|by| *by <= Instant::now()).and(call.plan?.reuse_limit)
}

/// Keeps the connection of a response that was read completely. Another request can be sent over this
/// connection.
pub(super) fn give_back(connection: Connection) {
    uses_no_connection();
    RETURNED.set(Some(connection));
}

pub(super) fn take_returned() -> Option<Connection> {
    RETURNED.take()
}

/// Returns `true` if the call must end because it was interrupted.
pub(super) fn is_interrupted() -> bool {
    with_running(false, RunningCall::is_stopped)
}

/// Returns an error if the call was interrupted.
pub(super) fn check_interruption() -> io::Result<()> {
    if is_interrupted() { Err(interrupted()) } else { Ok(()) }
}

/// Registers the connection before a write, so that an interruption ends writes to the connection.
pub(super) fn uses(stream: &Arc<TcpStream>) -> io::Result<()> {
    if with_running(true, |running| running.uses(stream)) { Ok(()) } else { Err(interrupted()) }
}

/// Removes the registration of the connection. This must happen before the connection is returned to the
/// pool, because another call may then take the connection from the pool.
fn uses_no_connection() {
    with_running((), RunningCall::uses_none);
}

fn with_running<T>(without: T, ask: impl FnOnce(&RunningCall) -> T) -> T {
    RUNNING.with_borrow(|running| running.as_deref().map_or(without, ask))
}

fn interrupted() -> io::Error {
    io::Error::other("the call was interrupted")
}

/// The remaining time, zero after the deadline. While a connection is being opened, the time limit for
/// opening also applies.
pub(super) fn left() -> Duration {
    let call = CALL.get();
    let end = call.end().into_iter().chain(call.opened_by).min();
    end.map_or(LONGEST, |end| end.saturating_duration_since(Instant::now()))
}

/// Returns `true` if a connection is being opened.
pub(super) fn is_opening() -> bool {
    CALL.get().opened_by.is_some()
}

/// Returns `true` if the time limit for opening a connection ends before the call's deadline.
pub(super) fn must_open_sooner() -> bool {
    let call = CALL.get();
    call.opened_by.is_some_and(|by| call.end().is_none_or(|end| by < end))
}

/// Looks up a name for a connection. The look-up and the opening of the connection together must end within
/// the time `within`.
pub(super) fn looking_up<T>(within: Duration, look_up: impl FnOnce() -> T) -> T {
    let before = CALL.get();
    // If the connection to a proxy is being opened, the time for opening has already started.
    let by = before.opened_by.unwrap_or_else(|| Instant::now() + within.min(LONGEST));
    CALL.set(Call { opened_by: Some(by), looked_up_for: Some(by), ..before });
    let found = look_up();
    CALL.set(Call { opened_by: before.opened_by, ..CALL.get() });
    found
}

/// Opens a connection with `open` within the time `within`, which includes DNS. Bytes that `open` writes
/// (TLS, a proxy's CONNECT) are not counted as bytes of the request. `open` receives `true` if the connection
/// is a connection to a proxy, for a tunnel.
pub(super) fn opening<T>(within: Duration, open: impl FnOnce(bool) -> T) -> T {
    let before = CALL.get();
    let by = before
        .opened_by
        .into_iter()
        .chain(before.looked_up_for)
        .chain([Instant::now() + within.min(LONGEST)])
        .min();
    CALL.set(Call { opened_by: by, looked_up_for: None, ..before });
    let opened = open(before.opened_by.is_some());
    CALL.set(Call { opened_by: before.opened_by, ..CALL.get() });
    opened
}

/// Notes that bytes were written to a socket, or may have been written: a write that fails may have written a
/// part.
pub(super) fn note_write() {
    if !is_opening() {
        CALL.set(Call { written: true, ..CALL.get() });
    }
}

/// Returns `true` if a byte of the request may have been written.
pub(super) fn was_written() -> bool {
    CALL.get().written
}

#[cfg(test)]
pub(super) mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// Runs `send` with a plan for tests of the deadline. There is no request.
    pub(in crate::client) fn during<T>(end: Instant, send: impl FnOnce() -> T) -> T {
        super::during(
            Plan { end, selection: Selection::New, reuse_limit: None, only_opens: false },
            &Arc::default(),
            send,
        )
    }

    #[test]
    fn a_call_within_another_leaves_it_as_it_was() {
        let now = Instant::now();
        during(now + LONGEST, || {
            note_write();
            during(now, || assert!(!was_written() && left().is_zero()));
            assert!(was_written() && !left().is_zero());
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                during(now, || opening(LONGEST, |_| panic!("while it opens")))
            }));
            assert!(panicked.is_err() && was_written() && !left().is_zero());
        });
        during(now, || {
            opening(LONGEST, |_| during(now, || assert!(!opening(LONGEST, |within_another| within_another))))
        });
    }

    #[test]
    fn a_look_up_counts_in_the_time_that_its_connection_has() {
        during(Instant::now() + LONGEST, || {
            looking_up(Duration::ZERO, || assert!(left().is_zero() && must_open_sooner() && is_opening()));
            assert!(!left().is_zero() && !is_opening());
            opening(LONGEST, |_| assert!(left().is_zero() && must_open_sooner()));
            opening(LONGEST, |_| assert!(!left().is_zero(), "the next connection has a time of its own"));
            opening(Duration::ZERO, |_| {
                looking_up(LONGEST, || assert!(left().is_zero(), "the time to reach a proxy has begun"));
                opening(LONGEST, |within_another| assert!(within_another && left().is_zero()));
            });
            looking_up(Duration::ZERO, || ());
            during(Instant::now() + LONGEST, || {
                opening(LONGEST, |_| assert!(!left().is_zero(), "another call's look-up"))
            });
        });
    }

    #[test]
    fn what_opens_a_connection_has_the_shorter_of_two_times_and_writes_nothing_of_the_request() {
        let now = Instant::now();
        for (end, within, sooner) in [(now + LONGEST, Duration::ZERO, true), (now, Duration::MAX, false)] {
            during(end, || {
                opening(within, |within_another| {
                    note_write();
                    assert!(!within_another && left().is_zero());
                    assert_eq!(must_open_sooner(), sooner);
                    opening(LONGEST, |within_another| assert!(within_another && left().is_zero()));
                });
                assert!(!was_written() && !must_open_sooner());
                assert_eq!(left().is_zero(), !sooner);
                note_write();
                assert!(was_written());
            });
        }
    }
    #[test]
    fn a_connection_that_was_open_before_has_its_own_time_to_answer() {
        let unanswered = |reuse_limit| {
            let plan = Plan {
                end: Instant::now() + LONGEST,
                selection: Selection::New,
                reuse_limit,
                only_opens: false,
            };
            super::during(plan, &Arc::default(), || {
                assert_eq!(unanswered_for(), None, "the connection is new");
                note_reuse();
                unanswered_for()
            })
        };
        assert_eq!(unanswered(Some(Duration::ZERO)), Some(Duration::ZERO));
        assert_eq!(unanswered(Some(LONGEST)), None, "there is time left");
        assert_eq!(unanswered(None), None, "no other connection is tried");
    }
}
