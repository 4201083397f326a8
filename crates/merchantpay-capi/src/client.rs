//! `mpay_client`: who makes the calls.

use std::time::Duration;

use merchantpay::Client;

use crate::boundary::{CallPhase, create_handle, needed, run};
use crate::config::mpay_config;
use crate::error::mpay_error;
use crate::handle::{act, free};

/// Calls the service. Shared by any number of threads as it is. After fork the child may go on with it: its
/// calls open connections of their own.
pub struct mpay_client(pub(crate) Client);

/// Makes a client of settings, which are copied and may be freed. Nothing is sent and no connection opened.
/// Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. *out is to be freed by mpay_client_free. Any
/// thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_client_new(
    config: Option<&mpay_config>,
    out: *mut *mut mpay_client,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || needed(config, "config")?.client().map(mpay_client))
    }
}

/// Makes a handle of its own for the same settings, keys and connections, with another deadline a call, in
/// milliseconds; 0 keeps the client's. It can be interrupted alone, and is interrupted together with the
/// client; it costs little, and is freed by itself, before or after the client. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. *out is to be freed by mpay_client_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_client_derive(
    client: Option<&mpay_client>,
    timeout_ms: u32,
    out: *mut *mut mpay_client,
    error: *mut *mut mpay_error,
) -> i32 {
    let timeout = Duration::from_millis(timeout_ms.into());
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            Ok(mpay_client(needed(client, "client")?.0.derive(timeout)))
        })
    }
}

/// Ends the calls that run on this handle and on everything derived from it, in whatever threads, and lets no
/// more start, for good; the handle that it was derived from, and others derived from that, go on. After it
/// has returned not one more byte of those calls is written. Each ends at once with MPAY_CANCELLED and the
/// outcome that is true, MPAY_OUTCOME_NOT_SENT or MPAY_OUTCOME_UNKNOWN; a response that has come whole is
/// still returned. Nothing goes on in the background but at most a look-up of the service's name, which
/// writes nothing. NULL does nothing. Any thread, but not a signal handler; the handle is freed only after
/// this has returned. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_client_interrupt(client: Option<&mpay_client>) {
    act(client, |client| client.0.interrupt());
}

/// Opens a connection for the next call, before the customer is ready: that call then costs one round trip.
/// The connection waits for its first request as long as mpay_config_set_connect_idle_ms says. Each call of
/// this opens one. Returns MPAY_OK, MPAY_TRANSPORT, MPAY_TIMEOUT, MPAY_CANCELLED or MPAY_INVALID_ARGUMENT,
/// always with MPAY_OUTCOME_NOT_SENT. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_client_connect(
    client: Option<&mpay_client>,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe { run(CallPhase::Setup, error, || needed(client, "client")?.0.connect()) }
}

/// Frees a client; NULL is allowed. No call may be running on it. It closes idle connections without waiting
/// for anything. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_client_free(client: Option<Box<mpay_client>>) {
    free(client);
}
