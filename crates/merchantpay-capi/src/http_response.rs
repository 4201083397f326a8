//! `mpay_http_response`: a response that the host received itself.

use std::ffi::{c_char, c_void};

use merchantpay::{Error, Result};

use crate::boundary::{bytes, foreign_text, needed, set};
use crate::handle::{free, make};

/// A response exactly as the host received it, for mpay_open_*. One thread at a time may set it; any number
/// of threads may open it at once.
#[derive(Default)]
pub struct mpay_http_response {
    status: i32,
    headers: Vec<(String, String)>,
    /// The error of an invalid header. The response is then not opened: without that header it would be a
    /// different response.
    wrong_header: Option<Error>,
    body: Body,
}

/// The last body that was set, valid or not.
struct Body(Result<Vec<u8>>);

impl Default for Body {
    fn default() -> Body {
        Body(Ok(Vec::new()))
    }
}

impl mpay_http_response {
    pub(crate) fn status(&self) -> Result<u16> {
        let status = u16::try_from(self.status).ok().filter(|status| (100..1000).contains(status));
        status.ok_or_else(|| Error::invalid_argument("the response has no HTTP status between 100 and 999"))
    }

    pub(crate) fn headers(&self) -> Result<impl Iterator<Item = (&str, &str)>> {
        match &self.wrong_header {
            Some(error) => Err(error.clone()),
            None => Ok(self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))),
        }
    }

    pub(crate) fn body(&self) -> Result<&[u8]> {
        self.body.0.as_deref().map_err(Error::clone)
    }
}

/// A new response without status, headers and body. Never NULL. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_response_new() -> *mut mpay_http_response {
    make(mpay_http_response::default)
}

/// Sets the HTTP status, which every response needs. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at
/// a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_response_set_status(
    response: Option<&mut mpay_http_response>,
    status: i32,
) -> i32 {
    set(|| {
        let response = needed(response, "response")?;
        response.status = status;
        response.status().map(drop)
    })
}

/// Adds a header. Add all headers, also repeated ones: a reply with two signatures is refused. Returns
/// MPAY_OK, or MPAY_INVALID_ARGUMENT if the name or the value is NULL; the response then cannot be opened.
/// One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_http_response_add_header(
    response: Option<&mut mpay_http_response>,
    name: *const c_char,
    value: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    set(|| unsafe {
        let response = needed(response, "response")?;
        match (needed(foreign_text(name), "name"), needed(foreign_text(value), "value")) {
            (Ok(name), Ok(value)) => response.headers.push((name.into_owned(), value.into_owned())),
            (Err(error), _) | (_, Err(error)) => {
                response.wrong_header = Some(error.clone());
                return Err(error);
            }
        }
        Ok(())
    })
}

/// Sets the body: `len` unchanged bytes, which are copied. The body is empty unless set. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_http_response_set_body(
    response: Option<&mut mpay_http_response>,
    body: *const c_void,
    len: usize,
) -> i32 {
    // SAFETY: the header's rule for bytes.
    set(|| unsafe {
        let response = needed(response, "response")?;
        response.body = Body(bytes(body, len, "body").map(<[u8]>::to_vec));
        response.body().map(drop)
    })
}

/// Frees a response; NULL is allowed. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_response_free(response: Option<Box<mpay_http_response>>) {
    free(response);
}
