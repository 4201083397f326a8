//! What a merchant asks for: typed requests, checked before anything is signed (contract, section 4).

use std::fmt;

use crate::amount::Amount;
use crate::error::{Error, Result};
use crate::json::Writer;
use crate::payment::{Currency, PaymentMethod};
use crate::url::{UrlFault, absolute_url};

/// The request of `/available`: for which amounts is there a counter-offer (contract, section 4.1).
#[derive(Clone)]
pub struct AmountsRequest {
    sum: Amount,
    currency: Currency,
    payment_method: PaymentMethod,
    customer_account: Option<String>,
    sum_drift_up: Option<Amount>,
    sum_drift_down: Option<Amount>,
}

impl AmountsRequest {
    /// `sum` must be greater than 0. The currency is RUB.
    pub fn new(sum: impl Into<Amount>, payment_method: PaymentMethod) -> AmountsRequest {
        AmountsRequest {
            sum: sum.into(),
            currency: Currency::Rub,
            payment_method,
            customer_account: None,
            sum_drift_up: None,
            sum_drift_down: None,
        }
    }

    /// `currency`.
    #[must_use]
    pub fn currency(mut self, currency: Currency) -> AmountsRequest {
        self.currency = currency;
        self
    }

    /// `customerAccount`: has no effect on the selection at present.
    #[must_use]
    pub fn customer_account(mut self, account: impl Into<String>) -> AmountsRequest {
        self.customer_account = Some(account.into());
        self
    }

    /// `sumDriftUp`: how far above the sum an amount may be.
    #[must_use]
    pub fn sum_drift_up(mut self, drift: impl Into<Amount>) -> AmountsRequest {
        self.sum_drift_up = Some(drift.into());
        self
    }

    /// `sumDriftDown`: how far below the sum an amount may be.
    #[must_use]
    pub fn sum_drift_down(mut self, drift: impl Into<Amount>) -> AmountsRequest {
        self.sum_drift_down = Some(drift.into());
        self
    }

    pub(crate) fn body(&self) -> Result<Vec<u8>> {
        check_sum(self.sum)?;
        for (name, drift) in [("sumDriftUp", self.sum_drift_up), ("sumDriftDown", self.sum_drift_down)] {
            if drift.is_some_and(|drift| drift.is_negative()) {
                return Err(Error::invalid_argument(format!("{name} must not be negative")));
            }
        }
        check_present("customerAccount", self.customer_account.as_deref())?;
        Ok(Writer::new()
            .amount("sum", self.sum)
            .string("currency", self.currency.as_str())
            .string("paymentMethod", self.payment_method.as_str())
            .optional_string("customerAccount", self.customer_account.as_deref())
            .optional_amount("sumDriftUp", self.sum_drift_up)
            .optional_amount("sumDriftDown", self.sum_drift_down)
            .finish())
    }

    pub(crate) fn account(&self) -> Option<&str> {
        self.customer_account.as_deref()
    }
}

impl fmt::Debug for AmountsRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AmountsRequest").field("sum", &self.sum).field("payment_method", &self.payment_method).finish_non_exhaustive()
    }
}

/// The request of `/new` and `/new-async` (contract, sections 4.2 and 4.3).
#[derive(Clone)]
pub struct PaymentRequest {
    sum: Amount,
    currency: Currency,
    payment_method: PaymentMethod,
    customer_account: String,
    payer_bank: Option<String>,
    merchant_id: Option<String>,
    status_webhook_url: Option<String>,
    credentials_webhook_url: Option<String>,
}

impl PaymentRequest {
    /// `sum` must be greater than 0 and `customer_account` not empty. The currency is RUB.
    pub fn new(sum: impl Into<Amount>, payment_method: PaymentMethod, customer_account: impl Into<String>) -> PaymentRequest {
        PaymentRequest {
            sum: sum.into(),
            currency: Currency::Rub,
            payment_method,
            customer_account: customer_account.into(),
            payer_bank: None,
            merchant_id: None,
            status_webhook_url: None,
            credentials_webhook_url: None,
        }
    }

    /// `currency`.
    #[must_use]
    pub fn currency(mut self, currency: Currency) -> PaymentRequest {
        self.currency = currency;
        self
    }

    /// `payerBank`: the code of the payer's bank. The merchant's agreement may require it.
    #[must_use]
    pub fn payer_bank(mut self, code: impl Into<String>) -> PaymentRequest {
        self.payer_bank = Some(code.into());
        self
    }

    /// `merchantId`: the merchant's own identifier, for reconciliation and support.
    #[must_use]
    pub fn merchant_id(mut self, id: impl Into<String>) -> PaymentRequest {
        self.merchant_id = Some(id.into());
        self
    }

    /// `statusWebhookUrl`: an absolute http or https URL that receives status webhooks.
    #[must_use]
    pub fn status_webhook_url(mut self, url: impl Into<String>) -> PaymentRequest {
        self.status_webhook_url = Some(url.into());
        self
    }

    /// `credentialsWebhookUrl`: an absolute http or https URL that receives the credentials. Required by `/new-async`,
    /// and refused by `/new`, which has no such field.
    #[must_use]
    pub fn credentials_webhook_url(mut self, url: impl Into<String>) -> PaymentRequest {
        self.credentials_webhook_url = Some(url.into());
        self
    }

    /// The body that `/new` or `/new-async` would be sent, checked and not signed. For the crate `merchantpay-journal`.
    #[doc(hidden)]
    pub fn checked_body(&self, asynchronous: bool) -> Result<Vec<u8>> {
        self.body(asynchronous)
    }

    /// Whether it has a `merchantId`. For the crate `merchantpay-journal`.
    #[doc(hidden)]
    pub fn has_merchant_id(&self) -> bool {
        self.merchant_id.is_some()
    }

    pub(crate) fn body(&self, asynchronous: bool) -> Result<Vec<u8>> {
        check_sum(self.sum)?;
        check_present("customerAccount", Some(&self.customer_account))?;
        check_present("payerBank", self.payer_bank.as_deref())?;
        check_present("merchantId", self.merchant_id.as_deref())?;
        check_url("statusWebhookUrl", self.status_webhook_url.as_deref())?;
        check_url("credentialsWebhookUrl", self.credentials_webhook_url.as_deref())?;
        match (asynchronous, self.credentials_webhook_url.is_some()) {
            (true, false) => return Err(Error::invalid_argument("credentialsWebhookUrl is required by newPaymentAsync")),
            (false, true) => {
                return Err(Error::invalid_argument("credentialsWebhookUrl belongs to newPaymentAsync: newPayment has no such field"));
            }
            _ => {}
        }
        Ok(Writer::new()
            .amount("sum", self.sum)
            .string("currency", self.currency.as_str())
            .string("paymentMethod", self.payment_method.as_str())
            .string("customerAccount", &self.customer_account)
            .optional_string("statusWebhookUrl", self.status_webhook_url.as_deref())
            .optional_string("credentialsWebhookUrl", self.credentials_webhook_url.as_deref())
            .optional_string("payerBank", self.payer_bank.as_deref())
            .optional_string("merchantId", self.merchant_id.as_deref())
            .finish())
    }

    pub(crate) fn account(&self) -> &str {
        &self.customer_account
    }
}

impl fmt::Debug for PaymentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PaymentRequest").field("sum", &self.sum).field("payment_method", &self.payment_method).finish_non_exhaustive()
    }
}

/// The fields of a request as texts, set in any order: for whoever has no types to fill in, such as a command line, a web
/// form, or the setters of another language. What is missing or wrong is told when the request is made.
///
/// ```
/// use merchantpay::RequestFields;
/// let mut fields = RequestFields::default();
/// fields.sum = Some("1500.50".to_owned());
/// fields.payment_method = Some("cash".to_owned());
/// assert_eq!(fields.payment_request().unwrap_err().message(), "the payment method must be card or sbp");
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct RequestFields {
    /// `sum`: the text of a JSON number.
    pub sum: Option<String>,
    /// `currency`: `RUB`, also if it is not set.
    pub currency: Option<String>,
    /// `paymentMethod`: `card` or `sbp`.
    pub payment_method: Option<String>,
    /// `customerAccount`.
    pub customer_account: Option<String>,
    /// `payerBank`.
    pub payer_bank: Option<String>,
    /// `merchantId`.
    pub merchant_id: Option<String>,
    /// `statusWebhookUrl`.
    pub status_webhook_url: Option<String>,
    /// `credentialsWebhookUrl`.
    pub credentials_webhook_url: Option<String>,
    /// `sumDriftUp`: the text of a JSON number.
    pub sum_drift_up: Option<String>,
    /// `sumDriftDown`: the text of a JSON number.
    pub sum_drift_down: Option<String>,
}

impl RequestFields {
    /// The request of `/available`. Fields that it does not have are left out.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a field that is missing or cannot be read.
    pub fn amounts_request(&self) -> Result<AmountsRequest> {
        let mut request = AmountsRequest::new(self.sum()?, self.payment_method()?).currency(self.currency()?);
        request.customer_account = self.customer_account.clone();
        request.sum_drift_up = amount("sumDriftUp", self.sum_drift_up.as_deref())?;
        request.sum_drift_down = amount("sumDriftDown", self.sum_drift_down.as_deref())?;
        Ok(request)
    }

    /// The request of `/new` and `/new-async`. The deviations of `/available` are left out.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a field that is missing or cannot be read.
    pub fn payment_request(&self) -> Result<PaymentRequest> {
        let (sum, method) = (self.sum()?, self.payment_method()?);
        let account = self.customer_account.clone().ok_or_else(|| missing("customerAccount"))?;
        let mut request = PaymentRequest::new(sum, method, account).currency(self.currency()?);
        request.payer_bank = self.payer_bank.clone();
        request.merchant_id = self.merchant_id.clone();
        request.status_webhook_url = self.status_webhook_url.clone();
        request.credentials_webhook_url = self.credentials_webhook_url.clone();
        Ok(request)
    }

    fn sum(&self) -> Result<Amount> {
        amount("sum", self.sum.as_deref())?.ok_or_else(|| missing("sum"))
    }

    fn currency(&self) -> Result<Currency> {
        self.currency.as_deref().map_or(Ok(Currency::Rub), str::parse)
    }

    fn payment_method(&self) -> Result<PaymentMethod> {
        self.payment_method.as_deref().ok_or_else(|| missing("paymentMethod"))?.parse()
    }
}

impl fmt::Debug for RequestFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestFields").field("sum", &self.sum).field("payment_method", &self.payment_method).finish_non_exhaustive()
    }
}

fn missing(name: &str) -> Error {
    Error::invalid_argument(format!("{name} is missing"))
}

fn amount(name: &str, text: Option<&str>) -> Result<Option<Amount>> {
    let parsed = text.map(Amount::parse_number).transpose();
    parsed.map_err(|why| Error::invalid_argument(format!("{name} {why}")))
}

/// The body of `/confirm`, `/cancel` and `/status`.
pub(crate) fn order_body(order_id: &str) -> Result<Vec<u8>> {
    check_order_id(order_id)?;
    Ok(Writer::new().string("orderId", order_id).finish())
}

/// The contract shows no format of an order id: anything is sent but an empty one, and one that not every language can hold.
pub(crate) fn check_order_id(order_id: &str) -> Result<()> {
    check_present("orderId", Some(order_id))
}

fn check_sum(sum: Amount) -> Result<()> {
    if sum.is_positive() { Ok(()) } else { Err(Error::invalid_argument("the sum must be greater than 0")) }
}

fn check_present(name: &str, value: Option<&str>) -> Result<()> {
    match value {
        Some(value) if value.trim().is_empty() => Err(Error::invalid_argument(format!("{name} must not be empty"))),
        // Where C's strings are, the text would be cut there and be another one; so nowhere.
        Some(value) if value.contains('\0') => Err(Error::invalid_argument(format!("{name} must not have a NUL in it"))),
        _ => Ok(()),
    }
}

fn check_url(name: &str, url: Option<&str>) -> Result<()> {
    let fault = url.and_then(|url| absolute_url(url).err());
    fault.map_or(Ok(()), |fault| {
        Err(Error::invalid_argument(match fault {
            UrlFault::NotAbsolute => {
                format!("{name} must be an absolute http or https URL; write a host with other letters in punycode")
            }
            UrlFault::Credentials => format!("{name} must not have a user name or password in it"),
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_in_any_order_make_the_same_request() {
        let text = |text: &str| Some(text.to_owned());
        let mut fields =
            RequestFields { sum: text("10.50"), payment_method: text("sbp"), customer_account: text("1"), ..Default::default() };
        fields.sum_drift_up = text("0.5");
        let direct = AmountsRequest::new("10.50".parse::<Amount>().unwrap(), PaymentMethod::Sbp);
        let direct = direct.sum_drift_up("0.5".parse::<Amount>().unwrap()).customer_account("1");
        assert_eq!(fields.amounts_request().unwrap().body().unwrap(), direct.body().unwrap());

        fields.merchant_id = text("7");
        let direct = PaymentRequest::new("10.50".parse::<Amount>().unwrap(), PaymentMethod::Sbp, "1").merchant_id("7");
        assert_eq!(fields.payment_request().unwrap().body(false).unwrap(), direct.body(false).unwrap());
    }

    #[test]
    fn a_field_that_is_missing_or_unreadable_is_named() {
        let text = |text: &str| Some(text.to_owned());
        let good = RequestFields { sum: text("1"), payment_method: text("sbp"), customer_account: text("1"), ..Default::default() };
        for (fields, named) in [
            (RequestFields { sum: None, ..good.clone() }, "sum"),
            (RequestFields { sum: text("1,5"), ..good.clone() }, "sum"),
            (RequestFields { currency: text("USD"), ..good.clone() }, "currency"),
            (RequestFields { payment_method: None, ..good.clone() }, "paymentMethod"),
            (RequestFields { payment_method: text("cash"), ..good.clone() }, "payment method"),
            (RequestFields { customer_account: None, ..good.clone() }, "customerAccount"),
        ] {
            let error = fields.payment_request().unwrap_err();
            assert!(error.message().contains(named), "{named}: {error}");
        }
        assert!(RequestFields { sum_drift_down: text("x"), ..good }.amounts_request().is_err());
    }
}
