//! The multipart body of `/receipt/attach` (contract, section 4.7).

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, header};
use merchantpay::{RECEIPT_TYPES, Reason};

use crate::decisions;
use crate::reply::Reply;

/// Reads the form, and gives the order that its receipts are for. The files themselves are only looked at.
pub(crate) async fn read(headers: &HeaderMap, body: Bytes) -> Result<String, Reply> {
    let unreadable = || Reply::refusal(decisions::BAD_REQUEST, decisions::UNREADABLE_TEXT);
    let mut request = Request::new(Body::from(body));
    if let Some(content_type) = headers.get(header::CONTENT_TYPE) {
        request.headers_mut().insert(header::CONTENT_TYPE, content_type.clone());
    }
    request.extensions_mut().insert(axum::extract::DefaultBodyLimit::disable());
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| unreadable())?;
    let (mut order_id, mut files) = (None, 0);
    while let Some(part) = form.next_field().await.map_err(|_| unreadable())? {
        match part.name() {
            Some("orderId") if order_id.is_none() => order_id = Some(part.text().await.map_err(|_| unreadable())?),
            Some("file") => {
                let known = part.content_type().is_some_and(|content_type| RECEIPT_TYPES.contains(&content_type));
                let bytes = part.bytes().await.map_err(|_| unreadable())?;
                files += 1;
                if !known || bytes.is_empty() || files > decisions::MOST_FILES {
                    return Err(Reply::reason(decisions::BAD_REQUEST, Reason::InvalidFileFormat));
                }
            }
            _ => return Err(unreadable()),
        }
    }
    let order_id = order_id.filter(|id| decisions::is_order_id(id));
    let order_id = order_id.ok_or_else(|| Reply::reason(decisions::BAD_REQUEST, Reason::InvalidOrderId))?;
    if files == 0 {
        return Err(Reply::reason(decisions::BAD_REQUEST, Reason::InvalidFileFormat));
    }
    Ok(order_id)
}
