//! `mpay_protocol`: the operations without I/O, for hosts with their own HTTP stack. `mpay_prepare_…` makes
//! the signed bytes, `mpay_open_…` verifies the response.

use merchantpay::{AvailableAmounts, Payment, Prepared, Protocol, Result, UnsignedRequest};

use crate::boundary::{CallPhase, create_handle, needed};
use crate::config::mpay_config;
use crate::error::mpay_error;
use crate::handle::free;
use crate::http_request::mpay_http_request;
use crate::http_response::mpay_http_response;

/// Signs requests for one service and verifies the service's replies. Threads may share a protocol without a
/// lock.
pub struct mpay_protocol(Protocol);

impl mpay_protocol {
    pub(crate) fn payment(&self, request: UnsignedRequest<Payment>) -> Result<mpay_http_request> {
        self.0.prepare(request).map(mpay_http_request::payment)
    }

    pub(crate) fn amounts(&self, request: UnsignedRequest<AvailableAmounts>) -> Result<mpay_http_request> {
        self.0.prepare(request).map(mpay_http_request::amounts)
    }
}

pub(crate) fn open<R>(prepared: &Prepared<R>, response: Option<&mpay_http_response>) -> Result<R> {
    let response = needed(response, "response")?;
    prepared.open(response.status()?, response.headers()?, response.body()?)
}

/// Makes a protocol. It copies the settings, so they may be freed afterwards. A protocol needs the same
/// settings as a client, and ignores the settings about connections. Returns MPAY_OK, MPAY_INVALID_ARGUMENT
/// or MPAY_INVALID_KEY. *out is to be freed by mpay_protocol_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_protocol_new(
    config: Option<&mpay_config>,
    out: *mut *mut mpay_protocol,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            needed(config, "config")?.protocol().map(mpay_protocol)
        })
    }
}

/// Frees a protocol; NULL is allowed. Its prepared requests stay valid. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_protocol_free(protocol: Option<Box<mpay_protocol>>) {
    free(protocol);
}
