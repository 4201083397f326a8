//! The multipart body of `/receipt/attach` (contract, section 4.7).

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request};
use axum::http::{HeaderMap, header};
use merchantpay::{RECEIPT_TYPES, Reason};

use crate::base::assumptions;
use crate::model::receipt::ReceiptFile;
use crate::replies::unsigned::Reply;

/// The number of characters that are kept of a file's name.
const LONGEST_NAME: usize = 200;

/// The form that a merchant sent.
pub(crate) struct ReceiptForm {
    pub(crate) order_id: String,
    pub(crate) files: Vec<ReceiptFile>,
}

/// Reads the form.
pub(crate) async fn read_form(headers: &HeaderMap, body: Bytes) -> Result<ReceiptForm, Reply> {
    let unreadable = || Reply::refusal(assumptions::BAD_REQUEST, assumptions::UNREADABLE_TEXT);
    let mut request = Request::new(Body::from(body));
    if let Some(content_type) = headers.get(header::CONTENT_TYPE) {
        request.headers_mut().insert(header::CONTENT_TYPE, content_type.clone());
    }
    // axum would stop at 2 MB; the size of the body is already checked.
    DefaultBodyLimit::disable().apply(&mut request);
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| unreadable())?;
    let (mut order_id, mut files) = (None, Vec::new());
    while let Some(part) = form.next_field().await.map_err(|_| unreadable())? {
        match part.name() {
            Some("orderId") if order_id.is_none() => {
                order_id = Some(part.text().await.map_err(|_| unreadable())?)
            }
            Some("file") => {
                let content_type = part
                    .content_type()
                    .filter(|content_type| RECEIPT_TYPES.contains(content_type))
                    .map(str::to_owned);
                let name = part.file_name().unwrap_or_default().chars().take(LONGEST_NAME).collect();
                let bytes = part.bytes().await.map_err(|_| unreadable())?;
                match content_type {
                    Some(content_type) if !bytes.is_empty() && files.len() < assumptions::MOST_FILES => {
                        files.push(ReceiptFile { name, content_type, bytes });
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
    Ok(ReceiptForm { order_id, files })
}
