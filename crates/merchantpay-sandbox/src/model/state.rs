//! The state machine of a payment (contract, section 3). One function decides every transition.

use merchantpay::Status;
use serde::{Deserialize, Serialize};

use crate::base::json::described;

/// The state of a payment. It is more detailed than the contract's status: the status does not distinguish a
/// payment that waits for its customer from a payment that is being checked.
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
            // A payment without credentials fails in the same way as if no credentials were found.
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

    /// The state after a step; `None` if the step is not possible.
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
