//! The merchant's use of the journal, the same in every process.

use std::path::Path;
use std::time::{Duration, Instant};

use merchantpay::{Amount, PaymentMethod, PaymentRequest};
use merchantpay_journal::{Entry, IntentState, Journal, Standing};

use super::log::Log;
use super::store::Place;
use crate::{AnyResult, TIMEOUT, service};

pub(crate) struct Shop {
    pub(crate) journal: Journal,
    log: Log,
}

pub(crate) fn reference(number: usize) -> String {
    format!("order-{number}")
}

/// The request for the payment with this number. Each payment has a different sum.
fn request(number: usize) -> PaymentRequest {
    let sum = Amount::from_minor(10_010 + 10 * i64::try_from(number).unwrap_or_default());
    PaymentRequest::new(sum, PaymentMethod::Sbp, account(number))
}

fn account(number: usize) -> &'static str {
    match number % 40 {
        3 => "no-credentials",
        5 => "pays-less",
        9 => "payment-fails",
        _ => "79001234567",
    }
}

/// Returns `true` if the service has credentials for this payment.
pub(crate) fn can_be_paid(number: usize) -> bool {
    account(number) != "no-credentials"
}

impl Shop {
    pub(crate) fn open(
        settings: &str,
        place: &Place,
        log: &Path,
        hooks: &str,
        creates_tables: bool,
    ) -> AnyResult<Shop> {
        let client = service::client(&serde_json::from_str(settings)?)?;
        let config = place.config().callback_url(hooks).create(creates_tables);
        let journal = Journal::open(&client, config.timeout(Duration::from_secs(15)).calls_per_second(1000))?;
        Ok(Shop { journal, log: Log::open(log)? })
    }

    /// Creates a payment. A cashier replaces one third of the payments whose reply is lost.
    pub(crate) fn take(&self, number: usize) -> AnyResult<()> {
        let (reference, request) = (reference(number), request(number));
        let entry = steadily(|| match number % 2 {
            0 => self.journal.pay(&reference, &request),
            _ => self.journal.pay_async(&reference, &request),
        })?;
        self.serve(&entry)?;
        if entry.standing() == Standing::Unknown && number.is_multiple_of(3) {
            self.serve(&self.replace(&entry)?)?;
        }
        Ok(())
    }

    /// Returns `true` if a payment is refused because the journal is paused.
    #[cfg(feature = "servers")]
    pub(crate) fn is_paused(&self) -> bool {
        let refused = self.journal.pay("order-while-paused", &request(0));
        refused.is_err_and(|error| error.is_transient() && error.message().contains("the journal is paused"))
    }

    pub(crate) fn note_done(&self, number: usize) -> AnyResult<()> {
        Ok(self.log.note(&format!("done {number}"))?)
    }

    fn replace(&self, entry: &Entry) -> AnyResult<Entry> {
        let number = number_of(entry.reference())?;
        steadily(|| match number % 2 {
            0 => self.journal.replace(entry.reference(), &request(number), entry.attempt()),
            _ => self.journal.replace_async(entry.reference(), &request(number), entry.attempt()),
        })
    }

    /// Gives the credentials, if any, to a customer who pays immediately. For one customer in fifty the shop
    /// cancels the payment and makes another one.
    fn serve(&self, entry: &Entry) -> AnyResult<()> {
        let (Some(order_id), true) = (entry.order_id(), entry.credentials().is_some()) else { return Ok(()) };
        let (reference, attempt) = (entry.reference(), entry.attempt());
        self.log.note(&format!("handed {reference} {attempt} {order_id}"))?;
        if number_of(entry.reference())? % 50 == 7 && attempt == 1 {
            let cancelled = steadily(|| self.journal.cancel(entry))?;
            if cancelled.cancel() == Some(IntentState::Accepted) {
                self.log.note(&format!("cancelled {reference} {attempt}"))?;
                self.serve(&self.replace(&cancelled)?)?;
            }
        } else if entry.confirm().is_none() {
            steadily(|| self.journal.confirm(entry))?;
        }
        Ok(())
    }

    /// Handles some reported changes (news), and settles some due attempts. Returns whether there was anything
    /// to do.
    pub(crate) fn turn(&self, limit: u32) -> AnyResult<bool> {
        let news = steadily(|| self.journal.news(limit))?;
        for entry in &news {
            self.serve(entry)?;
            if steadily(|| self.journal.acknowledge(entry))? && entry.succeeded() {
                self.log.note(&format!("shipped {}", entry.reference()))?;
            }
        }
        let settled = steadily(|| self.journal.settle(limit))?;
        Ok(!news.is_empty() || settled.done > 0)
    }
}

pub(crate) fn number_of(reference: &str) -> AnyResult<usize> {
    Ok(reference.strip_prefix("order-").ok_or("another reference")?.parse()?)
}

/// Repeats a call while the journal is busy: nine processes write to one file or database.
pub(crate) fn steadily<T>(mut call: impl FnMut() -> merchantpay::Result<T>) -> AnyResult<T> {
    let end = Instant::now() + TIMEOUT;
    loop {
        match call() {
            Err(error) if error.is_transient() && Instant::now() < end => {
                std::thread::sleep(Duration::from_millis(20))
            }
            result => return Ok(result?),
        }
    }
}
