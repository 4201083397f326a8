//! `mpay_payment_request`: what is asked for.

use merchantpay::{Amount, AmountsRequest, Error, PaymentRequest, RequestFields, Result};

use crate::boundary::{needed, set};
use crate::handle::{free, make};

/// The fields of mpay_get_available_amounts, mpay_new_payment and mpay_new_payment_async, set in any order;
/// checked when it is used, which does not consume it. One thread at a time while it is set; any number may
/// use it at once.
#[derive(Default)]
pub struct mpay_payment_request {
    fields: RequestFields,
    /// Names of fields whose last text was not UTF-8.
    wrong: Vec<&'static str>,
}

impl mpay_payment_request {
    /// Takes a text, or takes the field back. A text that cannot be read is remembered, so that nothing is
    /// sent without it.
    pub(crate) fn set(
        &mut self,
        name: &'static str,
        field: fn(&mut RequestFields) -> &mut Option<String>,
        value: Result<Option<&str>>,
    ) -> Result<()> {
        self.wrong.retain(|wrong| *wrong != name);
        let (value, result) = match value {
            Ok(value) => (value, Ok(())),
            Err(error) => {
                self.wrong.push(name);
                (None, Err(error))
            }
        };
        *field(&mut self.fields) = value.map(str::to_owned);
        result
    }

    fn fields(&self) -> Result<&RequestFields> {
        match self.wrong.first() {
            Some(name) => Err(Error::invalid_argument(format!("{name} is not UTF-8"))),
            None => Ok(&self.fields),
        }
    }

    pub(crate) fn amounts(&self) -> Result<AmountsRequest> {
        self.fields()?.amounts_request()
    }

    pub(crate) fn payment(&self) -> Result<PaymentRequest> {
        self.fields()?.payment_request()
    }
}

/// A new request, with RUB for its currency and nothing else set. Never NULL. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_request_new() -> *mut mpay_payment_request {
    make(mpay_payment_request::default)
}

/// The sum in kopecks, such as 150050. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since
/// 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_request_set_sum_minor(
    request: Option<&mut mpay_payment_request>,
    kopecks: i64,
) -> i32 {
    set(|| {
        let sum = Amount::from_minor(kopecks).to_string();
        needed(request, "request")?.set("sum", |fields| &mut fields.sum, Ok(Some(&sum)))
    })
}

/// Frees a request; NULL is allowed. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_request_free(request: Option<Box<mpay_payment_request>>) {
    free(request);
}
