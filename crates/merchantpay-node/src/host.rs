//! The call of a thread, and the program's own code in it: its signer and its logger.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use merchantpay_calls::{Callback, Frame, Host, Object};
use napi::bindgen_prelude::{Buffer, Either3};

use crate::event_loop::{EventLoop, Message, Reply, post};
use crate::values::Values;

/// How often a call that waits for a signature looks whether it was interrupted.
const SLICE: Duration = Duration::from_millis(50);
/// How long a signer may take for a prepared request.
const SIGNER_TIMEOUT: Duration = Duration::from_secs(30);

thread_local! {
    static CALL: RefCell<Option<Call>> = const { RefCell::new(None) };
}

/// The call that runs on a thread.
pub(crate) struct Call {
    pub(crate) event_loop: EventLoop,
    /// The number by which JavaScript knows it.
    pub(crate) ticket: u32,
    pub(crate) object: Arc<Object>,
}

impl Call {
    /// Runs the call on this thread, and returns what posts its answer.
    pub(crate) fn run(self, work: impl FnOnce(&Call) -> Message) -> Box<dyn FnOnce()> {
        let (event_loop, ticket) = (Arc::clone(&self.event_loop), self.ticket);
        CALL.set(Some(self));
        let answer = CALL.with_borrow(|call| call.as_ref().map(work));
        CALL.set(None);
        Box::new(move || post(&event_loop, Message { ticket, ..answer.unwrap_or_default() }))
    }

    fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        let (sender, receiver) = channel();
        let (unsigned, reply) = (Some(Buffer::from(message)), Some(Reply(sender)));
        post(&self.event_loop, Message { ticket: self.ticket, unsigned, reply, ..Message::default() });
        let end = Instant::now() + self.object.timeout().unwrap_or(SIGNER_TIMEOUT);
        loop {
            match receiver.recv_timeout(SLICE) {
                Ok(signature) => return signature,
                Err(RecvTimeoutError::Timeout) if Instant::now() < end => {
                    self.object.pause(Duration::ZERO).ok()?;
                }
                Err(_) => return None,
            }
        }
    }
}

/// The program's own code. It is JavaScript, so it runs on the event loop while the call's thread waits.
pub(crate) struct Program;

impl Host for Program {
    fn ask(&self, what: Callback, args: &[u8]) -> Result<Vec<u8>, i32> {
        CALL.with_borrow(|call| match (what, call) {
            (Callback::Sign, Some(call)) => call.sign(args).ok_or(1),
            (Callback::Log, Some(call)) => {
                let text = |value: &[u8]| Either3::A(String::from_utf8_lossy(value).into_owned());
                let attempt = Frame::read(args);
                let attempt =
                    attempt.map(|frame| Values(frame.iter().map(|value| value.map(text)).collect()));
                post(&call.event_loop, Message { ticket: call.ticket, attempt, ..Message::default() });
                Ok(Vec::new())
            }
            (Callback::Sign, None) => Err(1),
            _ => Ok(Vec::new()),
        })
    }
}
