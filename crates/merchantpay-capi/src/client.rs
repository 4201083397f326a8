//! `mpay_client`: who makes the calls.

use std::time::Duration;

use merchantpay::{Client, Error};

use crate::boundary::{Moment, free, give, needed};
use crate::config::mpay_config;
use crate::error::mpay_error;

/// Calls the service. Shared by any number of threads as it is. After fork the child may go on with it: its calls open
/// connections of their own.
pub struct mpay_client(pub(crate) Client);

/// Makes a client of settings, which are copied and may be freed. Nothing is sent and no connection opened. Returns MPAY_OK,
/// MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. *out is to be freed by mpay_client_free. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_client_new(config: Option<&mpay_config>, out: *mut *mut mpay_client, error: *mut *mut mpay_error) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe { give(Moment::Setup, out, error, || needed(config, "config")?.client().map(mpay_client)) }
}

/// Makes a second handle for the same client with another deadline a call, in milliseconds; it shares the client's
/// connections, costs nothing, and is freed by itself. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_client_with_timeout_ms(
    client: Option<&mpay_client>,
    timeout_ms: u32,
    out: *mut *mut mpay_client,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        give(Moment::Setup, out, error, || match (needed(client, "client")?, timeout_ms) {
            (_, 0) => Err(Error::invalid_argument("a timeout must be longer than 0")),
            (client, timeout) => Ok(mpay_client(client.0.with_timeout(Duration::from_millis(timeout.into())))),
        })
    }
}

/// Frees a client; NULL is allowed. No call may be running on it. It closes idle connections without waiting for anything.
/// Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_client_free(client: Option<Box<mpay_client>>) {
    free(client);
}
