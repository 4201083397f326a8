//! What JavaScript does with handles: it opens them and makes calls. Nothing here throws; an answer has the failure.

use std::sync::Arc;
use std::time::{Duration, Instant};

use merchantpay::{Error, Outcome, Result};
use merchantpay_calls::{Call as Row, Object, ObjectKind, Style, Value, calls, make, make_object};
use napi_derive::napi;

use crate::host::{Call, Program};
use crate::line::{Answer, Deliver, Handle, Line};
use crate::threads::{self, Job};
use crate::values::Values;

/// A shorter wait for a thread does not change a call's deadline.
const NOTICED: Duration = Duration::from_millis(10);

#[napi]
impl Handle {
    /// Makes a call that waits for nothing.
    #[napi]
    pub fn now(&self, number: u32, arguments: Values) -> Answer {
        match row(number).and_then(|row| Ok((row, self.object()?))) {
            Ok((row, object)) => made(&self.line, &object, &row, &arguments.into_arguments()),
            Err(error) => Answer::failed(error),
        }
    }

    /// Makes a call on a thread, which delivers the answer under the number `ticket`. The files of a receipt are the last argument.
    #[napi]
    pub fn call(&self, ticket: u32, number: u32, arguments: Values, receipt: Option<&Handle>) {
        let mut arguments = arguments.into_arguments();
        let ready = row(number).and_then(|row| {
            arguments
                .extend(receipt.map(Handle::object).transpose()?.map(|receipt| Some(Value::Object(receipt))));
            Ok((row, self.object()?))
        });
        let (row, object) = match ready {
            Ok(ready) => ready,
            Err(error) => return self.line.fail(ticket, error),
        };
        let sleeps = matches!(row.name, "wait" | "settle");
        start(&self.line, ticket, object, sleeps, move |call| {
            made(&call.line, &call.object, &row, &arguments)
        });
    }

    /// Ends the running calls of this object and of everything derived from it.
    #[napi]
    pub fn interrupt(&self) {
        if let Some(object) = &*self.object.borrow() {
            object.interrupt();
            threads::hurry(object);
        }
    }

    /// Releases the object when its running calls have ended.
    #[napi]
    pub fn close(&self) {
        drop(self.object.take());
    }

    /// Whether it was closed.
    #[napi(getter)]
    pub fn is_closed(&self) -> bool {
        self.object.borrow().is_none()
    }

    /// The deadline of a client's calls.
    #[napi(getter)]
    pub fn timeout_ms(&self) -> f64 {
        let object = self.object.borrow();
        let client = object.as_ref().and_then(|object| object.client());
        client.map_or(0.0, |client| client.timeout().as_millis() as f64)
    }
}

/// Where objects begin: what one event loop has of this library.
#[napi]
pub struct Library {
    line: Line,
    object: Arc<Object>,
}

#[napi]
impl Library {
    /// `deliver` gets what calls say.
    #[napi(constructor)]
    pub fn new(deliver: Deliver) -> Library {
        Library { line: Line(Arc::new(deliver)), object: Arc::new(Object::library(Style::Camel)) }
    }

    /// The version of this library.
    #[napi]
    pub fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// The calls that need no object.
    #[napi(getter)]
    pub fn handle(&self) -> Handle {
        Handle::new(&self.line, Arc::clone(&self.object))
    }

    /// Opens an object. The parent of a journal is its client.
    #[napi]
    pub fn open(&self, kind: String, arguments: Values, parent: Option<&Handle>) -> Answer {
        match parent.map(Handle::object).transpose() {
            Ok(parent) => opened(&self.line, &kind, parent.as_deref(), &arguments.into_arguments()),
            Err(error) => Answer::failed(error),
        }
    }

    /// Opens an object on a thread.
    #[napi]
    pub fn open_later(&self, ticket: u32, kind: String, arguments: Values, parent: Option<&Handle>) {
        let parent = match parent.map(Handle::object).transpose() {
            Ok(parent) => parent,
            Err(error) => return self.line.fail(ticket, error),
        };
        let arguments = arguments.into_arguments();
        start(&self.line, ticket, Arc::clone(&self.object), false, move |call| {
            opened(&call.line, &kind, parent.as_deref(), &arguments)
        });
    }
}

fn row(number: u32) -> Result<Row> {
    let unknown = || Error::internal(Outcome::NotSent, format!("there is no call {number}"));
    calls().find(|row| row.number == number).copied().ok_or_else(unknown)
}

fn made(line: &Line, object: &Object, row: &Row, arguments: &[Option<Value<'_>>]) -> Answer {
    Answer::new(line, row.result(), make(object, row, arguments, None))
}

fn opened(line: &Line, kind: &str, parent: Option<&Object>, arguments: &[Option<Value<'_>>]) -> Answer {
    let kind = ObjectKind::from_name(kind).unwrap_or(ObjectKind::Library);
    match make_object(kind, parent, arguments, Some(Arc::new(Program))) {
        Ok(object) => Answer::opened(line, object),
        Err(error) => Answer::failed(error),
    }
}

fn start(
    line: &Line,
    ticket: u32,
    object: Arc<Object>,
    sleeps: bool,
    work: impl FnOnce(&Call) -> Answer + Send + 'static,
) {
    let (line, asked) = (line.clone(), Instant::now());
    let of_call = Arc::clone(&object);
    let run = move |ready: Result<()>| match ready {
        Ok(()) => Call { line, ticket, object: in_time(of_call, asked) }.run(work),
        Err(error) => line.fail(ticket, error),
    };
    threads::start(Job { object, sleeps, run: Box::new(run) });
}

/// The object whose deadline is over when the caller's is, although the call waited for a thread.
fn in_time(object: Arc<Object>, asked: Instant) -> Arc<Object> {
    let waited = asked.elapsed();
    let late =
        object.client().filter(|_| waited >= NOTICED).map(|client| client.timeout().saturating_sub(waited));
    // A deadline of 0 would be the client's own.
    late.and_then(|left| object.within(left.max(Duration::from_nanos(1)))).unwrap_or(object)
}
