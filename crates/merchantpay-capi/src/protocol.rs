//! `mpay_protocol`: the operations without I/O, for hosts with an HTTP stack of their own. `mpay_prepare_…` makes the signed
//! bytes, `mpay_open_…` believes or refuses what came back.

use std::ffi::c_char;

use merchantpay::{
    AttachReceipt, AvailableAmounts, Cancel, Confirm, GetAvailableAmounts, GetStatus, NewPayment, NewPaymentAsync, Operation, Payment,
    Prepared, Protocol, Result,
};

use crate::amounts::mpay_amounts;
use crate::boundary::{CallPhase, create_handle, free, needed, needed_text, run};
use crate::config::mpay_config;
use crate::error::mpay_error;
use crate::http_request::mpay_http_request;
use crate::http_response::mpay_http_response;
use crate::payment::mpay_payment;
use crate::payment_request::mpay_payment_request;
use crate::receipt::mpay_receipt;

/// Who signs, for which service, and whose replies are believed. Shared by any number of threads as it is.
pub struct mpay_protocol(Protocol);

impl mpay_protocol {
    fn payment<O: Operation<Reply = Payment>>(&self, operation: &O) -> Result<mpay_http_request> {
        Ok(mpay_http_request::payment(O::NAME, self.0.prepare(operation)?))
    }

    fn amounts<O: Operation<Reply = AvailableAmounts>>(&self, operation: &O) -> Result<mpay_http_request> {
        Ok(mpay_http_request::amounts(O::NAME, self.0.prepare(operation)?))
    }
}

fn open<R>(prepared: &Prepared<R>, response: Option<&mpay_http_response>) -> Result<R> {
    let response = needed(response, "response")?;
    prepared.open(response.status()?, response.headers()?, response.body()?)
}

/// Makes a protocol of settings, which are copied and may be freed; it needs what a client needs, and ignores what is about
/// connections. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. *out is to be freed by mpay_protocol_free. Any
/// thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_protocol_new(config: Option<&mpay_config>, out: *mut *mut mpay_protocol, error: *mut *mut mpay_error) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe { create_handle(CallPhase::Setup, out, error, || needed(config, "config")?.protocol().map(mpay_protocol)) }
}

/// Frees a protocol; NULL is allowed. Requests that it prepared stay. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_protocol_free(protocol: Option<Box<mpay_protocol>>) {
    free(protocol);
}

/// Prepares mpay_get_available_amounts: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT.
/// *out is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_prepare_get_available_amounts(
    protocol: Option<&mpay_protocol>,
    request: Option<&mpay_payment_request>,
    out: *mut *mut mpay_http_request,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            let request = needed(request, "request")?.amounts()?;
            needed(protocol, "protocol")?.amounts(&GetAvailableAmounts(&request))
        })
    }
}

/// Prepares mpay_new_payment: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT. *out is to
/// be freed by mpay_http_request_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_prepare_new_payment(
    protocol: Option<&mpay_protocol>,
    request: Option<&mpay_payment_request>,
    out: *mut *mut mpay_http_request,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            let request = needed(request, "request")?.payment()?;
            needed(protocol, "protocol")?.payment(&NewPayment(&request))
        })
    }
}

/// Prepares mpay_new_payment_async: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT. *out
/// is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_prepare_new_payment_async(
    protocol: Option<&mpay_protocol>,
    request: Option<&mpay_payment_request>,
    out: *mut *mut mpay_http_request,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            let request = needed(request, "request")?.payment()?;
            needed(protocol, "protocol")?.payment(&NewPaymentAsync(&request))
        })
    }
}

/// Prepares mpay_confirm: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT. *out is to be
/// freed by mpay_http_request_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_prepare_confirm(
    protocol: Option<&mpay_protocol>,
    order_id: *const c_char,
    out: *mut *mut mpay_http_request,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || needed(protocol, "protocol")?.payment(&Confirm(needed_text(order_id, "order_id")?)))
    }
}

/// Prepares mpay_cancel: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT. *out is to be
/// freed by mpay_http_request_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_prepare_cancel(
    protocol: Option<&mpay_protocol>,
    order_id: *const c_char,
    out: *mut *mut mpay_http_request,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || needed(protocol, "protocol")?.payment(&Cancel(needed_text(order_id, "order_id")?)))
    }
}

/// Prepares mpay_get_status: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT. *out is to
/// be freed by mpay_http_request_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_prepare_get_status(
    protocol: Option<&mpay_protocol>,
    order_id: *const c_char,
    out: *mut *mut mpay_http_request,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            needed(protocol, "protocol")?.payment(&GetStatus(needed_text(order_id, "order_id")?))
        })
    }
}

/// Prepares mpay_attach_receipt: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT. *out is
/// to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_prepare_attach_receipt(
    protocol: Option<&mpay_protocol>,
    receipt: Option<&mpay_receipt>,
    out: *mut *mut mpay_http_request,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            needed(protocol, "protocol")?.payment(&AttachReceipt(needed(receipt, "receipt")?.get()?))
        })
    }
}

/// Opens the reply to what mpay_prepare_get_available_amounts prepared: verifies its bytes, parses them, binds them to the
/// request. The request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, but for a refusal that is proven.
/// *out is to be freed by mpay_amounts_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_open_get_available_amounts(
    request: Option<&mpay_http_request>,
    response: Option<&mpay_http_response>,
    out: *mut *mut mpay_amounts,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Reply, out, error, || {
            open(needed(request, "request")?.as_amounts(GetAvailableAmounts::NAME)?, response).map(mpay_amounts::from)
        })
    }
}

/// Opens the reply to what mpay_prepare_new_payment prepared: verifies its bytes, parses them, binds them to the request.
/// The request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, but for a refusal that is proven. *out is
/// to be freed by mpay_payment_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_open_new_payment(
    request: Option<&mpay_http_request>,
    response: Option<&mpay_http_response>,
    out: *mut *mut mpay_payment,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Reply, out, error, || {
            open(needed(request, "request")?.as_payment(NewPayment::NAME)?, response).map(mpay_payment::from)
        })
    }
}

/// Opens the reply to what mpay_prepare_new_payment_async prepared: verifies its bytes, parses them, binds them to the
/// request. The request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, but for a refusal that is proven.
/// *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_open_new_payment_async(
    request: Option<&mpay_http_request>,
    response: Option<&mpay_http_response>,
    out: *mut *mut mpay_payment,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Reply, out, error, || {
            open(needed(request, "request")?.as_payment(NewPaymentAsync::NAME)?, response).map(mpay_payment::from)
        })
    }
}

/// Opens the reply to what mpay_prepare_confirm prepared: verifies its bytes, parses them, binds them to the request. The
/// request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, but for a refusal that is proven. Any thread.
/// Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_open_confirm(
    request: Option<&mpay_http_request>,
    response: Option<&mpay_http_response>,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe { run(CallPhase::Reply, error, || open(needed(request, "request")?.as_payment(Confirm::NAME)?, response).map(drop)) }
}

/// Opens the reply to what mpay_prepare_cancel prepared: verifies its bytes, parses them, binds them to the request. The
/// request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, but for a refusal that is proven. Any thread.
/// Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_open_cancel(
    request: Option<&mpay_http_request>,
    response: Option<&mpay_http_response>,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe { run(CallPhase::Reply, error, || open(needed(request, "request")?.as_payment(Cancel::NAME)?, response).map(drop)) }
}

/// Opens the reply to what mpay_prepare_get_status prepared: verifies its bytes, parses them, binds them to the request.
/// The request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, but for a refusal that is proven. *out is
/// to be freed by mpay_payment_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_open_get_status(
    request: Option<&mpay_http_request>,
    response: Option<&mpay_http_response>,
    out: *mut *mut mpay_payment,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Reply, out, error, || {
            open(needed(request, "request")?.as_payment(GetStatus::NAME)?, response).map(mpay_payment::from)
        })
    }
}

/// Opens the reply to what mpay_prepare_attach_receipt prepared: verifies its bytes, parses them, binds them to the
/// request. The request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, but for a refusal that is proven.
/// Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_open_attach_receipt(
    request: Option<&mpay_http_request>,
    response: Option<&mpay_http_response>,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe { run(CallPhase::Reply, error, || open(needed(request, "request")?.as_payment(AttachReceipt::NAME)?, response).map(drop)) }
}
