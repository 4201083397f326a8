//! Where payments are kept. No lock is held while anything is waited for.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::lock::lock;
use crate::payment::{Order, Payment};

#[derive(Default)]
pub(crate) struct Store(Mutex<HashMap<String, Payment>>);

impl Store {
    /// Keeps a new payment under a new id.
    pub(crate) fn create(&self, order: Order) -> Result<String, getrandom::Error> {
        let mut random = [0u8; 12];
        getrandom::fill(&mut random)?;
        let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let order_id = format!("sb-{digits}");
        lock(&self.0).insert(order_id.clone(), Payment::new(order_id.clone(), order));
        Ok(order_id)
    }

    /// Does something with a payment; `None` if there is none of that id.
    pub(crate) fn with<T>(&self, order_id: &str, action: impl FnOnce(&mut Payment) -> T) -> Option<T> {
        lock(&self.0).get_mut(order_id).map(action)
    }
}
