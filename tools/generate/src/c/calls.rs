//! Functions that make a call of the waist, and the life of a handle.

use heck::{ToSnakeCase, ToUpperCamelCase};
use merchantpay::{Gives, OPERATIONS, OperationInfo};
use merchantpay_calls::{Argument, Call, Kind, ObjectKind};

use super::fields::type_of;
use super::function::{Function, parameter_of};
use crate::Fault;
use crate::definition::LISTS;

/// `ON.METHOD(ARGUMENTS) -> RESULT`. The arguments are named if C has another order or other names; a `?` allows
/// NULL where the table has no default.
pub(super) fn of_row(function: Function, target: &str) -> Result<Function, Fault> {
    let (what, result) = target.split_once(" -> ").unwrap_or((target, ""));
    let (what, given) = what.split_once('(').unwrap_or((what, ""));
    let (on, method) = what.split_once('.').ok_or("it has no object")?;
    let call = find(on, method)?;
    let rows = call.arguments();
    let order: Vec<(&str, &str)> = match given.trim_end_matches(')') {
        "" => rows.iter().map(|row| (row.name, row.name)).collect(),
        given => given.split(", ").map(|name| name.split_once(": ").unwrap_or((name, name))).collect(),
    };
    let mut function = receiver(function, call.on);
    let mut values = vec![String::new(); rows.len()];
    for (name, given_name) in order {
        let (name, parameter) = (name.trim_end_matches('?'), given_name.strip_suffix('?'));
        let place =
            rows.iter().position(|row| row.name == name).ok_or_else(|| format!("no argument {name}"))?;
        let mut row = rows[place];
        row.default = parameter.map_or(row.default, |_| Some(""));
        let (parameters, value) = argument(&row, parameter.unwrap_or(given_name))?;
        function = function.takes(parameters);
        values[place] = value;
    }
    let on = match call.on {
        ObjectKind::Library => "LIBRARY".to_owned(),
        ObjectKind::Receipt => "on(receipt.as_deref(), \"receipt\")?".to_owned(),
        kind => format!("on({0}, \"{0}\")?", kind.name()),
    };
    let verb = if call.is_secret { "secret_call" } else { "call" };
    let verb = if result == "http_request" { "mpay_http_request::prepare" } else { verb };
    let made = format!("{verb}({on}, {}, &[{}])", call.number, values.join(", "));
    Ok(gives(function, call, result, &made))
}

fn find(on: &str, method: &str) -> Result<&'static Call, Fault> {
    let found = merchantpay_calls::calls().find(|call| call.on.name() == on && call.name == method);
    found.ok_or_else(|| format!("there is no call {on}.{method}").into())
}

fn receiver(function: Function, on: ObjectKind) -> Function {
    match on {
        ObjectKind::Library => function,
        ObjectKind::Receipt => {
            function.takes("receipt: Option<&mut mpay_receipt>").threads("One thread at a time.")
        }
        kind => function.takes(format!("{0}: Option<&mpay_{0}>", kind.name())),
    }
}

/// The parameters of an argument, and its value for the waist.
fn argument(row: &Argument, name: &str) -> Result<(String, String), Fault> {
    let kind = match row.kind {
        Kind::Optional(kind) => *kind,
        kind => kind,
    };
    Ok(match kind {
        Kind::Text | Kind::Amount | Kind::Header => {
            let is_needed = kind != Kind::Header && kind == row.kind && row.default.is_none();
            let needed = format!("Some(needed(text({name}), \"{name}\")?)");
            let text = if is_needed { needed } else { format!("text({name})") };
            (format!("{name}: *const c_char"), text)
        }
        Kind::Bytes => {
            (format!("{name}: *const c_void, len: usize"), format!("block({name}, len, \"{name}\")?"))
        }
        Kind::Number | Kind::Milliseconds => (format!("{name}: u32"), format!("number({name})")),
        Kind::LongNumber => (format!("{name}: i64"), format!("number({name})")),
        Kind::Word(list) => {
            let prefix = LISTS.iter().find(|row| row.name == list).map_or("", |row| row.prefix);
            (format!("{name}: i32"), format!("word({name}, \"{list}\", \"{name}\", \"{prefix}\")?"))
        }
        Kind::List(Kind::Word(_)) => {
            (format!("{name}: *const c_char"), format!("names({name}, \"{name}\")?"))
        }
        Kind::Record("request") => (
            format!("{name}: Option<&mpay_payment_request>"),
            format!("needed({name}, \"{name}\")?.argument()"),
        ),
        Kind::Handle(of) => {
            (format!("{name}: Option<&mpay_{}>", of.name()), format!("object(on({name}, \"{name}\")?)"))
        }
        _ => return Err(format!("{name} has no parameter in C").into()),
    })
}

fn gives(function: Function, call: &Call, result: &str, made: &str) -> Function {
    let phase = format!("Phase::{}", call.phase.name().to_upper_camel_case());
    let kind = type_of(result);
    let (function, body) = match (result, call.result()) {
        ("", _) => (function, format!("run({phase}, error, || {made}.map(drop))")),
        (_, Kind::Optional(_)) => {
            let made = format!("Ok({made}?.present(){})", maker(result));
            (
                function.takes(format!("out: *mut *mut {kind}")),
                format!("create_optional_handle({phase}, out, error, || {made})"),
            )
        }
        (_, Kind::Handle(_)) => {
            let made = format!("{made}.and_then(|made| made.object(0)).map({kind})");
            (
                function.takes(format!("out: *mut *mut {kind}")),
                format!("create_handle({phase}, out, error, || {made})"),
            )
        }
        _ => (
            function.takes(format!("out: *mut *mut {kind}")),
            format!("create_handle({phase}, out, error, || {made}{})", maker(result)),
        ),
    };
    let function = if result.is_empty() { function } else { freed(function, &kind) };
    function.takes("error: *mut *mut mpay_error").does("i32", format!("unsafe {{ {body} }}"))
}

fn maker(result: &str) -> String {
    match result {
        "http_request" => String::new(),
        "entry" | "entries" => format!(".map(mpay_{result}::new)"),
        _ => format!(".map(mpay_{result})"),
    }
}

fn freed(function: Function, kind: &str) -> Function {
    function.says(&format!("*out is to be freed by {kind}_free."))
}

pub(super) fn of_life(mut function: Function, verb: &str, target: &str) -> Result<Function, Fault> {
    let name = function.name.clone();
    let kind = name.strip_suffix(&format!("_{verb}")).unwrap_or(&name);
    let its = parameter_of(kind);
    Ok(match verb {
        "new" => function.does(&format!("*mut {kind}"), format!("make({kind}::default)")),
        "interrupt" => function
            .takes(format!("{its}: Option<&{kind}>"))
            .threads("")
            .does("", format!("act({its}, |{its}| {its}.0.interrupt());")),
        "free" => {
            let is_record = merchantpay_calls::records().any(|record| type_of(record.name) == kind);
            let is_plural = its.ends_with('s');
            let object = match its {
                "config" => "settings".to_owned(),
                its if is_plural => its.to_owned(),
                its if its.starts_with(['a', 'e']) => format!("an {its}"),
                its => format!("a {its}"),
            };
            let rest = match (is_record, is_plural) {
                (true, false) => " and all that was borrowed from it",
                (_, true) => " and all that was borrowed from them",
                (false, false) => "",
            };
            function.doc =
                format!("Frees {object}{rest}; NULL is allowed. {}", function.doc).trim_end().to_owned();
            function
                .threads("Any thread, once.")
                .takes(format!("{its}: Option<Box<{kind}>>"))
                .does("", format!("free({its});"))
        }
        _ => {
            let kind = format!("mpay_{target}");
            let object = target.to_upper_camel_case();
            let made = format!("needed(config, \"config\")?.open(ObjectKind::{object}).map({kind})");
            let body = format!("unsafe {{ create_handle(Phase::Setup, out, error, || {made}) }}");
            freed(function, &kind)
                .takes("config: Option<&mpay_config>")
                .takes(format!("out: *mut *mut {kind}"))
                .takes("error: *mut *mut mpay_error")
                .does("i32", body)
        }
    })
}

/// Without I/O: one function prepares the request, and one opens its reply.
pub(super) fn of_operations() -> Result<Vec<Function>, Fault> {
    let prepared: Result<Vec<_>, Fault> = OPERATIONS.iter().map(prepare).collect();
    let opened: Result<Vec<_>, Fault> = OPERATIONS.iter().map(open).collect();
    Ok(prepared?.into_iter().chain(opened?).collect())
}

fn prepare(operation: &OperationInfo) -> Result<Function, Fault> {
    let name = operation.name.to_snake_case();
    let doc = format!(
        "Prepares the request of mpay_{name}: checks the request and signs its bytes. Nothing is sent, so every error \
         has MPAY_OUTCOME_NOT_SENT."
    );
    let function = Function::new(&format!("mpay_prepare_{name}"), "0.1.0", doc);
    of_row(function, &format!("protocol.prepare_{name} -> http_request"))
}

fn open(operation: &OperationInfo) -> Result<Function, Fault> {
    let name = operation.name.to_snake_case();
    let prepared = find("protocol", &format!("prepare_{name}"))?.number;
    let call = find("prepared", "open")?;
    let result = match operation.gives {
        Gives::Amounts => "amounts",
        Gives::Nothing => "",
        _ => "payment",
    };
    let doc = format!(
        "Opens the reply to the request of mpay_prepare_{name}: verifies and parses the bytes of the reply, and checks \
         that the reply belongs to the request. The request was sent, so every error has MPAY_OUTCOME_UNKNOWN, except a \
         proven refusal."
    );
    let function = Function::new(&format!("mpay_open_{name}"), "0.1.0", doc)
        .takes("request: Option<&mpay_http_request>")
        .takes("response: Option<&mpay_http_response>");
    let made = format!("mpay_http_request::open(request, response, {prepared})");
    Ok(gives(function, call, result, &made))
}
