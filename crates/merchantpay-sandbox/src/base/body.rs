//! Request bodies of bounded size.

use axum::body::{Body, Bytes};
use http_body_util::BodyExt as _;

use crate::base::assumptions;

/// The whole body, or `None` if it is too large. A body that is too large is still read up to a limit. If the
/// connection closed earlier, the sender would not read the refusal.
pub(crate) async fn read_up_to(mut body: Body, largest: usize) -> Result<Option<Bytes>, axum::Error> {
    let (mut bytes, mut size) = (Vec::new(), 0usize);
    while let Some(frame) = body.frame().await {
        let Ok(chunk) = frame?.into_data() else { continue };
        size = size.saturating_add(chunk.len());
        if size <= largest {
            bytes.extend_from_slice(&chunk);
        } else if size > assumptions::MOST_DISCARDED {
            break;
        } else {
            bytes = Vec::new();
        }
    }
    Ok((size <= largest).then(|| bytes.into()))
}
