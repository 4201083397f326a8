//! Getters of records, and the names of words.

use heck::ToSnakeCase;
use merchantpay::{PAYMENT_FIELDS, PaymentFieldKind};
use merchantpay_calls::{Field, Kind, Record};
use merchantpay_journal::Entry;

use super::function::{Function, Getter, parameter_of};
use crate::Fault;
use crate::definition::LISTS;
use crate::filters::{doc, lower_first};

pub(super) fn type_of(record: &str) -> String {
    match record {
        "prepared" => "mpay_http_request".to_owned(),
        record => format!("mpay_{record}"),
    }
}

fn record(name: &str) -> Option<&'static Record> {
    merchantpay_calls::records().find(|record| record.name == name)
}

/// The indices that lead to a field, and its row.
fn place(path: &str) -> Result<(&str, Vec<usize>, Option<Field>), Fault> {
    let (of, rest) = path.split_once('.').unwrap_or((path, ""));
    let Some(mut inside) = record(of) else { return Ok((of, vec![0], None)) };
    let (mut indices, mut found) = (Vec::new(), None);
    for name in rest.split('.') {
        let fields = inside.fields();
        let index = fields.iter().position(|field| field.name == name);
        let index = index.ok_or_else(|| format!("{} has no field {name}", inside.name))?;
        indices.push(index);
        let field = fields[index];
        if let Some(next) = field.kind.of().filter(|_| field.kind.name() == "record").and_then(record) {
            inside = next;
        }
        found = Some(field);
    }
    Ok((of, indices, found))
}

pub(super) fn of_row(mut function: Function, verb: &str, path: &str) -> Result<Function, Fault> {
    let (of, place, field) = place(path)?;
    let kind = type_of(of);
    let its = parameter_of(&kind);
    let list = || -> Result<String, Fault> { list_of(path, field.as_ref().map(|field| field.kind)) };
    // These two have more than a record.
    let record = if ["mpay_entry", "mpay_http_request"].contains(&kind.as_str()) { "as_ref()" } else { "0" };
    let at = format!("&{place:?}");
    let inner = format!("*const {}", type_of(field.and_then(|field| field.kind.of()).unwrap_or_default()));
    let (returns, method) = match verb {
        "text" => ("*const c_char", format!("text({at})")),
        "id" => ("*const c_char", format!("id({at})")),
        "bytes" => ("*const c_void", format!("data({at})")),
        "len" => ("usize", format!("data_len({at})")),
        "i32" | "u32" | "i64" | "u64" => (verb, format!("number({at})")),
        "minor" => ("i64", format!("minor({at})")),
        "word" => ("i32", format!("word({at}, {:?})", list()?)),
        "count" => ("usize", format!("inside({at}).map_or(0, Record::len)")),
        "item" => ("*const c_char", format!("text(&[{}, index])", place[0])),
        "item_minor" => ("i64", format!("minor(&[{}, index])", place[0])),
        "item_word" => ("i32", format!("word(&[{}, place], {:?})", place[0], list()?)),
        "inside" => (
            inner.as_str(),
            format!("inside({at}).map_or(std::ptr::null(), |inner| std::ptr::from_ref(inner).cast())"),
        ),
        _ => return Err("it has no such verb".into()),
    };
    let getter = field.map(|field| Getter {
        of: of.to_owned(),
        name: function.name.replace(&format!("{kind}_"), ""),
        kind: if field.kind == Kind::Flag { "flag" } else { verb }.to_owned(),
        list: if verb == "word" { list().unwrap_or_default() } else { String::new() },
        // An entry that is no attempt has no sum.
        is_optional: field.kind.is_optional() || field.kind == Kind::Amount,
        doc: field.doc.to_owned(),
    });
    function.getter = getter;
    let mut function = function.takes(format!("{its}: Option<&{kind}>"));
    if verb.starts_with("item") {
        function = function.takes(if verb == "item_word" { "place: usize" } else { "index: usize" });
    }
    if returns.starts_with('*') {
        let more = if verb == "inside" { ": not to be freed" } else { "" };
        function = function.says(&format!("Borrowed from the {its}{more}."));
    }
    if of == "attempt" {
        function = function.threads("The callback's thread only.");
    }
    // The default of an amount is MPAY_NO_MINOR.
    let (read, default) = if verb == "i64" { ("read_or", "0, ") } else { ("read", "") };
    Ok(function.does(returns, format!("{read}({its}, {default}|{its}| {its}.{record}.{method})")))
}

/// A journal's problem has the names of words as texts.
fn list_of(path: &str, kind: Option<Kind>) -> Result<String, Fault> {
    let known = kind.and_then(Kind::of).map(str::to_owned);
    let last = path.rsplit('.').next().unwrap_or_default();
    let named = LISTS.iter().map(|list| list.name).find(|name| name.to_snake_case() == last.to_snake_case());
    known.or(named.map(str::to_owned)).ok_or_else(|| "it is no word of a list".into())
}

/// `name LIST PARAMETER`: the name of a word's number.
pub(super) fn name(function: Function, target: &str) -> Result<Function, Fault> {
    let (list, parameter) = target.split_once(' ').unwrap_or((target, ""));
    let rows = merchantpay_calls::lists().find(|(name, _)| *name == list).ok_or("there is no such list")?.1;
    let parameter = if parameter.is_empty() { list.to_lowercase() } else { parameter.to_owned() };
    let arms: Vec<_> =
        rows.iter().map(|row| format!("{} => c{:?}.as_ptr(),", row.number, row.name)).collect();
    let doc = format!(
        "The name of the {parameter} with this number, such as {:?}; NULL for a number that this version does not know. \
         Static.",
        rows.first().map_or("", |row| row.name)
    );
    let body = format!(
        "read(Some(&{parameter}), |{parameter}| match {parameter} {{ {} _ => std::ptr::null() }})",
        arms.join(" ")
    );
    Ok(function.takes(format!("{parameter}: i32")).says(&doc).does("*const c_char", body))
}

pub(super) fn of_payment() -> Vec<Function> {
    let getter = |row: &merchantpay::PaymentField| {
        let kind = match row.kind {
            PaymentFieldKind::Amount => " As decimal text.",
            PaymentFieldKind::Status => {
                " One of the contract's names, such as \"doneSuccess\", or a name that this version does not know."
            }
            _ => "",
        };
        let is_id = row.kind == PaymentFieldKind::OrderId;
        let absent = if is_id { "Never NULL." } else { "NULL if the field is absent." };
        let text = format!("{}: {}{kind} {absent}", row.name, lower_first(&doc(row.doc, "c")));
        let function = Function::new(&format!("mpay_payment_{}", row.snake_case), row.since, text);
        let verb = if is_id { "id" } else { "text" };
        of_row(function, verb, &format!("payment.{}", row.snake_case))
    };
    PAYMENT_FIELDS.iter().filter_map(|row| getter(row).ok()).collect()
}

/// The fields of an entry, but its error and its reasons for attention.
pub(super) fn of_entry() -> Vec<Function> {
    let getter = |row: &merchantpay_journal::EntryField| {
        let path = format!("entry.{}", row.name);
        let kind = place(&path).ok()?.2?.kind;
        let (verb, unit, note) = match kind.name() {
            _ if kind.is_list() || kind.of() == Some("problem") => return None,
            "word" if kind.of() != Some("Status") => {
                let list = LISTS.iter().find(|list| Some(list.name) == kind.of())?;
                let first = list.table.first()?.name.to_snake_case().to_uppercase();
                ("word", "", format!("MPAY_{}{first} and so on; 0 if absent.", list.prefix))
            }
            "number" => ("u32", "", "0 if absent.".to_owned()),
            "long_number" => ("i64", "", String::new()),
            "time" => ("i64", "_ms", "0 if absent.".to_owned()),
            "flag" => ("i32", "", "1 or 0.".to_owned()),
            "record" => ("inside", "", "Else NULL.".to_owned()),
            "amount" => ("text", "", "As decimal text. NULL if absent.".to_owned()),
            _ if row.name == "order_id" => ("id", "", "NULL if absent.".to_owned()),
            _ => ("text", "", "NULL if absent.".to_owned()),
        };
        let function = Function::new(&format!("mpay_entry_{}{unit}", row.name), row.since, doc(row.doc, "c"));
        of_row(function.says(&note), verb, &path).ok()
    };
    Entry::FIELDS.iter().filter_map(getter).collect()
}
