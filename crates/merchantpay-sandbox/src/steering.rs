//! How a merchant reaches every status and every error on purpose: by the `customerAccount` of a payment.

/// One `customerAccount` with an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steering {
    /// The `customerAccount`.
    pub account: &'static str,
    /// What becomes of the payment.
    pub effect: &'static str,
    pub(crate) course: Course,
}

/// What the simulated service and customer do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Course {
    pub(crate) credentials: Credentials,
    pub(crate) paid: Paid,
    pub(crate) check: Check,
    pub(crate) receipt: Check,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credentials {
    Found,
    /// An account alone: no bank, no name, no link.
    FoundBare,
    FoundLate,
    NotFound,
    LookedForEver,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paid {
    Exactly,
    Less,
    More,
    /// The payment fails without being confirmed.
    Never,
}

/// How a check of a payment or of a receipt ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    Good,
    Bad,
    Disputed,
    Endless,
}

const SMOOTH: Course = Course { credentials: Credentials::Found, paid: Paid::Exactly, check: Check::Good, receipt: Check::Good };

/// Every account with an effect. Any other pays exactly, and its payment is completed.
pub const STEERINGS: &[Steering] = &[
    Steering {
        account: "slow-credentials",
        effect: "credentials come after half of the wait of /new",
        course: Course { credentials: Credentials::FoundLate, ..SMOOTH },
    },
    Steering {
        account: "bare-credentials",
        effect: "the credentials are an account alone; webhooks leave out the empty fields",
        course: Course { credentials: Credentials::FoundBare, ..SMOOTH },
    },
    Steering {
        account: "no-credentials",
        effect: "none are found: /new fails after its wait, /new-async by webhook; then doneFail",
        course: Course { credentials: Credentials::NotFound, ..SMOOTH },
    },
    Steering {
        account: "stays-free",
        effect: "credentials are looked for without end: free",
        course: Course { credentials: Credentials::LookedForEver, ..SMOOTH },
    },
    Steering { account: "pays-less", effect: "sum becomes a tenth less; doneSuccess", course: Course { paid: Paid::Less, ..SMOOTH } },
    Steering { account: "pays-more", effect: "sum becomes a tenth more; doneSuccess", course: Course { paid: Paid::More, ..SMOOTH } },
    Steering { account: "never-pays", effect: "doneFail without /confirm", course: Course { paid: Paid::Never, ..SMOOTH } },
    Steering { account: "payment-fails", effect: "/confirm leads to doneFail", course: Course { check: Check::Bad, ..SMOOTH } },
    Steering { account: "stays-pending", effect: "/confirm leads nowhere: pending", course: Course { check: Check::Endless, ..SMOOTH } },
    Steering {
        account: "arbitration",
        effect: "/confirm leads to receiptRequired, a receipt to doneSuccess",
        course: Course { check: Check::Disputed, ..SMOOTH },
    },
    Steering {
        account: "arbitration-fails",
        effect: "/confirm leads to receiptRequired, a receipt to doneFail",
        course: Course { check: Check::Disputed, receipt: Check::Bad, ..SMOOTH },
    },
    Steering {
        account: "arbitration-again",
        effect: "/confirm leads to receiptRequired, and so does every receipt",
        course: Course { check: Check::Disputed, receipt: Check::Disputed, ..SMOOTH },
    },
];

impl Course {
    pub(crate) fn of(account: &str) -> Course {
        STEERINGS.iter().find(|steering| steering.account == account).map_or(SMOOTH, |steering| steering.course)
    }
}
