//! The operator at the end: asks the service's support about unknown payments by `merchantId`, and retries
//! refused payments.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::time::{Duration, Instant};

use merchantpay::Status;
use merchantpay_journal::{Attention, Entry, Resolution, Standing};
use serde_json::Value;

use super::shop::{Shop, can_be_paid, reference, steadily};
use crate::AnyResult;
use crate::service::Service;

pub(crate) struct Operator<'a> {
    service: &'a Service,
    shop: &'a Shop,
    payments: usize,
    found: u32,
    never_made: u32,
    still_sending: usize,
    reasons: BTreeMap<&'static str, u32>,
    orphans: u32,
}

/// The service's payments by their order ids.
pub(crate) type Listed<'a> = HashMap<&'a str, &'a Value>;

/// A payment that has not ended, or a payment with an end that the shop does not know yet.
struct Left {
    number: usize,
    is_over: bool,
}

/// The `merchantId` by which support finds the payment, as the journal writes it.
pub(crate) fn merchant_id(reference: &str, attempt: u32) -> String {
    if attempt == 1 { reference.to_owned() } else { format!("{reference}~{attempt}") }
}

/// The run fails if no payment ends for this long. The limit is long because news that a killed process had
/// claimed are reported again only after a minute.
pub(crate) const LONGEST_CLAIM: Duration = Duration::from_secs(120);

/// A run with at least this many payments waits until the leases (25 s) and the claims of news (a minute) of killed
/// processes have ended.
pub(crate) const LONG: usize = 1000;

const NOTE: &str = "the soak's operator";

impl Operator<'_> {
    pub(crate) fn new<'a>(service: &'a Service, shop: &'a Shop, payments: usize) -> Operator<'a> {
        let (found, never_made, still_sending, orphans) = (0, 0, 0, 0);
        Operator {
            service,
            shop,
            payments,
            found,
            never_made,
            still_sending,
            reasons: BTreeMap::new(),
            orphans,
        }
    }

    /// Continues until every payment has ended.
    pub(crate) fn end_all(&mut self, waits_for_the_killed: bool) -> AnyResult<()> {
        let (mut open, mut end) = (usize::MAX, Instant::now() + LONGEST_CLAIM);
        loop {
            while self.shop.turn(100)? {}
            self.decide(|_, _| Ok(()))?;
            let left = self.left(waits_for_the_killed)?;
            if left.is_empty() {
                return Ok(());
            }
            if left.len() < open {
                (open, end) = (left.len(), Instant::now() + LONGEST_CLAIM);
            } else if Instant::now() > end {
                return Err(format!(
                    "{} payments do not end, such as {:?}",
                    left.len(),
                    self.shop.journal.find(&reference(left[0].number))?
                )
                .into());
            }
            // `take` is not called again for a payment that is over but not acknowledged yet: a refused
            // payment would be refused again without an end.
            for payment in left.iter().filter(|payment| !payment.is_over) {
                self.shop.take(payment.number)?;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// The payments that have not ended.
    fn left(&mut self, waits_for_the_killed: bool) -> AnyResult<Vec<Left>> {
        let mut left = Vec::new();
        self.still_sending = 0;
        for number in 0..self.payments {
            let entry = self.shop.journal.find(&reference(number))?.ok_or("a payment was never taken")?;
            let is_told = entry.acknowledged() >= entry.reported() || !waits_for_the_killed;
            let is_over = match entry.standing() {
                Standing::Final => true,
                Standing::Refused => !can_be_paid(number),
                Standing::Sending => !waits_for_the_killed,
                _ => false,
            };
            // Earlier attempts with an order id are cancelled. The run waits until they have ended.
            let is_alive = |entry: &Entry| {
                entry.order_id().is_some() && !entry.status().as_ref().is_some_and(Status::is_final)
            };
            if !is_over || !is_told || entry.earlier().iter().any(is_alive) {
                left.push(Left { number, is_over });
            }
            self.still_sending += usize::from(entry.standing() == Standing::Sending);
        }
        Ok(left)
    }

    /// Makes the operator's decisions. Before each decision `look` gets the item and the service's list.
    /// Returns the number of items.
    pub(crate) fn decide(
        &mut self,
        mut look: impl FnMut(&Attention, &Listed<'_>) -> AnyResult<()>,
    ) -> AnyResult<usize> {
        let items = self.shop.journal.attention(1000)?;
        let count = items.len();
        if items.is_empty() {
            return Ok(0);
        }
        let listed = self.service.listed()?;
        let (mut made, mut of_order) = (HashMap::new(), HashMap::new());
        for payment in &listed {
            let Some((merchant_id, order_id)) = named(payment) else { continue };
            of_order.insert(order_id, payment);
            // The list begins with the newest payment, so the first payment with a `merchantId` is kept.
            made.entry(merchant_id).or_insert(order_id);
        }
        for item in items {
            look(&item, &of_order)?;
            match item {
                Attention::Entry(entry) => {
                    for reason in entry.attention() {
                        *self.reasons.entry(reason.name()).or_default() += 1;
                    }
                    self.resolve(&entry, made.get(merchant_id(entry.reference(), entry.attempt()).as_str()))?;
                }
                Attention::Orphan(orphan) => {
                    self.orphans += 1;
                    self.shop.journal.resolve_orphan(&orphan.order_id, NOTE)?;
                }
                _ => return Err("something else needs attention".into()),
            }
        }
        Ok(count)
    }

    fn resolve(&mut self, entry: &Entry, order_id: Option<&&str>) -> AnyResult<()> {
        let resolution = match (entry.standing(), order_id) {
            (Standing::Unknown, Some(order_id)) => Resolution::OrderId((*order_id).to_owned()),
            (Standing::Unknown, None) => Resolution::NoPayment,
            _ => Resolution::Seen,
        };
        match steadily(|| self.shop.journal.resolve(entry, &resolution, NOTE)) {
            Ok(_) => {}
            // A webhook has changed the standing after the list was read.
            Err(_) if self.standing(entry)? != Some(entry.standing()) => return Ok(()),
            Err(error) => return Err(error),
        }
        match resolution {
            Resolution::OrderId(_) => self.found += 1,
            Resolution::NoPayment => self.never_made += 1,
            _ => {}
        }
        Ok(())
    }

    /// The standing that an attempt has now.
    fn standing(&self, entry: &Entry) -> AnyResult<Option<Standing>> {
        let Some(last) = self.shop.journal.find(entry.reference())? else { return Ok(None) };
        let mut attempts = std::iter::once(&last).chain(last.earlier());
        Ok(attempts.find(|attempt| attempt.attempt() == entry.attempt()).map(Entry::standing))
    }
}

fn named(payment: &Value) -> Option<(&str, &str)> {
    Some((payment["merchantId"].as_str()?, payment["orderId"].as_str()?))
}

impl fmt::Display for Operator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Operator { found, never_made, still_sending, reasons, orphans, .. } = self;
        write!(
            f,
            "unknown: {found} found by support, {never_made} never made, {still_sending} still under way; {orphans} orphans; {reasons:?}"
        )
    }
}
