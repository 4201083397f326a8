//! Typed requests, checked before anything is signed (contract, section 4), and the table of their fields. Code of
//! the other languages and parts of the documentation are generated from it.

use std::fmt;

use crate::amount::Amount;
use crate::error::{Error, Result};
use crate::json::Writer;
use crate::request_field::{Currency, PaymentMethod, RequestField, RequestFieldKind, check_present};
use crate::setting::Refused;

const AVAILABLE: &str = "getAvailableAmounts";
const NEW: &str = "newPayment";
const NEW_ASYNC: &str = "newPaymentAsync";

/// Declares the fields: the table, and the methods that set them on typed requests.
macro_rules! request_fields {
    ($(
        $( #[doc = $doc:literal] )+
        $field:ident: $type:ty = $name:literal $kind:ident, of $operations:expr, required by $required:expr
            $(, set on $($request:ident)+)? $(, since $since:literal)?;
    )+) => {
        /// The fields of the requests of `/available`, `/new` and `/new-async`, in the order in which they
        /// are written.
        pub const REQUEST_FIELDS: &[RequestField] = &[ $( RequestField {
            name: $name,
            snake_case: stringify!($field),
            kind: RequestFieldKind::$kind,
            operations: &$operations,
            required_by: &$required,
            doc: concat!($($doc),+).trim_ascii(),
            since: crate::since!($($since)?),
        }, )+ ];

        $( request_fields!(@set concat!($($doc),+), $field, $type, $name; $( $($request)+ )?); )+
    };
    (@set $doc:expr, $field:ident, $type:ty, $name:literal; $($request:ident)*) => { $(
        impl $request {
            #[doc = $doc]
            #[must_use]
            pub fn $field(mut self, value: impl Into<$type>) -> $request {
                self.0.put($name, Into::<$type>::into(value));
                self
            }
        }
    )* };
}

request_fields! {
    /// The sum in rubles: greater than 0, exact, with at most 28 digits.
    sum: Amount = "sum" Sum, of [AVAILABLE, NEW, NEW_ASYNC], required by [AVAILABLE, NEW, NEW_ASYNC];
    /// The currency. It is `RUB`, even if it is not set.
    currency: Currency = "currency" Currency, of [AVAILABLE, NEW, NEW_ASYNC], required by [], set on AmountsRequest PaymentRequest;
    /// The way in which the customer pays: `card` or `sbp`.
    payment_method: PaymentMethod = "paymentMethod" PaymentMethod, of [AVAILABLE, NEW, NEW_ASYNC],
        required by [AVAILABLE, NEW, NEW_ASYNC];
    /// The customer's account. `getAvailableAmounts` does not require an account, and at present the service
    /// ignores the account in that operation.
    customer_account: String = "customerAccount" Account, of [AVAILABLE, NEW, NEW_ASYNC], required by [NEW, NEW_ASYNC],
        set on AmountsRequest;
    /// An absolute http or https URL that receives status webhooks (contract, section 6.2).
    status_webhook_url: String = "statusWebhookUrl" Url, of [NEW, NEW_ASYNC], required by [], set on PaymentRequest;
    /// An absolute http or https URL that receives the credentials (contract, section 6.1). `newPaymentAsync`
    /// requires it, and `newPayment` refuses it.
    credentials_webhook_url: String = "credentialsWebhookUrl" Url, of [NEW_ASYNC], required by [NEW_ASYNC], set on PaymentRequest;
    /// The code of the customer's bank. The merchant's agreement with the service may require it.
    payer_bank: String = "payerBank" Text, of [NEW, NEW_ASYNC], required by [], set on PaymentRequest;
    /// The merchant's own identifier, for reconciliation and support.
    merchant_id: String = "merchantId" Text, of [NEW, NEW_ASYNC], required by [], set on PaymentRequest;
    /// The largest difference by which an amount may be above the sum; it must not be negative.
    sum_drift_up: Amount = "sumDriftUp" Drift, of [AVAILABLE], required by [], set on AmountsRequest;
    /// The largest difference by which an amount may be below the sum; it must not be negative.
    sum_drift_down: Amount = "sumDriftDown" Drift, of [AVAILABLE], required by [], set on AmountsRequest;
}

/// The values of a request's fields, set in any order from text. This type is for callers without typed values,
/// such as a command line, a web form, or the setters of another language.
///
/// ```
/// use merchantpay::RequestValues;
/// let mut values = RequestValues::default();
/// values.set("sum", "1500.50")?;
/// let error = values.set("paymentMethod", "cash").unwrap_err();
/// assert_eq!(error.message(), "paymentMethod must be card or sbp");
/// # Ok::<(), merchantpay::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct RequestValues {
    values: [Option<String>; REQUEST_FIELDS.len()],
    refused: Refused,
}

impl RequestValues {
    /// Sets the field with this name of the contract or in snake case; `None` unsets it.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for an unknown name, or a text that cannot be the value. A refused text is remembered: no
    /// request is made of the values until the field gets a usable text.
    pub fn set<'t>(&mut self, name: &str, text: impl Into<Option<&'t str>>) -> Result<()> {
        self.keep(name, |field| text.into().map(|text| field.read(text)).transpose())
    }

    /// Remembers that a field got a value that is not even text.
    #[doc(hidden)]
    pub fn refuse(&mut self, name: &str, error: Error) -> Result<()> {
        self.keep(name, |_| Err(error))
    }

    fn keep(&mut self, name: &str, read: impl FnOnce(&RequestField) -> Result<Option<String>>) -> Result<()> {
        let mut fields = REQUEST_FIELDS.iter().zip(&mut self.values);
        let (field, value) = fields
            .find(|(field, _)| field.name == name || field.snake_case == name)
            .ok_or_else(|| Error::invalid_argument(format!("there is no field {name:?}")))?;
        *value = None;
        let kept = read(field).map(|text| *value = text);
        self.refused.note(field.name, kept)
    }

    /// Makes the request of `/available`. Fields that this request does not have are ignored.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a field that is missing or was refused.
    pub fn amounts_request(&self) -> Result<AmountsRequest> {
        self.taken(&[AVAILABLE]).map(AmountsRequest)
    }

    /// Makes the request of `/new` and `/new-async`. Fields that neither request has are ignored.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a field that is missing or was refused.
    pub fn payment_request(&self) -> Result<PaymentRequest> {
        self.taken(&[NEW, NEW_ASYNC]).map(PaymentRequest)
    }

    fn put(&mut self, name: &str, value: impl ToString) {
        let place = REQUEST_FIELDS.iter().position(|field| field.name == name);
        if let Some(place) = place.and_then(|place| self.values.get_mut(place)) {
            *place = Some(value.to_string());
        }
    }

    fn fields(&self) -> impl Iterator<Item = (&'static RequestField, Option<&str>)> {
        REQUEST_FIELDS.iter().zip(self.values.iter().map(Option::as_deref))
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.fields().find(|(field, _)| field.name == name)?.1
    }

    /// The values of the fields that one of these operations has. Those that all of them require must be present.
    fn taken(&self, operations: &[&str]) -> Result<RequestValues> {
        let mut taken = RequestValues::default();
        for ((field, value), place) in self.fields().zip(&mut taken.values) {
            if !operations.iter().any(|name| field.operations.contains(name)) {
                continue;
            }
            self.refused.check([field.name].into_iter())?;
            if value.is_none() && operations.iter().all(|name| field.required_by.contains(name)) {
                return Err(Error::about(field.name, "is missing"));
            }
            *place = value.map(str::to_owned);
        }
        Ok(taken)
    }

    /// The body of an operation's request, after all fields were checked.
    fn body(&self, operation: &'static str) -> Result<Vec<u8>> {
        for (field, value) in self.fields() {
            value.map_or(Ok(()), |value| field.check(value))?;
        }
        for (field, value) in self.fields() {
            field.check_place(operation, value.is_some())?;
        }
        let mut written = Writer::new();
        for (field, value) in self.fields() {
            written = match (field.kind, value) {
                (RequestFieldKind::Sum | RequestFieldKind::Drift, Some(value)) => {
                    written.amount(field.name, field.amount(value)?)
                }
                (RequestFieldKind::Currency, None) => {
                    written.string(field.name, Currency::default().as_str())
                }
                (_, Some(value)) => written.string(field.name, value),
                (_, None) => written,
            };
        }
        Ok(written.finish())
    }
}

impl fmt::Debug for RequestValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestValues")
            .field("sum", &self.get("sum"))
            .field("payment_method", &self.get("paymentMethod"))
            .finish_non_exhaustive()
    }
}

/// The request of `/available`, which asks for amounts with a counter-offer (contract, section 4.1).
#[derive(Debug, Clone)]
pub struct AmountsRequest(RequestValues);

impl AmountsRequest {
    /// Makes a request. `sum` must be greater than 0. The currency is RUB.
    pub fn new(sum: impl Into<Amount>, payment_method: PaymentMethod) -> AmountsRequest {
        let mut values = RequestValues::default();
        values.put("sum", Into::<Amount>::into(sum));
        values.put("paymentMethod", payment_method.as_str());
        AmountsRequest(values)
    }

    pub(crate) fn body(&self) -> Result<Vec<u8>> {
        self.0.body(AVAILABLE)
    }
}

/// The request of `/new` and `/new-async` (contract, sections 4.2 and 4.3).
#[derive(Debug, Clone)]
pub struct PaymentRequest(RequestValues);

impl PaymentRequest {
    /// Makes a request. `sum` must be greater than 0, and `customer_account` must not be empty. The currency
    /// is RUB.
    pub fn new(
        sum: impl Into<Amount>,
        payment_method: PaymentMethod,
        customer_account: impl Into<String>,
    ) -> PaymentRequest {
        let mut values = AmountsRequest::new(sum, payment_method).0;
        values.put("customerAccount", Into::<String>::into(customer_account));
        PaymentRequest(values)
    }

    /// The checked, unsigned body for `/new` or `/new-async`.
    #[doc(hidden)]
    pub fn checked_body(&self, asynchronous: bool) -> Result<Vec<u8>> {
        self.0.body(if asynchronous { NEW_ASYNC } else { NEW })
    }

    #[doc(hidden)]
    pub fn has_merchant_id(&self) -> bool {
        self.0.get("merchantId").is_some()
    }

    #[doc(hidden)]
    pub fn has_credentials_webhook_url(&self) -> bool {
        self.0.get("credentialsWebhookUrl").is_some()
    }
}

/// The body of `/confirm`, `/cancel` and `/status`.
pub(crate) fn order_body(order_id: &str) -> Result<Vec<u8>> {
    check_order_id(order_id)?;
    Ok(Writer::new().string("orderId", order_id).finish())
}

/// Checks an order id. The contract defines no format, so nearly every order id is accepted.
pub(crate) fn check_order_id(order_id: &str) -> Result<()> {
    check_present("orderId", order_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(texts: &[(&str, Option<&str>)]) -> RequestValues {
        let mut values = RequestValues::default();
        let good = [("sum", "10.50"), ("paymentMethod", "sbp"), ("customerAccount", "1")];
        for (name, text) in good.map(|(name, text)| (name, Some(text))).iter().chain(texts) {
            let _ = values.set(name, *text);
        }
        values
    }

    #[test]
    fn values_in_any_order_make_the_same_request() {
        let set = values(&[("sum_drift_up", Some("0.5")), ("merchantId", Some("7"))]);
        let sum: Amount = "10.50".parse().unwrap();
        let direct = AmountsRequest::new(sum, PaymentMethod::Sbp);
        let direct = direct.sum_drift_up("0.5".parse::<Amount>().unwrap()).customer_account("1");
        assert_eq!(set.amounts_request().unwrap().body().unwrap(), direct.body().unwrap());
        let direct = PaymentRequest::new(sum, PaymentMethod::Sbp, "1").merchant_id("7");
        assert_eq!(
            set.payment_request().unwrap().checked_body(false).unwrap(),
            direct.checked_body(false).unwrap()
        );
    }

    #[test]
    fn a_journal_sees_the_body_that_would_be_sent_and_whether_it_has_a_merchant_id() {
        let request = PaymentRequest::new(Amount::from(10), PaymentMethod::Sbp, "1")
            .credentials_webhook_url("https://shop.example/credentials");
        assert!(request.checked_body(true).is_ok());
        assert!(request.checked_body(false).is_err(), "newPayment has no such field");
        assert!(!request.has_merchant_id());
        assert!(request.merchant_id("7").has_merchant_id());
    }

    #[test]
    fn a_field_that_is_missing_or_refused_is_named_until_it_heals() {
        for (name, text, named) in [
            ("sum", None, "sum is missing"),
            ("sum", Some("1,5"), "decimal comma"),
            ("currency", Some("USD"), "currency"),
            ("paymentMethod", None, "paymentMethod is missing"),
            ("paymentMethod", Some("cash"), "paymentMethod must be"),
            ("customerAccount", None, "customerAccount is missing"),
        ] {
            let mut bad = values(&[(name, text)]);
            let error = bad.payment_request().unwrap_err();
            assert!(error.message().contains(named), "{named}: {error}");
            let good = match name {
                "sum" => "1",
                "currency" => "RUB",
                "paymentMethod" => "card",
                _ => "7900",
            };
            bad.set(name, good).unwrap();
            assert!(bad.payment_request().is_ok(), "{name}");
        }
        let of_another = values(&[("sumDriftDown", Some("x"))]);
        assert!(of_another.amounts_request().is_err() && of_another.payment_request().is_ok());
        assert!(RequestValues::default().set("amount", "1").is_err());
    }
}
