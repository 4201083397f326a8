//! The scenarios that broke the first draft of the design, each by its name, and larger ones with everything
//! at once.

use crate::checks::*;
use crate::world::Budget;

#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    pub name: &'static str,
    pub budget: Budget,
    pub checks: &'static [Check],
    /// By `/new`, and by `/new-async`.
    pub kinds: (bool, bool),
    pub mute_cancel: bool,
    /// Whether it takes seconds.
    pub is_quick: bool,
    /// The rules without which the first draft broke here.
    pub guards: &'static [&'static str],
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
};

const BASE: Scenario = Scenario {
    name: "",
    budget: NONE,
    checks: &[],
    kinds: (true, false),
    mute_cancel: false,
    is_quick: false,
    guards: &[],
};

macro_rules! budget {
    ($($part:ident = $count:literal),*) => { Budget { $($part: $count,)* ..NONE } };
}

pub const SMALL: &[Scenario] = &[
    Scenario {
        name: "again_insert_first",
        budget: budget!(pay = 1, replace = 1, skew = 1),
        guards: &["seal"],
        ..BASE
    },
    Scenario {
        name: "again_update_first_crash",
        budget: budget!(pay = 1, replace = 1, skew = 1, crash = 1),
        checks: &[NotStuck],
        guards: &["heal_superseded"],
        ..BASE
    },
    Scenario {
        name: "refused_retry_race",
        budget: budget!(pay = 2, resolve = 1, skew = 1),
        guards: &["refused_not_shown"],
        ..BASE
    },
    Scenario {
        name: "insert_readback_by_version",
        budget: budget!(pay = 2, store = 1),
        checks: &[OnePayable],
        guards: &["writer"],
        ..BASE
    },
    Scenario {
        name: "update_readback_by_version",
        budget: budget!(pay = 1, replace = 1, skew = 1, store = 1),
        guards: &["writer"],
        ..BASE
    },
    Scenario {
        name: "news_ack_never_reset",
        budget: budget!(pay = 1, news = 2, customer = 1, confirm = 1),
        checks: &[FinalReported],
        guards: &["acknowledged_level"],
        ..BASE
    },
    Scenario {
        name: "news_ack_by_reference",
        budget: budget!(pay = 1, replace = 1, cancel = 1, news = 1),
        checks: &[FinalReported],
        guards: &["news_of_all_attempts"],
        ..BASE
    },
    Scenario {
        name: "old_attempt_paid_after_cancel",
        budget: budget!(pay = 1, replace = 1, cancel = 1, customer = 1, dispute = 1, settle = 1),
        checks: &[MoneySeen],
        mute_cancel: true,
        ..BASE
    },
    Scenario {
        name: "superseded_cancel_403_while_free",
        budget: budget!(pay = 1, replace = 1, skew = 1, settle = 1),
        checks: &[SupersededEnds],
        kinds: (false, true),
        guards: &["cancel_until_final"],
        ..BASE
    },
    Scenario {
        name: "stale_cancel_repeated",
        budget: budget!(pay = 1, cancel = 1, confirm = 1, customer = 1, lose = 2, settle = 1),
        guards: &["newest_intent"],
        ..BASE
    },
    Scenario {
        name: "shown_after_cancel",
        budget: budget!(pay = 2, cancel = 1),
        guards: &["hide_on_cancel"],
        ..BASE
    },
    Scenario {
        name: "confirm_hits_other_attempt",
        budget: budget!(pay = 1, replace = 1, cancel = 1, customer = 1, confirm = 1, dispute = 1),
        guards: &["by_attempt"],
        ..BASE
    },
    Scenario {
        name: "purge_forgets",
        budget: budget!(pay = 2, customer = 1, confirm = 1, news = 1, purge = 1),
        checks: &[PaidOnce],
        guards: &["keep_keys"],
        ..BASE
    },
    Scenario {
        name: "purge_resurrects",
        budget: budget!(pay = 2, refuse = 1, customer = 1, confirm = 1, news = 2, purge = 1),
        checks: &[PaidOnce],
        guards: &["keep_keys"],
        ..BASE
    },
    Scenario {
        name: "again_twice_double_click",
        budget: budget!(pay = 1, replace = 2, lose = 2),
        checks: &[OneReplacement],
        guards: &["replace_names_attempt"],
        ..BASE
    },
    Scenario {
        name: "receipt_required_unseen",
        budget: budget!(pay = 1, customer = 1, confirm = 1, receipt = 1, news = 1),
        checks: &[ReceiptReported],
        guards: &["report_receipt"],
        ..BASE
    },
    Scenario {
        name: "repeat_refused",
        budget: budget!(pay = 1, confirm = 1, cancel = 1, customer = 1, lose = 1, settle = 2),
        checks: &[IntentTrue],
        guards: &["repeated_refusal_is_unclear"],
        ..BASE
    },
    Scenario {
        name: "late_done_fail_on_refused",
        budget: budget!(pay = 1, late_refusal = 1, credentials_fail = 1, settle = 1),
        checks: &[RefusedStays],
        guards: &["stay_refused"],
        ..BASE
    },
    Scenario {
        name: "resolve_wrong_order_id",
        budget: budget!(pay = 1, lose = 1, resolve_wrong = 1),
        checks: &[OrphansStored],
        kinds: (false, true),
        guards: &["orphans"],
        ..BASE
    },
    Scenario {
        name: "request_doubled_on_the_way",
        budget: budget!(pay = 1, doubled = 1),
        checks: &[OrphansStored],
        guards: &["orphans"],
        ..BASE
    },
    Scenario {
        name: "failover_forgets_a_row",
        budget: budget!(pay = 1, customer = 1, confirm = 1, failover = 1),
        checks: &[MoneySeen],
        guards: &["orphans"],
        ..BASE
    },
    // What the service refuses after ten seconds may exist: nothing can be known before the callback comes.
    Scenario {
        name: "g3_ten_second_refusal",
        budget: budget!(pay = 1, late_refusal = 1),
        checks: &[FoundSeen],
        kinds: (false, true),
        ..BASE
    },
    // These were not among the first draft's.
    Scenario {
        name: "unknown_is_not_refused",
        budget: budget!(pay = 2, lose = 1),
        checks: &[OnePayable],
        guards: &["unknown_waits"],
        ..BASE
    },
    Scenario {
        name: "refused_found_alive",
        budget: budget!(pay = 2, late_refusal = 1, resolve = 1, skew = 1),
        kinds: (true, true),
        guards: &["refused_not_shown"],
        ..BASE
    },
    Scenario {
        name: "late_reply_of_superseded",
        budget: budget!(pay = 1, replace = 1, skew = 1),
        guards: &["superseded_not_shown"],
        ..BASE
    },
    Scenario {
        name: "old_webhook_at_a_known_token",
        budget: budget!(pay = 2, forged = 1),
        checks: &[OnePayable],
        guards: &["webhook_asks_first"],
        ..BASE
    },
    // A second payment may be made, whose credentials alone are handed out.
    Scenario {
        name: "old_webhook_after_a_lost_reply",
        budget: budget!(pay = 2, lose = 1, forged = 1, settle = 2, customer = 2),
        checks: &[NotRefusedByAnother, MoneySeen, OrphansStored],
        kinds: (true, true),
        ..BASE
    },
    Scenario {
        name: "old_webhook_during_the_call",
        budget: budget!(pay = 2, forged = 1, settle = 2),
        checks: &[NotRefusedByAnother, ReplyKept, OrphansStored],
        guards: &["failure_waits_for_the_call"],
        ..BASE
    },
    Scenario {
        name: "old_webhook_after_a_restore",
        budget: budget!(pay = 2, restore = 1, forged = 1, settle = 2, customer = 2),
        checks: &[NotRefusedByAnother],
        guards: &["restored_failure_waits"],
        ..BASE
    },
    Scenario {
        name: "lost_reply_expires",
        budget: budget!(pay = 2, lose = 1, crash = 1, expire = 2, settle = 2, customer = 1),
        checks: &[ExpiryCloses, PaidOnce, MoneySeen],
        ..BASE
    },
    Scenario {
        name: "old_webhook_of_another_sum",
        budget: budget!(pay = 1, lose = 1, forged = 1, settle = 2),
        checks: &[SumFits, OrphansStored],
        kinds: (true, true),
        guards: &["webhook_sum_fits"],
        ..BASE
    },
    Scenario {
        name: "success_without_a_sum",
        budget: budget!(pay = 1, less = 1, confirm = 1, settle = 1),
        checks: &[SumKnown, Converges],
        guards: &["success_needs_sum"],
        ..BASE
    },
    Scenario {
        name: "operator_acts_on_an_older_list",
        budget: budget!(pay = 1, lose = 1, forged = 1, settle = 1, look = 1),
        kinds: (true, true),
        guards: &["seen_as_shown"],
        ..BASE
    },
    Scenario {
        name: "orphan_changes_after_it_was_seen",
        budget: budget!(pay = 1, failover = 1, customer = 1, expire = 1, dispute = 1, look = 2),
        checks: &[MoneySeen],
        kinds: (true, true),
        ..BASE
    },
    Scenario {
        name: "disputed_failure_becomes_a_success",
        budget: budget!(pay = 1, customer = 1, cancel = 1, dispute = 1, settle = 1),
        checks: &[ContradictionSeen],
        guards: &["final_stays", "report_contradiction"],
        ..BASE
    },
    Scenario {
        name: "accepted_confirm_refused_later",
        budget: budget!(pay = 1, customer = 1, confirm = 2, lose = 1, settle = 1),
        checks: &[IntentTrue],
        guards: &["accepted_stays"],
        ..BASE
    },
    Scenario {
        name: "confirm_dies_before_its_answer",
        budget: budget!(pay = 1, customer = 1, confirm = 1, lose = 1, crash = 1),
        checks: &[ConfirmKept],
        guards: &["intent_first"],
        ..BASE
    },
    Scenario {
        name: "webhook_between_read_and_write",
        budget: budget!(pay = 1, customer = 1, confirm = 1, settle = 1, slow_webhook = 1, receipt = 1),
        checks: &[Converges],
        guards: &["version"],
        ..BASE
    },
];

/// Everything at once, in pieces that fit.
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
