//! `pay` and `pay_async`: create at most one payable payment for each reference.

use std::time::{Duration, Instant};

use merchantpay::{Error, PaymentRequest, Result};

use crate::api::entry::Entry;
use crate::api::journal::Journal;
use crate::model::driver::{Key, Task};
use crate::model::record::Record;
use crate::model::request::{ANY_TOKEN, Asked, check_reference, merchant_id, sets_url};
use crate::model::standing::Standing;
use crate::storage::queries::not_sent;

/// A lease lasts this long after the deadline. The time is for storing the reply, and for clocks that differ.
const MARGIN: Duration = Duration::from_secs(10);
/// The pause before the first look at another caller's running call. Each further pause is longer, up to
/// [`LONGEST_LOOK`].
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LONGEST_LOOK: Duration = Duration::from_millis(250);

impl Journal {
    /// Creates a payment by `/new`, or returns the existing payment. The call can be repeated safely.
    ///
    /// The returned entry can have any standing. Show its [credentials](Entry::credentials) if it has some,
    /// and call `pay` again if it is `refused`. An entry stays `unknown` until a webhook or an operator
    /// decides. If a cashier cannot wait for that, call [`replace`](Journal::replace).
    ///
    /// While another call for the same payment is running, `pay` makes no attempt. It waits for the end of
    /// that call, at most for [`pay_wait`](crate::JournalConfig::pay_wait). After three refused attempts in a
    /// row `pay` makes the next attempt only after a pause, and returns the refused entry until then. The
    /// pause is 2 s, and doubles with each refused attempt up to 5 min.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for an invalid reference or request, or if the reference belongs to a different
    /// request. `storage` if the journal failed or is [paused](Journal::pause). With the outcome `not_sent`
    /// no request was sent; with `unknown` the error has the order id if a reply arrived. An error of the
    /// service or the network is not returned: it is the entry's [error](Entry::error).
    pub fn pay(&self, reference: &str, request: &PaymentRequest) -> Result<Entry> {
        self.take(reference, request, None, false)
    }

    /// Like [`pay`](Journal::pay), by `/new-async`: the credentials arrive by webhook, and
    /// [`news`](Journal::news) and [`wait`](Journal::wait) return them. Prefer `pay_async` if replies may get
    /// lost, as under php-fpm. `pay_async` needs a callback URL.
    ///
    /// # Errors
    ///
    /// The errors of [`pay`](Journal::pay), and `invalid_argument` without a callback URL.
    pub fn pay_async(&self, reference: &str, request: &PaymentRequest) -> Result<Entry> {
        self.take(reference, request, None, true)
    }

    /// Creates a payment that replaces `attempt`. A person must decide this, because only a person can
    /// know that nobody has seen the old attempt's credentials. Without credentials nobody can pay the old
    /// attempt. `replace` does nothing if `attempt` is not the last attempt, so that a double click makes no
    /// third payment.
    ///
    /// # Errors
    ///
    /// The errors of [`pay`](Journal::pay).
    pub fn replace(&self, reference: &str, request: &PaymentRequest, attempt: u32) -> Result<Entry> {
        self.take(reference, request, Some(attempt), false)
    }

    /// Like [`replace`](Journal::replace), by `/new-async`.
    ///
    /// # Errors
    ///
    /// The errors of [`pay_async`](Journal::pay_async).
    pub fn replace_async(&self, reference: &str, request: &PaymentRequest, attempt: u32) -> Result<Entry> {
        self.take(reference, request, Some(attempt), true)
    }

    fn take(
        &self,
        reference: &str,
        request: &PaymentRequest,
        replace: Option<u32>,
        asynchronous: bool,
    ) -> Result<Entry> {
        let deadline = self.deadline();
        check_reference(reference)?;
        if asynchronous && self.callback_url.is_none() {
            return Err(Error::invalid_argument(
                "pay_async needs a callback URL, to which the service sends the credentials",
            ));
        }
        let lease = i64::try_from((self.timeout + MARGIN).as_millis()).unwrap_or(i64::MAX / 2);
        // An invalid request is refused before anything is stored.
        if asynchronous && request.has_credentials_webhook_url() {
            return Err(sets_url("credentialsWebhookUrl"));
        }
        let given = if asynchronous {
            request.clone().credentials_webhook_url("https://callback.invalid/")
        } else {
            request.clone()
        };
        let asked = Asked::read(reference, &self.account, &given, asynchronous, lease)?;
        self.with_urls(request, ANY_TOKEN, asynchronous).checked_body(asynchronous)?;
        let task = Task::Pay(Box::new(asked.clone()), replace);
        let finished = self.run(task, Some(request), deadline)?;
        let (is_own, order_id) = (finished.done.is_own, finished.order_id.clone());
        let entry = finished.entry().ok_or_else(|| lost(order_id.as_deref()))?;
        if is_own {
            return Ok(entry);
        }
        check_same(&entry, &asked)?;
        self.await_call(entry, &asked)
    }

    /// Waits for the end of the attempt's first call, which another process or thread makes. The method makes
    /// no call itself, and uses no connection between two reads. If the wait is interrupted, the method
    /// returns the entry as it was read last.
    fn await_call(&self, mut entry: Entry, asked: &Asked) -> Result<Entry> {
        let end = Instant::now() + self.pay_wait;
        let mut pause = FIRST_LOOK;
        while entry.standing() == Standing::Sending {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || self.client.pause(pause.min(left)).is_err() {
                break;
            }
            pause = (pause * 3 / 2).min(LONGEST_LOOK);
            let loaded = self.queries.load(&Key::Last(asked.reference.clone())).map_err(not_sent)?;
            entry = Entry::new(loaded.record.ok_or_else(|| lost(None))?, loaded.now);
            check_same(&entry, asked)?;
        }
        Ok(entry)
    }

    /// Makes the request that is sent for an attempt.
    pub(crate) fn request_of(&self, record: &Record, request: &PaymentRequest) -> PaymentRequest {
        let request = self.with_urls(request, &record.token, record.asynchronous);
        if request.has_merchant_id() {
            return request;
        }
        request.merchant_id(merchant_id(&record.reference, record.attempt))
    }

    fn with_urls(&self, request: &PaymentRequest, token: &str, asynchronous: bool) -> PaymentRequest {
        let Some(callback_url) = &self.callback_url else { return request.clone() };
        let url = format!("{callback_url}/{token}");
        let request = request.clone().status_webhook_url(&url);
        if asynchronous { request.credentials_webhook_url(url) } else { request }
    }
}

/// The error if the stored row is missing: the database failed over and lost the row.
fn lost(order_id: Option<&str>) -> Error {
    Error::storage(merchantpay::Outcome::Unknown, "the attempt is no longer in the journal")
        .with_order_id(order_id)
}

/// Checks that the request is the same as the request of the entry, unless the attempt was refused.
fn check_same(entry: &Entry, asked: &Asked) -> Result<()> {
    match entry.standing() == Standing::Refused || is_same(entry.record(), asked) {
        true => Ok(()),
        false => Err(Error::invalid_argument("this reference already belongs to a different request")
            .with_order_id(entry.order_id())),
    }
}

/// Compares an attempt with a request. A purged attempt keeps only the sum.
fn is_same(record: &Record, asked: &Asked) -> bool {
    match record.request_hash.is_empty() {
        true => record.sum_asked == asked.sum,
        false => record.request_hash == asked.hash(&record.token),
    }
}
