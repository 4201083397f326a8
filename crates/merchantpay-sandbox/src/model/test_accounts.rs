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
