//! The typed functions of the C library, from the tables of the waist and of `crates/merchantpay-capi/functions`.
//!
//! A file of that folder is a group of functions. `type NAME = record RECORD` (or `handle`, or `value`) is a type;
//! `SINCE NAME = VERB TARGET` is a function; `getters of TABLE` and the like stand for one function a row of a
//! table. The indented lines behind are documentation. What every function of its kind says is added to it:
//! who owns the result, the threads, and the version.

mod calls;
mod fields;
mod function;
mod settings;

use std::path::Path;

use minijinja::{Value, context};
use serde::Serialize;

use crate::Fault;
use function::Function;

const FOLDER: &str = "crates/merchantpay-capi/functions";

#[derive(Serialize)]
pub(crate) struct Group {
    pub(crate) name: String,
    types: Vec<Value>,
    functions: Vec<Function>,
}

/// With the documentation behind the line.
struct Row {
    line: String,
    doc: Vec<String>,
}

impl Row {
    fn doc(&self) -> String {
        self.doc.join(" ")
    }
}

pub(crate) fn groups(root: &Path) -> Result<Vec<Group>, Fault> {
    let mut files: Vec<_> = std::fs::read_dir(root.join(FOLDER))?.collect::<Result<_, _>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    files.iter().map(|file| group(&file.path())).collect()
}

fn group(file: &Path) -> Result<Group, Fault> {
    let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let mut group = Group { name, types: Vec::new(), functions: Vec::new() };
    for row in rows(&std::fs::read_to_string(file)?) {
        let read = match row.line.split_once(" of ") {
            Some(("getters", "payment_fields")) => Ok(fields::of_payment()),
            Some(("getters", "entry_fields")) => Ok(fields::of_entry()),
            Some(("setters", "settings")) => Ok(settings::of_client(&row.doc)),
            Some(("setters", "journal_settings")) => Ok(settings::of_journal(&row.doc)),
            Some(("setters", "request_fields")) => Ok(settings::of_request()),
            Some(("calls", "operations")) => calls::of_operations(),
            _ => match row.line.strip_prefix("type ") {
                Some(line) => {
                    group.types.push(declared(line, &row)?);
                    Ok(Vec::new())
                }
                None => function(&row).map(|function| vec![function]),
            },
        };
        group.functions.extend(read.map_err(|fault| format!("{}: {}: {fault}", file.display(), row.line))?);
    }
    Ok(group)
}

fn rows(text: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix("    "), rows.last_mut()) {
            (Some(doc), Some(row)) => row.doc.push(doc.to_owned()),
            _ => rows.push(Row { line: line.to_owned(), doc: Vec::new() }),
        }
    }
    rows
}

fn declared(line: &str, row: &Row) -> Result<Value, Fault> {
    let (name, kind) = line.split_once(" = ").ok_or("it is no type")?;
    Ok(context! { name => name, is_record => kind != "handle", doc => row.doc() })
}

fn function(row: &Row) -> Result<Function, Fault> {
    let (since, rest) = row.line.split_once(' ').ok_or("it is no function")?;
    let (name, what) = rest.split_once(" = ").ok_or("it has no =")?;
    let (verb, target) = what.split_once(' ').unwrap_or((what, ""));
    let function = Function::new(name, since, row.doc());
    match verb {
        "call" => calls::of_row(function, target),
        "open" | "new" | "free" | "interrupt" => calls::of_life(function, verb, target),
        "name" => fields::name(function, target),
        _ => fields::of_row(function, verb, target),
    }
}

/// For the hand-written code: the places of fields, and the numbers of calls.
pub(crate) fn places() -> Vec<Value> {
    let record = |record: &'static merchantpay_calls::Record| {
        let fields = record.fields();
        let values: Vec<_> = fields.iter().map(|field| field.name).zip(0u32..).collect();
        context! { name => record.name, doc => record.doc.replace('`', ""), kind => "usize", values => values }
    };
    let numbers: Vec<_> = merchantpay_calls::calls()
        .map(|call| (format!("{}_{}", call.on.name(), call.name), call.number))
        .collect();
    let doc = "The numbers of the calls on each kind of object.";
    let number = context! { name => "number", doc => doc, kind => "u32", values => numbers };
    merchantpay_calls::records().map(record).chain([number]).collect()
}
