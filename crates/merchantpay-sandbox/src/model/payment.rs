//! One payment.

use std::borrow::Cow;
use std::collections::VecDeque;

use axum::body::Bytes;
use merchantpay::{Amount, Balance, Rounding, to_balance};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::base::clock::{Millis, timestamp};
use crate::base::options::Options;
use crate::base::{as_text, assumptions};
use crate::model::state::{
    By, CredentialsSearch, MerchantAction, OperatorAction, Pays, Scenario, State, Step, TEST_ACCOUNTS,
    WebhookPlan, standing,
};

/// Only endless arbitration reaches it.
const MAX_CHANGES: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Pace {
    #[default]
    Configured,
    /// For payments that the sandbox makes as the merchant: without delays, so that a whole story is there at once.
    Immediate,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Order {
    pub(crate) created_by: Cow<'static, str>,
    #[serde(with = "as_text")]
    pub(crate) requested_sum: Amount,
    pub(crate) payment_method: String,
    pub(crate) customer_account: String,
    pub(crate) payer_bank: Option<String>,
    pub(crate) status_webhook_url: Option<String>,
    pub(crate) credentials_webhook_url: Option<String>,
    /// Has no effect (contract, section 2).
    pub(crate) merchant_id: Option<String>,
    #[serde(skip)]
    pub(crate) pace: Pace,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Credentials {
    pub(crate) payee_account: String,
    pub(crate) payee_account_bank: Cow<'static, str>,
    pub(crate) payee_name: Cow<'static, str>,
    #[serde(with = "as_text")]
    pub(crate) deal_sum: Amount,
    pub(crate) deal_currency: Cow<'static, str>,
    #[serde(with = "as_text")]
    pub(crate) deal_rate: Amount,
    pub(crate) deeplink: String,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Payment {
    pub(crate) number: u64,
    pub(crate) order_id: String,
    #[serde(flatten, with = "standing")]
    pub(crate) state: State,
    /// Only the operator changes the state.
    pub(crate) held: bool,
    #[serde(with = "as_text")]
    pub(crate) sum: Amount,
    #[serde(flatten)]
    pub(crate) order: Order,
    pub(crate) credentials: Option<Credentials>,
    /// Oldest first. The first change is never dropped.
    pub(crate) timeline: VecDeque<Change>,
    /// By the control API. Then the test account no longer determines the sum.
    pub(crate) paid_by_hand: bool,
    /// Counts the changes: a step that was scheduled before one is skipped.
    pub(crate) generation: u64,
    pub(crate) webhooks: u64,
    pub(crate) next_webhooks: VecDeque<WebhookPlan>,
    pub(crate) receipt_list: Vec<Receipt>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Receipt {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) content_type: String,
    pub(crate) size: usize,
    #[serde(with = "timestamp")]
    pub(crate) at: Millis,
    pub(crate) kept: bool,
    pub(crate) url: String,
    #[serde(skip)]
    pub(crate) bytes: Bytes,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Change {
    #[serde(with = "timestamp")]
    at: Millis,
    by: By,
    cause: Cow<'static, str>,
    #[serde(flatten, with = "standing")]
    state: State,
    #[serde(with = "as_text")]
    sum: Amount,
}

pub(crate) type Cause = (By, Cow<'static, str>);

const PAYEES: &[(&str, &str)] = &[
    ("Банк Песочница", "Иван И."),
    ("Учебный банк", "Мария Ю."),
    ("Тестовый кредит", "Пётр Щ."),
    ("Пробный дом", "Ольга Ж."),
];

impl Payment {
    pub(crate) fn new(number: u64, order_id: String, order: Order, held: bool) -> Payment {
        Payment {
            number,
            order_id,
            state: State::Searching,
            held,
            sum: order.requested_sum,
            order,
            credentials: None,
            timeline: VecDeque::new(),
            paid_by_hand: false,
            generation: 0,
            webhooks: 0,
            next_webhooks: VecDeque::new(),
            receipt_list: Vec::new(),
        }
    }

    pub(crate) fn scenario(&self) -> Scenario {
        Scenario::of(&self.order.customer_account)
    }

    pub(crate) fn apply(&mut self, step: Step, options: &Options, base_url: &str) -> bool {
        let Some(state) = self.state.after(step) else { return false };
        if step == Step::CredentialsFound {
            let Some(credentials) = self.find_credentials(options, base_url) else { return false };
            self.credentials = Some(credentials);
        }
        if self.state == State::AwaitingPayment
            && !self.paid_by_hand
            && matches!(step, Step::Confirm | Step::Approve)
        {
            self.sum = self.amount_paid(self.scenario().paid);
        }
        self.state = state;
        true
    }

    pub(crate) fn record_change(&mut self, at: Millis, (by, cause): Cause) {
        self.generation += 1;
        if self.timeline.len() == MAX_CHANGES {
            self.timeline.remove(1);
        }
        // Room for one change only: most payments have few changes, and there can be many payments.
        self.timeline.reserve_exact(1);
        self.timeline.push_back(Change { at, by, cause, state: self.state, sum: self.sum });
    }

    pub(crate) fn take_plan(&mut self) -> Option<WebhookPlan> {
        let first = self.next_webhooks.front_mut()?;
        first.times = first.times.saturating_sub(1);
        if first.times == 0 { self.next_webhooks.pop_front() } else { Some(*first) }
    }

    fn find_credentials(&self, options: &Options, base_url: &str) -> Option<Credentials> {
        let number =
            self.order_id.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let bare = self.scenario().credentials == CredentialsSearch::FoundAccountOnly;
        let (bank, name) = if bare { ("", "") } else { PAYEES[(number % PAYEES.len() as u64) as usize] };
        let (deal_currency, _) = assumptions::deal_currency(options.balance);
        Some(Credentials {
            payee_account: format!("22000000{:08}", number % 100_000_000),
            payee_account_bank: bank.into(),
            payee_name: name.into(),
            deal_sum: assumptions::deal_sum(self.sum, options.rate, options.balance, options.commission)?,
            deal_currency: deal_currency.into(),
            deal_rate: options.rate,
            deeplink: if bare { String::new() } else { format!("{base_url}/pay/{}", self.order_id) },
        })
    }

    /// `sum` changes to it, `dealSum` does not (contract, section 2).
    pub(crate) fn amount_paid(&self, pays: Pays) -> Amount {
        let part = match pays {
            Pays::Less => Amount::from_minor(90),
            Pays::More => Amount::from_minor(110),
            Pays::Exactly | Pays::Nothing => return self.order.requested_sum,
        };
        let requested = self.order.requested_sum;
        to_balance(requested, part, Balance::Rub, 2, Rounding::Up).unwrap_or(requested)
    }

    /// As in the control API, with what follows from the fields.
    pub(crate) fn shown(&self) -> Value {
        let at = |change: Option<&Change>| timestamp::format(change.map_or(0, |change| change.at));
        let is_payable = self.state.after(Step::Pay).is_some();
        let merchant =
            |action: &MerchantAction| *action != MerchantAction::GetStatus && action.is_possible(self.state);
        let operator = |action: &OperatorAction| action.is_possible(self.state, self.held);
        let mut accounts = TEST_ACCOUNTS.iter().map(|known| known.account);
        let mut shown = json!(self);
        shown["currency"] = "RUB".into();
        shown["createdAt"] = at(self.timeline.front()).into();
        shown["changedAt"] = at(self.timeline.back()).into();
        shown["receipts"] = self.receipt_list.len().into();
        shown["testAccount"] = accounts.find(|known| *known == self.order.customer_account).into();
        shown["actions"] = json!({
            "merchant": MerchantAction::ALL.into_iter().filter(merchant).collect::<Vec<_>>(),
            "customer": Pays::ALL.into_iter().filter(|_| is_payable).collect::<Vec<_>>(),
            "operator": OperatorAction::ALL.into_iter().filter(operator).collect::<Vec<_>>(),
        });
        shown
    }
}
