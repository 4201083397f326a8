//! Typed requests, checked before anything is signed (contract, section 4).

use std::fmt;

use crate::amount::Amount;
use crate::error::{Error, Result};
use crate::field::{RequestField, RequestFieldKind};
use crate::field_value::{FieldValue, Written, check, check_place, check_present};
use crate::json::Writer;
use crate::payment::{Currency, PaymentMethod};

const AVAILABLE: &str = "getAvailableAmounts";
const NEW: &str = "newPayment";
const NEW_ASYNC: &str = "newPaymentAsync";

/// Declares the fields. This makes the table of the fields, the types for the fields' texts and values, and
/// the methods that set the fields of typed requests.
macro_rules! request_fields {
    ($(
        $( #[doc = $doc:literal] )+
        $field:ident: $type:ty = $name:literal, $kind:ident, of $operations:expr, required by $required:expr
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

        /// The fields of a request as texts. They can be set in any order. This type is for callers without
        /// typed values, such as a command line, a web form, or the setters of another language. Missing and
        /// wrong fields are reported when the request is made.
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
            $( $( #[doc = $doc] )+ pub $field: Option<String>, )+
        }

        impl RequestFields {
            /// The field with this contract name. `None` if no request has such a field.
            pub fn field_mut(&mut self, name: &str) -> Option<&mut Option<String>> {
                match name {
                    $( $name => Some(&mut self.$field), )+
                    _ => None,
                }
            }

            /// Checks that a text can be the value of the field that has this contract name.
            ///
            /// # Errors
            ///
            /// `invalid_argument` if the text cannot be the value.
            pub fn check(name: &str, text: &str) -> Result<()> {
                match name {
                    $( $name => <$type as FieldValue>::read($name, text).map(drop), )+
                    _ => Ok(()),
                }
            }

            /// Reads the fields that these operations have.
            fn read(&self, operations: &[&str]) -> Result<Values> {
                let mut fields = REQUEST_FIELDS.iter();
                Ok(Values { $( $field: read(fields.next(), operations, self.$field.as_deref())?, )+ })
            }
        }

        /// The typed fields of a request. All required fields are set.
        #[derive(Clone, Default)]
        struct Values {
            $( $field: Option<$type>, )+
        }

        impl Values {
            /// The fields in their written form, in the order of [`REQUEST_FIELDS`].
            fn written(&self) -> [Option<Written<'_>>; REQUEST_FIELDS.len()] {
                [ $( self.$field.as_ref().map(FieldValue::written), )+ ]
            }
        }

        $( request_fields!(@set concat!($($doc),+), $field, $type; $( $($request)+ )?); )+
    };
    (@set $doc:expr, $field:ident, $type:ty; $($request:ident)*) => { $(
        impl $request {
            #[doc = $doc]
            #[must_use]
            pub fn $field(mut self, value: impl Into<$type>) -> $request {
                self.0.$field = Some(value.into());
                self
            }
        }
    )* };
}

request_fields! {
    /// The sum in rubles: greater than 0, exact, with at most 28 digits.
    sum: Amount = "sum", Sum, of [AVAILABLE, NEW, NEW_ASYNC], required by [AVAILABLE, NEW, NEW_ASYNC];
    /// The currency. It is `RUB`, even if it is not set.
    currency: Currency = "currency", Currency, of [AVAILABLE, NEW, NEW_ASYNC], required by [], set on AmountsRequest PaymentRequest;
    /// The way in which the customer pays: `card` or `sbp`.
    payment_method: PaymentMethod = "paymentMethod", PaymentMethod, of [AVAILABLE, NEW, NEW_ASYNC],
        required by [AVAILABLE, NEW, NEW_ASYNC];
    /// The customer's account. `getAvailableAmounts` does not require an account, and at present the service
    /// ignores the account in that operation.
    customer_account: String = "customerAccount", Account, of [AVAILABLE, NEW, NEW_ASYNC], required by [NEW, NEW_ASYNC],
        set on AmountsRequest;
    /// An absolute http or https URL that receives status webhooks (contract, section 6.2).
    status_webhook_url: String = "statusWebhookUrl", Url, of [NEW, NEW_ASYNC], required by [], set on PaymentRequest;
    /// An absolute http or https URL that receives the credentials (contract, section 6.1). `newPaymentAsync`
    /// requires it, and `newPayment` refuses it.
    credentials_webhook_url: String = "credentialsWebhookUrl", Url, of [NEW_ASYNC], required by [NEW_ASYNC], set on PaymentRequest;
    /// The code of the customer's bank. The merchant's agreement with the service may require it.
    payer_bank: String = "payerBank", Text, of [NEW, NEW_ASYNC], required by [], set on PaymentRequest;
    /// The merchant's own identifier, for reconciliation and support.
    merchant_id: String = "merchantId", Text, of [NEW, NEW_ASYNC], required by [], set on PaymentRequest;
    /// The largest difference by which an amount may be above the sum; it must not be negative.
    sum_drift_up: Amount = "sumDriftUp", Drift, of [AVAILABLE], required by [], set on AmountsRequest;
    /// The largest difference by which an amount may be below the sum; it must not be negative.
    sum_drift_down: Amount = "sumDriftDown", Drift, of [AVAILABLE], required by [], set on AmountsRequest;
}

/// The request of `/available`, which asks for amounts with a counter-offer (contract, section 4.1).
#[derive(Clone)]
pub struct AmountsRequest(Values);

impl AmountsRequest {
    /// Makes a request. `sum` must be greater than 0. The currency is RUB.
    pub fn new(sum: impl Into<Amount>, payment_method: PaymentMethod) -> AmountsRequest {
        AmountsRequest(Values {
            sum: Some(sum.into()),
            payment_method: Some(payment_method),
            ..Values::default()
        })
    }

    pub(crate) fn body(&self) -> Result<Vec<u8>> {
        self.0.body(AVAILABLE)
    }

    pub(crate) fn account(&self) -> Option<&str> {
        self.0.customer_account.as_deref()
    }
}

impl fmt::Debug for AmountsRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt("AmountsRequest", f)
    }
}

/// The request of `/new` and `/new-async` (contract, sections 4.2 and 4.3).
#[derive(Clone)]
pub struct PaymentRequest(Values);

impl PaymentRequest {
    /// Makes a request. `sum` must be greater than 0, and `customer_account` must not be empty. The currency
    /// is RUB.
    pub fn new(
        sum: impl Into<Amount>,
        payment_method: PaymentMethod,
        customer_account: impl Into<String>,
    ) -> PaymentRequest {
        PaymentRequest(Values {
            sum: Some(sum.into()),
            payment_method: Some(payment_method),
            customer_account: Some(customer_account.into()),
            ..Values::default()
        })
    }

    /// The checked, unsigned body for `/new` or `/new-async`. This is for the crate `merchantpay-journal`.
    #[doc(hidden)]
    pub fn checked_body(&self, asynchronous: bool) -> Result<Vec<u8>> {
        self.body(asynchronous)
    }

    /// Returns `true` if the request has a `merchantId`. This is for the crate `merchantpay-journal`.
    #[doc(hidden)]
    pub fn has_merchant_id(&self) -> bool {
        self.0.merchant_id.is_some()
    }

    /// Returns `true` if the request has a `credentialsWebhookUrl`. This is for the crate
    /// `merchantpay-journal`.
    #[doc(hidden)]
    pub fn has_credentials_webhook_url(&self) -> bool {
        self.0.credentials_webhook_url.is_some()
    }

    pub(crate) fn body(&self, asynchronous: bool) -> Result<Vec<u8>> {
        self.0.body(if asynchronous { NEW_ASYNC } else { NEW })
    }

    pub(crate) fn account(&self) -> Option<&str> {
        self.0.customer_account.as_deref()
    }
}

impl fmt::Debug for PaymentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt("PaymentRequest", f)
    }
}

impl RequestFields {
    /// Makes the request of `/available`. Fields that this request does not have are ignored.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a field that is missing or cannot be read.
    pub fn amounts_request(&self) -> Result<AmountsRequest> {
        self.read(&[AVAILABLE]).map(AmountsRequest)
    }

    /// Makes the request of `/new` and `/new-async`. Fields that neither request has are ignored.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a field that is missing or cannot be read.
    pub fn payment_request(&self) -> Result<PaymentRequest> {
        self.read(&[NEW, NEW_ASYNC]).map(PaymentRequest)
    }
}

impl fmt::Debug for RequestFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestFields")
            .field("sum", &self.sum)
            .field("payment_method", &self.payment_method)
            .finish_non_exhaustive()
    }
}

/// Reads a field's text if one of the operations has the field. The text must be present if all of the
/// operations require the field.
fn read<T: FieldValue>(
    field: Option<&RequestField>,
    operations: &[&str],
    text: Option<&str>,
) -> Result<Option<T>> {
    let Some(field) = field else { return Ok(None) };
    match text {
        Some(text) if operations.iter().any(|name| field.operations.contains(name)) => {
            T::read(field.name, text).map(Some)
        }
        None if operations.iter().all(|name| field.required_by.contains(name)) => {
            Err(Error::invalid_argument(format!("{} is missing", field.name)))
        }
        _ => Ok(None),
    }
}

impl Values {
    /// The body of an operation's request, after all fields were checked.
    fn body(&self, operation: &str) -> Result<Vec<u8>> {
        let values = self.written();
        let fields = || REQUEST_FIELDS.iter().zip(&values);
        for (field, value) in fields() {
            value.as_ref().map_or(Ok(()), |value| check(field, value))?;
        }
        for (field, value) in fields() {
            check_place(field, operation, value.is_some())?;
        }
        let currency = Written::Text(self.currency.unwrap_or_default().as_str());
        let written = fields().fold(Writer::new(), |writer, (field, value)| match value {
            _ if field.kind == RequestFieldKind::Currency => writer.field(field.name, currency),
            Some(value) => writer.field(field.name, *value),
            None => writer,
        });
        Ok(written.finish())
    }

    fn fmt(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("sum", &self.sum)
            .field("payment_method", &self.payment_method)
            .finish_non_exhaustive()
    }
}

/// The body of `/confirm`, `/cancel` and `/status`.
pub(crate) fn order_body(order_id: &str) -> Result<Vec<u8>> {
    check_order_id(order_id)?;
    Ok(Writer::new().string("orderId", order_id).finish())
}

/// Checks an order id. The contract defines no format, so nearly every order id is accepted. Refused are an
/// empty order id, and an order id with a NUL, which some languages cannot represent.
pub(crate) fn check_order_id(order_id: &str) -> Result<()> {
    check_present("orderId", order_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_in_any_order_make_the_same_request() {
        let text = |text: &str| Some(text.to_owned());
        let mut fields = RequestFields {
            sum: text("10.50"),
            payment_method: text("sbp"),
            customer_account: text("1"),
            ..Default::default()
        };
        fields.sum_drift_up = text("0.5");
        let direct = AmountsRequest::new("10.50".parse::<Amount>().unwrap(), PaymentMethod::Sbp);
        let direct = direct.sum_drift_up("0.5".parse::<Amount>().unwrap()).customer_account("1");
        assert_eq!(fields.amounts_request().unwrap().body().unwrap(), direct.body().unwrap());

        fields.merchant_id = text("7");
        let direct =
            PaymentRequest::new("10.50".parse::<Amount>().unwrap(), PaymentMethod::Sbp, "1").merchant_id("7");
        assert_eq!(fields.payment_request().unwrap().body(false).unwrap(), direct.body(false).unwrap());
    }

    #[test]
    fn a_journal_sees_the_body_that_would_be_sent_and_whether_it_has_a_merchant_id() {
        let request = PaymentRequest::new(Amount::from(10), PaymentMethod::Sbp, "1")
            .credentials_webhook_url("https://shop.example/credentials");
        assert_eq!(request.checked_body(true).unwrap(), request.body(true).unwrap());
        assert!(request.checked_body(false).is_err(), "newPayment has no such field");
        assert!(!request.has_merchant_id());
        assert!(request.merchant_id("7").has_merchant_id());
    }

    #[test]
    fn the_account_of_a_request_is_the_one_that_must_not_be_shown() {
        let amounts = AmountsRequest::new(Amount::from(10), PaymentMethod::Sbp);
        assert_eq!(amounts.account(), None);
        assert_eq!(amounts.customer_account("79001234567").account(), Some("79001234567"));
        let payment = PaymentRequest::new(Amount::from(10), PaymentMethod::Sbp, "79001234567");
        assert_eq!(payment.account(), Some("79001234567"));
    }

    #[test]
    fn a_field_that_is_missing_or_unreadable_is_named() {
        let text = |text: &str| Some(text.to_owned());
        let good = RequestFields {
            sum: text("1"),
            payment_method: text("sbp"),
            customer_account: text("1"),
            ..Default::default()
        };
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
