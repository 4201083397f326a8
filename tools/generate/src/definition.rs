//! The data for the templates. It has only the tables of the core and the journal.

use merchantpay::{
    Balance, Cause, Code, OPERATIONS, Outcome, PAYMENT_FIELDS, REQUEST_FIELDS, Reason, Rounding, SETTINGS,
    Status, Word,
};
use merchantpay_journal::{
    Argument, Entry, EntryField, METHODS, Method, SETTINGS as JOURNAL_SETTINGS, Standing, Until,
};
use serde::Serialize;

use crate::filters::{camel, snake};
use crate::lists::{ListRow, WordRow, lists, payment_methods, word, words};

/// The tables of the core and the journal, as rows for the templates.
#[derive(Serialize)]
pub(crate) struct Definition {
    codes: Vec<WordRow>,
    outcomes: Vec<WordRow>,
    reasons: Vec<WordRow>,
    statuses: Vec<StatusRow>,
    causes: Vec<WordRow>,
    balances: Vec<WordRow>,
    roundings: Vec<WordRow>,
    payment_methods: Vec<WordRow>,
    operations: Vec<OperationRow>,
    request_fields: Vec<RequestFieldRow>,
    payment_fields: Vec<PaymentFieldRow>,
    settings: Vec<SettingRow>,
    standings: Vec<WordRow>,
    untils: Vec<WordRow>,
    entry_fields: Vec<EntryFieldRow>,
    journal_settings: Vec<SettingRow>,
    journal_methods: Vec<MethodRow>,
    lists: Vec<ListRow>,
}

#[derive(Serialize)]
struct StatusRow {
    #[serde(flatten)]
    word: WordRow,
    is_final: bool,
}

#[derive(Serialize)]
struct EntryFieldRow {
    /// The name in camel case, as in an entry's JSON.
    name: String,
    snake_case: &'static str,
    /// The name of a list, or of another kind of value: `text`, `number`, `big number`, `amount`, `flag`, `payment`,
    /// `problem`, `reasons` or `time`. It begins with `optional ` if the field can be absent.
    kind: &'static str,
    doc: &'static str,
    since: &'static str,
}

#[derive(Serialize)]
struct MethodRow {
    name: &'static str,
    arguments: Vec<ArgumentRow>,
    result: String,
    doc: &'static str,
    since: &'static str,
}

#[derive(Serialize)]
struct ArgumentRow {
    name: &'static str,
    kind: String,
    default: Option<&'static str>,
}

#[derive(Serialize)]
struct OperationRow {
    name: &'static str,
    /// The name in languages where a final `Async` means that a method returns a task.
    task_name: &'static str,
    snake_case: String,
    path: &'static str,
    section: &'static str,
    is_repeatable: bool,
    /// The kind of the argument: `Fields`, `OrderId` or `Receipt`.
    takes: String,
    /// The kind of the result: `Amounts`, `Payment`, `OrderId` or `Nothing`.
    gives: String,
    doc: &'static str,
    /// The required fields, and then the optional fields, both in the definition's order.
    fields: Vec<RequestFieldRow>,
}

#[derive(Serialize)]
struct RequestFieldRow {
    name: &'static str,
    snake_case: &'static str,
    /// `Sum`, `Drift`, `Currency`, `PaymentMethod`, `Account`, `Text` or `Url`.
    kind: String,
    /// True if the field is an exact decimal.
    is_amount: bool,
    /// True if the field must not appear in a log or a trace.
    is_personal: bool,
    operations: &'static [&'static str],
    required_by: &'static [&'static str],
    /// In an operation's list of fields: true if that operation requires the field.
    is_required: bool,
    doc: &'static str,
    since: &'static str,
}

#[derive(Serialize)]
struct PaymentFieldRow {
    name: &'static str,
    snake_case: &'static str,
    /// The kind of the field's value: `OrderId`, `Amount`, `Text`, `Personal` or `Status`.
    kind: String,
    doc: &'static str,
    since: &'static str,
}

#[derive(Serialize)]
struct SettingRow {
    /// The name of the setting without its unit.
    name: &'static str,
    /// The name of the setting, which ends with `_ms` if the setting is in milliseconds.
    snake_case: String,
    /// `Text`, `Secret`, `Texts`, `File`, `SecretFile`, `Milliseconds`, `Number`, `Bytes` or `Flag`.
    kind: String,
    variable: String,
    needed: bool,
    default: Option<&'static str>,
    doc: &'static str,
    since: &'static str,
}

impl Definition {
    pub(crate) fn read() -> Definition {
        Definition {
            codes: words(Code::TABLE),
            outcomes: words(Outcome::TABLE),
            reasons: words(Reason::TABLE),
            statuses: Status::TABLE
                .iter()
                .zip(Status::ALL)
                .map(|(row, status)| status_row(row, status))
                .collect(),
            causes: words(Cause::TABLE),
            balances: words(Balance::TABLE),
            roundings: words(Rounding::TABLE),
            payment_methods: payment_methods(),
            operations: OPERATIONS.iter().map(operation).collect(),
            request_fields: REQUEST_FIELDS.iter().map(|field| request_field(field, false)).collect(),
            payment_fields: PAYMENT_FIELDS.iter().map(payment_field).collect(),
            settings: SETTINGS.iter().map(setting).collect(),
            standings: words(Standing::TABLE),
            untils: words(Until::TABLE),
            entry_fields: Entry::FIELDS.iter().map(entry_field).collect(),
            journal_settings: JOURNAL_SETTINGS.iter().map(setting).collect(),
            journal_methods: METHODS.iter().map(method).collect(),
            lists: lists(),
        }
    }
}

fn status_row(row: &'static Word, status: &Status) -> StatusRow {
    StatusRow { word: word(row), is_final: status.is_final() }
}

fn entry_field(row: &'static EntryField) -> EntryFieldRow {
    let kind = match row.kind {
        "String" => "text",
        "u32" => "number",
        "i64" if row.name.ends_with("_at") => "time",
        "i64" => "big number",
        "bool" => "flag",
        "Amount" => "amount",
        "Standing" => "Standing",
        "Option<Amount>" => "optional amount",
        "Option<Payment>" => "payment",
        "Option<Problem>" => "problem",
        "Option<Intent>" => "optional Intent",
        "Option<IntentState>" => "optional IntentState",
        "Vec<Reason>" => "reasons",
        _ => "optional text",
    };
    EntryFieldRow { name: camel(row.name), snake_case: row.name, kind, doc: row.doc, since: row.since }
}

fn method(row: &'static Method) -> MethodRow {
    let argument = |row: &'static Argument| ArgumentRow {
        name: row.name,
        kind: format!("{:?}", row.kind),
        default: row.default,
    };
    MethodRow {
        name: row.name,
        arguments: row.arguments.iter().map(argument).collect(),
        result: format!("{:?}", row.result),
        doc: row.doc,
        since: row.since,
    }
}

fn operation(row: &'static merchantpay::OperationInfo) -> OperationRow {
    let its = REQUEST_FIELDS.iter().filter(|field| field.operations.contains(&row.name));
    let (required, others): (Vec<_>, Vec<_>) = its.partition(|field| field.required_by.contains(&row.name));
    let required = required.into_iter().map(|field| request_field(field, true));
    OperationRow {
        name: row.name,
        task_name: row.task_name,
        snake_case: snake(row.name),
        path: row.path,
        section: row.section,
        is_repeatable: row.is_repeatable,
        takes: format!("{:?}", row.takes),
        gives: format!("{:?}", row.gives),
        doc: row.doc,
        fields: required.chain(others.into_iter().map(|field| request_field(field, false))).collect(),
    }
}

fn request_field(row: &'static merchantpay::RequestField, is_required: bool) -> RequestFieldRow {
    use merchantpay::RequestFieldKind as Kind;
    RequestFieldRow {
        name: row.name,
        snake_case: row.snake_case,
        kind: format!("{:?}", row.kind),
        is_amount: matches!(row.kind, Kind::Sum | Kind::Drift),
        is_personal: row.kind == Kind::Account,
        operations: row.operations,
        required_by: row.required_by,
        is_required,
        doc: row.doc,
        since: row.since,
    }
}

fn payment_field(row: &'static merchantpay::PaymentField) -> PaymentFieldRow {
    PaymentFieldRow {
        name: row.name,
        snake_case: row.snake_case,
        kind: format!("{:?}", row.kind),
        doc: row.doc,
        since: row.since,
    }
}

fn setting(row: &'static merchantpay::Setting) -> SettingRow {
    SettingRow {
        name: row.name,
        snake_case: row.name_with_unit(),
        kind: format!("{:?}", row.kind),
        variable: row.variable(),
        needed: row.needed,
        default: row.default,
        doc: row.doc,
        since: row.since,
    }
}
