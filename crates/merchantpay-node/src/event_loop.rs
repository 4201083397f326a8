//! What goes to an event loop, and the one way that it goes: so a call's log comes before its result.

use std::cell::{Cell, RefCell};
use std::iter;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Weak};

use merchantpay::{Error, Result};
use merchantpay_calls::{Object, ObjectKind, Returned};
use napi::Status;
use napi::bindgen_prelude::{Buffer, Either3};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode, UnknownReturnValue};
use napi_derive::napi;

use crate::values::{Values, encode};

/// A function of JavaScript. It does not keep the process alive: JavaScript does, while calls run.
pub(crate) type Deliver = ThreadsafeFunction<Message, UnknownReturnValue, Message, Status, false, true>;

/// An event loop: the main thread's, or that of a worker.
pub(crate) type EventLoop = Arc<Deliver>;

pub(crate) fn post(event_loop: &EventLoop, message: Message) {
    // If the event loop has ended, nobody waits for it any more.
    let _ = event_loop.call(message, ThreadsafeFunctionCallMode::NonBlocking);
}

/// An object of the waist.
#[napi]
pub struct Handle {
    pub(crate) event_loop: EventLoop,
    pub(crate) kind: ObjectKind,
    /// The object, and that from which it was derived. Empty after it is closed.
    pub(crate) held: RefCell<Vec<Arc<Object>>>,
    /// To interrupt it after it is closed: its running calls and what was derived from it hold it.
    pub(crate) object: Weak<Object>,
    /// JavaScript makes a handle for each call on a thread, and closes it when the call has ended.
    pub(crate) is_of_call: Cell<bool>,
}

impl Handle {
    pub(crate) fn new(event_loop: &EventLoop, object: Arc<Object>, parent: Option<Arc<Object>>) -> Handle {
        Handle {
            event_loop: Arc::clone(event_loop),
            kind: object.kind(),
            object: Arc::downgrade(&object),
            held: RefCell::new(iter::once(object).chain(parent).collect()),
            is_of_call: Cell::new(false),
        }
    }

    pub(crate) fn object(&self) -> Result<Arc<Object>> {
        let object = self.held.borrow().first().cloned();
        object.ok_or_else(|| Error::invalid_argument(format!("the {} is closed", self.kind)))
    }
}

/// When a worker is terminated, nobody waits for its calls any more.
impl Drop for Handle {
    fn drop(&mut self) {
        if self.is_of_call.get() {
            self.held.take().first().inspect(|object| object.interrupt());
        }
    }
}

/// What a call posts: how it ended, or what it needs the program's code for.
#[napi(object, object_from_js = false)]
#[derive(Default)]
pub struct Message {
    /// The number by which JavaScript knows the call.
    pub ticket: u32,
    /// The record `error` of a call that failed.
    pub failure: Option<Either3<String, Buffer, Values>>,
    /// The result; a record or a list is the list of its values.
    pub result: Option<Either3<String, Buffer, Values>>,
    /// A new object, alone or in the result.
    pub handle: Option<Handle>,
    /// The call is to be made again after this time.
    pub pause_ms: Option<f64>,
    /// The record `attempt`, for the log.
    pub attempt: Option<Values>,
    /// Bytes to sign.
    pub unsigned: Option<Buffer>,
    /// Where the signature goes.
    pub reply: Option<Reply>,
}

impl Message {
    pub(crate) fn new(event_loop: &EventLoop, returned: &Returned) -> Message {
        let (result, object) = encode(returned);
        let handle = object.map(|object| Handle::new(event_loop, object, None));
        Message { result, handle, ..Message::default() }
    }
}

impl From<Handle> for Message {
    fn from(handle: Handle) -> Message {
        Message { handle: Some(handle), ..Message::default() }
    }
}

impl From<Error> for Message {
    fn from(error: Error) -> Message {
        Message { failure: encode(&Returned::from(error)).0, ..Message::default() }
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
