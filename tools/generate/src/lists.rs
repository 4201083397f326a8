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
    pub(crate) of_journal: bool,
}

#[rustfmt::skip]
pub(crate) const LISTS: &[List] = &[
    core("Code", "", "code", Code::TABLE, "0.1.0", "The kind of an error. The list only grows."),
    core("Outcome", "OUTCOME_", "outcome", Outcome::TABLE, "0.1.0", "Shows whether the request may have taken effect. The list only grows."),
    core("Reason", "REASON_", "reason", Reason::TABLE, "0.1.0", "The reason of a refusal, if the contract lists the refusal's text (section 7)."),
    core("Status", "STATUS_", "status", Status::TABLE, "0.1.0", "The state of a payment (contract, section 3)."),
    core("Paid", "PAID_", "comparison", Paid::TABLE, "0.2.0", "The paid sum, compared with the requested sum."),
    core("EventKind", "EVENT_", "kind", EventKind::TABLE, "0.1.0", "The kind of a verified webhook (contract, section 6)."),
    core("Cause", "CAUSE_", "cause", Cause::TABLE, "0.3.0", "The reason why a message does not verify. The list only grows."),
    core("Balance", "BALANCE_", "balance", Balance::TABLE, "0.1.0", "The currency of the merchant's balance."),
    core("Rounding", "ROUNDING_", "rounding", Rounding::TABLE, "0.1.0", "The rounding of a sum to the scale of the balance's currency."),
    journal("Standing", "STANDING_", "standing", Standing::TABLE, "0.2.0", "The state of an attempt in the journal. A standing alone never shows that the attempt was paid: only the field succeeded shows that."),
    journal("Intent", "INTENT_", "instruction", Intent::TABLE, "0.2.0", "An instruction of the merchant to the service."),
    journal("IntentState", "INTENT_STATE_", "state", IntentState::TABLE, "0.4.0", "What became of an instruction."),
    journal("Attention", "ATTENTION_", "reason", Attention::TABLE, "0.2.0", "A reason for which an operator must decide about an attempt."),
    journal("Until", "UNTIL_", "goal", Until::TABLE, "0.2.0", "The event that ends the journal's function wait."),
    journal("Style", "STYLE_", "style", Style::TABLE, "0.4.0", "The way in which a database's driver writes parameters."),
];

type Text = &'static str;

const fn core(name: Text, prefix: Text, noun: Text, table: &'static [Word], since: Text, doc: Text) -> List {
    List { name, prefix, noun, table, since, doc, of_journal: false }
}

const fn journal(
    name: Text,
    prefix: Text,
    noun: Text,
    table: &'static [Word],
    since: Text,
    doc: Text,
) -> List {
    List { name, prefix, noun, table, since, doc, of_journal: true }
}
