//! Test accounts: values of `customerAccount` with which a merchant can cause every status and every error.

use serde::Serialize;

use crate::model::state::Pays;

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

/// Every account with an effect. With any other account the customer pays the exact sum, and the payment
/// succeeds.
pub const TEST_ACCOUNTS: &[TestAccount] = &[
    TestAccount {
        account: "slow-credentials",
        effect: "the credentials come after half of the ten-second wait of /new",
        scenario: Scenario { credentials: CredentialsSearch::FoundLate, ..ORDINARY },
    },
    TestAccount {
        account: "bare-credentials",
        effect: "the credentials are only an account; webhooks leave out the empty fields",
        scenario: Scenario { credentials: CredentialsSearch::FoundAccountOnly, ..ORDINARY },
    },
    TestAccount {
        account: "no-credentials",
        effect: "no credentials are found: /new fails after its wait, and after /new-async a webhook \
             reports the failure; then doneFail",
        scenario: Scenario { credentials: CredentialsSearch::NotFound, ..ORDINARY },
    },
    TestAccount {
        account: "stays-free",
        effect: "the service never finds credentials: the status stays free",
        scenario: Scenario { credentials: CredentialsSearch::NeverEnds, ..ORDINARY },
    },
    TestAccount {
        account: "pays-less",
        effect: "sum becomes a tenth less; doneSuccess",
        scenario: Scenario { paid: Pays::Less, ..ORDINARY },
    },
    TestAccount {
        account: "pays-more",
        effect: "sum becomes a tenth more; doneSuccess",
        scenario: Scenario { paid: Pays::More, ..ORDINARY },
    },
    TestAccount {
        account: "never-pays",
        effect: "the customer does not pay: doneFail without /confirm",
        scenario: Scenario { paid: Pays::Nothing, ..ORDINARY },
    },
    TestAccount {
        account: "payment-fails",
        effect: "/confirm leads to doneFail",
        scenario: Scenario { check: Check::Rejected, ..ORDINARY },
    },
    TestAccount {
        account: "stays-pending",
        effect: "the status stays pending after /confirm",
        scenario: Scenario { check: Check::NeverEnds, ..ORDINARY },
    },
    TestAccount {
        account: "arbitration",
        effect: "/confirm leads to receiptRequired, a receipt to doneSuccess",
        scenario: Scenario { check: Check::Disputed, ..ORDINARY },
    },
    TestAccount {
        account: "arbitration-fails",
        effect: "/confirm leads to receiptRequired, a receipt to doneFail",
        scenario: Scenario { check: Check::Disputed, receipt: Check::Rejected, ..ORDINARY },
    },
    TestAccount {
        account: "arbitration-again",
        effect: "/confirm leads to receiptRequired, and so does each attached receipt",
        scenario: Scenario { check: Check::Disputed, receipt: Check::Disputed, ..ORDINARY },
    },
];

impl Scenario {
    pub(crate) fn of(account: &str) -> Scenario {
        TEST_ACCOUNTS
            .iter()
            .find(|test_account| test_account.account == account)
            .map_or(ORDINARY, |test_account| test_account.scenario)
    }
}
