//! The payments, in memory. No lock is held across an await.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use axum::body::Bytes;

use super::Numbered;
use crate::base::lock;
use crate::base::random::Random;
use crate::model::payment::{Order, Payment};

const MAX_RECEIPT_BYTES: usize = 64 * 1024 * 1024;

pub(crate) struct PaymentStore {
    payments: Mutex<Payments>,
    random: Random,
}

#[derive(Default)]
struct Payments {
    /// Boxed, because many places of a tree are empty.
    all: Numbered<Box<Payment>>,
    numbers: HashMap<String, u64>,
    /// The receipts whose files are in memory, oldest first: the order id, the receipt's id, and the size.
    receipts: VecDeque<(String, u64, usize)>,
}

impl Payments {
    fn get_mut(&mut self, order_id: &str) -> Option<&mut Box<Payment>> {
        self.all.values.get_mut(self.numbers.get(order_id)?)
    }
}

impl PaymentStore {
    pub(crate) fn new(random: Random, earlier: Vec<Payment>) -> PaymentStore {
        let numbers = earlier.iter().map(|payment| (payment.order_id.clone(), payment.number)).collect();
        let all = Numbered::of(earlier.into_iter().map(|payment| (payment.number, Box::new(payment))));
        PaymentStore { payments: Mutex::new(Payments { all, numbers, receipts: VecDeque::new() }), random }
    }

    pub(crate) fn random(&self) -> &Random {
        &self.random
    }

    pub(crate) fn create(&self, order: Order, held: bool) -> Result<String, getrandom::Error> {
        let mut payments = lock(&self.payments);
        let order_id = loop {
            let order_id = format!("sb-{}", self.random.digits::<12>()?);
            // An earlier run with the same seed may have made this id. The payments of that run are in the
            // database.
            if !payments.numbers.contains_key(&order_id) {
                break order_id;
            }
        };
        let number = payments.all.next();
        payments.numbers.insert(order_id.clone(), number);
        let payment = Payment::new(number, order_id.clone(), order, held);
        payments.all.values.insert(number, Box::new(payment));
        Ok(order_id)
    }

    pub(crate) fn remove_final(&self) -> Vec<Payment> {
        let mut payments = lock(&self.payments);
        let Payments { all, numbers, .. } = &mut *payments;
        let removed = all.values.extract_if(.., |_, payment| payment.state.is_final());
        let removed: Vec<Payment> = removed.map(|(_, payment)| *payment).collect();
        for payment in &removed {
            numbers.remove(&payment.order_id);
        }
        removed
    }

    /// Notes new receipts of a payment. The oldest files in memory are dropped; `saved` says whether the database
    /// has them.
    pub(crate) fn keep_receipts(&self, order_id: &str, new: &[(u64, usize)], saved: bool) {
        let mut payments = lock(&self.payments);
        payments.receipts.extend(new.iter().map(|(id, size)| (order_id.to_owned(), *id, *size)));
        let mut size: usize = payments.receipts.iter().map(|(_, _, size)| size).sum();
        while size > MAX_RECEIPT_BYTES && payments.receipts.len() > 1 {
            let Some((order_id, id, dropped)) = payments.receipts.pop_front() else { break };
            size -= dropped;
            let list = payments.get_mut(&order_id).into_iter().flat_map(|payment| &mut payment.receipt_list);
            for receipt in list.filter(|receipt| receipt.id == id) {
                (receipt.bytes, receipt.kept) = (Bytes::new(), saved);
            }
        }
    }

    pub(crate) fn has(&self, order_id: &str) -> bool {
        lock(&self.payments).numbers.contains_key(order_id)
    }

    pub(crate) fn with<T>(&self, order_id: &str, action: impl FnOnce(&mut Payment) -> T) -> Option<T> {
        lock(&self.payments).get_mut(order_id).map(|payment| action(payment))
    }

    pub(crate) fn newest<S>(
        &self,
        before: Option<u64>,
        limit: usize,
        show: impl Fn(&Payment) -> Option<S>,
    ) -> Vec<(u64, S)> {
        lock(&self.payments).all.newest(before, limit, |payment| show(payment))
    }
}
