//! The JSON body of a reply of the merchant API, and of a webhook (contract, sections 4 and 6).

use std::borrow::Cow;

use serde::Serialize;

use crate::base::json::Number;
use crate::model::payment::{Credentials, Payment};
use crate::model::transliteration::to_latin;

/// What is `None` is left out.
#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) success: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) order_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sum: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) payee_account: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) payee_account_bank: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) payee_name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) currency: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deal_sum: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deal_currency: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deal_rate: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deeplink: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) available_amounts: Option<Vec<Number>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) other_amounts_possible: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error_description: Option<&'a str>,
    /// The simplified error of `/available`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<&'a str>,
}

impl<'a> Body<'a> {
    pub(crate) fn about(order_id: &'a str) -> Body<'a> {
        Body { success: Some(true), order_id: Some(order_id), ..Body::default() }
    }

    /// The reply to `/new` and the credentials webhook (contract, sections 4.2 and 6.1).
    pub(crate) fn credentials(payment: &'a Payment) -> Body<'a> {
        let currency = payment.credentials.as_ref().map(|_| "RUB");
        Body { currency, ..Body::of(payment, |name| name.into()) }
    }

    /// The reply to `/status` (contract, section 4.6).
    pub(crate) fn status(payment: &'a Payment) -> Body<'a> {
        let status = Some(payment.state.status_name());
        Body { status, ..Body::of(payment, |name| to_latin(name).into()) }
    }

    /// The status webhook (contract, section 6.2).
    pub(crate) fn status_changed(payment: &'a Payment) -> Body<'a> {
        let status = Some(payment.state.status_name());
        Body { status, ..Body::of(payment, |name| name.into()) }
    }

    fn of(payment: &'a Payment, name: impl FnOnce(&'a str) -> Cow<'a, str>) -> Body<'a> {
        let body = Body { sum: Some(Number(payment.sum)), ..Body::about(&payment.order_id) };
        let Some(Credentials {
            payee_account,
            payee_account_bank,
            payee_name,
            deal_sum,
            deal_currency,
            deal_rate,
            deeplink,
        }) = &payment.credentials
        else {
            return body;
        };
        Body {
            payee_account: Some(payee_account),
            payee_account_bank: Some(payee_account_bank),
            payee_name: Some(name(payee_name)),
            deal_sum: Some(Number(*deal_sum)),
            deal_currency: Some(deal_currency),
            deal_rate: Some(Number(*deal_rate)),
            deeplink: Some(deeplink),
            ..body
        }
    }

    /// Webhooks leave empty and zero fields out (contract, section 2).
    pub(crate) fn without_empty(self) -> Body<'a> {
        let is_some = |text: &&str| !text.is_empty();
        let is_not_zero = |number: &Number| number.0 != merchantpay::Amount::ZERO;
        Body {
            sum: self.sum.filter(is_not_zero),
            payee_account: self.payee_account.filter(is_some),
            payee_account_bank: self.payee_account_bank.filter(is_some),
            payee_name: self.payee_name.filter(|name| !name.is_empty()),
            deal_sum: self.deal_sum.filter(is_not_zero),
            deal_currency: self.deal_currency.filter(is_some),
            deal_rate: self.deal_rate.filter(is_not_zero),
            deeplink: self.deeplink.filter(is_some),
            ..self
        }
    }

    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
