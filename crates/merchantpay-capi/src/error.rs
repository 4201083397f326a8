//! `mpay_error`: the error of a call, and whether the request may have taken effect.

use std::ffi::{c_char, c_void};

use merchantpay::{Error, Reason};

use crate::handle::{free, read};
use crate::texts::{Texts, cut};

/// The reason why a function failed. It belongs to the caller that passed the mpay_error **. Any thread may
/// read it.
pub struct mpay_error {
    error: Error,
    texts: Texts<{ Text::ALL.len() }>,
    /// The body, NUL-terminated.
    body: Option<Box<[u8]>>,
}

/// A text of an error, and its index.
#[derive(Clone, Copy)]
enum Text {
    CodeName,
    OutcomeName,
    IsTransient,
    HttpStatus,
    Message,
    Description,
    Reason,
    OrderId,
    ContentType,
    Excerpt,
    RetryAfterMs,
}

impl Text {
    const ALL: [Text; 11] = [
        Text::CodeName,
        Text::OutcomeName,
        Text::IsTransient,
        Text::HttpStatus,
        Text::Message,
        Text::Description,
        Text::Reason,
        Text::OrderId,
        Text::ContentType,
        Text::Excerpt,
        Text::RetryAfterMs,
    ];

    fn of<'a>(self, error: &'a Error, http_status: &'a str, retry_after_ms: &'a str) -> Option<&'a str> {
        match self {
            Text::CodeName => Some(error.code().name()),
            Text::OutcomeName => Some(error.outcome().name()),
            Text::IsTransient => Some(if error.is_transient() { "1" } else { "0" }),
            Text::HttpStatus => Some(http_status),
            Text::Message => Some(error.message()),
            Text::Description => error.description(),
            Text::Reason => error.reason().map(Reason::name),
            // An id with a NUL is left out: C would see the id of a different order, cut at the NUL.
            Text::OrderId => error.order_id().filter(|id| !id.contains('\0')),
            Text::ContentType => error.content_type(),
            Text::Excerpt => error.excerpt(),
            Text::RetryAfterMs => Some(retry_after_ms),
        }
    }
}

impl mpay_error {
    fn text(&self, text: Text) -> *const c_char {
        self.texts.get(text as usize)
    }

    pub(crate) fn fields(&self) -> &[u8] {
        self.texts.from(Text::CodeName as usize)
    }
}

impl From<Error> for mpay_error {
    fn from(error: Error) -> mpay_error {
        let http_status = error.http_status().unwrap_or(0).to_string();
        let retry_after = retry_after_ms(&error).to_string();
        let texts = Texts::new(Text::ALL.map(|text| text.of(&error, &http_status, &retry_after).map(cut)));
        let body = error.body().map(|body| [body, &[0]].concat().into_boxed_slice());
        mpay_error { texts, body, error }
    }
}

fn retry_after_ms(error: &Error) -> u64 {
    error.retry_after().map_or(0, |pause| pause.as_millis().try_into().unwrap_or(u64::MAX))
}

/// The code: MPAY_INVALID_ARGUMENT and so on; MPAY_OK for NULL. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_code(error: Option<&mpay_error>) -> i32 {
    read(error, |error| error.error.code().number())
}

/// The code's name, such as "transport". Borrowed from the error. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_code_name(error: Option<&mpay_error>) -> *const c_char {
    read(error, |error| error.text(Text::CodeName))
}

/// Shows whether the request may have taken effect: MPAY_OUTCOME_NOT_SENT, MPAY_OUTCOME_REJECTED or
/// MPAY_OUTCOME_UNKNOWN; 0 for NULL. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_outcome(error: Option<&mpay_error>) -> i32 {
    read(error, |error| error.error.outcome().number())
}

/// The outcome's name: "not_sent", "rejected" or "unknown". Borrowed from the error. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_outcome_name(error: Option<&mpay_error>) -> *const c_char {
    read(error, |error| error.text(Text::OutcomeName))
}

/// 1 if the error is transient: the same call may succeed later. These errors are transient: MPAY_TIMEOUT,
/// MPAY_CANCELLED, MPAY_SIGNER, MPAY_UNVERIFIED with HTTP status 429 or 5xx, and MPAY_TRANSPORT and
/// MPAY_STORAGE without a permanent cause (such as an untrusted certificate or a missing file). 0 for all
/// other errors, and for NULL. Only mpay_error_outcome shows whether the failed call may have taken effect.
/// Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_is_transient(error: Option<&mpay_error>) -> i32 {
    read(error, |error| i32::from(error.error.is_transient()))
}

/// A description of the error for people. It contains no key, signature, account or name. The wording may
/// change. Borrowed from the error. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_message(error: Option<&mpay_error>) -> *const c_char {
    read(error, |error| error.text(Text::Message))
}

/// The service's text about a refusal (contract, section 7), or NULL. It may contain personal data. Borrowed
/// from the error. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_description(error: Option<&mpay_error>) -> *const c_char {
    read(error, |error| error.text(Text::Description))
}

/// The name of the reason of a refusal, such as "order_not_found", if the contract lists the text of the
/// refusal (section 7); else NULL. It is one of the names of mpay_reason_name. Borrowed from the error. Any
/// thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_reason(error: Option<&mpay_error>) -> *const c_char {
    read(error, |error| error.text(Text::Reason))
}

/// The reason as a number, MPAY_REASON_INVALID_CURRENCY and so on; 0 if there is no reason, or if this
/// version does not know it. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_reason_code(error: Option<&mpay_error>) -> i32 {
    read(error, |error| error.error.reason().map_or(0, Reason::number))
}

/// The HTTP status if a reply came, else 0. It is not signed and says nothing about the payment. Any thread.
/// Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_http_status(error: Option<&mpay_error>) -> i32 {
    read(error, |error| error.error.http_status().map_or(0, i32::from))
}

/// How many milliseconds to wait before the next try, if a reply with the HTTP status 429 or 503 asked for it
/// (Retry-After), else 0. It is not signed, so a proxy may have asked. The calls that the library repeats have
/// waited, or had less time left. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_retry_after_ms(error: Option<&mpay_error>) -> u64 {
    read(error, |error| retry_after_ms(&error.error))
}

/// The order id of the request or of a verified reply; else NULL. Borrowed from the error. Any thread. Since
/// 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_order_id(error: Option<&mpay_error>) -> *const c_char {
    read(error, |error| error.text(Text::OrderId))
}

/// The content type of a reply that could not be verified, or NULL. Borrowed from the error. Any thread.
/// Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_content_type(error: Option<&mpay_error>) -> *const c_char {
    read(error, |error| error.text(Text::ContentType))
}

/// The printable beginning of a reply that could not be verified and is not JSON, such as a proxy's page, or
/// NULL. Borrowed from the error. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_excerpt(error: Option<&mpay_error>) -> *const c_char {
    read(error, |error| error.text(Text::Excerpt))
}

/// The unchanged, verified body of a reply or webhook, if the code is MPAY_REJECTED or MPAY_MALFORMED; else
/// NULL. It has mpay_error_body_len bytes and then a NUL. It may contain personal data. Borrowed from the
/// error. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_body(error: Option<&mpay_error>) -> *const c_void {
    read(error, |error| error.body.as_ref().map_or(std::ptr::null(), |body| body.as_ptr().cast()))
}

/// The length of mpay_error_body in bytes, without the NUL. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_body_len(error: Option<&mpay_error>) -> usize {
    read(error, |error| error.body.as_ref().map_or(0, |body| body.len() - 1))
}

/// Frees an error and all that was borrowed from it; NULL is allowed. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_error_free(error: Option<Box<mpay_error>>) {
    free(error);
}
