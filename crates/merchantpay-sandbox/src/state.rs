//! The state machine of a payment (contract, section 3). One function decides every transition.

use merchantpay::Status;

/// Where a payment stands. Finer than the contract's status, which cannot tell a payment that waits for its customer from
/// one that is being checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum State {
    Searching,
    AwaitingPayment,
    Checking,
    ReceiptRequired,
    CheckingReceipt,
    DoneSuccess,
    DoneFail,
    CancelledInArbitration,
}

/// What can happen to a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    CredentialsFound,
    CredentialsNotFound,
    Confirm,
    Approve,
    Fail,
    Dispute,
    AttachReceipt,
    Cancel,
}

impl State {
    pub(crate) fn status(self) -> Status {
        match self {
            State::Searching => Status::Free,
            State::AwaitingPayment | State::Checking | State::CheckingReceipt => Status::Pending,
            State::ReceiptRequired => Status::ReceiptRequired,
            State::DoneSuccess => Status::DoneSuccess,
            State::DoneFail => Status::DoneFail,
            State::CancelledInArbitration => Status::ArbitrageCancelledByMerchant,
        }
    }

    /// The state after a step, or `None` if the step is not possible here.
    pub(crate) fn after(self, step: Step) -> Option<State> {
        match (self, step) {
            (State::Searching, Step::CredentialsFound) => Some(State::AwaitingPayment),
            (State::Searching, Step::CredentialsNotFound) => Some(State::DoneFail),
            (State::AwaitingPayment, Step::Confirm) => Some(State::Checking),
            (State::AwaitingPayment, Step::Cancel | Step::Fail) => Some(State::DoneFail),
            (State::Checking | State::CheckingReceipt, Step::Approve) => Some(State::DoneSuccess),
            (State::Checking | State::CheckingReceipt, Step::Fail) => Some(State::DoneFail),
            (State::Checking | State::CheckingReceipt, Step::Dispute) => Some(State::ReceiptRequired),
            (State::ReceiptRequired, Step::AttachReceipt) => Some(State::CheckingReceipt),
            (State::ReceiptRequired | State::CheckingReceipt, Step::Cancel) => Some(State::CancelledInArbitration),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::State::*;
    use super::Step::*;
    use super::*;

    const STATES: [State; 8] =
        [Searching, AwaitingPayment, Checking, ReceiptRequired, CheckingReceipt, DoneSuccess, DoneFail, CancelledInArbitration];
    const STEPS: [Step; 8] = [CredentialsFound, CredentialsNotFound, Confirm, Approve, Fail, Dispute, AttachReceipt, Cancel];

    #[test]
    fn a_final_status_never_changes() {
        for state in STATES.into_iter().filter(|state| state.status().is_final()) {
            assert!(STEPS.into_iter().all(|step| state.after(step).is_none()), "{state:?}");
        }
    }

    #[test]
    fn cancelling_is_possible_before_confirmation_and_in_arbitration_alone() {
        let cancelled: Vec<_> = STATES.into_iter().filter_map(|state| Some((state, state.after(Cancel)?))).collect();
        assert_eq!(
            cancelled,
            [(AwaitingPayment, DoneFail), (ReceiptRequired, CancelledInArbitration), (CheckingReceipt, CancelledInArbitration)]
        );
    }

    #[test]
    fn every_status_of_the_contract_can_be_reached() {
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
