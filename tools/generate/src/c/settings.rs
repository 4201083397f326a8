//! Setters: of settings, and of a request's fields.

use heck::ToSnakeCase;
use merchantpay::{OPERATIONS, REQUEST_FIELDS, RequestFieldKind, SETTINGS, Setting, SettingKind, Takes};

use super::function::Function;
use crate::filters::doc;

pub(super) fn of_client(notes: &[String]) -> Vec<Function> {
    // One function sets both files of the client's certificate.
    let own = SETTINGS.iter().filter(|row| !row.name.starts_with("client_"));
    own.map(|row| setter("mpay_config", row, notes)).collect()
}

pub(super) fn of_journal(notes: &[String]) -> Vec<Function> {
    merchantpay_journal::SETTINGS.iter().map(|row| setter("mpay_journal_config", row, notes)).collect()
}

/// `NAME: TEXT`, whose further lines are indented.
fn note(lines: &[String], name: &str) -> String {
    let mut from = lines.iter().skip_while(|line| !line.starts_with(&format!("{name}: ")));
    let first = from.next().map_or("", |line| &line[name.len() + 2..]);
    let rest = from.map_while(|line| line.strip_prefix("    "));
    std::iter::once(first).chain(rest).collect::<Vec<_>>().join(" ")
}

fn setter(config: &str, row: &Setting, notes: &[String]) -> Function {
    let name = row.name_with_unit();
    let verb = if row.kind == SettingKind::Texts { "add" } else { "set" };
    let default = row.default.unwrap_or_default();
    let (number, kind) = match row.kind {
        SettingKind::Milliseconds => ("u32", format!("In milliseconds: {default} unless set.")),
        SettingKind::Number => ("u32", format!("{default} unless set.")),
        SettingKind::Bytes => ("u64", format!("{default} unless set.")),
        SettingKind::Flag => ("i32", "1 or 0.".to_owned()),
        SettingKind::Texts => ("", "NULL adds nothing.".to_owned()),
        _ => ("", "NULL unsets it.".to_owned()),
    };
    let codes = if row.name.ends_with("_key") {
        "Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT."
    } else {
        "Returns MPAY_OK or MPAY_INVALID_ARGUMENT."
    };
    let function =
        Function::new(&format!("{config}_{verb}_{name}"), row.since, doc(row.doc, "c").replace('…', "..."))
            .says(&note(notes, row.name))
            .says(&kind)
            .says(codes)
            .threads("One thread at a time.")
            .takes(format!("config: Option<&mut {config}>"));
    // As it is in the ABI.
    let parameter = if name == "pin_spki" { "pin" } else { &name };
    let settings = "needed(config, \"config\")?.settings";
    if number.is_empty() {
        let method = if verb == "add" { "add" } else { "put" };
        function
            .takes(format!("{parameter}: *const c_char"))
            .does("i32", with_text(parameter, &format!("{settings}.{method}({name:?}, &{parameter})")))
    } else {
        function
            .takes(format!("{parameter}: {number}"))
            .does("i32", format!("set(|| {settings}.put({name:?}, &number({parameter})))"))
    }
}

fn with_text(parameter: &str, setting: &str) -> String {
    format!("let {parameter} = unsafe {{ text({parameter}) }};\n    set(|| {setting})")
}

pub(super) fn of_request() -> Vec<Function> {
    let setter = |(place, row): (usize, &merchantpay::RequestField)| {
        let takes_fields = OPERATIONS.iter().filter(|operation| operation.takes == Takes::Fields);
        let others: Vec<_> =
            takes_fields.filter(|operation| !row.operations.contains(&operation.name)).collect();
        let mut text = doc(row.doc, "c");
        if matches!(row.kind, RequestFieldKind::Sum | RequestFieldKind::Drift) {
            text.push_str(" As decimal text, such as \"1500.50\".");
        }
        if !row.required_by.is_empty() && others.is_empty() {
            let some = row.required_by.len() < row.operations.len();
            text.push_str(if some { " Needed, except by mpay_get_available_amounts." } else { " Needed." });
        }
        for operation in others {
            // The field's own text says that this operation refuses it.
            if operation.name != "newPayment" || !row.operations.contains(&"newPaymentAsync") {
                text.push_str(&format!(" mpay_{} does not send this field.", operation.name.to_snake_case()));
            }
        }
        let name = row.snake_case;
        Function::new(&format!("mpay_payment_request_set_{name}"), row.since, text)
            .says("NULL unsets the field. Returns MPAY_OK or MPAY_INVALID_ARGUMENT.")
            .threads("One thread at a time.")
            .takes("request: Option<&mut mpay_payment_request>")
            .takes(format!("{name}: *const c_char"))
            .does("i32", with_text(name, &format!("needed(request, \"request\")?.put({place}, &{name})")))
    };
    REQUEST_FIELDS.iter().enumerate().map(setter).collect()
}
