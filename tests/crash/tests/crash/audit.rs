//! What a person decides with the help of the service's support, and the comparison of a journal with the service's
//! list, kopeck by kopeck.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use merchantpay::{Amount, PaymentRequest, Status};
use merchantpay_crash::Place;
use merchantpay_journal::operator::Operator;
use merchantpay_journal::{Attention, Entry, Journal, Resolution, Standing, Until};
use serde_json::Value;

pub type AnyResult<T> = Result<T, Box<dyn std::error::Error>>;

const NOTE: &str = "the test's operator";

#[derive(Debug, Clone)]
pub struct Made {
    pub merchant_id: String,
    pub order_id: String,
    pub status: Status,
    pub sum: Amount,
}

/// Ignores the proxy of the environment.
pub fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().proxy(None).build().new_agent()
}

pub fn listed(url: &str) -> AnyResult<Vec<Made>> {
    let agent = agent();
    let (mut made, mut next) = (Vec::new(), String::new());
    loop {
        let mut reply = agent.get(format!("{url}/sandbox/payments?limit=500{next}")).call()?;
        let page: Value = serde_json::from_reader(reply.body_mut().as_reader())?;
        for payment in page["payments"].as_array().ok_or("no payments")? {
            let text =
                |name: &str| payment[name].as_str().map(str::to_owned).ok_or("a payment without a field");
            made.push(Made {
                merchant_id: text("merchantId")?,
                order_id: text("orderId")?,
                status: Status::from(text("status")?),
                sum: text("sum")?.parse()?,
            });
        }
        match &page["next"] {
            Value::Null => return Ok(made),
            number => next = format!("&before={}", number.to_string().trim_matches('"')),
        }
    }
}

/// Returns the number of orphans.
pub fn decide(journal: &Journal, made: &[Made]) -> AnyResult<usize> {
    let mut orphans = 0;
    for item in journal.attention(1000)? {
        match item {
            Attention::Entry { entry, .. } => resolve(journal, &entry, made)?,
            Attention::Orphan(orphan) => {
                orphans += 1;
                journal.resolve_orphan(&orphan.order_id, orphan.status.as_deref(), NOTE)?;
            }
            item => return Err(format!("{item:?}").into()),
        }
    }
    Ok(orphans)
}

/// Support finds the payment of an unknown attempt by its `merchantId`.
pub fn resolve(journal: &Journal, entry: &Entry, made: &[Made]) -> AnyResult<()> {
    let name = merchant_id(entry);
    let resolution = match made.iter().find(|made| made.merchant_id == name) {
        _ if entry.standing != Standing::Unknown => Resolution::Seen(entry.attention.clone()),
        Some(made) => Resolution::Order(made.order_id.clone(), None),
        None => Resolution::NoPayment,
    };
    match journal.resolve(entry, &resolution, NOTE) {
        Ok(_) => Ok(()),
        // An error is right if the entry has changed since it was read: then it is decided again.
        Err(error) => match Operator::of(journal).attempts(&entry.reference)? {
            attempts if attempts.contains(entry) => {
                Err(format!("{resolution:?} of {entry:?}: {error}").into())
            }
            _ => Ok(()),
        },
    }
}

/// Every lease and running call of a dead process ends, as if time passed.
pub fn let_time_pass(place: &Place) {
    place.sql(
        "UPDATE merchantpay_attempts SET call_until = 1 WHERE state = 'sent'; \
         UPDATE merchantpay_attempts SET due_at = 1 WHERE due_at IS NOT NULL AND state IN ('sent', 'open'); \
         UPDATE merchantpay_attempts SET news_due = 1 WHERE news_due IS NOT NULL",
    );
}

/// Takes the next step of a payment towards its success.
pub fn go_on(
    journal: &Journal,
    reference: &str,
    entry: Option<Entry>,
    request: &PaymentRequest,
    patience: Duration,
    made: &[Made],
    shown: &mut Shown,
) -> AnyResult<()> {
    let mut show = |entry: &Entry| {
        let order_id = entry.credentials.as_ref().and(entry.order_id.as_ref());
        order_id.into_iter().for_each(|order_id| shown.note(reference, order_id));
    };
    let Some(entry) = entry else {
        show(&journal.pay(reference, request)?);
        return Ok(());
    };
    match entry.standing {
        Standing::Refused => show(&journal.pay(reference, request)?),
        Standing::Final => show(&journal.replace(reference, entry.attempt, request)?),
        Standing::Unknown => resolve(journal, &entry, made)?,
        Standing::Open => {
            let entry = journal.wait(reference, Until::Credentials, patience)?;
            show(&entry);
            if entry.credentials.is_some() && entry.intent.is_none() {
                journal.confirm(&entry)?;
            }
            journal.wait(reference, Until::Final, patience)?;
        }
        _ => {}
    }
    Ok(())
}

fn merchant_id(entry: &Entry) -> String {
    match entry.attempt {
        1 => entry.reference.clone(),
        attempt => format!("{}~{attempt}", entry.reference),
    }
}

/// The orders whose credentials somebody got, by reference.
#[derive(Debug, Default)]
pub struct Shown(BTreeMap<String, BTreeSet<String>>);

impl Shown {
    pub fn note(&mut self, reference: &str, order_id: &str) {
        self.0.entry(reference.to_owned()).or_default().insert(order_id.to_owned());
    }

    /// Nobody got credentials of two payments of a reference, unless the first one had failed.
    pub fn check(&self, made: &[Made]) -> AnyResult<()> {
        for (reference, orders) in &self.0 {
            let live = made.iter().filter(|made| orders.contains(&made.order_id));
            if live.filter(|made| made.status != Status::DoneFail).count() > 1 {
                return Err(
                    format!("{reference} has two payable payments that were shown: {orders:?}").into()
                );
            }
        }
        Ok(())
    }
}

#[derive(Debug, Default)]
pub struct Ledger {
    pub attempts: usize,
    pub payments: usize,
    pub succeeded: usize,
    pub kopecks: i64,
    /// Payments whose credentials nobody has got.
    pub never_shown: usize,
}

/// Compares every attempt of these references with the service's list. `must_succeed` says of which references one
/// attempt must have succeeded; of none has more than one.
pub fn compare(
    journal: &Journal,
    references: impl IntoIterator<Item = String>,
    must_succeed: impl Fn(&str) -> bool,
    list: Vec<Made>,
) -> AnyResult<Ledger> {
    let mut ledger = Ledger { payments: list.len(), ..Ledger::default() };
    let mut made = BTreeMap::new();
    let mut at_service = 0;
    for payment in list {
        at_service += paid(&payment.status, Some(payment.sum))?;
        let twice = made.insert(payment.merchant_id.clone(), payment);
        if let Some(twice) = twice {
            return Err(format!("doubled: {twice:?}").into());
        }
    }
    let operator = Operator::of(journal);
    for reference in references {
        let attempts = operator.attempts(&reference)?;
        let succeeded = attempts.iter().filter(|attempt| attempt.succeeded).count();
        if attempts.is_empty() || succeeded > 1 || succeeded == 0 && must_succeed(&reference) {
            return Err(format!("{reference} has succeeded {succeeded} times: {attempts:?}").into());
        }
        ledger.succeeded += succeeded;
        for attempt in &attempts {
            ledger.attempts += 1;
            ledger.kopecks +=
                attempt.status.as_ref().map_or(Ok(0), |status| paid(status, attempt.sum_paid))?;
            let known = made.remove(&merchant_id(attempt));
            let is_right = match (&attempt.order_id, &known) {
                (None, None) => true,
                (Some(order_id), Some(made)) => {
                    *order_id == made.order_id
                        && made.status.is_final()
                        && attempt.status.as_ref() == Some(&made.status)
                }
                (Some(_), None) => false,
                (None, Some(made)) => {
                    ledger.never_shown += 1;
                    made.status != Status::DoneSuccess
                }
            };
            if !is_right {
                return Err(format!("{attempt:?} is {known:?} at the service").into());
            }
        }
    }
    match made.values().next() {
        Some(lost) => Err(format!("lost: {lost:?}").into()),
        None if ledger.kopecks != at_service => {
            Err(format!("{} kopecks here and {at_service} at the service", ledger.kopecks).into())
        }
        None => Ok(ledger),
    }
}

fn paid(status: &Status, sum: Option<Amount>) -> AnyResult<i64> {
    match status {
        Status::DoneSuccess => Ok(sum.and_then(|sum| sum.minor()).ok_or("a success without a sum")?),
        _ => Ok(0),
    }
}
