//! `mpay_client`: makes the calls.

use std::time::Duration;

use merchantpay::Client;

use crate::boundary::{CallPhase, create_handle, needed, run};
use crate::config::mpay_config;
use crate::error::mpay_error;
use crate::handle::{act, free};

/// Makes calls to the service. Threads may share a client without a lock. After fork the child process may
/// use the client too: the child's calls open their own connections.
pub struct mpay_client(pub(crate) Client);

/// Makes a client. It copies the settings, so they may be freed afterwards. It sends nothing and opens no
/// connection. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. *out is to be freed by
/// mpay_client_free. Any thread. Since 0.1.0.
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

/// Makes a derived client: another handle with the same settings, keys and connections. timeout_ms is the
/// deadline of each call of the derived client in milliseconds; 0 keeps the original client's deadline. The
/// derived client can be interrupted separately; interrupting the original client also interrupts the derived
/// client. This function is cheap. Free both handles, in any order. Returns MPAY_OK or MPAY_INVALID_ARGUMENT.
/// *out is to be freed by mpay_client_free. Any thread. Since 0.2.0.
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

/// Ends the running calls of this client and of every client derived from it, in all threads. The
/// interruption is permanent: later calls of these clients do not start. The client from which this one was
/// derived continues, and so do the other clients derived from that client. After this function has returned,
/// the interrupted calls write no more bytes. Each of them ends immediately with MPAY_CANCELLED and the
/// outcome MPAY_OUTCOME_NOT_SENT or MPAY_OUTCOME_UNKNOWN; a complete response is still returned. Only a
/// look-up of the service's name can continue in the background; it writes nothing. NULL does nothing. Any
/// thread, but not a signal handler. Do not free the handle before this function has returned. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_client_interrupt(client: Option<&mpay_client>) {
    act(client, |client| client.0.interrupt());
}

/// Opens a connection for the next call, before the customer is ready, so that the call needs only one round
/// trip. mpay_config_set_connect_idle_ms limits how long the connection waits for its first request. Each
/// call of this function opens one connection. Returns MPAY_OK, MPAY_TRANSPORT, MPAY_TIMEOUT, MPAY_CANCELLED
/// or MPAY_INVALID_ARGUMENT, always with MPAY_OUTCOME_NOT_SENT. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_client_connect(
    client: Option<&mpay_client>,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe { run(CallPhase::Setup, error, || needed(client, "client")?.0.connect()) }
}

/// Frees a client; NULL is allowed. Do not free a client while one of its calls is running. Idle connections
/// are closed without waiting. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_client_free(client: Option<Box<mpay_client>>) {
    free(client);
}
