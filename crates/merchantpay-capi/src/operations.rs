//! The seven operations (contract, section 4). Each blocks until its reply is verified or its deadline
//! passes.

use std::ffi::c_char;
use std::time::Duration;

use crate::amounts::mpay_amounts;
use crate::boundary::{CallPhase, create_handle, needed, needed_text, run};
use crate::client::mpay_client;
use crate::error::mpay_error;
use crate::payment::mpay_payment;
use crate::payment_request::mpay_payment_request;
use crate::receipt::mpay_receipt;

/// getAvailableAmounts, POST /available (contract, section 4.1): returns the amounts for which the service
/// has a counter-offer. The library can retry this request. Returns MPAY_OK or any code. *out is to be freed
/// by mpay_amounts_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_get_available_amounts(
    client: Option<&mpay_client>,
    request: Option<&mpay_payment_request>,
    out: *mut *mut mpay_amounts,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let request = needed(request, "request")?.amounts()?;
            needed(client, "client")?.0.get_available_amounts(&request).map(mpay_amounts::from)
        })
    }
}

/// newPayment, POST /new (contract, section 4.2): makes a payment and returns it with its credentials, after
/// up to 10 s. The request is sent once: with MPAY_OUTCOME_UNKNOWN the payment may exist. Returns MPAY_OK or
/// any code. *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_new_payment(
    client: Option<&mpay_client>,
    request: Option<&mpay_payment_request>,
    out: *mut *mut mpay_payment,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let request = needed(request, "request")?.payment()?;
            needed(client, "client")?.0.new_payment(&request).map(mpay_payment::from)
        })
    }
}

/// newPaymentAsync, POST /new-async (contract, section 4.3): makes a payment and returns only its order id;
/// the credentials arrive by webhook. The request is sent once: with MPAY_OUTCOME_UNKNOWN the payment may
/// exist. Returns MPAY_OK or any code. *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_new_payment_async(
    client: Option<&mpay_client>,
    request: Option<&mpay_payment_request>,
    out: *mut *mut mpay_payment,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let request = needed(request, "request")?.payment()?;
            needed(client, "client")?.0.new_payment_async(&request).map(mpay_payment::from)
        })
    }
}

/// confirm, POST /confirm (contract, section 4.4): reports that the customer has paid. The request is sent
/// once: after MPAY_OUTCOME_UNKNOWN call mpay_get_status. Returns MPAY_OK or any code. Any thread. Since
/// 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_confirm(
    client: Option<&mpay_client>,
    order_id: *const c_char,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        run(CallPhase::Call, error, || {
            needed(client, "client")?.0.confirm(needed_text(order_id, "order_id")?).map(drop)
        })
    }
}

/// cancel, POST /cancel (contract, section 4.5): cancels a payment. The request is sent once: after
/// MPAY_OUTCOME_UNKNOWN call mpay_get_status. The error is MPAY_REJECTED with the reason
/// "payment_could_not_be_canceled" if the payment's state does not allow a cancel. Returns MPAY_OK or any
/// code. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_cancel(
    client: Option<&mpay_client>,
    order_id: *const c_char,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        run(CallPhase::Call, error, || {
            needed(client, "client")?.0.cancel(needed_text(order_id, "order_id")?).map(drop)
        })
    }
}

/// getStatus, POST /status (contract, section 4.6): returns the payment with its present status. The library
/// can retry this request. Returns MPAY_OK or any code. *out is to be freed by mpay_payment_free. Any thread.
/// Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_get_status(
    client: Option<&mpay_client>,
    order_id: *const c_char,
    out: *mut *mut mpay_payment,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            needed(client, "client")?.0.get_status(needed_text(order_id, "order_id")?).map(mpay_payment::from)
        })
    }
}

/// Calls mpay_get_status until the status is final, with pauses of 0.25 s growing to 5 s, for at most
/// timeout_ms milliseconds, and at least once. It continues after transient errors until the time is up. Returns
/// MPAY_OK with the payment; MPAY_TIMEOUT with MPAY_OUTCOME_UNKNOWN and the order id if the status is not final
/// in time; any other code for an error that is not transient, or for the error of the last query.
/// mpay_client_interrupt ends the wait with MPAY_CANCELLED. *out is to be freed by mpay_payment_free. Any
/// thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_wait(
    client: Option<&mpay_client>,
    order_id: *const c_char,
    timeout_ms: u32,
    out: *mut *mut mpay_payment,
    error: *mut *mut mpay_error,
) -> i32 {
    let timeout = Duration::from_millis(timeout_ms.into());
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            needed(client, "client")?
                .0
                .wait(needed_text(order_id, "order_id")?, timeout)
                .map(mpay_payment::from)
        })
    }
}

/// attachReceipt, POST /receipt/attach (contract, section 4.7): attaches receipts to a payment in
/// arbitration. The request is sent once: after MPAY_OUTCOME_UNKNOWN call mpay_get_status. Returns MPAY_OK or
/// any code. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_attach_receipt(
    client: Option<&mpay_client>,
    receipt: Option<&mpay_receipt>,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        run(CallPhase::Call, error, || {
            needed(client, "client")?.0.attach_receipt(needed(receipt, "receipt")?.get()?).map(drop)
        })
    }
}
