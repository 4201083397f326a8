//! Receipts: the multipart body of `/receipt/attach` (contract, section 4.7), and its files, which are kept to be looked at.

use std::collections::VecDeque;
use std::sync::Mutex;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, header};
use merchantpay::{RECEIPT_TYPES, Reason};

use crate::assumptions;
use crate::clock::Millis;
use crate::database::Database;
use crate::lock::lock;
use crate::payment::ReceiptInfo;
use crate::reply::Reply;

/// How many bytes of receipts are kept in memory.
const MOST_KEPT: usize = 64 * 1024 * 1024;
/// How much of a file's name is kept, in characters.
const LONGEST_NAME: usize = 200;

/// What a merchant attached.
pub(crate) struct Form {
    pub(crate) order_id: String,
    pub(crate) files: Vec<File>,
}

pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) content_type: String,
    pub(crate) bytes: Bytes,
}

/// The files that were attached last. Older ones are in the database, if there is one.
#[derive(Default)]
pub(crate) struct ReceiptStore(Mutex<VecDeque<(String, u64, File)>>);

impl ReceiptStore {
    /// Keeps a file under the payment's next number.
    pub(crate) fn keep(&self, database: &Database, payment: &str, number: u64, file: File, at: Millis) -> ReceiptInfo {
        let note = ReceiptInfo { id: number, name: file.name.clone(), content_type: file.content_type.clone(), size: file.bytes.len(), at };
        database.save_receipt(payment, number, &file);
        let mut kept = lock(&self.0);
        kept.push_back((payment.to_owned(), number, file));
        let mut size: usize = kept.iter().map(|(_, _, file)| file.bytes.len()).sum();
        while size > MOST_KEPT && kept.len() > 1 {
            size -= kept.pop_front().map_or(0, |(_, _, file)| file.bytes.len());
        }
        note
    }

    /// A file's bytes, if they are kept.
    pub(crate) fn bytes(&self, database: &Database, payment: &str, number: u64) -> Option<Bytes> {
        let kept = lock(&self.0);
        let found = kept.iter().find(|(order_id, id, _)| order_id == payment && *id == number).map(|(_, _, file)| file.bytes.clone());
        found.or_else(|| database.receipt(payment, number))
    }

    pub(crate) fn has(&self, database: &Database, payment: &str, number: u64) -> bool {
        database.is_open() || lock(&self.0).iter().any(|(order_id, id, _)| order_id == payment && *id == number)
    }
}

/// Reads the form.
pub(crate) async fn read(headers: &HeaderMap, body: Bytes) -> Result<Form, Reply> {
    let unreadable = || Reply::refusal(assumptions::BAD_REQUEST, assumptions::UNREADABLE_TEXT);
    let mut request = Request::new(Body::from(body));
    if let Some(content_type) = headers.get(header::CONTENT_TYPE) {
        request.headers_mut().insert(header::CONTENT_TYPE, content_type.clone());
    }
    request.extensions_mut().insert(axum::extract::DefaultBodyLimit::disable());
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| unreadable())?;
    let (mut order_id, mut files) = (None, Vec::new());
    while let Some(part) = form.next_field().await.map_err(|_| unreadable())? {
        match part.name() {
            Some("orderId") if order_id.is_none() => order_id = Some(part.text().await.map_err(|_| unreadable())?),
            Some("file") => {
                let content_type = part.content_type().filter(|content_type| RECEIPT_TYPES.contains(content_type)).map(str::to_owned);
                let name = part.file_name().unwrap_or_default().chars().take(LONGEST_NAME).collect();
                let bytes = part.bytes().await.map_err(|_| unreadable())?;
                match content_type {
                    Some(content_type) if !bytes.is_empty() && files.len() < assumptions::MOST_FILES => {
                        files.push(File { name, content_type, bytes });
                    }
                    _ => return Err(Reply::reason(assumptions::BAD_REQUEST, Reason::InvalidFileFormat)),
                }
            }
            _ => return Err(unreadable()),
        }
    }
    let order_id = order_id.filter(|id| assumptions::is_order_id(id));
    let order_id = order_id.ok_or_else(|| Reply::reason(assumptions::BAD_REQUEST, Reason::InvalidOrderId))?;
    if files.is_empty() {
        return Err(Reply::reason(assumptions::BAD_REQUEST, Reason::InvalidFileFormat));
    }
    Ok(Form { order_id, files })
}
