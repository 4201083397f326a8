//! Receipts that the client attaches: after one, another that the service requires is news.

use std::sync::Arc;
use std::time::Instant;

use merchantpay::{Client, ReceiptListener, Result};

use crate::api::driver::Case;
use crate::api::effort::{Effort, PATIENCE};
use crate::api::journal::Journal;
use crate::api::read::Read;
use crate::model::order;

impl Journal {
    /// Listens to the client for as long as the result lives. Should a write fail, the status in between or a
    /// webhook tells of the next receipt.
    pub(crate) fn hear_of_receipts(self, client: &Client) -> Arc<ReceiptListener> {
        let listener: Arc<ReceiptListener> = Arc::new(move |order_id| drop(self.receipt_attached(order_id)));
        client.on_receipt(&listener);
        listener
    }

    fn receipt_attached(&self, order_id: &str) -> Result<()> {
        let effort = Effort::patient(Instant::now() + PATIENCE);
        let found = self.patiently(effort, || self.database.by_order(order_id))?;
        let Some(row) = found.attempts.last().cloned() else { return Ok(()) };
        let decide = |case: &Case<'_>| order::receipt_attached(case.row, case.moment);
        self.apply(row, Read::of(found, &self.config), effort, decide).map(drop)
    }
}
