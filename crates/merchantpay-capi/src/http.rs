//! Requests and responses for a host that sends them itself.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use merchantpay::{Error, Result, SignedRequest};
use merchantpay_calls::{Object, Value};

use crate::arguments::{Argument, bytes, given, list, needed, null, number, text};
use crate::boundary::set;
use crate::handle::read;
use crate::object::{call, written};
use crate::places::{self, prepared};
use crate::record::{Record, RecordWriter};

/// A signed request. Send exactly this body with these headers, once, by POST. Any number of threads may read
/// it at once.
pub struct mpay_http_request {
    record: Record,
    request: Arc<Object>,
    body: SignedRequest,
    /// The number of the call that prepared it: a reply is read only by the function of the same operation.
    prepared_by: u32,
}

impl mpay_http_request {
    pub(crate) fn prepare(
        protocol: &Object,
        prepare: u32,
        arguments: &[Argument<'_>],
    ) -> Result<mpay_http_request> {
        let record = call(protocol, prepare, arguments)?;
        let request = record.object(prepared::REQUEST)?;
        let writer = written(RecordWriter::default(), &request, places::number::PREPARED_PREPARED_BODY, &[])?;
        let body = writer.into_body().ok_or_else(|| Error::invalid_argument("the request has no body"))?;
        Ok(mpay_http_request { record, request, body, prepared_by: prepare })
    }

    /// Reads the reply, if the request was prepared by this call.
    pub(crate) fn open(
        request: Option<&mpay_http_request>,
        response: Option<&mpay_http_response>,
        prepare: u32,
    ) -> Result<Record> {
        let request = needed(request, "request")?;
        if request.prepared_by != prepare {
            return Err(Error::invalid_argument("the request was prepared for another operation"));
        }
        call(&request.request, places::number::PREPARED_OPEN, &needed(response, "response")?.arguments()?)
    }

    fn header(&self, place: Option<usize>) -> *const c_char {
        place.map_or(std::ptr::null(), |place| self.record.text(&[prepared::HEADERS, place]))
    }
}

impl AsRef<Record> for mpay_http_request {
    fn as_ref(&self) -> &Record {
        &self.record
    }
}

/// A response exactly as the host received it, for mpay_open_*. One thread at a time may set it; any number
/// of threads may open it at once.
#[derive(Default)]
pub struct mpay_http_response {
    status: i32,
    /// Names and values by turns.
    headers: Vec<Box<[u8]>>,
    body: Box<[u8]>,
    /// The error of an invalid header, which stays: without that header it would be a different response.
    wrong_header: Option<Error>,
    /// The error of the last body.
    wrong_body: Option<Error>,
}

impl mpay_http_response {
    fn status(&self) -> Result<Argument<'static>> {
        let is_status = (100..1000).contains(&self.status);
        let status = is_status.then(|| number(self.status));
        status.ok_or_else(|| Error::invalid_argument("the response has no HTTP status between 100 and 999"))
    }

    fn arguments(&self) -> Result<[Argument<'_>; 3]> {
        if let Some(error) = self.wrong_header.as_ref().or(self.wrong_body.as_ref()) {
            return Err(error.clone());
        }
        let headers = list(self.headers.iter().map(|text| Some(&**text)));
        Ok([self.status()?, headers, Some(Value::Borrowed(&self.body))])
    }
}

/// The number of headers to send. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_request_header_count(request: Option<&mpay_http_request>) -> usize {
    read(request, |request| {
        request.record.inside(&[prepared::HEADERS]).map_or(0, |headers| headers.len() / 2)
    })
}

/// The name of the header at this index, counted from 0; NULL after the last. Borrowed from the request. Any
/// thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_request_header_name(
    request: Option<&mpay_http_request>,
    index: usize,
) -> *const c_char {
    read(request, |request| request.header(index.checked_mul(2)))
}

/// The value of the header at this index, counted from 0; NULL after the last. Borrowed from the request. Any
/// thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_request_header_value(
    request: Option<&mpay_http_request>,
    index: usize,
) -> *const c_char {
    read(request, |request| request.header(index.checked_mul(2).map(|place| place + 1)))
}

/// The signed bytes; mpay_http_request_body_len is their length. They are not NUL-terminated. Borrowed from
/// the request. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_request_body(request: Option<&mpay_http_request>) -> *const c_void {
    read(request, |request| request.body.body().as_ptr().cast())
}

/// The length of mpay_http_request_body in bytes. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_http_request_body_len(request: Option<&mpay_http_request>) -> usize {
    read(request, |request| request.body.body().len())
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
    let pair = unsafe { [(text(name), "name"), (text(value), "value")] };
    set(|| {
        let response = needed(response, "response")?;
        if let Some((_, missing)) = pair.iter().find(|(text, _)| text.is_none()) {
            response.wrong_header = Some(null(missing));
            return Err(null(missing));
        }
        response.headers.extend(pair.iter().filter_map(|(text, _)| given(text).map(Box::from)));
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
    let body = unsafe { bytes(body, len, "body") };
    set(|| {
        let response = needed(response, "response")?;
        response.body = body.as_deref().unwrap_or_default().into();
        response.wrong_body = body.err();
        response.wrong_body.clone().map_or(Ok(()), Err)
    })
}
