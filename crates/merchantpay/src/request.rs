//! What a merchant asks for: typed requests, checked before anything is signed (contract, section 4).

use std::fmt;

use http::Uri;

use crate::amount::Amount;
use crate::error::{Error, Result};
use crate::json::Writer;
use crate::payment::{Currency, PaymentMethod};

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

/// The body of `/confirm`, `/cancel` and `/status`.
pub(crate) fn order_body(order_id: &str) -> Result<Vec<u8>> {
    check_order_id(order_id)?;
    Ok(Writer::new().string("orderId", order_id).finish())
}

/// The contract shows no format of an order id: anything but an empty one is sent.
pub(crate) fn check_order_id(order_id: &str) -> Result<()> {
    check_present("orderId", Some(order_id))
}

fn check_sum(sum: Amount) -> Result<()> {
    if sum.is_positive() { Ok(()) } else { Err(Error::invalid_argument("the sum must be greater than 0")) }
}

fn check_present(name: &str, value: Option<&str>) -> Result<()> {
    match value {
        Some(value) if value.trim().is_empty() => Err(Error::invalid_argument(format!("{name} must not be empty"))),
        _ => Ok(()),
    }
}

fn check_url(name: &str, url: Option<&str>) -> Result<()> {
    match url {
        Some(url) => absolute_url(url).map(drop).ok_or_else(|| {
            Error::invalid_argument(format!("{name} must be an absolute http or https URL; write a host with other letters in punycode"))
        }),
        None => Ok(()),
    }
}

/// Reads an absolute http or https URL with a host and without a password.
pub(crate) fn absolute_url(url: &str) -> Option<Uri> {
    let uri: Uri = url.parse().ok()?;
    let authority = uri.authority()?;
    let host = authority.host();
    // What stands behind the host is a port that fits, or nothing; a password would make it neither.
    let plain = authority.as_str() == host || authority.port_u16().is_some_and(|port| authority.as_str() == format!("{host}:{port}"));
    (matches!(uri.scheme_str(), Some("http" | "https")) && !host.is_empty() && plain).then_some(uri)
}
