//! One payment, and its fields in replies and webhooks.

use std::borrow::Cow;

use merchantpay::{Amount, Balance, Rounding, to_balance};

use crate::base::assumptions;
use crate::base::clock::Millis;
use crate::base::json::{Fields, Value};
use crate::base::options::Options;
use crate::model::state::{State, Step};
use crate::model::test_accounts::{CredentialsSearch, Paid, Scenario};
use crate::model::timeline::{Cause, Change, Timeline};
use crate::model::transliteration::to_latin;

/// The speed of a payment's automatic steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// The speed from the options.
    Configured,
    /// The steps have no delay, with any clock: the sandbox acts as the merchant, and the whole story is
    /// visible immediately.
    Immediate,
}

/// A merchant's checked request for a payment.
#[derive(Clone)]
pub(crate) struct Order {
    pub(crate) operation: &'static str,
    pub(crate) sum: Amount,
    pub(crate) payment_method: String,
    pub(crate) customer_account: String,
    pub(crate) payer_bank: Option<String>,
    pub(crate) status_webhook_url: Option<String>,
    pub(crate) credentials_webhook_url: Option<String>,
    /// This field is only stored: the contract gives it no effect (section 2).
    pub(crate) merchant_id: Option<String>,
    pub(crate) pace: Pace,
}

/// The payee, and the amount in the balance's currency.
pub(crate) struct Credentials {
    pub(crate) account: String,
    pub(crate) bank: Cow<'static, str>,
    pub(crate) name: Cow<'static, str>,
    pub(crate) deal_sum: Amount,
    pub(crate) deal_currency: Cow<'static, str>,
    pub(crate) deal_rate: Amount,
    pub(crate) deeplink: String,
}

pub(crate) struct Payment {
    /// Payments are numbered in the order of their creation.
    pub(crate) number: u64,
    pub(crate) order_id: String,
    pub(crate) order: Order,
    pub(crate) scenario: Scenario,
    pub(crate) state: State,
    pub(crate) sum: Amount,
    pub(crate) credentials: Option<Credentials>,
    pub(crate) timeline: Timeline,
    /// `true` if only the operator changes the payment's state.
    pub(crate) held: bool,
    /// `true` if the control API made the customer pay. Then the test account no longer determines the sum.
    pub(crate) paid_manually: bool,
    /// Counts the changes, so that a scheduled step is skipped after a change.
    pub(crate) generation: u64,
    pub(crate) webhooks: u64,
    pub(crate) receipts: Vec<ReceiptInfo>,
}

/// A receipt's data without its bytes.
#[derive(Clone)]
pub(crate) struct ReceiptInfo {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) content_type: String,
    pub(crate) size: usize,
    pub(crate) at: Millis,
}

/// The customer's payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CustomerPays {
    Exactly,
    Less,
    More,
    Sum(Amount),
}

/// Invented payees: bank and holder.
const PAYEES: &[(&str, &str)] = &[
    ("Банк Песочница", "Иван И."),
    ("Учебный банк", "Мария Ю."),
    ("Тестовый кредит", "Пётр Щ."),
    ("Пробный дом", "Ольга Ж."),
];

impl Payment {
    pub(crate) fn new(number: u64, order_id: String, order: Order, held: bool) -> Payment {
        let scenario = Scenario::of(&order.customer_account);
        let sum = order.sum;
        Payment {
            number,
            order_id,
            order,
            scenario,
            state: State::Searching,
            sum,
            credentials: None,
            timeline: Timeline::default(),
            held,
            paid_manually: false,
            generation: 0,
            webhooks: 0,
            receipts: Vec::new(),
        }
    }

    /// Takes a step. Returns `false` and changes nothing if the step is not possible.
    pub(crate) fn apply(&mut self, step: Step, options: &Options, base_url: &str) -> bool {
        let Some(state) = self.state.after(step) else { return false };
        if step == Step::CredentialsFound {
            let Some(credentials) = self.find_credentials(options, base_url) else { return false };
            self.credentials = Some(credentials);
        }
        if self.state == State::AwaitingPayment
            && !self.paid_manually
            && matches!(step, Step::Confirm | Step::Approve)
        {
            self.sum = self.amount_paid(match self.scenario.paid {
                Paid::Less => CustomerPays::Less,
                Paid::More => CustomerPays::More,
                Paid::Exactly | Paid::Never => CustomerPays::Exactly,
            });
        }
        self.state = state;
        true
    }

    /// Adds the present state to the timeline.
    pub(crate) fn record_change(&mut self, at: Millis, cause: Cause) {
        self.generation += 1;
        self.timeline.add(Change {
            at,
            by: cause.by,
            cause: cause.what.into(),
            state: self.state,
            sum: self.sum,
        });
    }

    fn find_credentials(&self, options: &Options, base_url: &str) -> Option<Credentials> {
        let number =
            self.order_id.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let bare = self.scenario.credentials == CredentialsSearch::FoundAccountOnly;
        let (bank, name) = if bare { ("", "") } else { PAYEES[(number % PAYEES.len() as u64) as usize] };
        let (deal_currency, _) = assumptions::deal_currency(options.balance);
        Some(Credentials {
            account: format!("22000000{:08}", number % 100_000_000),
            bank: bank.into(),
            name: name.into(),
            deal_sum: assumptions::deal_sum(self.sum, options.rate, options.balance, options.commission)?,
            deal_currency: deal_currency.into(),
            deal_rate: options.rate,
            deeplink: if bare { String::new() } else { format!("{base_url}/pay/{}", self.order_id) },
        })
    }

    /// The sum that the customer pays: `sum` changes, `dealSum` does not (contract, section 2).
    pub(crate) fn amount_paid(&self, pays: CustomerPays) -> Amount {
        let part = match pays {
            CustomerPays::Less => Amount::from_minor(90),
            CustomerPays::More => Amount::from_minor(110),
            CustomerPays::Exactly => return self.order.sum,
            CustomerPays::Sum(sum) => return sum,
        };
        to_balance(self.order.sum, part, Balance::Rub, 2, Rounding::Up).unwrap_or(self.order.sum)
    }

    /// The reply to `/new` and the credentials webhook (contract, sections 4.2 and 6.1).
    pub(crate) fn with_credentials(&self) -> Fields {
        let mut fields = vec![("orderId", Value::text(&self.order_id)), ("sum", Value::Number(self.sum))];
        if let Some(credentials) = &self.credentials {
            fields.extend(credentials.payee(credentials.name.to_string()));
            fields.push(("currency", Value::text("RUB")));
            fields.extend(credentials.deal());
        }
        fields
    }

    /// The reply to `/status` (contract, section 4.6).
    pub(crate) fn with_status(&self) -> Fields {
        let mut fields = vec![("orderId", Value::text(&self.order_id)), ("sum", Value::Number(self.sum))];
        if let Some(credentials) = &self.credentials {
            fields.extend(credentials.payee(to_latin(&credentials.name)));
            fields.extend(credentials.deal());
        }
        fields.push(("status", Value::text(self.state.status().as_str())));
        fields
    }

    /// The status webhook (contract, section 6.2).
    pub(crate) fn status_event(&self) -> Fields {
        let mut fields = vec![
            ("orderId", Value::text(&self.order_id)),
            ("status", Value::text(self.state.status().as_str())),
        ];
        fields.push(("sum", Value::Number(self.sum)));
        if let Some(credentials) = &self.credentials {
            fields.extend(credentials.payee(credentials.name.to_string()));
            fields.extend(credentials.deal());
        }
        fields
    }
}

impl Credentials {
    fn payee(&self, name: String) -> Fields {
        vec![
            ("payeeAccount", Value::text(&self.account)),
            ("payeeAccountBank", Value::text(&*self.bank)),
            ("payeeName", Value::Text(name)),
        ]
    }

    fn deal(&self) -> Fields {
        vec![
            ("dealSum", Value::Number(self.deal_sum)),
            ("dealCurrency", Value::text(&*self.deal_currency)),
            ("dealRate", Value::Number(self.deal_rate)),
            ("deeplink", Value::text(&self.deeplink)),
        ]
    }
}
