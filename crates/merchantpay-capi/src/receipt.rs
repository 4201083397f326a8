//! `mpay_receipt`: files for arbitration.

use std::ffi::{c_char, c_void};

use merchantpay::{Error, Receipt, Result};

use crate::boundary::{CallPhase, bytes, needed, needed_text, run};
use crate::error::mpay_error;
use crate::handle::{free, make};

/// One or more receipts for a payment in arbitration (contract, section 4.7). One thread at a time may add
/// files; any number of threads may use the receipt at once.
pub struct mpay_receipt(Result<Receipt>);

impl mpay_receipt {
    pub(crate) fn get(&self) -> Result<&Receipt> {
        self.0.as_ref().map_err(Error::clone)
    }

    fn get_mut(&mut self) -> Result<&mut Receipt> {
        self.0.as_mut().map_err(|error| error.clone())
    }
}

/// A new receipt without files. If the order id is NULL or not UTF-8, the functions that use the receipt
/// report the error. Never NULL. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_receipt_new(order_id: *const c_char) -> *mut mpay_receipt {
    // SAFETY: the header's rule for texts.
    make(|| mpay_receipt(unsafe { needed_text(order_id, "order_id") }.map(Receipt::new)))
}

/// Adds a file from disk, which is read now: a PDF, JPEG or PNG by its first bytes, whatever its name is.
/// Returns MPAY_OK or MPAY_INVALID_ARGUMENT; an error leaves the receipt unchanged. One thread at a time.
/// Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_receipt_add_file(
    receipt: Option<&mut mpay_receipt>,
    path: *const c_char,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        run(CallPhase::Setup, error, || {
            needed(receipt, "receipt")?.get_mut()?.add_file(needed_text(path, "path")?)?;
            Ok(())
        })
    }
}

/// Adds a file of `len` bytes from memory. The bytes are copied. content_type is "application/pdf",
/// "image/jpeg", "image/jpg" or "image/png" (contract, section 8), and the one of the data. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT; an error leaves the receipt unchanged. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_receipt_add_bytes(
    receipt: Option<&mut mpay_receipt>,
    file_name: *const c_char,
    content_type: *const c_char,
    data: *const c_void,
    len: usize,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts, bytes and out-pointers.
    unsafe {
        run(CallPhase::Setup, error, || {
            let (file_name, content_type) =
                (needed_text(file_name, "file_name")?, needed_text(content_type, "content_type")?);
            needed(receipt, "receipt")?.get_mut()?.add_bytes(
                file_name,
                content_type,
                bytes(data, len, "data")?,
            )?;
            Ok(())
        })
    }
}

/// Frees a receipt; NULL is allowed. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_receipt_free(receipt: Option<Box<mpay_receipt>>) {
    free(receipt);
}
