//! The service's list, the journal's rows and the shop's own books, compared order by order and kopeck by kopeck.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use super::rows::Row;
use crate::AnyResult;
use crate::journal::audit::{DONE, Made, kopecks};
use crate::journal::log::Deeds;

/// The losses of a restore.
#[derive(Default)]
pub(super) struct Restore {
    /// The time of the restore, in milliseconds since 1970. A row that was created before this time was created
    /// before the restore.
    pub(super) at: i64,
    /// The orders that the service had made before the restore.
    pub(super) made: HashSet<String>,
    /// The orders that the restored rows contain.
    pub(super) known: HashSet<String>,
    /// The attempts with rows that are missing after the restore.
    pub(super) missing: HashSet<(String, u32)>,
    /// The attempts with restored rows that are older than the rows before the restore.
    pub(super) older: HashSet<(String, u32)>,
}

impl Restore {
    pub(super) fn new(at: i64, made: &[Made], truth: &[Row], restored: &[Row]) -> Restore {
        let versions: HashMap<_, _> = restored.iter().map(|row| (key(row), row.version)).collect();
        let (older, missing) = truth
            .iter()
            .filter(|row| versions.get(&key(row)) != Some(&row.version))
            .map(key)
            .partition(|key| versions.contains_key(key));
        let known = restored.iter().filter_map(|row| row.order_id.clone()).collect();
        Restore { at, made: made.iter().map(|made| made.order_id.clone()).collect(), known, missing, older }
    }

    /// Returns `true` if an order was made before the restore, and no restored row has its order id.
    pub(super) fn forgot(&self, order_id: &str) -> bool {
        self.made.contains(order_id) && !self.known.contains(order_id)
    }

    fn took_a_row_of(&self, reference: &str) -> bool {
        self.missing.iter().any(|(missing, _)| missing == reference)
    }
}

fn key(row: &Row) -> (String, u32) {
    (row.reference.clone(), row.attempt)
}

/// Two orders of one reference that a customer could pay.
pub(super) struct Double<'a> {
    pub(super) reference: &'a str,
    /// The order that was made before the restore, and that the restored rows did not contain.
    pub(super) first: &'a Made,
    /// The order that was made after the restore.
    pub(super) second: &'a Made,
}

impl Double<'_> {
    pub(super) fn is_paid_twice(&self) -> bool {
        self.first.status == DONE && self.second.status == DONE
    }
}

impl fmt::Display for Double<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Double { reference, first, second } = self;
        write!(
            f,
            "double: {reference}: {} ({}), {} ({})",
            first.order_id, first.status, second.order_id, second.status
        )
    }
}

/// The result of a comparison without an unexplained difference.
pub(super) struct Agreement<'a> {
    /// The number of the service's orders that belong to an attempt.
    pub(super) known: usize,
    /// The number of orders with credentials that were shown to no customer.
    pub(super) never_shown: usize,
    /// The orders with rows that the restore removed.
    pub(super) lost: Vec<&'a Made>,
    pub(super) doubles: Vec<Double<'a>>,
    /// The references that were shipped a second time because a row was missing.
    pub(super) shipped_again: usize,
    /// The paid sums, in kopecks: by the service's list, by the rows, and of the orders without rows.
    pub(super) paid: [i64; 3],
}

/// Compares the service's list, the rows and the shop's books. A difference that the restore does not explain
/// is an error.
pub(super) fn compare<'a>(
    made: &'a [Made],
    rows: &[Row],
    deeds: &Deeds,
    restore: &Restore,
) -> AnyResult<Agreement<'a>> {
    let of_order: HashMap<&str, &Row> =
        rows.iter().filter_map(|row| row.order_id.as_deref().map(|order_id| (order_id, row))).collect();
    let named: HashMap<String, &Row> = rows.iter().map(|row| (row.merchant_id(), row)).collect();
    let handed: HashSet<&str> =
        deeds.handed.values().flat_map(BTreeMap::values).flatten().map(String::as_str).collect();
    let (mut known, mut never_shown, mut lost) = (0, 0, Vec::new());
    for payment in made {
        let order_id = payment.order_id.as_str();
        if let Some(row) = of_order.get(order_id) {
            check_same(row, payment, restore)?;
            known += 1;
        } else if restore.forgot(order_id) {
            lost.push(payment);
        } else {
            let row = named.get(&payment.merchant_id).filter(|row| row.order_id.is_none());
            if row.is_none() || payment.status == DONE || handed.contains(order_id) {
                return Err(
                    format!("{} ({order_id}, {}) is in no row", payment.merchant_id, payment.status).into()
                );
            }
            never_shown += 1;
        }
    }
    if known != of_order.len() {
        return Err(
            format!("{} rows have an order, of which the service knows {known}", of_order.len()).into()
        );
    }
    let paid =
        [sum(made.iter())?, rows.iter().map(paid_in).sum::<AnyResult<i64>>()?, sum(lost.iter().copied())?];
    if paid[0] != paid[1] + paid[2] {
        return Err(
            format!("{} kopecks at the service, {} in rows and {} lost", paid[0], paid[1], paid[2]).into()
        );
    }
    let doubles = doubles(made, deeds, &handed, restore)?;
    let shipped_again = check_shipped(made, deeds, restore)?;
    Ok(Agreement { known, never_shown, lost, doubles, shipped_again, paid })
}

fn sum<'a>(made: impl Iterator<Item = &'a Made>) -> AnyResult<i64> {
    made.filter(|payment| payment.status == DONE).map(|payment| kopecks(payment.sum)).sum()
}

fn paid_in(row: &Row) -> AnyResult<i64> {
    match (row.status.as_deref(), row.sum_paid) {
        (Some(DONE), Some(sum)) => kopecks(sum),
        (Some(DONE), None) => Err(format!("{}: done, and its sum is not known", row.merchant_id()).into()),
        _ => Ok(0),
    }
}

fn check_same(row: &Row, payment: &Made, restore: &Restore) -> Result<(), String> {
    let is_same = row.merchant_id() == payment.merchant_id
        && payment.is_final
        && row.status.as_deref() == Some(payment.status.as_str())
        && (payment.status != DONE || row.sum_paid == Some(payment.sum));
    // The restored row of a refused attempt may lack the status, because the journal asks the service nothing
    // more about a refused attempt.
    let lacks_failure = row.standing == "refused"
        && row.status.is_none()
        && payment.is_final
        && payment.status != DONE
        && restore.known.contains(&payment.order_id);
    if is_same || lacks_failure {
        return Ok(());
    }
    Err(format!(
        "{} is {} {:?} with {:?} here, and {} {} with {} at the service",
        row.merchant_id(),
        row.standing,
        row.status,
        row.sum_paid,
        payment.merchant_id,
        payment.status,
        payment.sum
    ))
}

/// The reference and the attempt of a `merchantId`.
pub(super) fn attempt_of(merchant_id: &str) -> (&str, u32) {
    let numbered = merchant_id.rsplit_once('~');
    numbered
        .and_then(|(reference, number)| Some((reference, number.parse().ok()?)))
        .unwrap_or((merchant_id, 1))
}

/// Every reference with two orders that were paid or could be paid. The restore must explain each such
/// reference.
fn doubles<'a>(
    made: &'a [Made],
    deeds: &Deeds,
    handed: &HashSet<&str>,
    restore: &Restore,
) -> Result<Vec<Double<'a>>, String> {
    let mut payable: BTreeMap<&str, Vec<&Made>> = BTreeMap::new();
    for payment in made {
        let (reference, attempt) = attempt_of(&payment.merchant_id);
        let is_cancelled = payment.is_final
            && payment.status != DONE
            && deeds.cancelled.contains(&(reference.to_owned(), attempt));
        if (handed.contains(payment.order_id.as_str()) || payment.status == DONE) && !is_cancelled {
            payable.entry(reference).or_default().push(payment);
        }
    }
    let mut doubles = Vec::new();
    for (reference, orders) in payable.into_iter().filter(|(_, orders)| orders.len() > 1) {
        let (before, after): (Vec<&Made>, Vec<&Made>) =
            orders.iter().partition(|order| restore.made.contains(&order.order_id));
        match (before[..].first(), after[..].first()) {
            (Some(first), Some(second)) if orders.len() == 2 && restore.forgot(&first.order_id) => {
                doubles.push(Double { reference, first, second });
            }
            _ => {
                let orders: Vec<&str> = orders.iter().map(|order| order.order_id.as_str()).collect();
                return Err(format!("{reference} has {orders:?}, which the restore does not explain"));
            }
        }
    }
    Ok(doubles)
}

/// Checks that each shipped order was paid, and was shipped once. An order may be shipped twice only if the
/// restore removed the row that recorded the first shipping.
fn check_shipped(made: &[Made], deeds: &Deeds, restore: &Restore) -> Result<usize, String> {
    let paid: HashSet<&str> = made
        .iter()
        .filter(|payment| payment.status == DONE)
        .map(|payment| attempt_of(&payment.merchant_id).0)
        .collect();
    let mut again = 0;
    for (reference, times) in &deeds.shipped {
        if !paid.contains(reference.as_str()) {
            return Err(format!("{reference} was shipped, and is not paid"));
        }
        if *times > 1 {
            if *times > 2 || !restore.took_a_row_of(reference) {
                return Err(format!("{reference} was shipped {times} times"));
            }
            again += 1;
        }
    }
    Ok(again)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(merchant_id: &str, order_id: &str, sum: &str) -> Made {
        Made {
            merchant_id: merchant_id.to_owned(),
            order_id: order_id.to_owned(),
            status: DONE.to_owned(),
            is_final: true,
            sum: sum.parse().unwrap(),
        }
    }

    fn row(reference: &str, order_id: &str, sum: &str) -> Row {
        Row {
            reference: reference.to_owned(),
            attempt: 1,
            version: 3,
            created_at: 0,
            standing: "final".to_owned(),
            order_id: Some(order_id.to_owned()),
            status: Some(DONE.to_owned()),
            sum_asked: sum.parse().unwrap(),
            sum_paid: Some(sum.parse().unwrap()),
            reported: 4,
            acknowledged: 4,
            purged: false,
        }
    }

    /// A day with two orders of one reference: `old`, with a row that a restore removed, and `new`.
    struct World {
        made: Vec<Made>,
        rows: Vec<Row>,
        deeds: Deeds,
        restore: Restore,
    }

    impl World {
        fn new() -> World {
            let made = vec![
                made("order-1", "one", "100.10"),
                made("order-2", "old", "100.20"),
                made("order-2", "new", "100.20"),
            ];
            let rows = vec![row("order-1", "one", "100.10"), row("order-2", "new", "100.20")];
            let truth = [row("order-1", "one", "100.10"), row("order-2", "old", "100.20")];
            let restore = Restore::new(1, &made[..2], &truth, &rows[..1]);
            World { made, rows, deeds: Deeds::default(), restore }
        }

        fn error(&self) -> String {
            compare(&self.made, &self.rows, &self.deeds, &self.restore).map(drop).unwrap_err().to_string()
        }
    }

    #[test]
    fn a_double_of_a_missing_row_is_named_with_both_orders() {
        let world = World::new();
        let agreement = compare(&world.made, &world.rows, &world.deeds, &world.restore).unwrap();
        assert_eq!(agreement.doubles[0].to_string(), "double: order-2: old (doneSuccess), new (doneSuccess)");
        assert_eq!(
            (agreement.doubles.len(), agreement.lost.len(), agreement.paid),
            (1, 1, [30_050, 20_030, 10_020])
        );
    }

    #[test]
    fn a_double_that_the_restore_does_not_explain_is_an_error() {
        let mut world = World::new();
        world.restore.known.insert("old".to_owned());
        assert!(world.error().contains("is in no row"), "the rows knew it");
        world.made[1].merchant_id = "order-2~2".to_owned();
        world.rows.push(Row { attempt: 2, ..row("order-2", "old", "100.20") });
        assert!(world.error().contains("the restore does not explain"));
        world = World::new();
        world.restore.made.clear();
        assert!(world.error().contains("is in no row"), "both were made after it");
    }

    #[test]
    fn a_ledger_that_is_wrong_by_a_kopeck_or_a_status_is_an_error() {
        let mut world = World::new();
        world.rows[0].sum_paid = Some("100.11".parse().unwrap());
        assert!(world.error().contains("100.11"));
        world = World::new();
        world.made[0].status = "doneFail".to_owned();
        assert!(world.error().contains("doneFail"));
        world = World::new();
        world.rows.push(row("order-3", "three", "1.00"));
        assert!(world.error().contains("3 rows have an order"));
    }

    #[test]
    fn a_second_shipment_is_an_error_unless_its_row_was_missing() {
        let mut world = World::new();
        world.deeds.shipped.insert("order-2".to_owned(), 2);
        assert!(compare(&world.made, &world.rows, &world.deeds, &world.restore).is_ok());
        world.deeds.shipped.insert("order-1".to_owned(), 2);
        assert!(world.error().contains("shipped 2 times"));
    }
}
