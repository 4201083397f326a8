//! Setters: of settings, and of a request's fields.

use merchantpay::{OPERATIONS, REQUEST_FIELDS, RequestFieldKind, SETTINGS, Setting, SettingKind, Takes};

use super::function::Function;
use crate::Fault;
use crate::filters::{doc, snake};

/// What C says about a setting in addition: `NAME: TEXT`, in lines that are wrapped.
struct Notes(Vec<(String, String)>);

impl Notes {
    fn read(lines: &[String]) -> Result<Notes, Fault> {
        let mut notes: Vec<(String, String)> = Vec::new();
        for line in lines {
            match (line.strip_prefix("    "), notes.last_mut()) {
                (Some(rest), Some((_, text))) => *text = format!("{text} {rest}"),
                _ => {
                    let (name, text) = line.split_once(": ").ok_or("a note has no name")?;
                    notes.push((name.to_owned(), text.to_owned()));
                }
            }
        }
        Ok(Notes(notes))
    }

    fn of(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text)
    }
}

pub(super) fn of_client(notes: &[String]) -> Result<Vec<Function>, Fault> {
    let notes = Notes::read(notes)?;
    // One function sets both files of the client's certificate.
    let own = SETTINGS.iter().filter(|row| !row.name.starts_with("client_"));
    Ok(own.map(|row| setter("mpay_config", row, &notes)).collect())
}

pub(super) fn of_journal(notes: &[String]) -> Result<Vec<Function>, Fault> {
    let notes = Notes::read(notes)?;
    Ok(merchantpay_journal::SETTINGS.iter().map(|row| setter("mpay_journal_config", row, &notes)).collect())
}

fn setter(config: &str, row: &Setting, notes: &Notes) -> Function {
    let name = row.name_with_unit();
    let verb = if row.kind == SettingKind::Texts { "add" } else { "set" };
    let number = match row.kind {
        SettingKind::Milliseconds | SettingKind::Number => "u32",
        SettingKind::Bytes => "u64",
        SettingKind::Flag => "i32",
        _ => "",
    };
    let default = row.default.unwrap_or_default();
    let kind = match row.kind {
        SettingKind::Milliseconds => format!("In milliseconds: {default} unless set."),
        SettingKind::Number | SettingKind::Bytes => format!("{default} unless set."),
        SettingKind::Flag => "1 or 0.".to_owned(),
        SettingKind::Texts => "NULL adds nothing.".to_owned(),
        _ => "NULL unsets it.".to_owned(),
    };
    let codes = if row.name.ends_with("_key") {
        "Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT."
    } else {
        "Returns MPAY_OK or MPAY_INVALID_ARGUMENT."
    };
    let function =
        Function::new(&format!("{config}_{verb}_{name}"), row.since, doc(row.doc, "c").replace('…', "..."))
            .says(notes.of(row.name))
            .says(&kind)
            .says(codes)
            .threads("One thread at a time.")
            .takes(format!("config: Option<&mut {config}>"))
            .returns("i32");
    // The name in the ABI.
    let parameter = if name == "pin_spki" { "pin" } else { &name };
    let settings = "needed(config, \"config\")?.settings";
    if number.is_empty() {
        let method = if verb == "add" { "add" } else { "put" };
        function
            .takes(format!("{parameter}: *const c_char"))
            .before("texts", format!("let {parameter} = unsafe {{ text({parameter}) }};"))
            .does("", format!("set(|| {settings}.{method}({name:?}, &{parameter}))"))
    } else {
        function
            .takes(format!("{parameter}: {number}"))
            .does("", format!("set(|| {settings}.put({name:?}, &number({parameter})))"))
    }
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
                text.push_str(&format!(" mpay_{} does not send this field.", snake(operation.name)));
            }
        }
        let name = row.snake_case;
        Function::new(&format!("mpay_payment_request_set_{name}"), row.since, text)
            .says("NULL unsets the field. Returns MPAY_OK or MPAY_INVALID_ARGUMENT.")
            .threads("One thread at a time.")
            .takes("request: Option<&mut mpay_payment_request>")
            .takes(format!("{name}: *const c_char"))
            .returns("i32")
            .before("texts", format!("let {name} = unsafe {{ text({name}) }};"))
            .does("", format!("set(|| needed(request, \"request\")?.put({place}, &{name}))"))
    };
    REQUEST_FIELDS.iter().enumerate().map(setter).collect()
}
