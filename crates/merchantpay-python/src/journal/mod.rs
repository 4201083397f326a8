//! The journal. Its constructor is in `settings`, what takes a payment in `operations`.

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

/// How many attempts or entries an operation takes, unless another number is given.
const LIMIT: u32 = 100;

/// Takes each payment once, by the merchant's own order number, its *reference*. `pay` can be repeated safely:
/// each reference has at most one payment that a customer can pay. The page docs/journal.md has the promise.
///
/// `receive` takes webhooks, `settle` asks the service about what is open and due, `news` is the one place to
/// act, also after a crash, and `attention` lists what an operator must decide.
///
/// - client: the Client that the journal sends with. Interrupting it ends `wait` and `settle`.
/// - path_or_connect: a SQLite file, which is made if it is not there and belongs to the journal alone; no other
///   SQLite of this process may open it. Or a function without arguments that gives a new DB-API connection to the
///   merchant's own database, for the journal alone: of sqlite3, psycopg, psycopg2, PyMySQL or mysqlclient.
///   `merchantpay journal schema` prints the tables.
// generated: begin settings
/// - callback_url: where the service's webhooks come; each attempt adds a token of its own.
/// - account: whose payments these are; the base URL unless set.
/// - timeout: the deadline of a payment, its storing included: 30 s unless set, at least 15 s.
/// - calls_per_second: how many calls settle makes in a second at most: 10 unless set.
/// - calls_at_once: how many calls settle makes side by side at most: 4 unless set, at most 64.
/// - create: creates the file or the tables if they are missing; off unless set.
/// - pay_wait: how long pay waits for a running call of the same payment: 5 s unless set, 0 for not at all.
/// - durability_vouched: settings of the database, separated by commas, that the merchant vouches for: opening does
///   not refuse them.
// generated: end
/// - dialect: which SQL the database speaks, where the connection's module does not say: a Dialect.
/// - max_connections: how many connections to the database are open at once: 20 unless set. A further statement waits for
///   one for up to `timeout`. Connections that cannot change their thread, such as sqlite3's, are not limited.
///
/// A journal may be shared by threads and works after a fork, where a child opens connections of its own. It
/// cannot be pickled or copied; entries can. The GIL is released but for the statements. A call that Ctrl-C
/// meets finishes and stores its result; KeyboardInterrupt is raised then. `wait` and `settle` hear it
/// between their calls.
///
/// Raises InvalidArgumentError for a setting that cannot be used, or if the journal is another account's;
/// StorageError if the file or the database cannot be used.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct Journal {
    /// None once it is closed. Locked only with the GIL held, and let go before any Python code can run.
    inner: Mutex<Option<Open>>,
}

/// What is let go of when the journal is closed.
struct Open {
    journal: Arc<merchantpay_journal::Journal>,
    /// The core's client of `client`, for the pauses.
    core: merchantpay::Client,
    /// For the garbage collector.
    client: Py<Client>,
    database: Option<Database>,
    /// Whether another journal has the same database, which the garbage collector must see once.
    is_derived: bool,
}

/// How the core's journal takes a payment, and how it takes one in the place of an attempt.
pub(crate) struct Payments {
    pub(crate) pay: fn(&merchantpay_journal::Journal, &str, &PaymentRequest) -> CoreResult,
    pub(crate) replace: fn(&merchantpay_journal::Journal, &str, &PaymentRequest, u32) -> CoreResult,
}

type CoreResult = merchantpay::Result<merchantpay_journal::Entry>;

#[pymethods]
impl Journal {
    /// Reports to the service that the customer has paid this attempt, and returns it as it is then. It is stored
    /// first, and `settle` retries it while its outcome is unknown; the entry's `confirm` has its state.
    ///
    /// Raises InvalidArgumentError for an attempt whose order id is not known, StorageError if the journal failed.
    fn confirm(&self, py: Python<'_>, entry: Argument<'_, '_>) -> PyResult<Entry> {
        let entry = attempt_of("entry", entry)?;
        self.call(py, Outcome::Unknown, |journal| journal.confirm(&entry)).map(Entry)
    }

    /// Cancels this attempt, and returns it as it is then. Its credentials are not shown from now on. Once its
    /// `cancel` is "accepted" it can be replaced. Raises as `confirm`.
    fn cancel(&self, py: Python<'_>, entry: Argument<'_, '_>) -> PyResult<Entry> {
        let entry = attempt_of("entry", entry)?;
        self.call(py, Outcome::Unknown, |journal| journal.cancel(&entry)).map(Entry)
    }

    /// Confirms an attempt by value, for a caller that keeps no entry: as `confirm`. Raises InvalidArgumentError also if
    /// there is no such attempt.
    fn confirm_by(
        &self,
        py: Python<'_>,
        reference: Argument<'_, '_>,
        attempt: Argument<'_, '_>,
    ) -> PyResult<Entry> {
        let (reference, attempt) = (text("reference", reference)?, whole("attempt", attempt)?);
        self.call(py, Outcome::Unknown, |journal| journal.confirm_by(&reference, attempt)).map(Entry)
    }

    /// Cancels an attempt by value, for a caller that keeps no entry: as `cancel`. Raises as `confirm_by`.
    fn cancel_by(
        &self,
        py: Python<'_>,
        reference: Argument<'_, '_>,
        attempt: Argument<'_, '_>,
    ) -> PyResult<Entry> {
        let (reference, attempt) = (text("reference", reference)?, whole("attempt", attempt)?);
        self.call(py, Outcome::Unknown, |journal| journal.cancel_by(&reference, attempt)).map(Entry)
    }

    /// Takes a webhook: its path or URL, its body exactly as it came, and the texts of the headers X-Signature and
    /// X-KeyId, or None. Answer with the `http_status` of what it returns; what is wrong with the webhook is not
    /// raised.
    #[pyo3(signature = (path, body, signature, key_id=None))]
    fn receive(
        &self,
        py: Python<'_>,
        path: Argument<'_, '_>,
        body: Argument<'_, '_>,
        signature: Option<Argument<'_, '_>>,
        key_id: Option<Argument<'_, '_>>,
    ) -> PyResult<Received> {
        let (signature, key_id) = (optional_text("signature", signature), optional_text("key_id", key_id));
        self.take_webhook(py, path, body, signature?.as_deref(), key_id?.as_deref())
    }

    /// The same from a request's headers, in whatever form the framework keeps them, as
    /// `WebhookVerifier.verify_request` takes them.
    #[pyo3(signature = (path, body, headers))]
    fn receive_request(
        &self,
        py: Python<'_>,
        path: Argument<'_, '_>,
        body: Argument<'_, '_>,
        headers: Argument<'_, '_>,
    ) -> PyResult<Received> {
        let pairs = headers::pairs(headers)?;
        // One that stands twice decides nothing: it does not verify.
        let (signature, key_id) = (headers::once(&pairs, "x-signature"), headers::once(&pairs, "x-keyid"));
        let signature = if key_id.is_ok() { signature.ok().flatten() } else { None };
        self.take_webhook(py, path, body, signature, key_id.ok().flatten())
    }

    /// Asks the service about at most `limit` attempts that are due, and retries unanswered confirms and cancels. Call
    /// it from cron or in a loop; several may share the work. Returns how many it looked at, and in how many seconds
    /// the next is due. A call that fails is the entry's own `error`, and asked again later.
    ///
    /// Raises StorageError if the journal failed, CallCancelledError if the client was interrupted.
    #[pyo3(signature = (limit=None), text_signature = "($self, limit=100)")]
    fn settle(&self, py: Python<'_>, limit: Option<Argument<'_, '_>>) -> PyResult<Settled> {
        let limit = optional_whole("limit", limit)?.unwrap_or(LIMIT);
        let pause = self.pause_between(py)?;
        self.call(py, Outcome::Unknown, |journal| journal.settle_with(limit, pause)).map(Settled::from)
    }

    /// Waits for the last attempt of a reference until it has come so far (`until` is an Until), asks the service
    /// about it meanwhile, and returns it as it is when that is reached or `timeout` seconds are over.
    ///
    /// Raises InvalidArgumentError if there is no such reference, StorageError if the journal failed,
    /// CallCancelledError if the client was interrupted. Between its calls Ctrl-C ends it.
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

    /// The entry of a reference, with the attempts before it; None where there is no such reference. Raises
    /// StorageError if the journal failed.
    fn find(&self, py: Python<'_>, reference: Argument<'_, '_>) -> PyResult<Option<Entry>> {
        let reference = text("reference", reference)?;
        let found = self.call(py, Outcome::NotSent, |journal| journal.find(&reference))?;
        Ok(found.map(Entry))
    }

    /// At most `limit` entries, of one standing (a Standing) or of all, the newest first, without the attempts
    /// before them; only those behind the entry `before` in that order. Raises StorageError if the journal failed.
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

    /// At most `limit` entries whose level is above what was acknowledged, the oldest first: the one place to act.
    /// Each is this caller's for `claim` seconds, a minute unless given, so that several workers do not get the same;
    /// one that is not acknowledged comes again. Raises StorageError if the journal failed.
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

    /// Reports that the merchant has acted on this entry's level; later changes are reported again. Returns
    /// whether there was anything to acknowledge: of two workers it is True for one.
    ///
    /// With `connection`, one of the merchant's own to the journal's database, it is part of the transaction on it.
    /// Called first of all in that transaction, what is done in it is done exactly once: where there was nothing to
    /// acknowledge it raises ConflictError, and the transaction is to be rolled back. Keep it short, and READ
    /// COMMITTED.
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

    /// Acknowledges an attempt by value, for a caller that keeps no entry: `level` is the `reported` that was read and
    /// acted on. What was reported after that level stays in the news. `connection` and what it returns are as for
    /// `acknowledge`.
    ///
    /// Raises InvalidArgumentError if there is no such attempt, and for a level that is "none" or above what is
    /// reported; StorageError if the journal failed.
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

    /// The items that an operator must decide, over all attempts: at most `limit` entries with their reasons in `attention`, as
    /// many orphans (messages that match no attempt), and a ServerChange, if another database server answers. Raises
    /// StorageError if the journal failed.
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

    /// Stores what a person says of an attempt, with the person's note of 1 to 500 characters: that it is this order,
    /// whose status is asked for first; that the service made no payment for it; or that it was seen, and goes off the
    /// list until something new is found. One of the three. Returns the entry as it is then; None for an Orphan and a
    /// ServerChange, which accept only `seen`.
    ///
    /// Raises InvalidArgumentError if that cannot be said of it, or if the order's sum is another one; what the service
    /// says of the order; StorageError if the journal failed.
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
            _ => return Err(invalid(py, "one of order_id, no_payment and seen is needed")),
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

    /// Closes the file, or the connections to the database that are idle, once the calls that are under way have
    /// ended. The client stays open. Any later call is refused. May be called twice.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        // Not in one: the lock would be held while Python code runs.
        let taken = self.lock().take();
        let Some(open) = taken else { return Ok(()) };
        let Open { journal, core, client, database, .. } = open;
        py.detach(|| drop(journal));
        drop((core, client));
        database.map_or(Ok(()), |database| database.close(py))
    }

    /// Whether the journal was closed.
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

    // A factory that is a method of what holds the journal is a circle.
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
