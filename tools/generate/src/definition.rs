//! The data for the templates: the tables of the core and the journal.

use merchantpay::{
    Balance, Cause, Code, OPERATIONS, OperationInfo, Outcome, PAYMENT_FIELDS, PaymentField, PaymentMethod,
    REQUEST_FIELDS, Reason, RequestField, RequestFieldKind, Rounding, SETTINGS, Setting, Status, Word,
};
use merchantpay_journal::{Argument, METHODS, Method, SETTINGS as JOURNAL_SETTINGS};
use minijinja::{Value, context};

use crate::filters::snake;
use crate::lists::{LISTS, List};

pub(crate) fn definition() -> Value {
    let status = |(row, status): (_, &Status)| context! { is_final => status.is_final(), ..word(row) };
    context! {
        codes => words(Code::TABLE),
        outcomes => words(Outcome::TABLE),
        reasons => words(Reason::TABLE),
        statuses => Status::TABLE.iter().zip(Status::ALL).map(status).collect::<Vec<_>>(),
        causes => words(Cause::TABLE),
        balances => words(Balance::TABLE),
        roundings => words(Rounding::TABLE),
        payment_methods => rows(PaymentMethod::ALL, payment_method),
        operations => rows(OPERATIONS, operation),
        request_fields => rows(REQUEST_FIELDS, |field| request_field(field, false)),
        payment_fields => rows(PAYMENT_FIELDS, payment_field),
        settings => rows(SETTINGS, setting),
        journal_settings => rows(JOURNAL_SETTINGS, setting),
        journal_methods => rows(METHODS, method),
        lists => rows(LISTS, list),
    }
}

fn rows<T>(table: &[T], row: impl Fn(&T) -> Value) -> Vec<Value> {
    table.iter().map(row).collect()
}

fn words(table: &[Word]) -> Vec<Value> {
    rows(table, word)
}

fn word(row: &Word) -> Value {
    context! { name => row.name, number => row.number, doc => row.doc, since => row.since }
}

fn list(list: &List) -> Value {
    context! {
        name => list.name,
        prefix => list.prefix,
        noun => list.noun,
        doc => list.doc,
        since => list.since,
        rows => words(list.table),
    }
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
    context! {
        name => row.name,
        // The name in languages where a final `Async` means that a method returns a task.
        task_name => row.task_name,
        snake_case => snake(row.name),
        path => row.path,
        section => row.section,
        is_repeatable => row.is_repeatable,
        takes => format!("{:?}", row.takes),
        gives => format!("{:?}", row.gives),
        doc => row.doc,
        fields => required.chain(others).collect::<Vec<_>>(),
    }
}

fn request_field(row: &RequestField, is_required: bool) -> Value {
    context! {
        name => row.name,
        snake_case => row.snake_case,
        kind => format!("{:?}", row.kind),
        is_amount => matches!(row.kind, RequestFieldKind::Sum | RequestFieldKind::Drift),
        // It must not appear in a log or a trace.
        is_personal => row.kind == RequestFieldKind::Account,
        operations => row.operations,
        required_by => row.required_by,
        is_required => is_required,
        doc => row.doc,
        since => row.since,
    }
}

fn payment_field(row: &PaymentField) -> Value {
    context! {
        name => row.name,
        snake_case => row.snake_case,
        kind => format!("{:?}", row.kind),
        doc => row.doc,
        since => row.since,
    }
}

fn method(row: &Method) -> Value {
    let argument = |row: &Argument| context! { name => row.name, kind => format!("{:?}", row.kind), default => row.default };
    context! {
        name => row.name,
        arguments => rows(row.arguments, argument),
        result => format!("{:?}", row.result),
        doc => row.doc,
    }
}

fn setting(row: &Setting) -> Value {
    context! {
        // Without the unit, which `snake_case` has.
        name => row.name,
        snake_case => row.name_with_unit(),
        kind => format!("{:?}", row.kind),
        variable => row.variable(),
        needed => row.needed,
        default => row.default,
        doc => row.doc,
        since => row.since,
    }
}
