//! `mpay_to_balance`: the paid sum in the balance's currency (contract, section 2).

use std::ffi::c_char;

use merchantpay::{Amount, Balance, Rounding, to_balance};

use crate::boundary::{CallPhase, create_handle, known, needed_text};
use crate::error::mpay_error;
use crate::handle::{free, read};
use crate::payment::minor;
use crate::texts::Texts;

/// An exact decimal. Any number of threads may read it at once.
pub struct mpay_amount {
    amount: Amount,
    text: Texts<1>,
}

impl From<Amount> for mpay_amount {
    fn from(amount: Amount) -> mpay_amount {
        mpay_amount { text: Texts::new([Some(&amount.to_string())]), amount }
    }
}

/// Converts a paid sum at a rate to the currency of the merchant's balance (MPAY_BALANCE_*). sum and rate are
/// decimal text. The result is rounded once (MPAY_ROUNDING_*), to `scale` digits after the decimal point (at
/// most 28). Returns MPAY_OK or MPAY_INVALID_ARGUMENT. *out is to be freed by mpay_amount_free. Any thread.
/// Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_to_balance(
    sum: *const c_char,
    rate: *const c_char,
    balance: i32,
    scale: u32,
    rounding: i32,
    out: *mut *mut mpay_amount,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            let (sum, rate) = (needed_text(sum, "sum")?.parse()?, needed_text(rate, "rate")?.parse()?);
            let balance = known(Balance::from_number(balance), "balance", "MPAY_BALANCE_")?;
            let rounding = known(Rounding::from_number(rounding), "rounding", "MPAY_ROUNDING_")?;
            to_balance(sum, rate, balance, scale, rounding).map(mpay_amount::from)
        })
    }
}

/// The amount as decimal text. Borrowed from the amount. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_amount_text(amount: Option<&mpay_amount>) -> *const c_char {
    read(amount, |amount| amount.text.get(0))
}

/// The amount in hundredths; MPAY_NO_MINOR if the amount has a smaller fraction or does not fit in 64 bits.
/// Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_amount_minor(amount: Option<&mpay_amount>) -> i64 {
    read(amount, |amount| minor(Some(amount.amount)))
}

/// Frees an amount; NULL is allowed. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_amount_free(amount: Option<Box<mpay_amount>>) {
    free(amount);
}
