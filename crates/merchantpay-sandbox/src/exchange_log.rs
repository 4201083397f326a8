//! The signed exchanges with the merchant, byte by byte, as long as memory for them lasts.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::HeaderMap;

use crate::clock::Millis;
use crate::event_bus::EventBus;
use crate::json::Object;
use crate::lock::lock;
use crate::view;

/// How many exchanges are kept.
const MOST: usize = 1_000;
/// How many of them may be of `/status`: polling must not push out what it asks about.
const MOST_QUESTIONS: usize = 250;
/// How much of a body is kept.
const LONGEST: usize = 64 * 1024;
/// How many bytes of bodies are kept in all.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// The beginning of a body, and its size.
#[derive(Clone)]
pub(crate) struct CapturedBody {
    pub(crate) bytes: Bytes,
    pub(crate) size: usize,
}

impl CapturedBody {
    pub(crate) fn new(bytes: &Bytes) -> CapturedBody {
        // A slice would keep the whole of a large body alive.
        let kept = if bytes.len() > LONGEST { Bytes::copy_from_slice(&bytes[..LONGEST]) } else { bytes.clone() };
        CapturedBody { bytes: kept, size: bytes.len() }
    }
}

/// One request of the merchant's, and what it was answered.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) id: u64,
    pub(crate) at: Millis,
    pub(crate) duration: Duration,
    pub(crate) operation: &'static str,
    pub(crate) headers: HeaderMap,
    pub(crate) body: CapturedBody,
    /// Whether the merchant's signature held.
    pub(crate) verified: bool,
    /// `None` where the connection was closed.
    pub(crate) reply: Option<CapturedReply>,
    pub(crate) fault: Option<&'static str>,
}

/// A reply as it left.
#[derive(Clone)]
pub(crate) struct CapturedReply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: CapturedBody,
}

impl Exchange {
    /// The payment that it is about. Read when it is asked for, so that `/status` does not pay for it.
    pub(crate) fn order_id(&self) -> Option<String> {
        let named = |body: &[u8]| Object::parse(body)?.string("orderId").ok()?;
        if self.operation == "attachReceipt" {
            return part(&self.body.bytes);
        }
        named(&self.body.bytes).or_else(|| named(&self.reply.as_ref()?.body.bytes))
    }

    fn size(&self) -> usize {
        self.body.bytes.len() + self.reply.as_ref().map_or(0, |reply| reply.body.bytes.len())
    }
}

/// The `orderId` of a form, where it stands near the beginning.
fn part(form: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&form[..form.len().min(2048)]).into_owned();
    let value = text.split("name=\"orderId\"").nth(1)?.split("\r\n\r\n").nth(1)?;
    value.split("\r\n").next().map(str::to_owned)
}

/// The last exchanges, oldest first.
#[derive(Default)]
pub(crate) struct ExchangeLog(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    last: u64,
    bytes: usize,
    questions: VecDeque<Exchange>,
    others: VecDeque<Exchange>,
}

impl ExchangeLog {
    pub(crate) fn add(&self, mut exchange: Exchange, events: &EventBus) {
        let mut pages = lock(&self.0);
        let pages = &mut *pages;
        pages.last += 1;
        exchange.id = pages.last;
        events.publish("exchange", || view::exchange(&exchange));
        pages.bytes += exchange.size();
        let (list, most) =
            if exchange.operation == "getStatus" { (&mut pages.questions, MOST_QUESTIONS) } else { (&mut pages.others, MOST) };
        list.push_back(exchange);
        let forgotten = if list.len() > most { list.pop_front() } else { None };
        pages.bytes -= forgotten.map_or(0, |exchange| exchange.size());
        while pages.bytes > MOST_BYTES {
            let Some(oldest) = pages.others.pop_front().or_else(|| pages.questions.pop_front()) else { break };
            pages.bytes -= oldest.size();
        }
    }

    pub(crate) fn get(&self, id: u64) -> Option<Exchange> {
        let pages = lock(&self.0);
        pages.questions.iter().chain(&pages.others).find(|exchange| exchange.id == id).cloned()
    }

    /// The newest that are wanted and older than a number.
    pub(crate) fn newest(&self, before: Option<u64>, limit: usize, wanted: impl Fn(&Exchange) -> bool) -> Vec<Exchange> {
        // Copied out first: what is wanted may have to be read from bodies, and the merchant shall not wait for that.
        let mut all: Vec<Exchange> = {
            let pages = lock(&self.0);
            pages.questions.iter().chain(&pages.others).cloned().collect()
        };
        all.sort_by_key(|exchange| std::cmp::Reverse(exchange.id));
        let older = all.into_iter().filter(|exchange| before.is_none_or(|before| exchange.id < before));
        older.filter(|exchange| wanted(exchange)).take(limit).collect()
    }
}
