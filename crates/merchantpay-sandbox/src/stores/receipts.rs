//! The files of receipts. Memory keeps the last files up to a limit; the database, if there is one, keeps
//! all.

use std::collections::VecDeque;
use std::sync::Mutex;

use axum::body::Bytes;

use crate::base::clock::Millis;
use crate::base::lock::lock;
use crate::model::payment::ReceiptInfo;
use crate::model::receipt::ReceiptFile;
use crate::stores::database::Database;

/// The number of receipt bytes that are kept in memory.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The last attached files. Older files are only in the database, if there is one.
#[derive(Default)]
pub(crate) struct ReceiptStore(Mutex<VecDeque<(String, u64, ReceiptFile)>>);

impl ReceiptStore {
    /// Adds a file under the payment's next number.
    pub(crate) fn add(
        &self,
        database: &Database,
        payment: &str,
        number: u64,
        file: ReceiptFile,
        at: Millis,
    ) -> ReceiptInfo {
        let info = ReceiptInfo {
            id: number,
            name: file.name.clone(),
            content_type: file.content_type.clone(),
            size: file.bytes.len(),
            at,
        };
        database.save_receipt(payment, number, &file);
        let mut kept = lock(&self.0);
        kept.push_back((payment.to_owned(), number, file));
        let mut size: usize = kept.iter().map(|(_, _, file)| file.bytes.len()).sum();
        while size > MAX_BYTES && kept.len() > 1 {
            size -= kept.pop_front().map_or(0, |(_, _, file)| file.bytes.len());
        }
        info
    }

    /// A file's bytes, if they are still available.
    pub(crate) fn bytes(&self, database: &Database, payment: &str, number: u64) -> Option<Bytes> {
        let kept = lock(&self.0);
        let found = kept
            .iter()
            .find(|(order_id, id, _)| order_id == payment && *id == number)
            .map(|(_, _, file)| file.bytes.clone());
        found.or_else(|| database.receipt(payment, number))
    }

    pub(crate) fn has(&self, database: &Database, payment: &str, number: u64) -> bool {
        database.is_open()
            || lock(&self.0).iter().any(|(order_id, id, _)| order_id == payment && *id == number)
    }
}
