//! The scenarios of the model. Each small scenario has the name of a rule of docs/decisions/journal-rules.md,
//! and fails without that rule. Larger scenarios combine many events.

use crate::checks::*;
use crate::world::Budget;

#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    pub name: &'static str,
    pub budget: Budget,
    pub checks: &'static [Check],
    /// The kinds of the two payments: `false` is `/new`, `true` is `/new-async`.
    pub kinds: (bool, bool),
    pub mute_cancel: bool,
    /// `true` if the search takes only seconds.
    pub is_quick: bool,
}

const NONE: Budget = Budget {
    pay: 0,
    replace: 0,
    confirm: 0,
    cancel: 0,
    customer: 0,
    settle: 0,
    news: 0,
    crash: 0,
    lose: 0,
    skew: 0,
    store: 0,
    refuse: 0,
    late_refusal: 0,
    not_sent: 0,
    doubled: 0,
    credentials_fail: 0,
    expire: 0,
    receipt: 0,
    dispute: 0,
    resolve: 0,
    resolve_wrong: 0,
    purge: 0,
    failover: 0,
    slow_webhook: 0,
    forged: 0,
    less: 0,
    look: 0,
    restore: 0,
    pause: 0,
};

const BASE: Scenario = Scenario {
    name: "",
    budget: NONE,
    checks: &[],
    kinds: (true, false),
    mute_cancel: false,
    is_quick: false,
};

macro_rules! budget {
    ($($part:ident = $count:literal),*) => { Budget { $($part: $count,)* ..NONE } };
}

/// Makes a test from each scenario. `tools/dev/mutants` shows that each scenario fails without its rule.
macro_rules! scenarios {
    ($($name:ident { $($fields:tt)* })+) => {
        $(
            #[test]
            fn $name() {
                crate::assert_holds(Scenario { name: stringify!($name), $($fields)*, ..BASE });
            }
        )+
    };
}

scenarios! {
    seal { budget: budget!(pay = 1, replace = 1, skew = 1) }
    heal_superseded { budget: budget!(pay = 1, replace = 1, skew = 1, crash = 1), checks: &[NotStuck] }
    refused_not_shown { budget: budget!(pay = 2, resolve = 1, skew = 1) }
    writer { budget: budget!(pay = 2, store = 1), checks: &[OnePayable] }
    writer_of_an_update { budget: budget!(pay = 1, replace = 1, skew = 1, store = 1) }
    news_ack_never_reset {
        budget: budget!(pay = 1, news = 2, customer = 1, confirm = 1),
        checks: &[FinalReported]
    }
    news_ack_by_reference {
        budget: budget!(pay = 1, replace = 1, cancel = 1, news = 1),
        checks: &[FinalReported]
    }
    old_attempt_paid_after_cancel {
        budget: budget!(pay = 1, replace = 1, cancel = 1, customer = 1, dispute = 1, settle = 1),
        checks: &[MoneySeen],
        mute_cancel: true
    }
    cancel_until_final {
        budget: budget!(pay = 1, replace = 1, skew = 1, settle = 1),
        checks: &[SupersededEnds],
        kinds: (false, true)
    }
    newest_intent { budget: budget!(pay = 1, cancel = 1, confirm = 1, customer = 1, lose = 2, settle = 1) }
    hide_on_cancel { budget: budget!(pay = 2, cancel = 1) }
    by_attempt { budget: budget!(pay = 1, replace = 1, cancel = 1, customer = 1, confirm = 1, dispute = 1) }
    keep_keys {
        budget: budget!(pay = 2, customer = 1, confirm = 1, news = 1, purge = 1),
        checks: &[PaidOnce]
    }
    keep_keys_after_a_refusal {
        budget: budget!(pay = 2, refuse = 1, customer = 1, confirm = 1, news = 2, purge = 1),
        checks: &[PaidOnce]
    }
    replace_names_attempt { budget: budget!(pay = 1, replace = 2, lose = 2), checks: &[OneReplacement] }
    report_receipt {
        budget: budget!(pay = 1, customer = 1, confirm = 1, receipt = 1, news = 1),
        checks: &[ReceiptReported]
    }
    repeated_refusal_is_unclear {
        budget: budget!(pay = 1, confirm = 1, cancel = 1, customer = 1, lose = 1, settle = 2),
        checks: &[IntentTrue]
    }
    stay_refused {
        budget: budget!(pay = 1, late_refusal = 1, credentials_fail = 1, settle = 1),
        checks: &[RefusedStays]
    }
    orphans {
        budget: budget!(pay = 1, lose = 1, resolve_wrong = 1),
        checks: &[OrphansStored],
        kinds: (false, true)
    }
    orphans_of_a_doubled_request { budget: budget!(pay = 1, doubled = 1), checks: &[OrphansStored] }
    orphans_of_a_forgotten_row {
        budget: budget!(pay = 1, customer = 1, confirm = 1, failover = 1),
        checks: &[MoneySeen]
    }
    // If the service refused a payment after ten seconds, the payment may still exist. Only the callback
    // shows whether it exists.
    g3_ten_second_refusal {
        budget: budget!(pay = 1, late_refusal = 1),
        checks: &[FoundSeen],
        kinds: (false, true)
    }
    unknown_waits { budget: budget!(pay = 2, lose = 1), checks: &[OnePayable] }
    refused_not_shown_when_found {
        budget: budget!(pay = 2, late_refusal = 1, resolve = 1, skew = 1),
        kinds: (true, true)
    }
    superseded_not_shown { budget: budget!(pay = 1, replace = 1, skew = 1) }
    webhook_asks_first { budget: budget!(pay = 2, forged = 1), checks: &[OnePayable] }
    // The service can make two payments here. Only the credentials of the second payment are shown.
    old_webhook_after_a_lost_reply {
        budget: budget!(pay = 2, lose = 1, forged = 1, settle = 2, customer = 2),
        checks: &[NotRefusedByAnother, MoneySeen, OrphansStored],
        kinds: (true, true)
    }
    failure_waits_for_the_call {
        budget: budget!(pay = 2, forged = 1, settle = 2),
        checks: &[NotRefusedByAnother, ReplyKept, OrphansStored]
    }
    restored_failure_waits {
        budget: budget!(pay = 2, restore = 1, forged = 1, settle = 2, customer = 2),
        checks: &[NotRefusedByAnother]
    }
    lost_reply_expires {
        budget: budget!(pay = 2, lose = 1, crash = 1, expire = 2, settle = 2, customer = 1),
        checks: &[ExpiryCloses, PaidOnce, MoneySeen]
    }
    webhook_sum_fits {
        budget: budget!(pay = 1, lose = 1, forged = 1, settle = 2),
        checks: &[SumFits, OrphansStored],
        kinds: (true, true)
    }
    success_needs_sum {
        budget: budget!(pay = 1, less = 1, confirm = 1, settle = 1),
        checks: &[SumKnown, Converges]
    }
    seen_as_shown {
        budget: budget!(pay = 1, lose = 1, forged = 1, settle = 1, look = 1),
        kinds: (true, true)
    }
    orphan_changes_after_it_was_seen {
        budget: budget!(pay = 1, failover = 1, customer = 1, expire = 1, dispute = 1, look = 2),
        checks: &[MoneySeen],
        kinds: (true, true)
    }
    final_stays { budget: budget!(pay = 1, customer = 1, cancel = 1, dispute = 1, settle = 1) }
    report_contradiction {
        budget: budget!(pay = 1, customer = 1, cancel = 1, dispute = 1, settle = 1),
        checks: &[ContradictionSeen]
    }
    accepted_stays {
        budget: budget!(pay = 1, customer = 1, confirm = 2, lose = 1, settle = 1),
        checks: &[IntentTrue]
    }
    intent_first {
        budget: budget!(pay = 1, customer = 1, confirm = 1, lose = 1, crash = 1),
        checks: &[ConfirmKept]
    }
    paused_before_sending {
        budget: budget!(pay = 2, replace = 1, store = 1, crash = 1, pause = 1),
        kinds: (true, true)
    }
    pause_waits_for_the_call {
        budget: budget!(pay = 2, lose = 1, settle = 1, expire = 1, pause = 1),
        checks: AFTERWARDS,
        kinds: (true, true)
    }
    webhook_between_read_and_write {
        budget: budget!(pay = 1, customer = 1, confirm = 1, settle = 1, slow_webhook = 1, receipt = 1),
        checks: &[Converges]
    }
}

/// Scenarios that combine many events. They are still small enough for a complete search.
pub const LARGE: &[Scenario] = &[
    Scenario {
        name: "pay x3, crash, loss, skew, store: one payment without replace",
        budget: budget!(pay = 3, crash = 1, lose = 1, skew = 1, store = 1, refuse = 1, not_sent = 1),
        checks: &[OnePayable, NotRefused],
        ..BASE
    },
    Scenario {
        name: "pay x3, synchronous and asynchronous, refusals, webhooks",
        is_quick: true,
        budget: budget!(pay = 3, refuse = 1, credentials_fail = 1, lose = 1, skew = 1),
        checks: AFTERWARDS,
        kinds: (true, true),
        ..BASE
    },
    Scenario {
        name: "replace, crash, loss, skew, store, settle",
        budget: budget!(pay = 2, replace = 1, crash = 1, lose = 1, skew = 1, store = 1, settle = 1),
        checks: AFTERWARDS,
        ..BASE
    },
    Scenario {
        name: "replace asynchronously, crash, skew, settle",
        budget: budget!(
            pay = 1,
            replace = 1,
            crash = 1,
            skew = 1,
            settle = 2,
            credentials_fail = 1,
            lose = 1
        ),
        checks: AFTERWARDS,
        kinds: (false, true),
        ..BASE
    },
    Scenario {
        name: "a person resolves, right and wrong",
        is_quick: true,
        budget: budget!(pay = 2, replace = 1, skew = 1, resolve = 1, lose = 1, crash = 1),
        checks: AFTERWARDS,
        ..BASE
    },
    Scenario {
        name: "customer, confirm, cancel, loss, settle, receipt",
        budget: budget!(
            pay = 1,
            customer = 1,
            confirm = 2,
            cancel = 1,
            lose = 1,
            settle = 1,
            receipt = 1,
            crash = 1
        ),
        checks: &[IntentTrue, MoneySeen, FinalReported, NotStuck, ReceiptReported, Converges, OrphansStored],
        ..BASE
    },
    Scenario {
        name: "cancel, replace, the customer pays late, dispute",
        budget: budget!(
            pay = 1,
            replace = 1,
            cancel = 1,
            customer = 1,
            confirm = 1,
            dispute = 1,
            expire = 1,
            settle = 1
        ),
        checks: AFTERWARDS,
        ..BASE
    },
    Scenario {
        name: "the same, no status after a cancel",
        is_quick: true,
        budget: budget!(pay = 1, replace = 1, cancel = 1, customer = 1, dispute = 1, lose = 1, settle = 1),
        checks: &[MoneySeen, FinalReported, NotStuck],
        mute_cancel: true,
        ..BASE
    },
    Scenario {
        name: "news and acknowledgements under everything",
        is_quick: true,
        budget: budget!(
            pay = 1,
            customer = 1,
            confirm = 1,
            news = 3,
            receipt = 1,
            crash = 1,
            settle = 1,
            lose = 1
        ),
        checks: AFTERWARDS,
        ..BASE
    },
    Scenario {
        name: "replace x2, three attempts, store",
        budget: budget!(pay = 1, replace = 2, lose = 1, skew = 2, store = 1, crash = 1),
        checks: AFTERWARDS,
        ..BASE
    },
];
