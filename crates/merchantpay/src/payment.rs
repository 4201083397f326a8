//! The payment: what comes back from the service (contract, sections 2 and 3).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::amount::Amount;
use crate::error::{Error, Result};
use crate::json::{Fault, Object};

/// The fields of a payment in replies and webhooks, in the contract's order.
pub const PAYMENT_FIELDS: &[&str] = &[
    "orderId",
    "sum",
    "currency",
    "payeeAccount",
    "payeeAccountBank",
    "payeeName",
    "dealSum",
    "dealCurrency",
    "dealRate",
    "deeplink",
    "status",
];

/// The currency of a payment in a request (contract, section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Currency {
    /// Rubles, the only one that the service takes.
    #[default]
    Rub,
}

impl Currency {
    /// The contract's text: `RUB`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Currency::Rub => "RUB",
        }
    }
}

impl FromStr for Currency {
    type Err = Error;

    fn from_str(text: &str) -> Result<Currency> {
        match text {
            "RUB" => Ok(Currency::Rub),
            _ => Err(Error::invalid_argument("the currency must be RUB")),
        }
    }
}

/// How the customer pays (contract, section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PaymentMethod {
    /// `card`: bank cards.
    Card,
    /// `sbp`: the fast payments system.
    Sbp,
}

impl PaymentMethod {
    /// Every method.
    pub const ALL: &'static [PaymentMethod] = &[PaymentMethod::Card, PaymentMethod::Sbp];

    /// The contract's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            PaymentMethod::Card => "card",
            PaymentMethod::Sbp => "sbp",
        }
    }
}

impl FromStr for PaymentMethod {
    type Err = Error;

    fn from_str(text: &str) -> Result<PaymentMethod> {
        let method = PaymentMethod::ALL.iter().find(|method| method.as_str() == text);
        method.copied().ok_or_else(|| Error::invalid_argument("the payment method must be card or sbp"))
    }
}

/// Where a payment stands (contract, section 3).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// `free`: created, but no suitable payee is found yet.
    Free,
    /// `pending`: credentials are looked up, or the customer's payment is awaited.
    Pending,
    /// `receiptRequired`: a receipt must be attached; the payment is in arbitration.
    ReceiptRequired,
    /// `doneSuccess`: final, completed.
    DoneSuccess,
    /// `doneFail`: final, failed.
    DoneFail,
    /// `arbitrageCancelledByMerchant`: final, cancelled by the merchant in arbitration.
    ArbitrageCancelledByMerchant,
    /// A status that this version does not know, kept as its text. Never final.
    Unknown(String),
}

impl Status {
    /// Every status of the contract.
    pub const ALL: &'static [Status] = &[
        Status::Free,
        Status::Pending,
        Status::ReceiptRequired,
        Status::DoneSuccess,
        Status::DoneFail,
        Status::ArbitrageCancelledByMerchant,
    ];

    /// The contract's text, or the service's own for a status that is not known.
    pub fn as_str(&self) -> &str {
        match self {
            Status::Free => "free",
            Status::Pending => "pending",
            Status::ReceiptRequired => "receiptRequired",
            Status::DoneSuccess => "doneSuccess",
            Status::DoneFail => "doneFail",
            Status::ArbitrageCancelledByMerchant => "arbitrageCancelledByMerchant",
            Status::Unknown(text) => text,
        }
    }

    /// Whether the payment will not change any more. A status that is not known is not final.
    pub fn is_final(&self) -> bool {
        matches!(self, Status::DoneSuccess | Status::DoneFail | Status::ArbitrageCancelledByMerchant)
    }
}

impl Status {
    fn read(text: Cow<'_, str>) -> Status {
        let known = Status::ALL.iter().find(|status| status.as_str() == text).cloned();
        known.unwrap_or_else(|| Status::Unknown(text.into_owned()))
    }
}

impl From<String> for Status {
    fn from(text: String) -> Status {
        Status::read(text.into())
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What was paid, compared with what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paid {
    /// The sum that was asked for.
    Exactly,
    /// Less than was asked for.
    Less,
    /// More than was asked for.
    More,
}

impl Paid {
    /// Compares the sum that was paid with the one that was asked for, as numbers.
    pub fn of(sum: Amount, asked: Amount) -> Paid {
        match sum.cmp(&asked) {
            Ordering::Equal => Paid::Exactly,
            Ordering::Less => Paid::Less,
            Ordering::Greater => Paid::More,
        }
    }
}

/// A payment as a verified reply or webhook tells of it (contract, section 2).
///
/// Every field other than [`order_id`](Payment::order_id) may be absent: which are there depends on the operation, and
/// webhooks leave out empty and zero fields.
#[derive(Clone, PartialEq, Eq)]
pub struct Payment {
    order_id: String,
    sum: Option<Amount>,
    currency: Option<String>,
    payee_account: Option<String>,
    payee_account_bank: Option<String>,
    payee_name: Option<String>,
    deal_sum: Option<Amount>,
    deal_currency: Option<String>,
    deal_rate: Option<Amount>,
    deeplink: Option<String>,
    status: Option<Status>,
    json: String,
}

impl Payment {
    /// Reads the fields of an object that is known to be the service's. `json` is the text the object was read from.
    pub(crate) fn read(object: &Object<'_>, json: &str) -> std::result::Result<Payment, Fault> {
        let text = |name| object.text(name).map(|text| text.map(Cow::into_owned));
        Ok(Payment {
            order_id: text("orderId")?.filter(|id| !id.is_empty()).ok_or("it has no orderId")?,
            sum: object.amount("sum")?,
            currency: text("currency")?,
            payee_account: text("payeeAccount")?,
            payee_account_bank: text("payeeAccountBank")?,
            payee_name: text("payeeName")?,
            deal_sum: object.amount("dealSum")?,
            deal_currency: text("dealCurrency")?,
            deal_rate: object.amount("dealRate")?,
            deeplink: text("deeplink")?,
            status: object.text("status")?.map(Status::read),
            json: json.to_owned(),
        })
    }

    /// The payment of a [`json`](Payment::json) that was verified when it came: for a binding that carries payments from one
    /// process of its host to another. Nothing is verified here.
    #[doc(hidden)]
    pub fn carried(json: &str) -> Option<Payment> {
        Payment::read(&Object::parse(json.as_bytes()).ok()?, json).ok()
    }

    /// `orderId`: the service's identifier of the payment.
    pub fn order_id(&self) -> &str {
        &self.order_id
    }

    /// `sum`: the amount actually paid, in the payment's currency; it changes if the customer pays more or less.
    pub fn sum(&self) -> Option<Amount> {
        self.sum
    }

    /// `currency`: in the reply to `/new` and in the credentials webhook.
    pub fn currency(&self) -> Option<&str> {
        self.currency.as_deref()
    }

    /// `payeeAccount`: the account that the customer pays to.
    pub fn payee_account(&self) -> Option<&str> {
        self.payee_account.as_deref()
    }

    /// `payeeAccountBank`: the bank of that account.
    pub fn payee_account_bank(&self) -> Option<&str> {
        self.payee_account_bank.as_deref()
    }

    /// `payeeName`: the holder; in `/status` in Latin letters.
    pub fn payee_name(&self) -> Option<&str> {
        self.payee_name.as_deref()
    }

    /// `dealSum`: in the balance's currency, with commission; fixed when credentials are issued.
    pub fn deal_sum(&self) -> Option<Amount> {
        self.deal_sum
    }

    /// `dealCurrency`: the currency of the merchant's balance.
    pub fn deal_currency(&self) -> Option<&str> {
        self.deal_currency.as_deref()
    }

    /// `dealRate`: the rate of the deal; see [`to_balance`](crate::to_balance).
    pub fn deal_rate(&self) -> Option<Amount> {
        self.deal_rate
    }

    /// `deeplink`: the URL of the customer's payment frame.
    pub fn deeplink(&self) -> Option<&str> {
        self.deeplink.as_deref()
    }

    /// `status`: in the reply to `/status` and in status webhooks.
    pub fn status(&self) -> Option<&Status> {
        self.status.as_ref()
    }

    /// What was paid, compared with the sum that was asked for; `None` where there is no sum. A `doneSuccess` alone does not say
    /// that the customer paid all: [`sum`](Payment::sum) is the amount actually paid (contract, section 2). It is compared as a
    /// number, in the payment's currency. Only a final status makes it final: before, it says what the service counts with so
    /// far, so that after `/new` anything but [`Paid::Exactly`] means that other credentials were issued than were asked for.
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

    /// Whether there is anything that a customer could pay to.
    pub(crate) fn has_credentials(&self) -> bool {
        [&self.payee_account, &self.deeplink].into_iter().flatten().any(|text| !text.is_empty())
    }

    /// Whether there is a status and it is final.
    pub fn is_final(&self) -> bool {
        self.status.as_ref().is_some_and(Status::is_final)
    }

    /// The verified body as it came. Fields that this version does not know are in it.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The JSON text of any field, known or not, as it came: `"x"` with its quotes, `1.50` with its digits.
    pub fn field(&self, name: &str) -> Option<String> {
        let object = Object::parse(self.json.as_bytes()).ok()?;
        object.fields().find(|(field, _)| *field == name).map(|(_, value)| value.to_owned())
    }

    /// The names of the fields that this version does not know.
    pub fn unknown_fields(&self) -> Vec<String> {
        let Ok(object) = Object::parse(self.json.as_bytes()) else { return Vec::new() };
        let unknown = object.fields().map(|(name, _)| name).filter(|name| *name != "success" && !PAYMENT_FIELDS.contains(name));
        unknown.map(str::to_owned).collect()
    }
}

impl fmt::Debug for Payment {
    /// Leaves out account, holder and deeplink: they do not belong in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payment")
            .field("order_id", &self.order_id)
            .field("sum", &self.sum)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// The reply to `/available` (contract, section 4.1). Nothing in it is reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AvailableAmounts {
    available_amounts: Vec<Amount>,
    other_amounts_possible: bool,
    json: String,
}

impl AvailableAmounts {
    pub(crate) fn read(object: &Object<'_>, json: &str) -> std::result::Result<AvailableAmounts, Fault> {
        Ok(AvailableAmounts {
            available_amounts: object.amounts("availableAmounts")?.ok_or("it has no availableAmounts")?,
            other_amounts_possible: object.boolean("otherAmountsPossible")?.ok_or("it has no otherAmountsPossible")?,
            json: json.to_owned(),
        })
    }

    /// As [`Payment::carried`].
    #[doc(hidden)]
    pub fn carried(json: &str) -> Option<AvailableAmounts> {
        AvailableAmounts::read(&Object::parse(json.as_bytes()).ok()?, json).ok()
    }

    /// `availableAmounts`: the amounts with a counter-offer right now.
    pub fn available_amounts(&self) -> &[Amount] {
        &self.available_amounts
    }

    /// `otherAmountsPossible`: whether amounts outside the list may succeed too; an empty list is then no refusal.
    pub fn other_amounts_possible(&self) -> bool {
        self.other_amounts_possible
    }

    /// The verified body as it came.
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
    fn credentials_are_an_account_or_a_link_with_something_in_it() {
        for (fields, has_credentials) in [
            ("", false),
            (r#","payeeAccount":"","deeplink":"""#, false),
            (r#","payeeAccount":null,"payeeName":"x","payeeAccountBank":"x""#, false),
            (r#","payeeAccount":"1""#, true),
            (r#","payeeAccount":"","deeplink":"https://x.example""#, true),
        ] {
            assert_eq!(payment(fields).has_credentials(), has_credentials, "{fields}");
        }
    }

    #[test]
    fn a_status_is_shown_as_the_service_writes_it() {
        for status in Status::ALL {
            assert_eq!((status.to_string(), Status::from(status.to_string())), (status.as_str().to_owned(), status.clone()));
        }
        let unknown = Status::from("paused".to_owned());
        assert_eq!((unknown.to_string().as_str(), unknown.is_final()), ("paused", false));
    }
}
