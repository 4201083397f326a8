//! The data for the templates: the tables of the core and the journal, and the lists of names, which are enums in
//! most languages.

use std::collections::BTreeMap;

use heck::ToSnakeCase;
use merchantpay::{
    Balance, Cause, Code, EventKind, OPERATIONS, OperationInfo, Outcome, PAYMENT_FIELDS, Paid, PaymentField,
    PaymentMethod, REQUEST_FIELDS, Reason, RequestField, RequestFieldKind, Rounding, SETTINGS, Setting,
    Status, Word,
};
use merchantpay_journal::{
    Argument, Intent, IntentState, METHODS, Method, Reason as Attention, SETTINGS as JOURNAL_SETTINGS,
    Standing, Style, Until,
};
use minijinja::{Value, context};

macro_rules! values {
    ($row:ident: $($field:ident),*; $($name:ident => $value:expr),* $(,)?) => {
        context! { $($field => $row.$field,)* $($name => $value,)* }
    };
}

pub(crate) struct List {
    pub(crate) name: &'static str,
    /// Of its constants in C.
    pub(crate) prefix: &'static str,
    noun: &'static str,
    pub(crate) table: &'static [Word],
    since: &'static str,
    doc: &'static str,
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

pub(crate) fn definition() -> Value {
    context! {
        lists => rows(LISTS, |list| values!(list: name, prefix, noun, doc, since; rows => words(list))),
        words => LISTS.iter().map(|list| (list.name, words(list))).collect::<BTreeMap<_, _>>(),
        payment_methods => rows(PaymentMethod::ALL, payment_method),
        operations => rows(OPERATIONS, operation),
        request_fields => rows(REQUEST_FIELDS, |field| request_field(field, false)),
        payment_fields => rows(PAYMENT_FIELDS, payment_field),
        settings => rows(SETTINGS, setting),
        journal_settings => rows(JOURNAL_SETTINGS, setting),
        journal_methods => rows(METHODS, method),
    }
}

fn rows<T>(table: &[T], row: impl Fn(&T) -> Value) -> Vec<Value> {
    table.iter().map(row).collect()
}

fn words(list: &List) -> Vec<Value> {
    // Only a status can be final.
    let is_final = |row: &Word| Status::from(row.name.to_owned()).is_final();
    rows(list.table, |row| values!(row: name, number, doc, since; is_final => is_final(row)))
}

fn payment_method(row: &PaymentMethod) -> Value {
    let doc = match row {
        PaymentMethod::Card => "Bank cards.",
        PaymentMethod::Sbp => "The Russian system for fast bank payments (SBP).",
        _ => "",
    };
    context! { name => row.as_str(), doc => doc, since => "0.1.0" }
}

fn operation(row: &OperationInfo) -> Value {
    let its = REQUEST_FIELDS.iter().filter(|field| field.operations.contains(&row.name));
    let (required, others): (Vec<_>, Vec<_>) = its.partition(|field| field.required_by.contains(&row.name));
    let required = required.into_iter().map(|field| request_field(field, true));
    let others = others.into_iter().map(|field| request_field(field, false));
    // `task_name` is the name in languages where a final `Async` means that a method returns a task.
    values! { row: name, task_name, path, section, is_repeatable, doc;
        snake_case => row.name.to_snake_case(),
        takes => format!("{:?}", row.takes),
        gives => format!("{:?}", row.gives),
        fields => required.chain(others).collect::<Vec<_>>(),
    }
}

fn request_field(row: &RequestField, is_required: bool) -> Value {
    values! { row: name, snake_case, operations, required_by, doc, since;
        kind => format!("{:?}", row.kind),
        is_amount => matches!(row.kind, RequestFieldKind::Sum | RequestFieldKind::Drift),
        // It must not appear in a log or a trace.
        is_personal => row.kind == RequestFieldKind::Account,
        is_required => is_required,
    }
}

fn payment_field(row: &PaymentField) -> Value {
    values!(row: name, snake_case, doc, since; kind => format!("{:?}", row.kind))
}

fn method(row: &Method) -> Value {
    let argument = |row: &Argument| values!(row: name, default; kind => format!("{:?}", row.kind));
    values!(row: name, doc; arguments => rows(row.arguments, argument), result => format!("{:?}", row.result))
}

fn setting(row: &Setting) -> Value {
    // `name` is without the unit, which `snake_case` has.
    values! { row: name, needed, default, doc, since;
        snake_case => row.name_with_unit(),
        kind => format!("{:?}", row.kind),
        variable => row.variable(),
    }
}
