//! The journal. Its constructor is in `settings`, and the methods that take a payment are in `operations`.

mod calls;
pub(crate) mod entry;
mod entry_fields;
mod operations;
pub(crate) mod place;
mod settings;
mod steps;
pub(crate) mod upkeep;

use std::sync::{Arc, Mutex};

use merchantpay::{Outcome, PaymentRequest};
use merchantpay_journal::{Attention, Level, Resolution, Standing, Until};
use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3::{PyTraverseError, PyVisit};

use self::calls::{attempt_of, entries, known_word};
use self::entry::{Entry, Orphan, Received, Settled};
use self::place::Database;
use self::upkeep::ServerChange;
use crate::argument::{
    Argument, optional_flag, optional_seconds, optional_text, optional_whole, seconds, text, whole,
};
use crate::client::Client;
use crate::error::invalid;
use crate::headers;
use crate::webhook::header;

/// The largest number of attempts or entries in one call, if the caller gives no limit.
const LIMIT: u32 = 100;

/// Takes each payment only once. The merchant's own order number, the *reference*, identifies a payment.
/// `pay` can be repeated safely: each reference has at most one payment that a customer can pay. The page
/// docs/journal.md explains what the journal promises.
///
/// `receive` takes webhooks. `settle` asks the service about open attempts. Act on a payment only when `news`
/// returns its entry; after a crash `news` returns the entry again. `attention` lists the items about which
/// an operator must decide.
///
/// - client: the Client that sends the journal's requests. Interrupting the client ends `wait` and `settle`.
/// - path_or_connect: the path of a SQLite file (see `create`), or a function. Only the journal may use the
///   file, and no other copy of SQLite in this process may open it. The function has no arguments and returns
///   a new DB-API connection to the merchant's own database, from sqlite3, psycopg, psycopg2, PyMySQL or
///   mysqlclient. Only the journal may use the connection. `merchantpay journal schema` prints the tables.
// generated: begin settings
/// - callback_url: the URL to which the service sends webhooks; each attempt adds its own token.
/// - create: creates the file or the tables if they are missing. Off by default: a wrong path would look like a new
///   shop.
/// - pay_wait: how long a repeated pay waits for the running call of the same payment; 0 for no wait.
/// - timeout: the deadline of a payment, which includes storing it: at least 15 s, at most 10 min.
/// - durability_vouched: settings of the database that can lose a commit and that the merchant accepts, separated by
///   commas.
/// - password_file: a file whose first line is the database's password. It is read again for each connection.
/// - connections: the most connections of this process to a database.
// generated: end
/// - dialect: the SQL dialect, if the connection's module does not determine it: a Dialect.
/// - max_connections: the largest number of open connections to the database: 20 unless set. A further
///   statement waits for a free connection, at most until `timeout`. Connections that are bound to a thread,
///   such as sqlite3's, are not limited.
///
/// Threads may share a journal, and it works after a fork: a child opens its own connections. A journal
/// cannot be pickled or copied; an entry can. The GIL is released, except while a Python driver runs a
/// statement. On Ctrl-C a call finishes and stores its result, and then KeyboardInterrupt is raised. `wait`
/// and `settle` react to Ctrl-C between two calls to the service.
///
/// Raises InvalidArgumentError for a setting that cannot be used, or if the journal belongs to a different
/// account; StorageError if the file or the database cannot be used.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct Journal {
    /// None after the journal is closed. The lock is taken only with the GIL held, and released before any
    /// Python code can run.
    inner: Mutex<Option<Open>>,
}

/// The objects that are released when the journal is closed.
struct Open {
    journal: Arc<merchantpay_journal::Journal>,
    /// The Rust client inside `client`. The pauses between queries use it.
    core: merchantpay::Client,
    /// Kept so that the garbage collector can visit the client.
    client: Py<Client>,
    database: Option<Database>,
    /// `true` if this journal was derived from another. Both have the same database object, and the garbage
    /// collector must see that object only once.
    is_derived: bool,
}

/// The core's functions that take a payment, and that replace an attempt.
pub(crate) struct Payments {
    pub(crate) pay: fn(&merchantpay_journal::Journal, &str, &PaymentRequest) -> CoreResult,
    pub(crate) replace: fn(&merchantpay_journal::Journal, &str, &PaymentRequest, u32) -> CoreResult,
}

type CoreResult = merchantpay::Result<merchantpay_journal::Entry>;

#[pymethods]
impl Journal {
    /// Reports to the service that the customer has paid this attempt, and returns the new entry. The journal
    /// stores the report before it sends it, and `settle` retries it while its outcome is unknown. The entry's
    /// `confirm` is the state of the report.
    ///
    /// Raises InvalidArgumentError for an attempt whose order id is not known, StorageError if the journal failed.
    fn confirm(&self, py: Python<'_>, entry: Argument<'_, '_>) -> PyResult<Entry> {
        let entry = attempt_of("entry", entry)?;
        self.call(py, Outcome::Unknown, |journal| journal.confirm(&entry)).map(Entry)
    }

    /// Cancels this attempt, and returns the new entry. From now on its entries have no `credentials`. When
    /// the entry's `cancel` is "accepted", the attempt can be replaced. Raises the same errors as `confirm`.
    fn cancel(&self, py: Python<'_>, entry: Argument<'_, '_>) -> PyResult<Entry> {
        let entry = attempt_of("entry", entry)?;
        self.call(py, Outcome::Unknown, |journal| journal.cancel(&entry)).map(Entry)
    }

    /// Confirms the attempt with this reference and number, for a caller that has no Entry. Raises the same
    /// errors as `confirm`, and InvalidArgumentError if there is no such attempt.
    fn confirm_by(
        &self,
        py: Python<'_>,
        reference: Argument<'_, '_>,
        attempt: Argument<'_, '_>,
    ) -> PyResult<Entry> {
        let (reference, attempt) = (text("reference", reference)?, whole("attempt", attempt)?);
        self.call(py, Outcome::Unknown, |journal| journal.confirm_by(&reference, attempt)).map(Entry)
    }

    /// Cancels the attempt with this reference and number, for a caller that has no Entry. Raises the same
    /// errors as `confirm_by`.
    fn cancel_by(
        &self,
        py: Python<'_>,
        reference: Argument<'_, '_>,
        attempt: Argument<'_, '_>,
    ) -> PyResult<Entry> {
        let (reference, attempt) = (text("reference", reference)?, whole("attempt", attempt)?);
        self.call(py, Outcome::Unknown, |journal| journal.cancel_by(&reference, attempt)).map(Entry)
    }

    /// Takes a webhook. The arguments are its path or URL, its unchanged body, and the values of the
    /// headers X-Signature and X-KeyId; None for an absent header. Answer the webhook with the result's
    /// `http_status`. An error of the webhook is in the result's `error`, and is not raised.
    #[pyo3(signature = (path, body, signature, key_id=None))]
    fn receive(
        &self,
        py: Python<'_>,
        path: Argument<'_, '_>,
        body: Argument<'_, '_>,
        signature: Option<Argument<'_, '_>>,
        key_id: Option<Argument<'_, '_>>,
    ) -> PyResult<Received> {
        let (signature, key_id) = (header("signature", signature), header("key_id", key_id));
        self.take_webhook(py, path, body, signature?.as_deref(), key_id?.as_deref())
    }

    /// Like `receive`, with a request's headers in any framework's type, as in
    /// `WebhookVerifier.verify_request`.
    #[pyo3(signature = (path, body, headers))]
    fn receive_request(
        &self,
        py: Python<'_>,
        path: Argument<'_, '_>,
        body: Argument<'_, '_>,
        headers: Argument<'_, '_>,
    ) -> PyResult<Received> {
        let pairs = headers::pairs(headers)?;
        // A repeated header does not verify.
        let (signature, key_id) = (headers::once(&pairs, "x-signature"), headers::once(&pairs, "x-keyid"));
        let signature = if key_id.is_ok() { signature.ok().flatten() } else { None };
        self.take_webhook(py, path, body, signature, key_id.ok().flatten())
    }

    /// Asks the service about at most `limit` attempts that are due, and retries unanswered confirms and
    /// cancels. Call it from cron or in a loop; several workers may share the work. Returns the number of
    /// processed attempts, and the seconds until the next attempt is due. The error of a failed call is in
    /// the entry's `error`; the call is retried later.
    ///
    /// Raises StorageError if the journal failed, CallCancelledError if the client was interrupted.
    #[pyo3(signature = (limit=None), text_signature = "($self, limit=100)")]
    fn settle(&self, py: Python<'_>, limit: Option<Argument<'_, '_>>) -> PyResult<Settled> {
        let limit = optional_whole("limit", limit)?.unwrap_or(LIMIT);
        let pause = self.pause_between(py)?;
        self.call(py, Outcome::Unknown, |journal| journal.settle_with(limit, pause)).map(Settled::from)
    }

    /// Waits until the last attempt of a reference has reached `until` (an Until) or `timeout` seconds are
    /// over, and returns the attempt's entry. During the wait it asks the service about the attempt.
    ///
    /// Raises InvalidArgumentError if there is no such reference, StorageError if the journal failed,
    /// CallCancelledError if the client was interrupted. Ctrl-C ends the wait between two calls to the
    /// service.
    #[pyo3(signature = (reference, *, timeout, until=None), text_signature = "($self, reference, *, timeout, until='credentials')")]
    fn wait(
        &self,
        py: Python<'_>,
        reference: Argument<'_, '_>,
        timeout: Argument<'_, '_>,
        until: Option<Argument<'_, '_>>,
    ) -> PyResult<Entry> {
        let (reference, timeout) = (text("reference", reference)?, seconds("timeout", timeout)?);
        let until = known_word(py, "until", until, Until::from_name, Until::TABLE)?.unwrap_or_default();
        let pause = self.pause_between(py)?;
        self.call(py, Outcome::Unknown, |journal| journal.wait_with(&reference, timeout, until, pause))
            .map(Entry)
    }

    /// Finds the entry of a reference, with its earlier attempts; None if there is no such reference. Raises
    /// StorageError if the journal failed.
    fn find(&self, py: Python<'_>, reference: Argument<'_, '_>) -> PyResult<Option<Entry>> {
        let reference = text("reference", reference)?;
        let found = self.call(py, Outcome::NotSent, |journal| journal.find(&reference))?;
        Ok(found.map(Entry))
    }

    /// Lists at most `limit` entries, of one standing (a Standing) or of all, the newest first, without their
    /// earlier attempts. With `before` (an entry), the list has only older entries than that one. Raises
    /// StorageError if the journal failed.
    #[pyo3(signature = (standing=None, *, limit=None, before=None), text_signature = "($self, standing=None, *, limit=100, before=None)")]
    fn list<'py>(
        &self,
        py: Python<'py>,
        standing: Option<Argument<'_, 'py>>,
        limit: Option<Argument<'_, 'py>>,
        before: Option<Argument<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let standing = known_word(py, "standing", standing, Standing::from_name, Standing::TABLE)?;
        let limit = optional_whole("limit", limit)?.unwrap_or(LIMIT);
        let before = before.map(|entry| attempt_of("before", entry)).transpose()?;
        let listed =
            self.call(py, Outcome::NotSent, |journal| journal.list(standing, limit, before.as_ref()))?;
        entries(py, listed)
    }

    /// Returns at most `limit` entries whose level is above the acknowledged level, the oldest first. Act on
    /// a payment only when `news` returns its entry. `news` claims each entry for `claim` seconds, a minute
    /// unless given, so that concurrent workers get different entries. If an entry is not acknowledged within
    /// this time, `news` returns it again. Raises StorageError if the journal failed.
    #[pyo3(signature = (limit=None, *, claim=None), text_signature = "($self, limit=100, *, claim=60.0)")]
    fn news<'py>(
        &self,
        py: Python<'py>,
        limit: Option<Argument<'_, 'py>>,
        claim: Option<Argument<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let limit = optional_whole("limit", limit)?.unwrap_or(LIMIT);
        let claim = optional_seconds("claim", claim)?;
        let news = self.call(py, Outcome::NotSent, |journal| match claim {
            None => journal.news(limit),
            Some(claim) => journal.news_for(limit, claim),
        })?;
        entries(py, news)
    }

    /// Records that the merchant has acted on this entry's level; `news` reports later changes again.
    /// Returns True if this call acknowledged the entry: of two workers only one gets True.
    ///
    /// `connection` is a merchant's own connection to the journal's database; the acknowledgement becomes
    /// part of the connection's transaction. Call `acknowledge` first in the transaction: then the
    /// transaction's other work is done exactly once. If another worker has acknowledged the entry,
    /// `acknowledge` raises ConflictError: roll back. Keep the transaction short, and use the isolation level
    /// READ COMMITTED.
    ///
    /// Raises StorageError if the journal failed.
    #[pyo3(signature = (entry, connection=None))]
    fn acknowledge(
        &self,
        py: Python<'_>,
        entry: Argument<'_, '_>,
        connection: Option<Argument<'_, '_>>,
    ) -> PyResult<bool> {
        let entry = attempt_of("entry", entry)?;
        let Some(connection) = connection else {
            return self.call(py, Outcome::NotSent, |journal| journal.acknowledge(&entry));
        };
        let transaction = self.transaction(py, connection)?;
        self.call(py, Outcome::NotSent, |journal| journal.acknowledge_with(&entry, &transaction))
            .map(|()| true)
    }

    /// Acknowledges the attempt with this reference and number, for a caller that has no Entry. `level` is
    /// the level on which the caller has acted; `news` still reports a higher level. `connection` and the
    /// result are as for `acknowledge`.
    ///
    /// Raises InvalidArgumentError if there is no such attempt, or if the level is "none" or above the
    /// reported level; StorageError if the journal failed.
    #[pyo3(signature = (reference, attempt, level, connection=None))]
    fn acknowledge_by(
        &self,
        py: Python<'_>,
        reference: Argument<'_, '_>,
        attempt: Argument<'_, '_>,
        level: Argument<'_, '_>,
        connection: Option<Argument<'_, '_>>,
    ) -> PyResult<bool> {
        let (reference, attempt) = (text("reference", reference)?, whole("attempt", attempt)?);
        let level =
            known_word(py, "level", Some(level), Level::from_name, Level::TABLE)?.unwrap_or(Level::None);
        let Some(connection) = connection else {
            return self
                .call(py, Outcome::NotSent, |journal| journal.acknowledge_by(&reference, attempt, level));
        };
        let transaction = self.transaction(py, connection)?;
        self.call(py, Outcome::NotSent, |journal| {
            journal.acknowledge_by_with(&reference, attempt, level, &transaction)
        })
        .map(|()| true)
    }

    /// Lists the items about which an operator must decide: at most `limit` entries with their reasons in
    /// `attention`, at most `limit` orphans (messages that match no attempt), and a ServerChange, if another
    /// database server answers. Raises StorageError if the journal failed.
    #[pyo3(signature = (limit=None), text_signature = "($self, limit=100)")]
    fn attention<'py>(
        &self,
        py: Python<'py>,
        limit: Option<Argument<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let limit = optional_whole("limit", limit)?.unwrap_or(LIMIT);
        let items = PyList::empty(py);
        for item in self.call(py, Outcome::NotSent, |journal| journal.attention(limit))? {
            match item {
                Attention::Entry(entry) => items.append(Bound::new(py, Entry(*entry))?)?,
                Attention::Orphan(orphan) => items.append(Bound::new(py, Orphan(orphan))?)?,
                Attention::ServerChange(change) => items.append(Bound::new(py, ServerChange(change))?)?,
                _ => {}
            }
        }
        Ok(items)
    }

    /// Stores an operator's decision about an item of `attention`, with the operator's note of 1 to 500
    /// characters. Pass one of three: `order_id`, the attempt's order, whose status is queried first;
    /// `no_payment`, if the service made no payment for the attempt; or `seen`, which takes the item off the
    /// list until it has a new reason. Returns the new entry; None for an Orphan and a ServerChange, which
    /// accept only `seen`.
    ///
    /// Raises InvalidArgumentError if the attempt does not allow this decision, or if the order has a
    /// different sum; the error of `get_status` for the order; StorageError if the journal failed.
    #[pyo3(signature = (item, *, order_id=None, no_payment=None, seen=None, note),
           text_signature = "($self, item, *, order_id=None, no_payment=False, seen=False, note)")]
    fn resolve(
        &self,
        py: Python<'_>,
        item: Argument<'_, '_>,
        order_id: Option<Argument<'_, '_>>,
        no_payment: Option<Argument<'_, '_>>,
        seen: Option<Argument<'_, '_>>,
        note: Argument<'_, '_>,
    ) -> PyResult<Option<Entry>> {
        let order_id = optional_text("order_id", order_id)?;
        let no_payment = optional_flag("no_payment", no_payment)?.unwrap_or_default();
        let seen = optional_flag("seen", seen)?.unwrap_or_default();
        let note = text("note", note)?;
        let resolution = match (order_id, no_payment, seen) {
            (Some(order_id), false, false) => Resolution::OrderId(order_id),
            (None, true, false) => Resolution::NoPayment,
            (None, false, true) => Resolution::Seen,
            _ => return Err(invalid(py, "exactly one of order_id, no_payment and seen is required")),
        };
        if let Ok(orphan) = item.cast::<Orphan>() {
            if resolution != Resolution::Seen {
                return Err(invalid(py, "an orphan accepts only seen=True"));
            }
            let (order_id, status) = (&orphan.get().0.order_id, orphan.get().0.status.as_deref());
            self.call(py, Outcome::Unknown, |journal| journal.resolve_read_orphan(order_id, status, &note))?;
            return Ok(None);
        }
        if let Ok(change) = item.cast::<ServerChange>() {
            if resolution != Resolution::Seen {
                return Err(invalid(py, "a changed server accepts only seen=True"));
            }
            let change = change.get().0.clone();
            self.call(py, Outcome::NotSent, |journal| journal.resolve_server(&change, &note))?;
            return Ok(None);
        }
        let entry = attempt_of("item", item)?;
        let resolved =
            self.call(py, Outcome::Unknown, |journal| journal.resolve(&entry, &resolution, &note))?;
        Ok(Some(Entry(resolved)))
    }

    /// Closes the file, or the idle connections to the database, after the running calls have ended. The
    /// client stays open. The journal refuses later calls. `close` can be called twice.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        // Two statements: in one, the lock would be held while Python code runs.
        let taken = self.lock().take();
        let Some(open) = taken else { return Ok(()) };
        let Open { journal, core, client, database, .. } = open;
        py.detach(|| drop(journal));
        drop((core, client));
        database.map_or(Ok(()), |database| database.close(py))
    }

    /// True if the journal was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.lock().is_none()
    }

    fn __enter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        slf.get().with_open(slf.py(), |_| ())?;
        Ok(slf.clone())
    }

    #[pyo3(signature = (kind, error, traceback, /))]
    #[expect(unused_variables)]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<&Bound<'_, PyAny>>,
        error: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> &'static str {
        if self.closed() { "Journal(closed)" } else { "Journal()" }
    }

    // If the function that returns connections is a method of the object that holds the journal, the two are
    // a reference cycle.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(inner) = self.inner.try_lock() else { return Ok(()) };
        let Some(open) = inner.as_ref() else { return Ok(()) };
        visit.call(&open.client)?;
        let own = open.database.as_ref().filter(|_| !open.is_derived);
        own.map_or(Ok(()), |database| visit.call(database.object()))
    }

    fn __clear__(&self) {
        let taken = self.lock().take();
        drop(taken);
    }

    #[pyo3(signature = (protocol, /))]
    #[expect(unused_variables)]
    fn __reduce_ex__(&self, protocol: i32) -> PyResult<()> {
        Err(crate::not_copied("Journal"))
    }
}
