//! A file that a merchant attached as a receipt.

use axum::body::Bytes;

pub(crate) struct ReceiptFile {
    pub(crate) name: String,
    pub(crate) content_type: String,
    pub(crate) bytes: Bytes,
}
