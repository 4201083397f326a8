//! The state machine of a payment (contract, section 3), and the accounts that lead a payment through it
//! (`fault` has the errors of the protocol). One function decides every transition.

use merchantpay::Status;
use serde::{Deserialize, Serialize};

use crate::base::described;

/// More detailed than the contract's status, which does not distinguish a payment that waits for its customer from one
/// that is being checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum State {
    Searching,
    AwaitingPayment,
    Checking,
    ReceiptRequired,
    Arbitration,
    DoneSuccess,
    DoneFail,
    CancelledInArbitration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    CredentialsFound,
    CredentialsNotFound,
    Pay,
    Confirm,
    Approve,
    Fail,
    Arbitrate,
    RequireReceipt,
    AttachReceipt,
    Cancel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum By {
    #[default]
    Merchant,
    Sandbox,
    Customer,
    Operator,
}

described! {
    /// What the customer pays.
    pub enum Pays {
        Exactly = "The customer pays the sum.",
        Less = "The customer pays a tenth less.",
        More = "The customer pays a tenth more.",
        Nothing = "The customer never pays, and the payment fails.",
    }
}

described! {
    /// What the merchant of a payment does.
    pub enum MerchantAction {
        Confirm = "The merchant reports that the customer has paid.",
        Cancel = "The merchant cancels the payment.",
        AttachReceipt = "The merchant attaches a receipt.",
        GetStatus = "The merchant asks for the status.",
    }
}

described! {
    /// What the service's operator does with a payment.
    pub enum OperatorAction {
        Approve = "The payment succeeds.",
        Fail = "The payment fails.",
        Arbitration = "The payment goes to arbitration and is held.",
        RequireReceipt = "A receipt is required, and the payment is held.",
        Hold = "Nothing happens by itself until the payment is released.",
        Release = "The payment goes on by itself.",
    }
}

described! {
    /// What is done to a webhook.
    pub enum WebhookAction {
        Resend = "Sends a past webhook once more, unchanged.",
        Duplicate = "Sends the webhook twice.",
        Delay = "Sends the webhook later, by the given time.",
        Reorder = "Sends the webhook after the payment's next webhook.",
        Tamper = "Changes the body after it was signed.",
        WrongKey = "Signs with a key that is not the service's (forged).",
        Unsigned = "Leaves the signature out.",
    }
}

/// An action on a past webhook, or on a payment's next webhooks.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WebhookPlan {
    pub(crate) action: WebhookAction,
    pub(crate) delay_ms: Option<u64>,
    #[serde(default = "once")]
    pub(crate) times: u32,
}

fn once() -> u32 {
    1
}

impl WebhookPlan {
    pub(crate) fn new(action: WebhookAction, delay_ms: Option<u64>) -> WebhookPlan {
        WebhookPlan { action, delay_ms, times: 1 }
    }
}

impl MerchantAction {
    pub(crate) fn is_possible(self, state: State) -> bool {
        let step = match self {
            MerchantAction::Confirm => Step::Confirm,
            MerchantAction::Cancel => Step::Cancel,
            MerchantAction::AttachReceipt => Step::AttachReceipt,
            MerchantAction::GetStatus => return true,
        };
        state.after(step).is_some()
    }
}

impl OperatorAction {
    /// `None` for an action that changes who decides, and not the state.
    pub(crate) fn step(self, state: State) -> Option<Step> {
        Some(match self {
            OperatorAction::Approve => Step::Approve,
            OperatorAction::Fail if state == State::Searching => Step::CredentialsNotFound,
            OperatorAction::Fail => Step::Fail,
            OperatorAction::Arbitration => Step::Arbitrate,
            OperatorAction::RequireReceipt => Step::RequireReceipt,
            OperatorAction::Hold | OperatorAction::Release => return None,
        })
    }

    pub(crate) fn is_possible(self, state: State, held: bool) -> bool {
        match self.step(state) {
            Some(step) => state.after(step).is_some(),
            None => !state.is_final() && held == (self == OperatorAction::Release),
        }
    }
}

impl State {
    pub(crate) fn status(self) -> Status {
        match self {
            State::Searching => Status::Free,
            State::AwaitingPayment | State::Checking | State::Arbitration => Status::Pending,
            State::ReceiptRequired => Status::ReceiptRequired,
            State::DoneSuccess => Status::DoneSuccess,
            State::DoneFail => Status::DoneFail,
            State::CancelledInArbitration => Status::ArbitrageCancelledByMerchant,
        }
    }

    pub(crate) fn status_name(self) -> &'static str {
        let status = self.status();
        Status::ALL.iter().find(|known| **known == status).map_or("", Status::as_str)
    }

    pub(crate) fn is_final(self) -> bool {
        self.status().is_final()
    }

    pub(crate) fn after(self, step: Step) -> Option<State> {
        use State::*;
        use Step::*;

        match (self, step) {
            (Searching, CredentialsFound) => Some(AwaitingPayment),
            (Searching, CredentialsNotFound) => Some(DoneFail),
            (AwaitingPayment, Pay) => Some(AwaitingPayment),
            (AwaitingPayment, Confirm) => Some(Checking),
            (AwaitingPayment, Cancel) => Some(DoneFail),
            // An operator can see that the money has arrived before the merchant confirms.
            (AwaitingPayment | Checking | Arbitration | ReceiptRequired, Approve) => Some(DoneSuccess),
            (AwaitingPayment | Checking | Arbitration | ReceiptRequired, Fail) => Some(DoneFail),
            (AwaitingPayment | Checking, Arbitrate) => Some(Arbitration),
            (AwaitingPayment | Checking | Arbitration, RequireReceipt) => Some(ReceiptRequired),
            (ReceiptRequired, AttachReceipt) => Some(Arbitration),
            (ReceiptRequired | Arbitration, Cancel) => Some(CancelledInArbitration),
            _ => None,
        }
    }
}

/// A state together with what the contract says of it: the fields `state`, `status` and `final`.
pub(crate) mod standing {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::State;

    #[derive(Serialize)]
    struct Standing {
        state: State,
        status: &'static str,
        r#final: bool,
    }

    #[derive(Deserialize)]
    struct Stored {
        state: State,
    }

    pub(crate) fn serialize<S: Serializer>(state: &State, serializer: S) -> Result<S::Ok, S::Error> {
        let status = state.status_name();
        Standing { state: *state, status, r#final: state.is_final() }.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<State, D::Error> {
        Stored::deserialize(deserializer).map(|stored| stored.state)
    }
}

/// A `customerAccount` with an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TestAccount {
    /// The `customerAccount`.
    pub account: &'static str,
    /// The effect on the payment.
    pub effect: &'static str,
    #[serde(skip)]
    pub(crate) scenario: Scenario,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) credentials: CredentialsSearch,
    pub(crate) paid: Pays,
    pub(crate) check: Check,
    pub(crate) receipt: Check,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CredentialsSearch {
    Found,
    /// Only an account: no bank, no name, no link.
    FoundAccountOnly,
    FoundLate,
    NotFound,
    NeverEnds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    Approved,
    Rejected,
    Disputed,
    NeverEnds,
}

const ORDINARY: Scenario = Scenario {
    credentials: CredentialsSearch::Found,
    paid: Pays::Exactly,
    check: Check::Approved,
    receipt: Check::Approved,
};

macro_rules! test_accounts {
    ($($account:literal { $($field:ident: $value:expr),+ } $effect:literal;)+) => {
        /// Every account with an effect. With any other account the customer pays the exact sum, and the
        /// payment succeeds.
        pub const TEST_ACCOUNTS: &[TestAccount] = &[$(TestAccount {
            account: $account,
            effect: $effect,
            scenario: Scenario { $($field: $value,)+ ..ORDINARY },
        }),+];
    };
}

test_accounts! {
    "slow-credentials" { credentials: CredentialsSearch::FoundLate }
        "the credentials come after half of the ten-second wait of /new";
    "bare-credentials" { credentials: CredentialsSearch::FoundAccountOnly }
        "the credentials are only an account; webhooks leave out the empty fields";
    "no-credentials" { credentials: CredentialsSearch::NotFound }
        "no credentials are found: /new fails after its wait, and after /new-async a webhook reports \
         the failure; then doneFail";
    "stays-free" { credentials: CredentialsSearch::NeverEnds }
        "the service never finds credentials: the status stays free";
    "pays-less" { paid: Pays::Less } "sum becomes a tenth less; doneSuccess";
    "pays-more" { paid: Pays::More } "sum becomes a tenth more; doneSuccess";
    "never-pays" { paid: Pays::Nothing } "the customer does not pay: doneFail without /confirm";
    "payment-fails" { check: Check::Rejected } "/confirm leads to doneFail";
    "stays-pending" { check: Check::NeverEnds } "the status stays pending after /confirm";
    "arbitration" { check: Check::Disputed } "/confirm leads to receiptRequired, a receipt to doneSuccess";
    "arbitration-fails" { check: Check::Disputed, receipt: Check::Rejected }
        "/confirm leads to receiptRequired, a receipt to doneFail";
    "arbitration-again" { check: Check::Disputed, receipt: Check::Disputed }
        "/confirm leads to receiptRequired, and so does each attached receipt";
}

impl Scenario {
    pub(crate) fn of(account: &str) -> Scenario {
        TEST_ACCOUNTS
            .iter()
            .find(|test_account| test_account.account == account)
            .map_or(ORDINARY, |test_account| test_account.scenario)
    }
}
