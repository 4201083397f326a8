//! The lists of names, which are enums in most languages.

use merchantpay::{
    Balance, Cause, Code, EventKind, Outcome, Paid, PaymentMethod, Reason, Rounding, Status, Word,
};
use merchantpay_journal::{Intent, IntentState, Reason as Attention, Standing, Style, Until};
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct WordRow {
    pub(crate) name: &'static str,
    number: i32,
    doc: &'static str,
    since: &'static str,
}

/// A list with its rows.
#[derive(Serialize)]
pub(crate) struct ListRow {
    pub(crate) name: &'static str,
    /// The prefix of the list's constants in C.
    pub(crate) prefix: &'static str,
    /// The noun for one item of the list.
    noun: &'static str,
    doc: &'static str,
    since: &'static str,
    of_journal: bool,
    pub(crate) rows: Vec<WordRow>,
}

/// A list: its name, its prefix in C, the noun for an item, its table, its first version and its
/// documentation.
type List = (&'static str, &'static str, &'static str, &'static [Word], &'static str, &'static str);

#[rustfmt::skip]
const CORE: &[List] = &[
    ("Code", "", "code", Code::TABLE, "0.1.0", "The kind of an error. The list only grows."),
    ("Outcome", "OUTCOME_", "outcome", Outcome::TABLE, "0.1.0", "Shows whether the request may have taken effect. The list only grows."),
    ("Reason", "REASON_", "reason", Reason::TABLE, "0.1.0", "The reason of a refusal, if the contract lists the refusal's text (section 7)."),
    ("Status", "STATUS_", "status", Status::TABLE, "0.1.0", "The state of a payment (contract, section 3)."),
    ("Paid", "PAID_", "comparison", Paid::TABLE, "0.2.0", "The paid sum, compared with the requested sum."),
    ("EventKind", "EVENT_", "kind", EventKind::TABLE, "0.1.0", "The kind of a verified webhook (contract, section 6)."),
    ("Cause", "CAUSE_", "cause", Cause::TABLE, "0.3.0", "The reason why a message does not verify. The list only grows."),
    ("Balance", "BALANCE_", "balance", Balance::TABLE, "0.1.0", "The currency of the merchant's balance."),
    ("Rounding", "ROUNDING_", "rounding", Rounding::TABLE, "0.1.0", "The rounding of a sum to the scale of the balance's currency."),
];

#[rustfmt::skip]
const JOURNAL: &[List] = &[
    ("Standing", "STANDING_", "standing", Standing::TABLE, "0.2.0", "The state of an attempt in the journal. A standing alone never shows that the attempt was paid: only the field succeeded shows that."),
    ("Intent", "INTENT_", "instruction", Intent::TABLE, "0.2.0", "An instruction of the merchant to the service."),
    ("IntentState", "INTENT_STATE_", "state", IntentState::TABLE, "0.4.0", "What became of an instruction."),
    ("Attention", "ATTENTION_", "reason", Attention::TABLE, "0.2.0", "A reason for which an operator must decide about an attempt."),
    ("Until", "UNTIL_", "goal", Until::TABLE, "0.2.0", "The event that ends the journal's function wait."),
    ("Style", "STYLE_", "style", Style::TABLE, "0.4.0", "The way in which a database's driver writes parameters."),
];

pub(crate) fn lists() -> Vec<ListRow> {
    let core = CORE.iter().map(|list| row(list, false));
    core.chain(JOURNAL.iter().map(|list| row(list, true))).collect()
}

fn row(&(name, prefix, noun, table, since, doc): &List, of_journal: bool) -> ListRow {
    ListRow { name, prefix, noun, doc, since, of_journal, rows: words(table) }
}

pub(crate) fn words(table: &'static [Word]) -> Vec<WordRow> {
    table.iter().map(word).collect()
}

pub(crate) fn word(row: &'static Word) -> WordRow {
    WordRow { name: row.name, number: row.number, doc: row.doc, since: row.since }
}

/// The payment methods, which have no numbers.
pub(crate) fn payment_methods() -> Vec<WordRow> {
    let doc = |method| match method {
        PaymentMethod::Card => "Bank cards.",
        PaymentMethod::Sbp => "The Russian system for fast bank payments (SBP).",
        _ => "",
    };
    let row = |method: &PaymentMethod| WordRow {
        name: method.as_str(),
        number: 0,
        doc: doc(*method),
        since: "0.1.0",
    };
    PaymentMethod::ALL.iter().map(row).collect()
}
