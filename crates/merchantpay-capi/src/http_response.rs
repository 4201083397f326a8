//! `mpay_http_response`: what came back to a host that sends by itself.

use std::ffi::{c_char, c_void};

use merchantpay::{Error, Result};

use crate::boundary::{bytes, foreign_text, free, make, needed, set};

/// A reply as it came, to be opened by mpay_open_…. One thread at a time while it is set; any number may open it at once.
#[derive(Default)]
pub struct mpay_http_response {
    status: i32,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl mpay_http_response {
    pub(crate) fn status(&self) -> Result<u16> {
        let status = u16::try_from(self.status).ok().filter(|status| (100..1000).contains(status));
        status.ok_or_else(|| Error::invalid_argument("the response has no HTTP status between 100 and 999"))
    }

    pub(crate) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }
}

/// A new response without status, headers and body. Never NULL. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_response_new() -> *mut mpay_http_response {
    make()
}

/// The HTTP status. Needed. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_response_set_status(response: Option<&mut mpay_http_response>, status: i32) -> i32 {
    set(|| {
        let response = needed(response, "response")?;
        response.status = status;
        response.status().map(drop)
    })
}

/// Adds a header. Give all of them, as often as they came: a reply with two signatures is not believed. A name or value that
/// is NULL adds nothing and returns MPAY_INVALID_ARGUMENT; else MPAY_OK. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_http_response_add_header(
    response: Option<&mut mpay_http_response>,
    name: *const c_char,
    value: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    set(|| unsafe {
        let header = (needed(foreign_text(name), "name")?, needed(foreign_text(value), "value")?);
        needed(response, "response")?.headers.push(header);
        Ok(())
    })
}

/// The len bytes of the body as they came, which are copied; none unless set. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One
/// thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_http_response_set_body(response: Option<&mut mpay_http_response>, body: *const c_void, len: usize) -> i32 {
    // SAFETY: the header's rule for bytes.
    set(|| unsafe {
        needed(response, "response")?.body = bytes(body, len, "body")?.to_vec();
        Ok(())
    })
}

/// Frees a response; NULL is allowed. Once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_response_free(response: Option<Box<mpay_http_response>>) {
    free(response);
}
