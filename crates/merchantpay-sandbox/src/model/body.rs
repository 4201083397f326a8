//! The JSON body of a reply of the merchant API, and of a webhook (contract, sections 4 and 6).

use std::borrow::Cow;

use merchantpay::Amount;
use serde::{Serialize, Serializer};

use crate::base::Number;
use crate::model::payment::Payment;

/// The fields in their order: a list, because each operation has other fields.
pub(crate) struct Body<'a>(Vec<(&'static str, Value<'a>)>);

#[derive(Serialize)]
#[serde(untagged)]
enum Value<'a> {
    Flag(bool),
    Text(Cow<'a, str>),
    Number(Number),
    Numbers(Vec<Number>),
}

impl<'a> Body<'a> {
    pub(crate) fn new(success: bool) -> Body<'a> {
        Body(Vec::with_capacity(12)).flag("success", success)
    }

    pub(crate) fn simplified(error: &'a str) -> Body<'a> {
        Body(Vec::new()).text("error", error)
    }

    pub(crate) fn about(order_id: &'a str) -> Body<'a> {
        Body::new(true).text("orderId", order_id)
    }

    /// Of `/new` and the credentials webhook (contract, sections 4.2 and 6.1).
    pub(crate) fn credentials(payment: &'a Payment) -> Body<'a> {
        Body::about(&payment.order_id).with(payment, Some("RUB"), |name| name.into())
    }

    /// Contract, section 4.6.
    pub(crate) fn status(payment: &'a Payment) -> Body<'a> {
        let body = Body::about(&payment.order_id).with(payment, None, |name| to_latin(name).into());
        body.text("status", payment.state.status_name())
    }

    /// Contract, section 6.2.
    pub(crate) fn status_changed(payment: &'a Payment) -> Body<'a> {
        let body = Body::about(&payment.order_id).text("status", payment.state.status_name());
        body.with(payment, None, |name| name.into())
    }

    fn with(
        self,
        payment: &'a Payment,
        currency: Option<&'static str>,
        name: impl FnOnce(&'a str) -> Cow<'a, str>,
    ) -> Body<'a> {
        let body = self.number("sum", payment.sum);
        let Some(credentials) = &payment.credentials else { return body };
        let body = body
            .text("payeeAccount", &*credentials.payee_account)
            .text("payeeAccountBank", &*credentials.payee_account_bank)
            .text("payeeName", name(&credentials.payee_name));
        let body = currency.into_iter().fold(body, |body, currency| body.text("currency", currency));
        body.number("dealSum", credentials.deal_sum)
            .text("dealCurrency", &*credentials.deal_currency)
            .number("dealRate", credentials.deal_rate)
            .text("deeplink", &*credentials.deeplink)
    }

    pub(crate) fn text(self, name: &'static str, text: impl Into<Cow<'a, str>>) -> Body<'a> {
        self.field(name, Value::Text(text.into()))
    }

    pub(crate) fn flag(self, name: &'static str, flag: bool) -> Body<'a> {
        self.field(name, Value::Flag(flag))
    }

    pub(crate) fn amounts(self, name: &'static str, amounts: Vec<Amount>) -> Body<'a> {
        self.field(name, Value::Numbers(amounts.into_iter().map(Number).collect()))
    }

    fn number(self, name: &'static str, amount: Amount) -> Body<'a> {
        self.field(name, Value::Number(Number(amount)))
    }

    fn field(mut self, name: &'static str, value: Value<'a>) -> Body<'a> {
        self.0.push((name, value));
        self
    }

    /// Webhooks leave empty and zero fields out (contract, section 2).
    pub(crate) fn without_empty(mut self) -> Body<'a> {
        self.0.retain(|(_, value)| match value {
            Value::Text(text) => !text.is_empty(),
            Value::Number(number) => number.0 != Amount::ZERO,
            _ => true,
        });
        self
    }

    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Transliterates Cyrillic letter by letter, as `/status` does with `payeeName`; other characters stay.
///
/// ```
/// use merchantpay_sandbox::assumptions::to_latin;
///
/// assert_eq!(to_latin("Щукина Юлия, Пётр, Anna"), "Shchukina Iuliia, Petr, Anna");
/// ```
pub fn to_latin(text: &str) -> String {
    let mut latin = String::with_capacity(text.len());
    for c in text.chars() {
        let letters = match c.to_lowercase().next() {
            Some('ё') => Some(&"e"),
            Some(lower @ 'а'..='я') => LETTERS.get(lower as usize - 'а' as usize),
            _ => None,
        };
        let Some(letters) = letters else {
            latin.push(c);
            continue;
        };
        let mut letters = letters.chars();
        match letters.next() {
            Some(first) if c.is_uppercase() => latin.push(first.to_ascii_uppercase()),
            Some(first) => latin.push(first),
            None => {}
        }
        latin.extend(letters);
    }
    latin
}

/// From а to я.
const LETTERS: [&str; 32] = [
    "a", "b", "v", "g", "d", "e", "zh", "z", "i", "i", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u", "f",
    "kh", "ts", "ch", "sh", "shch", "", "y", "", "e", "iu", "ia",
];
