//! Compares the journal with the service.

use std::collections::BTreeMap;
use std::path::Path;

use merchantpay::{Amount, Status};
use merchantpay_journal::{Entry, Standing};
use serde_json::Value;

use super::languages::Program;
use super::log::Deeds;
use super::operator::merchant_id;
use super::shop::{Shop, reference};
use crate::AnyResult;
use crate::service::Service;

pub(crate) const DONE: &str = "doneSuccess";

/// A payment in the service's list.
pub(crate) struct Made {
    pub(crate) merchant_id: String,
    pub(crate) order_id: String,
    pub(crate) status: String,
    pub(crate) is_final: bool,
    pub(crate) sum: Amount,
}

impl Made {
    pub(crate) fn read(payment: &Value) -> AnyResult<Made> {
        let text = |name: &str| payment[name].as_str().map(str::to_owned).ok_or("a payment without a field");
        Ok(Made {
            merchant_id: text("merchantId")?,
            order_id: text("orderId")?,
            status: text("status")?,
            is_final: payment["final"] == Value::Bool(true),
            sum: text("sum")?.parse()?,
        })
    }
}

/// All payments by their `merchantId`. It is an error if two payments have the same `merchantId`.
fn made(service: &Service) -> AnyResult<BTreeMap<String, Made>> {
    let mut made = BTreeMap::new();
    for payment in service.listed()? {
        let one = Made::read(&payment)?;
        let name = one.merchant_id.clone();
        if made.insert(name.clone(), one).is_some() {
            return Err(format!("{name} was made twice").into());
        }
    }
    Ok(made)
}

/// Checks every payment of the service. The payment must belong to an attempt of the journal with the same
/// final status and the same sum. Otherwise no customer may have got the payment's credentials.
pub(crate) fn compare(service: &Service, shop: &Shop, payments: usize) -> AnyResult<String> {
    let mut made = made(service)?;
    let at_service: i64 = made
        .values()
        .filter(|made| made.status == DONE)
        .map(|made| kopecks(made.sum))
        .sum::<AnyResult<i64>>()?;
    let (count, mut attempts, mut here, mut unclaimed) = (made.len(), 0, 0, 0);
    for number in 0..payments {
        let entry = shop.journal.find(&reference(number))?.ok_or("a payment is missing")?;
        for attempt in std::iter::once(&entry).chain(entry.earlier()) {
            attempts += 1;
            let known = made.remove(&merchant_id(attempt.reference(), attempt.attempt()));
            here += money(attempt)?;
            unclaimed += u64::from(is_unclaimed(attempt, known.as_ref())?);
        }
    }
    if let Some(name) = made.keys().next() {
        return Err(format!("the journal has no attempt for {name}").into());
    }
    if here != at_service {
        return Err(format!("{here} kopecks here and {at_service} at the service").into());
    }
    let requests = service.requests()?.new_payments;
    if requests > attempts {
        return Err(format!("{requests} requests for {attempts} attempts").into());
    }
    Ok(format!(
        "ledger: {count} payments at the service, {attempts} attempts here, {requests} requests; {here} kopecks paid in both; \
         {unclaimed} made and never shown to anybody"
    ))
}

pub(crate) fn kopecks(sum: Amount) -> AnyResult<i64> {
    Ok(sum.minor().ok_or("a sum without kopecks")?)
}

fn money(attempt: &Entry) -> AnyResult<i64> {
    match (attempt.status(), attempt.payment().and_then(|payment| payment.sum())) {
        (Some(Status::DoneSuccess), Some(sum)) => kopecks(sum),
        (Some(Status::DoneSuccess), None) => Err("a payment is done, and its sum is not known".into()),
        _ => Ok(0),
    }
}

/// Returns `true` if the service made a payment whose order id the attempt does not have. It is an error if
/// such a payment was paid, or if the attempt's standing does not allow such a payment.
fn is_unclaimed(attempt: &Entry, made: Option<&Made>) -> AnyResult<bool> {
    let wrong = |what: &str| Err(format!("{what}: {attempt:?}").into());
    match (attempt.order_id(), made) {
        (None, None) => Ok(false),
        (Some(_), None) => wrong("the service has no such payment"),
        (Some(order_id), Some(made)) if order_id != made.order_id => wrong("it is another order"),
        (Some(_), Some(made)) => {
            let stored = attempt.status();
            let is_same = stored.as_ref().map(Status::as_str) == Some(made.status.as_str());
            if made.is_final && is_same {
                Ok(false)
            } else {
                wrong(&format!("the service says {}", made.status))
            }
        }
        (None, Some(made)) => {
            let may_be = match attempt.standing() {
                Standing::Sending | Standing::Unknown | Standing::Superseded => made.status != DONE,
                // The service refused the request, so its payment must have failed too.
                Standing::Refused => made.is_final && made.status != DONE,
                _ => false,
            };
            if may_be { Ok(true) } else { wrong("a payment of the service has no place") }
        }
    }
}

/// The number of payments to ship. A process that was killed after an acknowledgement may have shipped a
/// payment without a note in its log.
pub(crate) fn succeeded(shop: &Shop, payments: usize) -> AnyResult<usize> {
    let mut count = 0;
    for number in 0..payments {
        count += usize::from(shop.journal.find(&reference(number))?.is_some_and(|entry| entry.succeeded()));
    }
    Ok(count)
}

/// Checks the credentials that customers got. No customer has the credentials of two payments for one
/// reference, unless the first payment was cancelled before. No order was shipped twice, and the processes of
/// each language have done a part of the work.
pub(crate) fn hand_outs(
    service: &Service,
    folder: &Path,
    programs: &[Program],
    least: usize,
) -> AnyResult<String> {
    let (deeds, made) = (Deeds::read(folder)?, made(service)?);
    let mut replaced = 0;
    for (reference, attempts) in &deeds.handed {
        let last = attempts.keys().next_back().copied().unwrap_or_default();
        for (attempt, orders) in attempts {
            let name = merchant_id(reference, *attempt);
            let made = made
                .get(&name)
                .ok_or_else(|| format!("credentials of {name} were handed out, which was never made"))?;
            if orders.len() != 1 || !orders.contains(&made.order_id) {
                return Err(format!("credentials of {orders:?} were handed out for {name}").into());
            }
            if *attempt == last {
                continue;
            }
            replaced += 1;
            let is_dead = made.is_final && made.status != DONE;
            if !is_dead || !deeds.cancelled.contains(&(reference.clone(), *attempt)) {
                return Err(
                    format!("credentials of two live payments were handed out for {reference}").into()
                );
            }
        }
    }
    if let Some((reference, times)) = deeds.shipped.iter().find(|(_, times)| **times > 1) {
        return Err(format!("{reference} was shipped {times} times").into());
    }
    if deeds.shipped.len() < least {
        return Err(
            format!("{} were shipped, and at least {least} should have been", deeds.shipped.len()).into()
        );
    }
    if let Some(idle) = programs.iter().find(|program| !deeds.hand_outs.contains_key(program.language)) {
        return Err(format!("no process in {} has handed out any credentials", idle.language).into());
    }
    let paid = made.values().filter(|made| made.status == DONE).count();
    let (references, shipped) = (deeds.handed.len(), deeds.shipped.len());
    let hand_outs: Vec<_> =
        deeds.hand_outs.iter().map(|(whose, count)| format!("{count} by {whose}")).collect();
    let hand_outs = hand_outs.join(", ");
    Ok(format!(
        "hand-outs: {hand_outs}, for {references} references, {replaced} of them after a cancel; {paid} paid, {shipped} shipped, none \
         twice"
    ))
}
