//! The objects that outlive a call.

use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

use merchantpay::{
    AvailableAmounts, Client, Error, Payment, Protocol, Receipt, Result, SignedRequest, WebhookVerifier,
    words,
};
#[cfg(feature = "journal")]
use merchantpay_journal::Journal;

use crate::names::Style;

words! {
    /// The kinds of objects. `prepared` and `receipt` are made by calls; `open` makes the others.
    pub enum ObjectKind {
        /// The calls that need no object. The handle 0 is one too, for a host that spells names in snake case.
        Library = "library", 1, since "0.4.0";
        /// Calls the service.
        Client = "client", 2, since "0.4.0";
        /// Prepares requests and opens replies, for a host with an HTTP stack of its own.
        Protocol = "protocol", 3, since "0.4.0";
        /// Verifies webhooks. It needs no private key.
        Verifier = "verifier", 4, since "0.4.0";
        /// A journal; its parent is the client.
        Journal = "journal", 5, since "0.4.0";
        /// A request that a protocol prepared, which opens its reply.
        Prepared = "prepared", 6, since "0.4.0";
        /// Receipts for a payment.
        Receipt = "receipt", 7, since "0.4.0";
    }
}

/// An object, and how its host spells names.
pub struct Object {
    held: Held,
    style: Style,
}

pub(crate) enum Held {
    Library,
    Client(Client),
    Protocol(Protocol),
    Verifier(WebhookVerifier),
    Prepared(PreparedRequest),
    Receipt(ReceiptCell),
    #[cfg(feature = "journal")]
    Journal(Box<Journal>),
}

impl Object {
    pub(crate) fn new(held: Held, style: Style) -> Object {
        Object { held, style }
    }

    /// The object of the calls that need none.
    pub const fn library(style: Style) -> Object {
        Object { held: Held::Library, style }
    }

    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// The client, for a host that makes the steps of a wait itself.
    pub fn client(&self) -> Option<&Client> {
        match &self.held {
            Held::Client(client) => Some(client),
            _ => None,
        }
    }

    /// The time limit of a client's or a journal's calls.
    pub fn timeout(&self) -> Option<Duration> {
        match &self.held {
            Held::Client(client) => Some(client.timeout()),
            #[cfg(feature = "journal")]
            Held::Journal(journal) => Some(journal.timeout()),
            _ => None,
        }
    }

    /// A client with what is left of its deadline after a call has waited for a thread.
    pub fn late(&self, waited: Duration) -> Option<Arc<Object>> {
        let client = self.client()?;
        // A deadline of 0 would be the client's own.
        let left = client.timeout().saturating_sub(waited).max(Duration::from_nanos(1));
        Some(Arc::new(Object::new(Held::Client(client.derive(left)), self.style)))
    }

    /// Sleeps between two requests of a client or a journal, unless it is interrupted.
    pub fn pause(&self, duration: Duration) -> Result<()> {
        match &self.held {
            Held::Client(client) => client.pause(duration),
            #[cfg(feature = "journal")]
            Held::Journal(journal) => journal.pause(duration),
            _ => Ok(()),
        }
    }

    /// The kind of the object.
    pub fn kind(&self) -> ObjectKind {
        match self.held {
            Held::Library => ObjectKind::Library,
            Held::Client(_) => ObjectKind::Client,
            Held::Protocol(_) => ObjectKind::Protocol,
            Held::Verifier(_) => ObjectKind::Verifier,
            Held::Prepared(_) => ObjectKind::Prepared,
            Held::Receipt(_) => ObjectKind::Receipt,
            #[cfg(feature = "journal")]
            Held::Journal(_) => ObjectKind::Journal,
        }
    }

    /// Ends the running calls of a client or journal and of all that was derived from it, and lets no more
    /// start. Other objects have no calls that wait.
    pub fn interrupt(&self) {
        match &self.held {
            Held::Client(client) => client.interrupt(),
            #[cfg(feature = "journal")]
            Held::Journal(journal) => journal.interrupt(),
            _ => {}
        }
    }
}

/// What a prepared operation returns.
pub(crate) enum Answer {
    Amounts(AvailableAmounts),
    Payment(Box<Payment>),
}

impl From<AvailableAmounts> for Answer {
    fn from(amounts: AvailableAmounts) -> Answer {
        Answer::Amounts(amounts)
    }
}

impl From<Payment> for Answer {
    fn from(payment: Payment) -> Answer {
        Answer::Payment(Box::new(payment))
    }
}

/// A prepared request of whatever operation.
pub(crate) type PreparedRequest = Arc<dyn Prepared>;

pub(crate) trait Prepared: Send + Sync {
    fn request(&self) -> &SignedRequest;

    /// The contract's name.
    fn operation(&self) -> &'static str;

    fn open(&self, status: u16, headers: &[(&str, &str)], body: &[u8]) -> Result<Answer>;
}

impl<R: Into<Answer>> Prepared for merchantpay::Prepared<R> {
    fn request(&self) -> &SignedRequest {
        merchantpay::Prepared::request(self)
    }

    fn operation(&self) -> &'static str {
        merchantpay::Prepared::operation(self).name
    }

    fn open(&self, status: u16, headers: &[(&str, &str)], body: &[u8]) -> Result<Answer> {
        merchantpay::Prepared::open(self, status, headers.iter().copied(), body).map(Into::into)
    }
}

/// A receipt that grows while the host adds files. It is never waited for: a forked child could inherit the
/// lock held.
pub(crate) struct ReceiptCell(Mutex<Receipt>);

impl ReceiptCell {
    pub(crate) fn new(order_id: &str) -> ReceiptCell {
        ReceiptCell(Mutex::new(Receipt::new(order_id)))
    }

    pub(crate) fn with<T>(&self, body: impl FnOnce(&mut Receipt) -> Result<T>) -> Result<T> {
        match self.0.try_lock() {
            Ok(mut receipt) => body(&mut receipt),
            Err(TryLockError::Poisoned(poisoned)) => body(&mut poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(Error::invalid_argument("another thread is adding a file to this receipt"))
            }
        }
    }

    /// A copy, which shares the bytes.
    pub(crate) fn receipt(&self) -> Result<Receipt> {
        self.with(|receipt| Ok(receipt.clone()))
    }
}
