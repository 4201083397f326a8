//! `mpay_http_request`: signed bytes for a host that sends them itself.

use std::ffi::{c_char, c_void};

use merchantpay::{AvailableAmounts, Error, Payment, Prepared, Result, SignedRequest};

use crate::handle::{free, read};

/// A signed request. Send exactly this body with these headers, once, by POST. Any number of threads may read
/// it at once.
pub struct mpay_http_request {
    reply: Reply,
    /// The URL, then the name and the value of each header, each NUL-terminated.
    head: Box<[u8]>,
}

/// The request, and the way to read its reply.
enum Reply {
    Amounts(Prepared<AvailableAmounts>),
    Payment(Prepared<Payment>),
}

impl mpay_http_request {
    pub(crate) fn amounts(prepared: Prepared<AvailableAmounts>) -> mpay_http_request {
        mpay_http_request::new(Reply::Amounts(prepared))
    }

    pub(crate) fn payment(prepared: Prepared<Payment>) -> mpay_http_request {
        mpay_http_request::new(Reply::Payment(prepared))
    }

    fn new(reply: Reply) -> mpay_http_request {
        let request = reply.request();
        let mut head = Vec::with_capacity(512);
        for text in
            std::iter::once(request.url()).chain(request.headers().flat_map(|(name, value)| [name, value]))
        {
            head.extend_from_slice(text.as_bytes());
            head.push(0);
        }
        let head = head.into_boxed_slice();
        mpay_http_request { reply, head }
    }

    /// A text of the head; NULL after the last.
    fn text(&self, index: usize) -> *const c_char {
        let text = self.head.split_inclusive(|byte| *byte == 0).nth(index);
        text.map_or(std::ptr::null(), |text| text.as_ptr().cast())
    }

    /// The head without the NUL after the last text.
    pub(crate) fn head(&self) -> &[u8] {
        self.head.split_last().map_or(&[], |(_, head)| head)
    }

    /// The request, if it belongs to `operation` and its reply is a payment.
    pub(crate) fn as_payment(&self, operation: &str) -> Result<&Prepared<Payment>> {
        match &self.reply {
            Reply::Payment(prepared) if prepared.operation().name == operation => Ok(prepared),
            _ => Err(self.is_not(operation)),
        }
    }

    /// The request, if it belongs to `operation` and its reply is amounts.
    pub(crate) fn as_amounts(&self, operation: &str) -> Result<&Prepared<AvailableAmounts>> {
        match &self.reply {
            Reply::Amounts(prepared) if prepared.operation().name == operation => Ok(prepared),
            _ => Err(self.is_not(operation)),
        }
    }

    fn is_not(&self, operation: &str) -> Error {
        Error::invalid_argument(format!(
            "the request was prepared for {}, not for {operation}",
            self.reply.operation()
        ))
    }
}

impl Reply {
    fn operation(&self) -> &'static str {
        match self {
            Reply::Amounts(prepared) => prepared.operation().name,
            Reply::Payment(prepared) => prepared.operation().name,
        }
    }

    fn request(&self) -> &SignedRequest {
        match self {
            Reply::Amounts(prepared) => prepared.request(),
            Reply::Payment(prepared) => prepared.request(),
        }
    }
}

/// The whole URL. Borrowed from the request. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_request_url(request: Option<&mpay_http_request>) -> *const c_char {
    read(request, |request| request.text(0))
}

/// The number of headers to send. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_request_header_count(request: Option<&mpay_http_request>) -> usize {
    read(request, |request| request.reply.request().headers().count())
}

/// The name of the header at this index, counted from 0; NULL after the last. Borrowed from the request. Any
/// thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_request_header_name(
    request: Option<&mpay_http_request>,
    index: usize,
) -> *const c_char {
    read(request, |request| request.text(index.saturating_mul(2).saturating_add(1)))
}

/// The value of the header at this index, counted from 0; NULL after the last. Borrowed from the request. Any
/// thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_request_header_value(
    request: Option<&mpay_http_request>,
    index: usize,
) -> *const c_char {
    read(request, |request| request.text(index.saturating_mul(2).saturating_add(2)))
}

/// The signed bytes; mpay_http_request_body_len is their length. They are not NUL-terminated. Borrowed from
/// the request. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_request_body(request: Option<&mpay_http_request>) -> *const c_void {
    read(request, |request| request.reply.request().body().as_ptr().cast())
}

/// The length of mpay_http_request_body in bytes. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_request_body_len(request: Option<&mpay_http_request>) -> usize {
    read(request, |request| request.reply.request().body().len())
}

/// Frees a request; NULL is allowed. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_request_free(request: Option<Box<mpay_http_request>>) {
    free(request);
}
