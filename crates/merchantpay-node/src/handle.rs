//! What JavaScript does with handles: it opens them and makes calls. Nothing here throws; an answer has the failure.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use merchantpay::{Error, Outcome, Result};
use merchantpay_calls::{Call as Row, Object, ObjectKind, Pause, Style, Value, calls, make, make_object};
use napi_derive::napi;

use crate::event_loop::{Deliver, EventLoop, Handle, Message};
use crate::host::{Call, Program};
use crate::threads;
use crate::values::{Values, encode};

#[napi]
impl Handle {
    /// The object of the calls that need none, for an event loop whose `deliver` gets what calls post.
    #[napi(constructor)]
    pub fn library(deliver: Deliver) -> Handle {
        Handle::new(&Arc::new(deliver), Arc::new(Object::library(Style::Camel)), None)
    }

    /// The version of this library.
    #[napi]
    pub fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// Opens an object, on a thread if it has a ticket, as of [`Handle::call`]. A client opens its journals.
    #[napi]
    pub fn open(&self, ticket: Option<u32>, kind: String, arguments: Values) -> Option<Message> {
        let (arguments, event_loop) = (arguments.into_arguments(), Arc::clone(&self.event_loop));
        let parent = self.object();
        let open = move || {
            let kind = ObjectKind::from_name(&kind).unwrap_or(ObjectKind::Library);
            let object = make_object(kind, Some(&*parent?), &arguments, Some(Arc::new(Program)))?;
            Ok(Handle::new(&event_loop, object, None).into())
        };
        let Some(ticket) = ticket else { return Some(answer(open)) };
        let library = Arc::new(Object::library(Style::Camel));
        start(&self.event_loop, ticket, library, move |_| open()).err().map(Message::from)
    }

    /// Makes a call that waits for nothing.
    #[napi]
    pub fn call_now(&self, number: u32, arguments: Values) -> Message {
        answer(|| {
            let made = make(&*self.object()?, &row(number)?, &arguments.into_arguments(), None);
            Ok(Message::new(&self.event_loop, &made?))
        })
    }

    /// Makes a call on a thread, which posts its answer under the number `ticket`, or returns it if it cannot start. `waited_ms` is the time
    /// since the program made it, if the call had to wait.
    #[napi]
    pub fn call(&self, ticket: u32, number: u32, arguments: Values, waited_ms: f64) -> Option<Message> {
        let arguments = arguments.into_arguments();
        let waited = Duration::try_from_secs_f64(waited_ms / 1000.0).unwrap_or_default();
        let started = row(number).and_then(|row| {
            let object = self.object()?;
            // The time of a wait is an argument.
            let late = if waited.is_zero() || row.name == "wait" { None } else { object.late(waited) };
            let work = move |call: &Call| execute(call, &row, &arguments, waited);
            start(&self.event_loop, ticket, late.unwrap_or(object), work)
        });
        self.is_of_call.set(true);
        started.err().map(Message::from)
    }

    /// How a call without a thread ends, if it was interrupted or its time is over. A wait that has asked already names its order.
    #[napi]
    pub fn give_up(&self, number: u32, is_over: bool, order_id: Option<String>) -> Option<Message> {
        let over = || Error::timed_out("no thread was free for the call in time: too many run");
        let paused = self.object().and_then(|object| object.pause(Duration::ZERO));
        let ended = paused.and_then(|()| if is_over { Err(over()) } else { Ok(()) });
        let error = row(number).and_then(|row| row.phase.run(|| ended)).err()?;
        let outcome = if order_id.is_some() { Outcome::Unknown } else { error.outcome() };
        Some(error.with_outcome(outcome).with_order_id(order_id.as_deref()).into())
    }

    /// Another handle of the object. Calls on that of a client or a journal can be interrupted apart.
    #[napi]
    pub fn derive(&self, arguments: Values) -> Message {
        answer(|| {
            let object = self.object()?;
            let row = calls().find(|row| row.name == "derive" && row.on == self.kind);
            let made = row.map(|row| make(&object, row, &arguments.into_arguments(), None)).transpose()?;
            let derived = made.and_then(|made| encode(&made).1).unwrap_or_else(|| Arc::clone(&object));
            Ok(Handle::new(&self.event_loop, derived, Some(object)).into())
        })
    }

    /// Ends the running calls of this object and of everything derived from it.
    #[napi]
    pub fn interrupt(&self) {
        if let Some(object) = self.object.upgrade() {
            object.interrupt();
        }
    }

    /// Releases the object when its running calls have ended.
    #[napi]
    pub fn close(&self) {
        drop(self.held.take());
    }

    /// Whether it was closed.
    #[napi(getter)]
    pub fn is_closed(&self) -> bool {
        self.held.borrow().is_empty()
    }

    /// The deadline of a client's or a journal's calls.
    #[napi(getter)]
    pub fn timeout_ms(&self) -> Option<f64> {
        let timeout = self.object().ok()?.timeout()?;
        Some(timeout.as_millis() as f64)
    }
}

fn answer(made: impl FnOnce() -> Result<Message>) -> Message {
    made().unwrap_or_else(Message::from)
}

fn row(number: u32) -> Result<Row> {
    let unknown = || Error::internal(Outcome::NotSent, format!("there is no call {number}"));
    calls().find(|row| row.number == number).copied().ok_or_else(unknown)
}

/// A wait leaves its thread at each pause, and JavaScript makes it again. `settle` sleeps on its thread.
fn execute(call: &Call, row: &Row, arguments: &[Option<Value<'_>>], waited: Duration) -> Result<Message> {
    let pause_ms = Cell::new(None);
    let sleep = |length: Duration| {
        pause_ms.set(Some(length.as_secs_f64() * 1000.0));
        Err(Error::internal(Outcome::Unknown, "the pause was not handed to JavaScript"))
    };
    let pause = Pause { sleep: &sleep, waited };
    let made = make(&call.object, row, arguments, (row.name == "wait").then_some(pause));
    match pause_ms.get() {
        None => Ok(Message::new(&call.event_loop, &made?)),
        pause_ms => Ok(Message { pause_ms, ..Message::default() }),
    }
}

fn start(
    event_loop: &EventLoop,
    ticket: u32,
    object: Arc<Object>,
    work: impl FnOnce(&Call) -> Result<Message> + Send + 'static,
) -> Result<()> {
    let call = Call { event_loop: Arc::clone(event_loop), ticket, object };
    let started = threads::start(Box::new(move || call.run(|call| answer(|| work(call)))));
    let none = || Error::transport("the system could start no thread for the call");
    started.then_some(()).ok_or_else(none)
}
