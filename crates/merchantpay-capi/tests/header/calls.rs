//! The calls and frames in `merchantpay.json`, from the tables of `merchantpay-calls`.

use serde::Serialize;

/// A kind of value. `of` is the list of a word, the record, or the kind of object of a handle.
#[derive(Serialize)]
pub struct Kind {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
    list: bool,
    optional: bool,
}

#[derive(Serialize)]
pub struct Argument {
    name: &'static str,
    #[serde(flatten)]
    kind: Kind,
    /// The value if it is absent; "" for none. Without a default it must not be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'static str>,
}

#[derive(Serialize)]
pub struct Call {
    number: u32,
    name: &'static str,
    on: &'static str,
    phase: &'static str,
    secret: bool,
    arguments: Vec<Argument>,
    result: Kind,
    doc: &'static str,
    since: &'static str,
}

#[derive(Serialize)]
pub struct Record {
    name: &'static str,
    fields: Vec<Field>,
    doc: &'static str,
    since: &'static str,
}

#[derive(Serialize)]
struct Field {
    name: &'static str,
    #[serde(flatten)]
    kind: Kind,
    doc: &'static str,
    since: &'static str,
}

#[derive(Serialize)]
pub struct List {
    name: &'static str,
    words: Vec<Word>,
}

#[derive(Serialize)]
struct Word {
    name: &'static str,
    number: i32,
    doc: &'static str,
    since: &'static str,
}

fn kind(kind: merchantpay_calls::Kind) -> Kind {
    Kind { kind: kind.name(), of: kind.of(), list: kind.is_list(), optional: kind.is_optional() }
}

fn argument(row: &merchantpay_calls::Argument) -> Argument {
    Argument { name: row.name, kind: kind(row.kind), default: row.default }
}

pub fn opening() -> Vec<Argument> {
    merchantpay_calls::OPENING.iter().map(argument).collect()
}

pub fn calls() -> Vec<Call> {
    let call = |row: &'static merchantpay_calls::Call| Call {
        number: row.number,
        name: row.name,
        on: row.on.name(),
        phase: row.phase.name(),
        secret: row.is_secret,
        arguments: row.arguments().iter().map(argument).collect(),
        result: kind(row.result()),
        doc: row.doc(),
        since: row.since(),
    };
    merchantpay_calls::calls().map(call).collect()
}

pub fn records() -> Vec<Record> {
    let field = |row: &merchantpay_calls::Field| Field {
        name: row.name,
        kind: kind(row.kind),
        doc: row.doc,
        since: row.since,
    };
    let record = |row: &'static merchantpay_calls::Record| Record {
        name: row.name,
        fields: row.fields().iter().map(field).collect(),
        doc: row.doc,
        since: row.since,
    };
    merchantpay_calls::records().map(record).collect()
}

pub fn lists() -> Vec<List> {
    let word =
        |row: &merchantpay::Word| Word { name: row.name, number: row.number, doc: row.doc, since: row.since };
    merchantpay_calls::lists()
        .map(|(name, words)| List { name, words: words.iter().map(word).collect() })
        .collect()
}
