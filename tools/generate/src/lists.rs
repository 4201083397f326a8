//! The lists of names, which are enums in most languages.

use merchantpay::{Balance, Cause, Code, EventKind, Outcome, Paid, Reason, Rounding, Status, Word};
use merchantpay_journal::{Intent, IntentState, Reason as Attention, Standing, Style, Until};

pub(crate) struct List {
    pub(crate) name: &'static str,
    /// The prefix of the list's constants in C.
    pub(crate) prefix: &'static str,
    /// The noun for one item of the list.
    pub(crate) noun: &'static str,
    pub(crate) table: &'static [Word],
    pub(crate) since: &'static str,
    pub(crate) doc: &'static str,
}

#[rustfmt::skip]
pub(crate) const LISTS: &[List] = &[
    list("Code", "", "code", Code::TABLE, "0.1.0", "The kind of an error. The list only grows."),
    list("Outcome", "OUTCOME_", "outcome", Outcome::TABLE, "0.1.0", "Shows whether the request may have taken effect. The list only grows."),
    list("Reason", "REASON_", "reason", Reason::TABLE, "0.1.0", "The reason of a refusal, if the contract lists the refusal's text (section 7)."),
    list("Status", "STATUS_", "status", Status::TABLE, "0.1.0", "The state of a payment (contract, section 3)."),
    list("Paid", "PAID_", "comparison", Paid::TABLE, "0.2.0", "The paid sum, compared with the requested sum."),
    list("EventKind", "EVENT_", "kind", EventKind::TABLE, "0.1.0", "The kind of a verified webhook (contract, section 6)."),
    list("Cause", "CAUSE_", "cause", Cause::TABLE, "0.3.0", "The reason why a message does not verify. The list only grows."),
    list("Balance", "BALANCE_", "balance", Balance::TABLE, "0.1.0", "The currency of the merchant's balance."),
    list("Rounding", "ROUNDING_", "rounding", Rounding::TABLE, "0.1.0", "The rounding of a sum to the scale of the balance's currency."),
    list("Standing", "STANDING_", "standing", Standing::TABLE, "0.2.0", "The state of an attempt in the journal. A standing alone never shows that the attempt was paid: only the field succeeded shows that."),
    list("Intent", "INTENT_", "instruction", Intent::TABLE, "0.2.0", "An instruction of the merchant to the service."),
    list("IntentState", "INTENT_STATE_", "state", IntentState::TABLE, "0.4.0", "What became of an instruction."),
    list("Attention", "ATTENTION_", "reason", Attention::TABLE, "0.2.0", "A reason for which an operator must decide about an attempt."),
    list("Until", "UNTIL_", "goal", Until::TABLE, "0.2.0", "The event that ends the journal's function wait."),
    list("Style", "STYLE_", "style", Style::TABLE, "0.4.0", "The way in which a database's driver writes parameters."),
];

type Text = &'static str;

const fn list(name: Text, prefix: Text, noun: Text, table: &'static [Word], since: Text, doc: Text) -> List {
    List { name, prefix, noun, table, since, doc }
}
