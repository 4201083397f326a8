//! `mpay_payment`: a payment from a reply or a webhook.

use std::ffi::c_char;

use merchantpay::{Amount, PAYMENT_FIELDS, Paid, Payment, Status};

use crate::boundary::text;
use crate::handle::{free, read};
use crate::texts::Texts;

/// The result of mpay_payment_sum_minor and mpay_amounts_get_minor if there is no sum, or if the sum is not
/// in whole kopecks.
pub const MPAY_NO_MINOR: i64 = i64::MIN;

/// A payment as a verified reply or webhook reports it (contract, section 2). Every field except the order id
/// may be absent. Any number of threads may read it at once.
pub struct mpay_payment {
    sum: Option<Amount>,
    status: i32,
    is_final: bool,
    /// The kind of a webhook, the flag for a final status, the JSON, and then the contract's fields in the
    /// contract's order. A new field does not move the first three texts.
    texts: Texts<{ FIELDS + PAYMENT_FIELDS.len() }>,
}

/// The index of a webhook's kind among the texts.
const KIND: usize = 0;
/// The index of the flag for a final status.
const IS_FINAL: usize = 1;
/// The index of the payment's JSON among its texts.
const JSON: usize = 2;
/// The index of the first field among the texts.
const FIELDS: usize = 3;

impl mpay_payment {
    /// The payment of a reply, or of a webhook of this kind.
    pub(crate) fn of(payment: &Payment, kind: Option<&str>) -> mpay_payment {
        let fields = payment.texts();
        let mut texts = [None; FIELDS + PAYMENT_FIELDS.len()];
        texts[KIND] = kind;
        for (text, field) in texts.iter_mut().skip(FIELDS).zip(&fields) {
            *text = field.as_deref();
        }
        texts[IS_FINAL] = Some(if payment.is_final() { "1" } else { "0" });
        texts[JSON] = Some(payment.json());
        let texts = Texts::new(texts);
        mpay_payment {
            sum: payment.sum(),
            status: payment.status().map_or(0, Status::number),
            is_final: payment.is_final(),
            texts,
        }
    }

    fn paid(&self, asked: &str) -> Option<i32> {
        Some(Paid::of(self.sum?, asked.parse().ok()?).number())
    }

    /// The field with this index in the definition.
    pub(crate) fn field(&self, place: usize) -> *const c_char {
        self.texts.get(FIELDS + place)
    }

    pub(crate) fn fields(&self) -> &[u8] {
        self.texts.from(IS_FINAL)
    }

    pub(crate) fn kind_and_fields(&self) -> &[u8] {
        self.texts.from(KIND)
    }
}

/// A payment of a reply has no event kind.
impl From<Payment> for mpay_payment {
    fn from(payment: Payment) -> mpay_payment {
        mpay_payment::of(&payment, None)
    }
}

pub(crate) fn minor(amount: Option<Amount>) -> i64 {
    amount.and_then(|amount| amount.minor()).unwrap_or(MPAY_NO_MINOR)
}

/// The sum in kopecks; MPAY_NO_MINOR if the sum is absent, has a fraction of a kopeck, or does not fit in 64
/// bits. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_sum_minor(payment: Option<&mpay_payment>) -> i64 {
    read(payment, |payment| minor(payment.sum))
}

/// Compares the paid sum with `asked`, the requested sum as decimal text: MPAY_PAID_EXACTLY, MPAY_PAID_LESS
/// or MPAY_PAID_MORE; 0 if there is no sum or if `asked` is not an amount. The sums are compared as numbers,
/// in the payment's currency. The status "doneSuccess" alone does not mean that the customer paid everything.
/// The result is final only with a final status; before that, the payment's sum is the sum that the service
/// expects so far. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_paid(payment: Option<&mpay_payment>, asked: *const c_char) -> i32 {
    // SAFETY: the header's rule for texts.
    let asked = unsafe { text(asked, "asked") };
    read(payment, |payment| asked.ok().flatten().and_then(|asked| payment.paid(asked)).unwrap_or(0))
}

/// The status as a number, MPAY_STATUS_FREE and so on; 0 if there is no status, or if this version does not
/// know it: see mpay_payment_status. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_status_code(payment: Option<&mpay_payment>) -> i32 {
    read(payment, |payment| payment.status)
}

/// 1 if there is a status and it is final, else 0: a status that this version does not know is never final.
/// Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_is_final(payment: Option<&mpay_payment>) -> i32 {
    read(payment, |payment| i32::from(payment.is_final))
}

/// The body of the verified message, unchanged: JSON. It includes fields that this version does not know.
/// Borrowed from the payment. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_json(payment: Option<&mpay_payment>) -> *const c_char {
    read(payment, |payment| payment.texts.get(JSON))
}

/// Frees a payment that a call returned, and all that was borrowed from it; NULL is allowed. Do not free a
/// payment that was borrowed from an event or an entry. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_free(payment: Option<Box<mpay_payment>>) {
    free(payment);
}
