//! One payment, and how replies and webhooks tell of it.

use merchantpay::{Amount, Balance, Rounding, to_balance};

use crate::decisions;
use crate::json::{Fields, Value};
use crate::options::Options;
use crate::state::{State, Step};
use crate::steering::{self as course, Course, Paid};
use crate::transliteration::to_latin;

/// What a merchant asked for, checked.
pub(crate) struct Order {
    pub(crate) sum: Amount,
    pub(crate) customer_account: String,
    pub(crate) status_webhook_url: Option<String>,
    pub(crate) credentials_webhook_url: Option<String>,
    /// Accepted and stored (contract, section 2).
    #[expect(dead_code, reason = "the contract gives it no effect")]
    pub(crate) merchant_id: Option<String>,
}

/// Whom the customer pays, and the deal that was made of it.
struct Credentials {
    account: String,
    bank: &'static str,
    name: &'static str,
    deal_sum: Amount,
    deal_currency: &'static str,
    deal_rate: Amount,
    deeplink: String,
}

pub(crate) struct Payment {
    pub(crate) order_id: String,
    pub(crate) order: Order,
    pub(crate) course: Course,
    state: State,
    sum: Amount,
    credentials: Option<Credentials>,
}

/// Invented payees: bank and holder.
const PAYEES: &[(&str, &str)] =
    &[("Банк Песочница", "Иван И."), ("Учебный банк", "Мария Ю."), ("Тестовый кредит", "Пётр Щ."), ("Пробный дом", "Ольга Ж.")];

impl Payment {
    pub(crate) fn new(order_id: String, order: Order) -> Payment {
        let course = Course::of(&order.customer_account);
        let sum = order.sum;
        Payment { order_id, order, course, state: State::Searching, sum, credentials: None }
    }

    pub(crate) fn state(&self) -> State {
        self.state
    }

    /// Takes a step, or leaves the payment as it is and says so.
    pub(crate) fn take(&mut self, step: Step, options: &Options, base_url: &str) -> bool {
        let Some(state) = self.state.after(step) else { return false };
        if step == Step::CredentialsFound {
            let Some(credentials) = self.find_credentials(options, base_url) else { return false };
            self.credentials = Some(credentials);
        }
        if step == Step::Confirm {
            self.sum = self.paid();
        }
        self.state = state;
        true
    }

    fn find_credentials(&self, options: &Options, base_url: &str) -> Option<Credentials> {
        let number = self.order_id.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let bare = self.course.credentials == course::Credentials::FoundBare;
        let (bank, name) = if bare { ("", "") } else { PAYEES[(number % PAYEES.len() as u64) as usize] };
        let (deal_currency, _) = decisions::deal_currency(options.balance);
        Some(Credentials {
            account: format!("22000000{:08}", number % 100_000_000),
            bank,
            name,
            deal_sum: decisions::deal_sum(self.sum, options.rate, options.balance, options.commission)?,
            deal_currency,
            deal_rate: options.rate,
            deeplink: if bare { String::new() } else { format!("{base_url}/pay/{}", self.order_id) },
        })
    }

    /// What the customer really pays: `sum` changes, `dealSum` does not (contract, section 2).
    fn paid(&self) -> Amount {
        let part = match self.course.paid {
            Paid::Less => Amount::from_minor(90),
            Paid::More => Amount::from_minor(110),
            Paid::Exactly | Paid::Never => return self.sum,
        };
        to_balance(self.sum, part, Balance::Rub, 2, Rounding::Up).unwrap_or(self.sum)
    }

    /// The reply to `/new` and the credentials webhook (contract, sections 4.2 and 6.1).
    pub(crate) fn with_credentials(&self) -> Fields {
        let mut fields = vec![("orderId", Value::text(&self.order_id)), ("sum", Value::Number(self.sum))];
        if let Some(credentials) = &self.credentials {
            fields.extend(credentials.payee(credentials.name.to_owned()));
            fields.push(("currency", Value::text("RUB")));
            fields.extend(credentials.deal());
        }
        fields
    }

    /// The reply to `/status` (contract, section 4.6).
    pub(crate) fn with_status(&self) -> Fields {
        let mut fields = vec![("orderId", Value::text(&self.order_id)), ("sum", Value::Number(self.sum))];
        if let Some(credentials) = &self.credentials {
            fields.extend(credentials.payee(to_latin(credentials.name)));
            fields.extend(credentials.deal());
        }
        fields.push(("status", Value::text(self.state.status().as_str())));
        fields
    }

    /// The status webhook (contract, section 6.2).
    pub(crate) fn status_event(&self) -> Fields {
        let mut fields = vec![("orderId", Value::text(&self.order_id)), ("status", Value::text(self.state.status().as_str()))];
        fields.push(("sum", Value::Number(self.sum)));
        if let Some(credentials) = &self.credentials {
            fields.extend(credentials.payee(credentials.name.to_owned()));
            fields.extend(credentials.deal());
        }
        fields
    }
}

impl Credentials {
    fn payee(&self, name: String) -> Fields {
        vec![("payeeAccount", Value::text(&self.account)), ("payeeAccountBank", Value::text(self.bank)), ("payeeName", Value::Text(name))]
    }

    fn deal(&self) -> Fields {
        vec![
            ("dealSum", Value::Number(self.deal_sum)),
            ("dealCurrency", Value::text(self.deal_currency)),
            ("dealRate", Value::Number(self.deal_rate)),
            ("deeplink", Value::text(&self.deeplink)),
        ]
    }
}
