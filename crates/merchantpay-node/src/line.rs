//! What goes to an event loop, and the one way that it goes: so a call's log comes before its result.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use merchantpay::{Error, Result};
use merchantpay_calls::{Kind, Object, ObjectKind, Returned};
use napi::Status;
use napi::bindgen_prelude::{Buffer, Either3};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode, UnknownReturnValue};
use napi_derive::napi;

use crate::values::{Values, written};

/// A function of JavaScript. It does not keep the process alive: JavaScript does, while calls run.
pub(crate) type Deliver = ThreadsafeFunction<Message, UnknownReturnValue, Message, Status, false, true>;

/// An event loop: the main thread's, or that of a worker.
#[derive(Clone)]
pub(crate) struct Line(pub(crate) Arc<Deliver>);

impl Line {
    pub(crate) fn fail(&self, ticket: u32, error: Error) {
        self.say(Message { answer: Some(Answer::failed(error)), ..Message::new(ticket) });
    }

    pub(crate) fn say(&self, message: Message) {
        // If the event loop has ended, nobody waits for it any more.
        let _ = self.0.call(message, ThreadsafeFunctionCallMode::NonBlocking);
    }
}

/// An object of the waist.
#[napi]
pub struct Handle {
    pub(crate) line: Line,
    kind: ObjectKind,
    /// None after it is closed.
    pub(crate) object: RefCell<Option<Arc<Object>>>,
}

impl Handle {
    pub(crate) fn new(line: &Line, object: Arc<Object>) -> Handle {
        Handle { line: line.clone(), kind: object.kind(), object: RefCell::new(Some(object)) }
    }

    pub(crate) fn object(&self) -> Result<Arc<Object>> {
        let object = self.object.borrow().clone();
        object.ok_or_else(|| Error::invalid_argument(format!("the {} is closed", self.kind)))
    }
}

/// What became of a call.
#[napi(object, object_from_js = false)]
pub struct Answer {
    /// The record `error` of a call that failed.
    pub failure: Option<Values>,
    /// The result; a record or a list is the list of its values.
    pub result: Option<Either3<String, Buffer, Values>>,
    /// A new object, alone or in the result.
    pub handle: Option<Handle>,
}

impl Answer {
    pub(crate) fn new(line: &Line, kind: Kind, made: Result<Returned>) -> Answer {
        match made {
            Ok(returned) => {
                let (result, object) = written(kind, &returned);
                Answer { failure: None, result, handle: object.map(|object| Handle::new(line, object)) }
            }
            Err(error) => Answer::failed(error),
        }
    }

    pub(crate) fn opened(line: &Line, object: Arc<Object>) -> Answer {
        Answer { failure: None, result: None, handle: Some(Handle::new(line, object)) }
    }

    pub(crate) fn failed(error: Error) -> Answer {
        let (failure, _) = written(Kind::Record("error"), &Returned::from(error));
        let failure = match failure {
            Some(Either3::C(values)) => values,
            _ => Values(Vec::new()),
        };
        Answer { failure: Some(failure), result: None, handle: None }
    }
}

/// What a call says: how it ended, or what it needs the program's code for.
#[napi(object, object_from_js = false)]
pub struct Message {
    /// The number by which JavaScript knows the call.
    pub ticket: u32,
    /// The end of the call.
    pub answer: Option<Answer>,
    /// The record `attempt`, for the log.
    pub attempt: Option<Values>,
    /// Bytes to sign.
    pub unsigned: Option<Buffer>,
    /// Where the signature goes.
    pub reply: Option<Reply>,
}

impl Message {
    pub(crate) fn new(ticket: u32) -> Message {
        Message { ticket, answer: None, attempt: None, unsigned: None, reply: None }
    }
}

/// Where a signature goes.
#[napi]
pub struct Reply(pub(crate) Sender<Option<Vec<u8>>>);

#[napi]
impl Reply {
    /// Gives the signature, or `null` if there is none.
    #[napi]
    pub fn give(&self, signature: Option<Buffer>) {
        // The call may have been interrupted meanwhile.
        let _ = self.0.send(signature.map(|bytes| bytes.to_vec()));
    }
}
