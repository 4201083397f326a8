//! The payments, in memory. No lock is held across an await.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use axum::body::Bytes;

use crate::base::lock;
use crate::base::random::Random;
use crate::model::payment::{Order, Payment};

/// The number of receipt bytes that are kept in memory.
const MAX_RECEIPT_BYTES: usize = 64 * 1024 * 1024;

pub(crate) struct PaymentStore {
    payments: Mutex<Payments>,
    random: Random,
}

#[derive(Default)]
struct Payments {
    /// The payments are boxed, because about a third of the places in a hash map are empty.
    by_id: HashMap<String, Box<Payment>>,
    /// The ids of the payments, oldest first.
    ids: Vec<String>,
    last_number: u64,
    /// The receipts whose files are in memory, oldest first: the order id, the receipt's id, and the size.
    receipts: VecDeque<(String, u64, usize)>,
}

impl PaymentStore {
    /// Makes a store with the payments of an earlier run, oldest first.
    pub(crate) fn new(random: Random, earlier: Vec<Payment>) -> PaymentStore {
        let mut payments = Payments::default();
        for payment in earlier {
            payments.last_number = payments.last_number.max(payment.number);
            payments.ids.push(payment.order_id.clone());
            payments.by_id.insert(payment.order_id.clone(), Box::new(payment));
        }
        PaymentStore { payments: Mutex::new(payments), random }
    }

    pub(crate) fn random(&self) -> &Random {
        &self.random
    }

    /// Adds a new payment under a new id.
    pub(crate) fn create(&self, order: Order, held: bool) -> Result<String, getrandom::Error> {
        let mut payments = lock(&self.payments);
        let order_id = loop {
            let order_id = format!("sb-{}", self.random.digits::<12>()?);
            // An earlier run with the same seed may have made this id. The payments of that run are in the
            // database.
            if !payments.by_id.contains_key(&order_id) {
                break order_id;
            }
        };
        payments.last_number += 1;
        let number = payments.last_number;
        payments.ids.push(order_id.clone());
        let payment = Payment::new(number, order_id.clone(), order, held);
        payments.by_id.insert(order_id.clone(), Box::new(payment));
        Ok(order_id)
    }

    /// Removes the payments that are final, and returns their ids.
    pub(crate) fn remove_final(&self) -> Vec<String> {
        let mut payments = lock(&self.payments);
        let Payments { by_id, ids, .. } = &mut *payments;
        let is_final = |id: &String| by_id.get(id).is_none_or(|payment| payment.state.is_final());
        let (removed, kept): (Vec<_>, Vec<_>) = std::mem::take(ids).into_iter().partition(is_final);
        removed.iter().for_each(|id| drop(by_id.remove(id)));
        *ids = kept;
        removed
    }

    /// Notes new receipts of a payment. The oldest files in memory are dropped; `saved` says whether the database
    /// has them.
    pub(crate) fn keep_receipts(&self, order_id: &str, new: &[(u64, usize)], saved: bool) {
        let mut payments = lock(&self.payments);
        let Payments { by_id, receipts, .. } = &mut *payments;
        receipts.extend(new.iter().map(|(id, size)| (order_id.to_owned(), *id, *size)));
        let mut size: usize = receipts.iter().map(|(_, _, size)| size).sum();
        while size > MAX_RECEIPT_BYTES && receipts.len() > 1 {
            let Some((order_id, id, dropped)) = receipts.pop_front() else { break };
            size -= dropped;
            let payment = by_id.get_mut(&order_id);
            let list = payment.into_iter().flat_map(|payment| &mut payment.receipt_list);
            for receipt in list.filter(|receipt| receipt.id == id) {
                (receipt.bytes, receipt.kept) = (Bytes::new(), saved);
            }
        }
    }

    pub(crate) fn has(&self, order_id: &str) -> bool {
        lock(&self.payments).by_id.contains_key(order_id)
    }

    /// Calls a function with a payment; `None` if the id is unknown.
    pub(crate) fn with<T>(&self, order_id: &str, action: impl FnOnce(&mut Payment) -> T) -> Option<T> {
        lock(&self.payments).by_id.get_mut(order_id).map(|payment| action(payment))
    }

    /// The newest payments for which `wanted` is true, with numbers below `before` if that is set. `make`
    /// converts each payment.
    pub(crate) fn newest<T>(
        &self,
        before: Option<u64>,
        limit: usize,
        wanted: impl Fn(&Payment) -> bool,
        make: impl Fn(&Payment) -> T,
    ) -> Vec<(u64, T)> {
        let payments = lock(&self.payments);
        // The payments are sorted by number, so a page skips newer payments without reading them.
        let is_older = |id: &String| {
            payments.by_id.get(id).is_some_and(|payment| before.is_none_or(|before| payment.number < before))
        };
        let older = payments.ids.partition_point(is_older);
        let newest = payments.ids[..older].iter().rev().filter_map(|id| payments.by_id.get(id));
        newest
            .filter(|payment| wanted(payment))
            .take(limit)
            .map(|payment| (payment.number, make(payment)))
            .collect()
    }
}
