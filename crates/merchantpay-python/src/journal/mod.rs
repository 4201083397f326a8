//! The journal. Its constructor is in `settings`, and the methods that make a payment are in `operations`.

mod calls;
mod entry_fields;
mod operations;
mod parts;
mod settings;
mod values;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use merchantpay::{Error, Outcome};
use merchantpay_journal::{Reason, Resolution, Standing, Until};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList};
use pyo3::{PyTraverseError, PyVisit};

use self::calls::{is_entry, key, known_word};
use crate::amount::amount;
use crate::argument::{
    Argument, moment, optional_flag, optional_text, optional_whole, seconds, text, texts, whole, wrong_type,
};
use crate::call::attempt;
use crate::client::Client;
use crate::error::invalid;
use crate::webhook::header;
use crate::{headers, python_half};

/// The largest number of attempts or entries in one call, if the caller gives no limit.
const LIMIT: u32 = 100;

/// Makes payments under your own order numbers, the *references*: at most one payment that a customer can
/// pay for each. `pay` can be repeated at any time, by any process, also after a crash. The page
/// docs/journal.md explains what the journal promises.
///
/// `receive` takes webhooks, and `settle` asks the service about what is due. Act only on the entries of
/// `news`; after a crash they come again. `attention` lists what a person must look at.
///
/// - client: the Client that calls the service. Interrupting the client ends `wait` and `settle`.
/// - place: the absolute path of a file that only the journal uses, or the URL of a database,
///   `postgresql://…` or `mysql://…`.
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
///
/// Threads may share a journal. After a fork the child opens its own connection. A journal cannot be pickled
/// or copied; its entries can. The GIL is released during calls. On Ctrl-C a call finishes and stores its
/// result, and then KeyboardInterrupt is raised; `wait` and `settle` end between two calls to the service.
///
/// Raises InvalidArgumentError for a setting that cannot be used, or if the journal belongs to another
/// account; StorageError if the place cannot be used.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct Journal {
    /// None after the journal is closed. The lock is taken only with the GIL held, and released before any
    /// Python code can run.
    inner: Mutex<Option<Open>>,
}

/// The objects that are released when the journal is closed.
struct Open {
    journal: Arc<merchantpay_journal::Journal>,
    /// The Rust client inside `client`, for the pauses between two calls.
    core: merchantpay::Client,
    /// Kept so that the garbage collector can visit the client.
    client: Py<Client>,
}

#[pymethods]
impl Journal {
    /// Tells the service that the customer has paid this attempt: an Entry, or a reference and the number of
    /// the attempt. Returns the new entry, whose `intent_state` says what became of it. The instruction is
    /// stored first; `settle` sends it again until the service has answered.
    ///
    /// Raises InvalidArgumentError for an attempt that does not exist or has no order yet; StorageError if the
    /// journal failed.
    #[pyo3(signature = (entry, attempt=None, /))]
    fn confirm<'py>(
        &self,
        py: Python<'py>,
        entry: Argument<'_, 'py>,
        attempt: Option<Argument<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (reference, attempt) = key(entry, attempt)?;
        self.entry(py, |journal| journal.confirm((reference.as_str(), attempt)))
    }

    /// Cancels this attempt: an Entry, or a reference and the number of the attempt. Returns the new entry,
    /// without `credentials`. Once the cancel is accepted, `replace` may make another payment. Raises the same
    /// errors as `confirm`.
    #[pyo3(signature = (entry, attempt=None, /))]
    fn cancel<'py>(
        &self,
        py: Python<'py>,
        entry: Argument<'_, 'py>,
        attempt: Option<Argument<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (reference, attempt) = key(entry, attempt)?;
        self.entry(py, |journal| journal.cancel((reference.as_str(), attempt)))
    }

    /// Takes a webhook: its path or URL, its unchanged body, and the values of the headers X-Signature and
    /// X-KeyId; None for an absent header. Answer the webhook with the result's `http_status`. The webhook's
    /// error is in the result's `error`, and is not raised.
    #[pyo3(signature = (path, body, signature, key_id=None))]
    fn receive<'py>(
        &self,
        py: Python<'py>,
        path: Argument<'_, 'py>,
        body: Argument<'_, 'py>,
        signature: Option<Argument<'_, 'py>>,
        key_id: Option<Argument<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (signature, key_id) = (header("signature", signature), header("key_id", key_id));
        self.take_webhook(py, path, body, signature?.as_deref(), key_id?.as_deref())
    }

    /// Like `receive`, with a request's headers in any framework's type, as in
    /// `WebhookVerifier.verify_request`.
    #[pyo3(signature = (path, body, headers))]
    fn receive_request<'py>(
        &self,
        py: Python<'py>,
        path: Argument<'_, 'py>,
        body: Argument<'_, 'py>,
        headers: Argument<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pairs = headers::pairs(headers)?;
        // A repeated header does not verify.
        let (signature, key_id) = (headers::once(&pairs, "x-signature"), headers::once(&pairs, "x-keyid"));
        let signature = if key_id.is_ok() { signature.ok().flatten() } else { None };
        self.take_webhook(py, path, body, signature, key_id.ok().flatten())
    }

    /// Asks the service about at most `limit` attempts that are due, and sends unanswered instructions again;
    /// at most 10 calls a second. Call it from cron or in a loop, in as many processes as you like. The error
    /// of a failed call is the entry's `error`, and the attempt comes again.
    ///
    /// Raises StorageError if the journal failed, CallCancelledError if the client was interrupted.
    #[pyo3(signature = (limit=None), text_signature = "($self, limit=100)")]
    fn settle<'py>(&self, py: Python<'py>, limit: Option<Argument<'_, 'py>>) -> PyResult<Bound<'py, PyAny>> {
        let limit = optional_whole("limit", limit)?.unwrap_or(LIMIT);
        let pause = self.pause_between(py)?;
        let settled = self.call(py, Outcome::Unknown, |journal| journal.settle_with(limit, pause))?;
        values::settled(py, settled)
    }

    /// Waits until the last attempt of a reference has reached `until` (an Until), at most `timeout` seconds,
    /// and returns its entry. Meanwhile the service is asked about it every two seconds.
    ///
    /// Raises InvalidArgumentError if there is no such reference, StorageError if the journal failed,
    /// CallCancelledError if the client was interrupted.
    #[pyo3(signature = (reference, *, timeout, until=None), text_signature = "($self, reference, *, timeout, until='credentials')")]
    fn wait<'py>(
        &self,
        py: Python<'py>,
        reference: Argument<'_, 'py>,
        timeout: Argument<'_, 'py>,
        until: Option<Argument<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (reference, timeout) = (text("reference", reference)?, seconds("timeout", timeout)?);
        let until = known_word(py, "until", until, Until::from_name, Until::TABLE)?.unwrap_or_default();
        let pause = self.pause_between(py)?;
        self.entry(py, |journal| journal.wait_with(&reference, until, timeout, pause))
    }

    /// The entry of a reference's last attempt; None if there is no such reference. Raises StorageError if the
    /// journal failed.
    fn find<'py>(
        &self,
        py: Python<'py>,
        reference: Argument<'_, 'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let reference = text("reference", reference)?;
        let found = self.call(py, Outcome::NotSent, |journal| journal.find(&reference))?;
        found.map(|entry| values::entry(py, &entry)).transpose()
    }

    /// At most `limit` entries, the newest first: each reference's last attempt, or the attempts of one
    /// standing (a Standing). `before`, the last entry of a page, continues behind it. Raises StorageError if
    /// the journal failed.
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
        let before = match before {
            None => None,
            Some(entry) if is_entry(entry)? => Some((
                moment("created_at", &entry.getattr("created_at")?)?,
                text("reference", &entry.getattr("reference")?)?,
            )),
            Some(other) => return Err(wrong_type("before", "Entry", other)),
        };
        let listed = self.call(py, Outcome::NotSent, |journal| {
            let before = before.as_ref().map(|(created_at, reference)| (*created_at, reference.as_str()));
            journal.list_before(standing, limit, before)
        })?;
        values::entries(py, &listed)
    }

    /// At most `limit` entries with news that nobody has acknowledged, the oldest first. Each is leased to the
    /// caller for a minute; an entry that is not acknowledged by then comes again. Act on what it says, then
    /// acknowledge it. Raises StorageError if the journal failed or is paused.
    #[pyo3(signature = (limit=None), text_signature = "($self, limit=100)")]
    fn news<'py>(&self, py: Python<'py>, limit: Option<Argument<'_, 'py>>) -> PyResult<Bound<'py, PyList>> {
        let limit = optional_whole("limit", limit)?.unwrap_or(LIMIT);
        let news = self.call(py, Outcome::NotSent, |journal| journal.news(limit))?;
        values::entries(py, &news)
    }

    /// Acknowledges the news that an entry shows: an Entry, or a reference, the number of the attempt and the
    /// number of the news. Returns whether it did: False if they were acknowledged before, or if there are
    /// newer ones. To acknowledge in your own transaction, see `Entry.acknowledge_sql`.
    ///
    /// Raises StorageError if the journal failed.
    #[pyo3(signature = (entry, attempt=None, news=None, /))]
    fn acknowledge<'py>(
        &self,
        py: Python<'py>,
        entry: Argument<'_, 'py>,
        attempt: Option<Argument<'_, 'py>>,
        news: Option<Argument<'_, 'py>>,
    ) -> PyResult<bool> {
        if attempt.is_some() && news.is_none() {
            return Err(invalid(py, "news is missing: the number of the news that were read"));
        }
        let (reference, attempt) = key(entry, attempt)?;
        let news = match news {
            Some(news) => whole("news", news)?,
            None => whole("news", &entry.getattr("news")?)?,
        };
        self.call(py, Outcome::NotSent, |journal| journal.acknowledge((reference.as_str(), attempt, news)))
    }

    /// What a person must look at: entries with reasons in `attention` and a sentence for each in `details`;
    /// orphans, the messages about orders that no attempt has; and unreadable rows. At most `limit` of each
    /// kind. Raises StorageError if the journal failed.
    #[pyo3(signature = (limit=None), text_signature = "($self, limit=100)")]
    fn attention<'py>(
        &self,
        py: Python<'py>,
        limit: Option<Argument<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let limit = optional_whole("limit", limit)?.unwrap_or(LIMIT);
        let items = self.call(py, Outcome::NotSent, |journal| journal.attention(limit))?;
        let items = items.iter().filter_map(|item| values::item(py, item).transpose());
        PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
    }

    /// Stores a person's decision about an item of `attention`, with a note of 1 to 500 characters: who
    /// decided, and why. Returns the new entry; None for an Orphan. Pass one of these:
    ///
    /// - order_id: the attempt's payment is this order. The service is asked about it, and must report the
    ///   asked sum, or `sum` if that is given.
    /// - no_payment: there is no payment for the attempt.
    /// - seen: True for the reasons in the entry's `attention`, or the reasons that were seen. What came
    ///   meanwhile stays on the list. An orphan accepts only `seen=True`.
    /// - trusted: a restored attempt is as new as the truth.
    ///
    /// Raises InvalidArgumentError if the decision does not fit; the error of `get_status` for the order;
    /// StorageError if the journal failed.
    #[pyo3(signature = (item, *, order_id=None, sum=None, no_payment=None, seen=None, trusted=None, note),
           text_signature = "($self, item, *, order_id=None, sum=None, no_payment=False, seen=False, trusted=False, note)")]
    #[allow(clippy::too_many_arguments)]
    fn resolve<'py>(
        &self,
        py: Python<'py>,
        item: Argument<'_, 'py>,
        order_id: Option<Argument<'_, 'py>>,
        sum: Option<Argument<'_, 'py>>,
        no_payment: Option<Argument<'_, 'py>>,
        seen: Option<Argument<'_, 'py>>,
        trusted: Option<Argument<'_, 'py>>,
        note: Argument<'_, 'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let order_id = optional_text("order_id", order_id)?;
        let sum = sum.map(|sum| amount("sum", sum)).transpose()?;
        let no_payment = optional_flag("no_payment", no_payment)?.unwrap_or_default();
        let trusted = optional_flag("trusted", trusted)?.unwrap_or_default();
        let note = text("note", note)?;
        let is_orphan = item.is_instance(&python_half!(py, "merchantpay._entry", "Orphan")?)?;
        if !is_orphan && !is_entry(item)? {
            return Err(wrong_type("item", "Entry or Orphan", item));
        }
        let seen = match seen {
            None => None,
            Some(flag) if flag.is_instance_of::<PyBool>() => {
                optional_flag("seen", Some(flag))?.filter(|seen| *seen).map(|_| None)
            }
            Some(reasons) => Some(Some(reasons.clone())),
        };
        if sum.is_some() && order_id.is_none() {
            return Err(invalid(py, "sum is allowed only with order_id"));
        }
        let resolution = match (order_id, no_payment, &seen, trusted) {
            (Some(order_id), false, None, false) => Resolution::Order(order_id, sum),
            (None, true, None, false) => Resolution::NoPayment,
            (None, false, Some(None), false) if is_orphan => Resolution::Seen(Vec::new()),
            (None, false, Some(None), false) => Resolution::Seen(reasons(&item.getattr("attention")?)?),
            (None, false, Some(Some(given)), false) => Resolution::Seen(reasons(given)?),
            (None, false, None, true) => Resolution::Trusted,
            _ => {
                return Err(invalid(py, "exactly one of order_id, no_payment, seen and trusted is required"));
            }
        };
        if is_orphan {
            if !matches!(seen, Some(None)) {
                return Err(invalid(py, "an orphan accepts only seen=True"));
            }
            let order_id = text("order_id", &item.getattr("order_id")?)?;
            let status = item.getattr("status")?;
            let status = optional_text("status", Some(&status).filter(|status| !status.is_none()))?;
            self.call(py, Outcome::Unknown, |journal| {
                journal.resolve_orphan(&order_id, status.as_deref(), &note)
            })?;
            return Ok(None);
        }
        let (reference, attempt) = key(item, None)?;
        self.entry(py, |journal| journal.resolve((reference.as_str(), attempt), &resolution, &note)).map(Some)
    }

    /// Counts what is open, due, new and for a person. Raises StorageError if the journal failed.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let stats = self.call(py, Outcome::NotSent, |journal| journal.stats())?;
        values::stats(py, &stats)
    }

    /// A derived journal, whose calls can be interrupted separately.
    fn _derive(&self, py: Python<'_>) -> PyResult<Journal> {
        let open = self.with_open(py, |open| Open {
            journal: Arc::new(open.journal.derive()),
            core: open.core.derive(Duration::ZERO),
            client: open.client.clone_ref(py),
        })?;
        Ok(Journal { inner: Mutex::new(Some(open)) })
    }

    /// Ends the calls to the service of a derived journal. The result of an interrupted call is still stored.
    fn _interrupt(&self, py: Python<'_>) -> PyResult<()> {
        let (journal, core) = self.with_open(py, |open| (Arc::clone(&open.journal), open.core.clone()))?;
        py.detach(|| {
            journal.interrupt();
            core.interrupt();
        });
        Ok(())
    }

    /// One step of `wait`, which `AsyncJournal` repeats without a thread in between: the entry, or the
    /// seconds until the next step.
    #[pyo3(signature = (reference, timeout, until))]
    fn _look<'py>(
        &self,
        py: Python<'py>,
        reference: Argument<'_, 'py>,
        timeout: Argument<'_, 'py>,
        until: Argument<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (reference, timeout) = (text("reference", reference)?, seconds("timeout", timeout)?);
        let until = known_word(py, "until", Some(until), Until::from_name, Until::TABLE)?.unwrap_or_default();
        let journal = self.with_open(py, |open| Arc::clone(&open.journal))?;
        let mut next = None;
        let looked = attempt(py, Outcome::Unknown, || {
            journal.wait_with(&reference, until, timeout, |pause| {
                next = Some(pause);
                Err(Error::internal(Outcome::Unknown, "the wait was not handed to Python"))
            })
        })?;
        match (looked, next) {
            (Err(_), Some(pause)) => Ok(pause.as_secs_f64().into_pyobject(py)?.into_any()),
            (looked, _) => values::entry(py, &looked.map_err(|failed| failed.into_exception(py))?),
        }
    }

    /// Closes the journal after the running calls have ended. The client stays open. The journal refuses later
    /// calls. `close` can be called twice.
    fn close(&self, py: Python<'_>) {
        // Two statements: in one, the lock would be held while Python code runs.
        let taken = self.lock().take();
        let Some(Open { journal, core, client }) = taken else { return };
        py.detach(|| drop(journal));
        drop((core, client));
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
    ) {
        self.close(py);
    }

    fn __repr__(&self) -> &'static str {
        if self.closed() { "Journal(closed)" } else { "Journal()" }
    }

    // The client's signer can be a method of the object that holds the journal: a reference cycle.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(inner) = self.inner.try_lock() else { return Ok(()) };
        inner.as_ref().map_or(Ok(()), |open| visit.call(&open.client))
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

/// Reasons by their names, such as an entry's `attention`.
fn reasons(given: Argument<'_, '_>) -> PyResult<Vec<Reason>> {
    let py = given.py();
    let find = |name: String| {
        Reason::from_name(&name).ok_or_else(|| invalid(py, format!("{name:?} is no reason of Attention")))
    };
    texts("seen", given)?.into_iter().map(find).collect()
}
