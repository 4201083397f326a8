//! `mpay_verifier` and `mpay_event`: webhooks (contract, section 6).

use std::ffi::{c_char, c_void};

use merchantpay::{Event, WebhookVerifier};

use crate::boundary::{CallPhase, bytes, create_handle, foreign_text, needed};
use crate::config::mpay_config;
use crate::error::mpay_error;
use crate::handle::{free, read};
use crate::payment::mpay_payment;

/// Verifies webhooks. Threads may share a verifier without a lock.
pub struct mpay_verifier(WebhookVerifier);

/// The event that a verified webhook reports. Any number of threads may read an event at once.
pub struct mpay_event {
    kind: i32,
    payment: mpay_payment,
}

impl mpay_verifier {
    pub(crate) fn webhook_verifier(&self) -> &WebhookVerifier {
        &self.0
    }
}

impl mpay_event {
    pub(crate) fn fields(&self) -> &[u8] {
        self.payment.kind_and_fields()
    }
}

impl From<Event> for mpay_event {
    fn from(event: Event) -> mpay_event {
        let kind = event.event_kind().number();
        mpay_event { kind, payment: mpay_payment::of(event.payment(), Some(&kind.to_string())) }
    }
}

/// Makes a verifier. It copies the settings, so they may be freed afterwards. A verifier needs only a
/// server_public_key; server_key_id, key_id and the merchant's own key make it stricter. Returns MPAY_OK,
/// MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. *out is to be freed by mpay_verifier_free. Any thread. Since
/// 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_verifier_new(
    config: Option<&mpay_config>,
    out: *mut *mut mpay_verifier,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            needed(config, "config")?.verifier().map(mpay_verifier)
        })
    }
}

/// Verifies a webhook: the len unchanged bytes of its body, the value of the signature header, and the value
/// of the key id header or NULL. A missing signature (NULL) is MPAY_UNVERIFIED. A verified body that is not a
/// webhook of the contract is MPAY_MALFORMED. A failure says nothing about a payment: its outcome is
/// MPAY_OUTCOME_UNKNOWN. *out is to be freed by mpay_event_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_verify_webhook(
    verifier: Option<&mpay_verifier>,
    body: *const c_void,
    len: usize,
    signature: *const c_char,
    key_id: *const c_char,
    out: *mut *mut mpay_event,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts, bytes and out-pointers.
    unsafe {
        create_handle(CallPhase::Reply, out, error, || {
            let body = bytes(body, len, "body")?;
            // A header that is not UTF-8 does not verify, like a missing signature.
            let (signature, key_id) = (foreign_text(signature).unwrap_or_default(), foreign_text(key_id));
            needed(verifier, "verifier")?.0.verify(body, &signature, key_id.as_deref()).map(mpay_event::from)
        })
    }
}

/// MPAY_EVENT_CREDENTIALS, MPAY_EVENT_CREDENTIALS_FAILED or MPAY_EVENT_STATUS; a later version may add
/// others. 0 for NULL. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_event_kind(event: Option<&mpay_event>) -> i32 {
    read(event, |event| event.kind)
}

/// The payment that the event is about. Borrowed from the event: not to be freed. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_event_payment(event: Option<&mpay_event>) -> *const mpay_payment {
    read(event, |event| &raw const event.payment)
}

/// Frees an event, its payment and all that was borrowed from them; NULL is allowed. Any thread, once. Since
/// 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_event_free(event: Option<Box<mpay_event>>) {
    free(event);
}

/// Frees a verifier; NULL is allowed. Its events stay valid. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_verifier_free(verifier: Option<Box<mpay_verifier>>) {
    free(verifier);
}
