//! The state machine of a payment (contract, section 3). One function decides every transition.

use merchantpay::Status;
use serde::{Deserialize, Serialize};

/// The state of a payment. It is more detailed than the contract's status: the status does not distinguish a
/// payment that waits for its customer from a payment that is being checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum State {
    Searching,
    AwaitingPayment,
    Checking,
    ReceiptRequired,
    /// The payment or its receipt is being examined.
    Arbitration,
    DoneSuccess,
    DoneFail,
    CancelledInArbitration,
}

/// A step of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    CredentialsFound,
    CredentialsNotFound,
    /// The customer pays.
    Pay,
    Confirm,
    Approve,
    Fail,
    Arbitrate,
    RequireReceipt,
    AttachReceipt,
    Cancel,
}

/// The author of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum By {
    Merchant,
    Sandbox,
    Customer,
    Operator,
}

/// How much the customer pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Pays {
    Exactly,
    Less,
    More,
    /// The customer never pays, and the payment fails.
    Nothing,
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

#[cfg(test)]
mod tests {
    use super::State::*;
    use super::Step::*;
    use super::*;

    const STATES: [State; 8] = [
        Searching,
        AwaitingPayment,
        Checking,
        State::ReceiptRequired,
        Arbitration,
        DoneSuccess,
        DoneFail,
        CancelledInArbitration,
    ];
    const STEPS: [Step; 10] = [
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
    ];

    #[test]
    fn final_status_never_changes() {
        for state in STATES.into_iter().filter(|state| state.status().is_final()) {
            assert!(STEPS.into_iter().all(|step| state.after(step).is_none()), "{state:?}");
        }
    }

    #[test]
    fn cancel_is_possible_only_before_confirm_and_in_arbitration() {
        let cancelled: Vec<_> =
            STATES.into_iter().filter_map(|state| Some((state, state.after(Cancel)?))).collect();
        assert_eq!(
            cancelled,
            [
                (AwaitingPayment, DoneFail),
                (ReceiptRequired, CancelledInArbitration),
                (Arbitration, CancelledInArbitration)
            ]
        );
    }

    #[test]
    fn every_status_can_be_reached() {
        let mut reached = vec![Searching];
        let mut next = 0;
        while next < reached.len() {
            let more: Vec<_> = STEPS.into_iter().filter_map(|step| reached[next].after(step)).collect();
            for state in more {
                if !reached.contains(&state) {
                    reached.push(state);
                }
            }
            next += 1;
        }
        for status in Status::ALL {
            assert!(reached.iter().any(|state| state.status() == *status), "{status}");
        }
    }
}
