//! What was paid.

use std::ffi::c_char;

use merchantpay_calls::Value;

use crate::arguments::text;
use crate::handle::read;
use crate::object::{LIBRARY, call};
use crate::places::{number, payment};
use crate::typed::mpay_payment;

/// Compares the paid sum with `asked`, the requested sum as decimal text: MPAY_PAID_EXACTLY, MPAY_PAID_LESS
/// or MPAY_PAID_MORE; 0 if there is no sum or if `asked` is not an amount. The sums are compared as numbers,
/// in the payment's currency. The status "doneSuccess" alone does not mean that the customer paid everything.
/// The result is final only with a final status; before that, the payment's sum is the sum that the service
/// expects so far. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_paid(payment: Option<&mpay_payment>, asked: *const c_char) -> i32 {
    // SAFETY: the header's rule for texts.
    let asked = unsafe { text(asked) };
    read(payment, |payment| {
        let sum = payment.0.bytes(&[payment::SUM]).map(Value::Borrowed);
        call(LIBRARY, number::LIBRARY_PAID, &[sum, asked]).map_or(0, |paid| paid.word(&[0], "Paid"))
    })
}
