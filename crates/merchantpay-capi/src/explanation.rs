//! `mpay_explanation`: why a webhook does not verify.

use std::ffi::{c_char, c_void};

use merchantpay::Explanation;

use crate::boundary::{CallPhase, bytes, create_optional_handle, foreign_text, needed};
use crate::error::mpay_error;
use crate::handle::{free, read};
use crate::texts::Texts;
use crate::webhook::mpay_verifier;

/// The reason why a webhook does not verify. Any number of threads may read it at once.
pub struct mpay_explanation {
    cause: i32,
    name_and_hint: Texts<2>,
}

impl From<Explanation> for mpay_explanation {
    fn from(explanation: Explanation) -> mpay_explanation {
        let cause = explanation.cause();
        let name_and_hint = Texts::new([Some(cause.name()), Some(&explanation.hint())]);
        mpay_explanation { cause: cause.number(), name_and_hint }
    }
}

/// Explains why a webhook does not verify. It takes the arguments of mpay_verify_webhook, and sets *out to
/// NULL if the signature and the key id are accepted. The headers show some causes, and the form of the body shows
/// others, such as an empty one. Any other cause is named only with a proof: the library undoes it in a copy, and
/// the copy verifies. Write the cause to the log, do not return it to the sender, and do not use the webhook. The
/// function tries at most 60 contents and parses bodies up to 64 KiB. Returns MPAY_OK, or MPAY_INVALID_ARGUMENT if a required
/// argument is NULL. *out is to be freed by mpay_explanation_free. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_explain_webhook(
    verifier: Option<&mpay_verifier>,
    body: *const c_void,
    len: usize,
    signature: *const c_char,
    key_id: *const c_char,
    out: *mut *mut mpay_explanation,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts, bytes and out-pointers.
    unsafe {
        create_optional_handle(CallPhase::Reply, out, error, || {
            let body = bytes(body, len, "body")?;
            let (signature, key_id) = (foreign_text(signature).unwrap_or_default(), foreign_text(key_id));
            let verifier = needed(verifier, "verifier")?.webhook_verifier();
            Ok(verifier.explain(body, &signature, key_id.as_deref()).map(mpay_explanation::from))
        })
    }
}

/// MPAY_CAUSE_BODY_CHANGED or another cause; a later version may add others. 0 for NULL. Any thread. Since
/// 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_explanation_cause(explanation: Option<&mpay_explanation>) -> i32 {
    read(explanation, |explanation| explanation.cause)
}

/// The name of the cause, such as "body_changed". Borrowed from the explanation. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_explanation_cause_name(explanation: Option<&mpay_explanation>) -> *const c_char {
    read(explanation, |explanation| explanation.name_and_hint.get(0))
}

/// The exact fault and the way to correct it, for a developer. It contains nothing of the webhook. Borrowed
/// from the explanation. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_explanation_hint(explanation: Option<&mpay_explanation>) -> *const c_char {
    read(explanation, |explanation| explanation.name_and_hint.get(1))
}

/// Frees an explanation and the texts that were borrowed from it; NULL is allowed. Any thread, once. Since
/// 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_explanation_free(explanation: Option<Box<mpay_explanation>>) {
    free(explanation);
}
