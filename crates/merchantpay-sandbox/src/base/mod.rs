//! The parts that all other folders use: time, hosts, random ids, JSON, and the options.

pub(crate) mod assumptions;
pub(crate) mod clock;
pub(crate) mod event_bus;
pub(crate) mod json;
pub(crate) mod options;
pub(crate) mod own_hosts;
pub(crate) mod random;
pub(crate) mod webhook_hosts;

use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::body::{Body, Bytes};
use http_body_util::BodyExt as _;

/// Ignores poisoning: the guarded data is consistent after every statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The whole body, or `None` if it is too large. A body that is too large is still read up to a limit, so that
/// the client sees the refusal and not a reset.
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
