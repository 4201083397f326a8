//! A shop: a client of a sandbox, and its journal.

use std::ffi::c_char;
use std::ptr::null_mut;

use merchantpay_capi::*;
use merchantpay_sandbox::{Options, Sandbox};

use crate::host::{Host, callback};
use crate::texts::{shown, text};

/// A client of a sandbox.
pub(crate) struct Shop {
    pub(crate) sandbox: Sandbox,
    pub(crate) client: *mut mpay_client,
}

impl Shop {
    pub(crate) fn new() -> Shop {
        let sandbox =
            Sandbox::start(Options { pace: std::time::Duration::ZERO, ..Options::default() }).unwrap();
        let config = mpay_config_new();
        let mut client = null_mut();
        let set = |setter: unsafe extern "C" fn(Option<&mut mpay_config>, *const c_char) -> i32,
                   value: &str| {
            // SAFETY: a handle of the library, and a text.
            assert_eq!(unsafe { setter(config.as_mut(), text(value).as_ptr()) }, MPAY_OK);
        };
        set(mpay_config_set_base_url, sandbox.url());
        set(mpay_config_set_key_id, sandbox.merchant_key_id());
        set(mpay_config_set_private_key, &sandbox.merchant_private_key().unwrap().to_base64());
        set(mpay_config_add_server_public_key, &sandbox.server_public_key().to_base64());
        // SAFETY: handles of the library.
        unsafe {
            assert_eq!(mpay_client_new(config.as_ref(), &raw mut client, null_mut()), MPAY_OK);
            mpay_config_free(Some(Box::from_raw(config)));
        }
        Shop { sandbox, client }
    }

    pub(crate) fn open(&self, host: &Host) -> Result<*mut mpay_journal, (i32, String)> {
        let config = mpay_journal_config_new();
        let user_data = (&raw const *host).cast_mut().cast();
        // SAFETY: handles of the library; the host outlives the journal.
        unsafe {
            let placeholders = MPAY_PLACEHOLDERS_QUESTION;
            let set = mpay_journal_config_set_database(
                config.as_mut(),
                MPAY_DIALECT_SQLITE,
                placeholders,
                Some(callback),
                user_data,
                None,
            );
            assert_eq!(set, MPAY_OK);
            assert_eq!(mpay_journal_config_set_create(config.as_mut(), 1), MPAY_OK);
            assert_eq!(mpay_journal_config_set_timeout_ms(config.as_mut(), 15_000), MPAY_OK);
            let (mut journal, mut error) = (null_mut(), null_mut());
            let code =
                mpay_journal_open(self.client.as_ref(), config.as_ref(), &raw mut journal, &raw mut error);
            mpay_journal_config_free(Some(Box::from_raw(config)));
            host.journal.set(journal);
            reported(code, error).map(|()| journal)
        }
    }

    /// Pays. Returns the standing, the attempt's number, and whether there are credentials.
    pub(crate) fn pay(&self, journal: *mut mpay_journal) -> Result<(i32, u32, bool), (i32, String)> {
        let request = mpay_payment_request_new();
        let (mut entry, mut error) = (null_mut(), null_mut());
        // SAFETY: handles of the library, and texts.
        unsafe {
            mpay_payment_request_set_sum(request.as_mut(), c"10".as_ptr());
            mpay_payment_request_set_payment_method(request.as_mut(), c"sbp".as_ptr());
            mpay_payment_request_set_customer_account(request.as_mut(), c"79001234567".as_ptr());
            let (request_read, reference) = (request.as_ref(), c"order".as_ptr());
            let code = mpay_journal_pay(
                journal.as_ref(),
                reference,
                request_read,
                0,
                &raw mut entry,
                &raw mut error,
            );
            mpay_payment_request_free(Some(Box::from_raw(request)));
            let paid = (
                mpay_entry_standing(entry.as_ref()),
                mpay_entry_attempt(entry.as_ref()),
                !mpay_entry_credentials(entry.as_ref()).is_null(),
            );
            mpay_entry_free((!entry.is_null()).then(|| Box::from_raw(entry)));
            reported(code, error).map(|()| paid)
        }
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        // SAFETY: a handle that `mpay_client_new` made.
        mpay_client_free(Some(unsafe { Box::from_raw(self.client) }));
    }
}

/// The code and the message of an error. Frees the error.
pub(crate) fn reported(code: i32, error: *mut mpay_error) -> Result<(), (i32, String)> {
    if code == MPAY_OK {
        assert!(error.is_null());
        return Ok(());
    }
    // SAFETY: an error that the call returned.
    let error = unsafe { Box::from_raw(error) };
    let message = shown(mpay_error_message(Some(&error))).to_owned();
    mpay_error_free(Some(error));
    Err((code, message))
}

pub(crate) fn close(journal: *mut mpay_journal) {
    // SAFETY: a handle that `mpay_journal_open` made.
    mpay_journal_free(Some(unsafe { Box::from_raw(journal) }));
}
