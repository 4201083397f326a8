//! A payment as the service reports it (contract, sections 2 and 3).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use crate::amount::Amount;
use crate::json::{Fault, Object};
use crate::status::Status;
use crate::words;

/// A field of a payment in replies and webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentField {
    /// The contract's name.
    pub name: &'static str,
    /// The name in snake case.
    pub snake_case: &'static str,
    /// The kind of the field's value.
    pub kind: PaymentFieldKind,
    /// A description in one line. In it, operations and fields have their contract names, in backticks.
    pub doc: &'static str,
    /// The version that introduced the field.
    pub since: &'static str,
}

/// The kind of a payment field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentFieldKind {
    /// The order id. It is never absent.
    OrderId,
    /// An exact decimal.
    Amount,
    /// A text.
    Text,
    /// A text with personal data: an account, a holder's name, or a link to such data.
    Personal,
    /// A status.
    Status,
}

words! {
    /// The result of comparing the paid sum with the requested sum.
    pub enum Paid {
        /// Exactly the requested sum was paid.
        Exactly = "exactly", 1, since "0.2.0";
        /// Less than the requested sum was paid.
        Less = "less", 2, since "0.2.0";
        /// More than the requested sum was paid.
        More = "more", 3, since "0.2.0";
    }
}

impl Paid {
    /// Compares the paid sum with the requested sum, as numbers.
    pub fn of(sum: Amount, asked: Amount) -> Paid {
        match sum.cmp(&asked) {
            Ordering::Equal => Paid::Exactly,
            Ordering::Less => Paid::Less,
            Ordering::Greater => Paid::More,
        }
    }
}

/// Makes the table of the fields, the type `Payment`, and its methods.
macro_rules! payment_fields {
    (
        $( #[doc = $id_doc:literal] )+
        $id_field:ident = $id_name:literal;
        $( $( #[doc = $doc:literal] )+ $field:ident = $name:literal, $kind:ident $(, since $since:literal)?; )+
    ) => {
        /// The fields of a payment in replies and webhooks, in the contract's order.
        pub const PAYMENT_FIELDS: &[PaymentField] = &[
            PaymentField {
                name: $id_name,
                snake_case: stringify!($id_field),
                kind: PaymentFieldKind::OrderId,
                doc: concat!($($id_doc),+).trim_ascii(),
                since: crate::since!(),
            },
            $( PaymentField {
                name: $name,
                snake_case: stringify!($field),
                kind: PaymentFieldKind::$kind,
                doc: concat!($($doc),+).trim_ascii(),
                since: crate::since!($($since)?),
            }, )+
        ];

        /// A payment from a verified reply or webhook (contract, section 2).
        ///
        /// Every field except [`order_id`](Payment::order_id) can be absent. The operation decides which
        /// fields are present, and webhooks leave out empty and zero fields.
        #[derive(Clone, PartialEq, Eq)]
        pub struct Payment {
            $id_field: String,
            $( $field: Option<payment_fields!(@type $kind)>, )+
            json: String,
        }

        impl Payment {
            pub(crate) fn read(object: &Object<'_>) -> std::result::Result<Payment, Fault> {
                let order_id = object.text($id_name)?.filter(|id| !id.is_empty()).ok_or("it has no orderId")?;
                Ok(Payment {
                    $id_field: order_id.into_owned(),
                    $( $field: payment_fields!(@read $kind, object $name), )+
                    json: object.json.to_owned(),
                })
            }

            $( #[doc = $id_doc] )+
            pub fn $id_field(&self) -> &str {
                &self.$id_field
            }

            $(
                $( #[doc = $doc] )+
                pub fn $field(&self) -> Option<payment_fields!(@got $kind)> {
                    payment_fields!(@get $kind, self.$field)
                }
            )+

            /// The texts of all fields in the order of [`PAYMENT_FIELDS`], for the other languages.
            #[doc(hidden)]
            pub fn texts(&self) -> [Option<Cow<'_, str>>; PAYMENT_FIELDS.len()] {
                [Some(Cow::Borrowed(self.$id_field.as_str())), $( payment_fields!(@text $kind, self.$field), )+]
            }
        }
    };
    // For each kind: the field's type, the getter's type, and how a value is read, returned and written as text.
    (@type Amount) => { Amount };
    (@type Status) => { Status };
    (@type $text:ident) => { String };
    (@got Amount) => { Amount };
    (@got Status) => { &Status };
    (@got $text:ident) => { &str };
    (@read Amount, $object:ident $name:literal) => { $object.amount($name)? };
    (@read Status, $object:ident $name:literal) => { $object.text($name)?.map(Status::read) };
    (@read $text:ident, $object:ident $name:literal) => { $object.text($name)?.map(Cow::into_owned) };
    (@get Amount, $value:expr) => { $value };
    (@get Status, $value:expr) => { $value.as_ref() };
    (@get $text:ident, $value:expr) => { $value.as_deref() };
    (@text Amount, $value:expr) => { $value.map(|amount| amount.to_string().into()) };
    (@text Status, $value:expr) => { $value.as_ref().map(|status| status.as_str().into()) };
    (@text $text:ident, $value:expr) => { $value.as_deref().map(Cow::Borrowed) };
}

payment_fields! {
    /// The service's identifier of the payment.
    order_id = "orderId";
    /// The payment's sum in its currency. After the customer has paid, it is the amount that was actually
    /// paid, which can be more or less than requested. A failed payment has a sum too.
    sum = "sum", Amount;
    /// The currency of the sum. The reply to `newPayment` and the credentials webhook have it.
    currency = "currency", Text;
    /// The account to which the customer pays.
    payee_account = "payeeAccount", Personal;
    /// The bank of the payee's account.
    payee_account_bank = "payeeAccountBank", Text;
    /// The holder of the payee's account. In the reply to `getStatus` the name is in Latin letters.
    payee_name = "payeeName", Personal;
    /// The sum in the currency of the merchant's balance, with commission. The sum is fixed when the
    /// service issues the credentials.
    deal_sum = "dealSum", Amount;
    /// The currency of the merchant's balance.
    deal_currency = "dealCurrency", Text;
    /// The rate from the payment's currency to the currency of the merchant's balance.
    deal_rate = "dealRate", Amount;
    /// The URL of the customer's payment frame.
    deeplink = "deeplink", Personal;
    /// The payment's status (contract, section 3). The reply to `getStatus` and status webhooks have it.
    status = "status", Status;
}

impl Payment {
    /// Reads a payment from the text of [`json`](Payment::json). The text was verified when it arrived; this
    /// function verifies nothing. It is for bindings that pass payments between processes of a host.
    #[doc(hidden)]
    pub fn carried(json: &str) -> Option<Payment> {
        Payment::read(&Object::parse(json.as_bytes()).ok()?).ok()
    }

    /// Compares the paid sum with the requested sum; `None` if the payment has no sum. The status
    /// `doneSuccess` alone does not mean that the customer paid everything: [`sum`](Payment::sum) is the
    /// amount actually paid (contract, section 2). The sums are compared as numbers, in the payment's
    /// currency. The result is final only if the status is final. Earlier, `sum` is only the sum that the
    /// service expects. So after `/new` any result except [`Paid::Exactly`] means that the credentials have a
    /// different sum than requested.
    ///
    /// ```
    /// # let pair = merchantpay::Keypair::generate()?;
    /// # let body = br#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500}"#;
    /// # let signature = pair.private_key().sign(body).to_base64();
    /// # let event = merchantpay::WebhookVerifier::new(pair.public_key()).verify(body, &signature, None)?;
    /// use merchantpay::{Amount, Paid};
    /// let asked: Amount = "1500.50".parse()?;
    /// assert_eq!(event.payment().paid(asked), Some(Paid::Less));
    /// # Ok::<(), merchantpay::Error>(())
    /// ```
    pub fn paid(&self, asked: impl Into<Amount>) -> Option<Paid> {
        self.sum.map(|sum| Paid::of(sum, asked.into()))
    }

    pub(crate) fn has_credentials(&self) -> bool {
        [&self.payee_account, &self.deeplink].into_iter().flatten().any(|text| !text.is_empty())
    }

    /// Returns `true` if the payment has a status and this status is final.
    pub fn is_final(&self) -> bool {
        self.status.as_ref().is_some_and(Status::is_final)
    }

    /// The verified body, unchanged. It includes fields that this version does not know.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The unchanged JSON text of any field, even a field that this version does not know: `"x"` with its
    /// quotes, `1.50` with its digits.
    pub fn field(&self, name: &str) -> Option<String> {
        let object = Object::parse(self.json.as_bytes()).ok()?;
        object.fields().find(|(field, _)| *field == name).map(|(_, value)| value.to_owned())
    }

    /// The names of the fields that this version does not know.
    pub fn unknown_fields(&self) -> Vec<String> {
        let Ok(object) = Object::parse(self.json.as_bytes()) else { return Vec::new() };
        let unknown = object
            .fields()
            .map(|(name, _)| name)
            .filter(|name| *name != "success" && !PAYMENT_FIELDS.iter().any(|field| field.name == *name));
        unknown.map(str::to_owned).collect()
    }
}

impl fmt::Debug for Payment {
    /// Leaves out account, holder and deeplink, because a log must not contain them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payment")
            .field("order_id", &self.order_id)
            .field("sum", &self.sum)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// The reply to `/available` (contract, section 4.1). No amount is reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AvailableAmounts {
    available_amounts: Vec<Amount>,
    other_amounts_possible: bool,
    json: String,
}

impl AvailableAmounts {
    pub(crate) fn read(object: &Object<'_>) -> std::result::Result<AvailableAmounts, Fault> {
        Ok(AvailableAmounts {
            available_amounts: object.amounts("availableAmounts")?.ok_or("it has no availableAmounts")?,
            other_amounts_possible: object
                .boolean("otherAmountsPossible")?
                .ok_or("it has no otherAmountsPossible")?,
            json: object.json.to_owned(),
        })
    }

    /// Like [`Payment::carried`], for available amounts.
    #[doc(hidden)]
    pub fn carried(json: &str) -> Option<AvailableAmounts> {
        AvailableAmounts::read(&Object::parse(json.as_bytes()).ok()?).ok()
    }

    /// `availableAmounts`: the amounts for which the service has a counter-offer at this moment.
    pub fn available_amounts(&self) -> &[Amount] {
        &self.available_amounts
    }

    /// `otherAmountsPossible`: `true` if amounts that are not in the list may succeed too. In that case an
    /// empty list is not a refusal.
    pub fn other_amounts_possible(&self) -> bool {
        self.other_amounts_possible
    }

    /// The verified body, unchanged.
    pub fn json(&self) -> &str {
        &self.json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payment(fields: &str) -> Payment {
        Payment::carried(&format!(r#"{{"orderId":"o-1"{fields}}}"#)).unwrap()
    }

    #[test]
    fn what_was_paid_is_compared_as_a_number() {
        let asked: Amount = "1500.50".parse().unwrap();
        for (fields, paid) in [
            (r#","sum":1500.5"#, Some(Paid::Exactly)),
            (r#","sum":1500.49"#, Some(Paid::Less)),
            (r#","sum":1500.501"#, Some(Paid::More)),
            ("", None),
            (r#","dealSum":1500.50"#, None),
        ] {
            assert_eq!(payment(fields).paid(asked), paid, "{fields}");
        }
    }

    #[test]
    fn amounts_are_carried_as_the_json_that_they_came_as() {
        let json = r#"{"success":true,"availableAmounts":[1000,1500.505],"otherAmountsPossible":true}"#;
        let amounts = AvailableAmounts::carried(json).unwrap();
        let texts: Vec<String> = amounts.available_amounts().iter().map(Amount::to_string).collect();
        assert_eq!((texts.join(" "), amounts.other_amounts_possible()), ("1000 1500.505".to_owned(), true));
        assert!(AvailableAmounts::carried("{}").is_none());
    }
}
