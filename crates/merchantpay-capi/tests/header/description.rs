//! `merchantpay.json`: the machine-readable description of functions, callbacks and constants, read from the
//! header and the sources, and of the calls, from the tables of `merchantpay-calls`. docs/c-abi-description.md
//! has the format.

use merchantpay_calls::Kind;
use serde_json::{Value, json};

use super::{groups, writer};

/// The prefixes of an enum's constants after `MPAY_`, the longer of two before the shorter; a constant without
/// one of them is a code.
const ENUMS: &[&str] = &[
    "OUTCOME",
    "REASON",
    "STATUS",
    "EVENT",
    "PAID",
    "BALANCE",
    "ROUNDING",
    "STANDING",
    "INTENT_STATE",
    "INTENT",
    "ATTENTION",
    "UNTIL",
    "STYLE",
    "CAUSE",
];

/// The text of the file. Its members are sorted by name.
pub fn text() -> String {
    let description = read();
    let members = description.as_object().into_iter().flatten().map(|(name, value)| match value.as_array() {
        // One item per line, so that a change is one line of a diff.
        Some(items) => {
            let items: Vec<String> = items.iter().map(|item| format!("    {item}")).collect();
            format!("  {name:?}: [\n{}\n  ]", items.join(",\n"))
        }
        None => format!("  {name:?}: {value}"),
    });
    format!("{{\n{}\n}}\n", members.collect::<Vec<_>>().join(",\n"))
}

fn read() -> Value {
    let header = writer::header();
    let parts: Vec<&str> = header.split("\n\n").collect();
    let functions: Vec<&str> =
        parts.iter().copied().filter(|part| writer::function_name(part).is_some()).collect();
    let names: Vec<&str> = functions.iter().filter_map(|part| writer::function_name(part)).collect();
    let mut enums: Vec<(String, Vec<Value>)> = Vec::new();
    let mut constants = Vec::new();
    for (group, constant) in parts.iter().filter_map(|part| constant(part)) {
        match group.map(|group| (enums.iter_mut().position(|(known, _)| *known == group), group)) {
            Some((Some(place), _)) => enums[place].1.push(constant),
            Some((None, group)) => enums.push((group, vec![constant])),
            None => constants.push(constant),
        }
    }
    let enums = enums.into_iter().map(|(name, values)| json!({"name": name, "values": values}));
    json!({
        "generated": "By `make generate`: do not edit.",
        "version": env!("CARGO_PKG_VERSION"),
        "abi": merchantpay_capi::MPAY_HEADER_ABI,
        "calling_convention": "cdecl",
        "handles": parts.iter().filter_map(|part| handle(part, &names)).collect::<Value>(),
        "enums": enums.collect::<Value>(),
        "constants": constants,
        "callbacks": parts.iter().filter_map(|part| callback(part)).collect::<Value>(),
        "functions": functions.iter().map(|part| described(part)).collect::<Value>(),
        "opening": merchantpay_calls::OPENING.iter().map(argument).collect::<Value>(),
        "calls": merchantpay_calls::calls().map(call).collect::<Value>(),
        "records": merchantpay_calls::records().map(record).collect::<Value>(),
        "lists": merchantpay_calls::lists().map(list).collect::<Value>(),
    })
}

/// Adds a member, unless it is absent.
fn with(mut object: Value, name: &str, value: Option<impl Into<Value>>) -> Value {
    if let Some(value) = value {
        object[name] = value.into();
    }
    object
}

/// Adds a kind of value. `of` is the list of a word, the record, or the kind of object of a handle.
fn of_kind(mut object: Value, kind: Kind) -> Value {
    object["kind"] = kind.name().into();
    object["list"] = kind.is_list().into();
    object["optional"] = kind.is_optional().into();
    with(object, "of", kind.of())
}

/// Without a default an argument must not be absent; "" is a default too.
fn argument(row: &merchantpay_calls::Argument) -> Value {
    with(of_kind(json!({"name": row.name}), row.kind), "default", row.default)
}

fn call(row: &merchantpay_calls::Call) -> Value {
    json!({
        "number": row.number,
        "name": row.name,
        "on": row.on.name(),
        "phase": row.phase.name(),
        "secret": row.is_secret,
        "arguments": row.arguments().iter().map(argument).collect::<Value>(),
        "result": of_kind(json!({}), row.result()),
        "doc": row.doc(),
        "since": row.since(),
    })
}

fn record(row: &merchantpay_calls::Record) -> Value {
    let field = |row: &merchantpay_calls::Field| {
        of_kind(json!({"name": row.name, "doc": row.doc, "since": row.since}), row.kind)
    };
    let fields: Value = row.fields().iter().map(field).collect();
    json!({"name": row.name, "fields": fields, "doc": row.doc, "since": row.since})
}

fn list((name, words): (&str, &[merchantpay::Word])) -> Value {
    let word = |row: &merchantpay::Word| json!({"name": row.name, "number": row.number, "doc": row.doc, "since": row.since});
    json!({"name": name, "words": words.iter().map(word).collect::<Value>()})
}

/// `free` is null for a handle that exists only during a callback.
fn handle(part: &str, functions: &[&str]) -> Option<Value> {
    let declaration = writer::declaration(part);
    let name = declaration.strip_prefix("typedef struct ")?.split(' ').next()?;
    let free = format!("{name}_free");
    let free = functions.contains(&free.as_str()).then_some(free);
    Some(json!({"name": name, "free": free, "doc": writer::doc(part)}))
}

/// A constant, and the enum to which it belongs, if it does.
fn constant(part: &str) -> Option<(Option<String>, Value)> {
    let declaration = writer::declaration(part);
    let (name, value) = declaration.strip_prefix("#define MPAY_")?.split_once(' ')?;
    let value = if value == "INT64_MIN" { i64::MIN } else { value.parse().ok()? };
    let belongs = |prefix: &&&str| name.strip_prefix(**prefix).is_some_and(|rest| rest.starts_with('_'));
    let group = match ENUMS.iter().find(belongs) {
        Some(prefix) => Some(prefix.to_lowercase()),
        None => (!name.starts_with("HEADER_") && name != "NO_MINOR").then(|| "code".to_owned()),
    };
    Some((group, json!({"name": format!("MPAY_{name}"), "value": value, "doc": writer::doc(part)})))
}

fn callback(part: &str) -> Option<Value> {
    let declaration = writer::declaration(part);
    let rest = declaration.strip_prefix("typedef ")?;
    let (returns, rest) = rest.split_once("(MPAY_CALL *")?;
    let (name, parameters) = rest.split_once(")(")?;
    let parameters: Value = split(parameters.strip_suffix(");")?).map(callbacks_parameter).collect();
    let number = json!({"c": returns.trim(), "kind": "number", "ownership": "none", "nullable": false});
    let returns = (returns.trim() != "void").then_some(number);
    Some(json!({"name": name, "parameters": parameters, "returns": returns, "doc": writer::doc(part)}))
}

/// A callback's argument belongs to the library, and is valid during the callback.
fn callbacks_parameter(text: &str) -> Value {
    let (c, name) = typed(text);
    let direction = if name == "signature" { "out" } else { "in" };
    let nullable = ["user_data", "message", "args", "answer"].contains(&name);
    value(
        &c,
        kind(&c),
        json!({"name": name, "direction": direction, "ownership": "borrowed", "nullable": nullable}),
    )
}

/// Adds the type in C's syntax, and the handle's type.
fn value(c: &str, kind: &str, mut object: Value) -> Value {
    object["c"] = c.into();
    object["kind"] = kind.into();
    let handle = c.trim_start_matches("const ").split(' ').next();
    with(object, "handle", handle.filter(|_| kind == "handle"))
}

fn described(part: &str) -> Value {
    let name = writer::function_name(part).unwrap_or_default();
    let doc = writer::doc(part);
    let declaration = writer::declaration(part);
    let (head, parameters) = declaration.split_once('(').unwrap_or_default();
    let returns = head.trim_start_matches("MPAY_NODISCARD ").trim_start_matches("MPAY_API ");
    let returns = returns.split("MPAY_CALL").next().unwrap_or_default().trim();
    let source = Source::of(name);
    let parameters: Vec<&str> =
        split(parameters.trim_end_matches(");")).filter(|parameter| *parameter != "void").collect();
    let takes_an_error = parameters.last().is_some_and(|last| last.ends_with("**error"));
    let threads = match () {
        () if doc.contains("One thread at a time") => "one_at_a_time",
        () if doc.contains("The callback's thread") => "callback",
        () => "any",
    };
    json!({
        "name": name,
        "header": if writer::is_for_bindings(name) { "merchantpay_bindings.h" } else { "merchantpay.h" },
        "since": writer::since(&doc),
        "returns": returned(returns, name, &doc, takes_an_error),
        "parameters": parameters.iter().map(|one| functions_parameter(one, name, &source)).collect::<Value>(),
        "must_use": head.starts_with("MPAY_NODISCARD "),
        "threads": threads,
        "doc": doc,
    })
}

fn returned(c: &str, name: &str, doc: &str, takes_an_error: bool) -> Option<Value> {
    let kind = match kind(c) {
        // A setter has no error parameter, but returns a code too.
        "number" if takes_an_error || doc.contains("Returns MPAY_OK") => "code",
        kind => kind,
    };
    let (ownership, nullable) = match kind {
        "text" | "bytes" if doc.contains("Borrowed from") => ("borrowed", true),
        "text" => ("static", name != "mpay_version"),
        "handle" if name.ends_with("_new") => ("owned", false),
        "handle" => ("borrowed", true),
        _ => ("none", false),
    };
    (c != "void").then(|| value(c, kind, json!({"ownership": ownership, "nullable": nullable})))
}

fn functions_parameter(text: &str, function: &str, source: &Source) -> Value {
    let (c, name) = typed(text);
    let is_buffer = c == "void *" && ["buffer", "large"].contains(&name);
    let kind = if is_buffer { "bytes" } else { kind(&c) };
    let is_out =
        c.ends_with("**") && kind != "texts" || kind == "number" && c.ends_with('*') || name == "buffer";
    let ownership = match kind {
        "handle" if is_out => "owned",
        "handle" if function.ends_with("_free") => "taken",
        // mpay_free frees the block that a call has made.
        "bytes" if c == "void **" => "owned",
        "bytes" if function == "mpay_free" => "taken",
        "handle" | "text" | "bytes" | "texts" => "borrowed",
        "user_data" if source.releases => "released",
        "user_data" | "callback" => "borrowed",
        _ => "none",
    };
    let nullable = (c.contains('*') || kind == "callback") && !source.needs(name);
    let direction = if is_out { "out" } else { "in" };
    value(
        &c,
        kind,
        json!({"name": name, "direction": direction, "ownership": ownership, "nullable": nullable}),
    )
}

/// The facts about a function's parameters that its body shows.
struct Source {
    body: String,
    releases: bool,
}

impl Source {
    fn of(function: &str) -> Source {
        let begins = format!("fn {function}(");
        let source = groups::sources().values().find_map(|text| text.split_once(&begins));
        let (_, rest) = source.unwrap_or_else(|| panic!("no source of {function}"));
        let body = rest.split("\n}\n").next().unwrap_or_default().to_owned();
        let releases = body.contains("UserData::new(user_data, release)");
        Source { body, releases }
    }

    /// Whether the function refuses NULL for this parameter.
    fn needs(&self, name: &str) -> bool {
        if self.body.contains("mpay_http_request::open(request,") && name == "request" {
            return true;
        }
        let needed = [
            format!("needed({name},"),
            format!("needed_text({name},"),
            format!("needed(text({name}),"),
            format!("names({name},"),
            format!("on({name},"),
            format!("on({name}.as_deref(),"),
        ];
        let makes = self.body.contains("create_handle(") || self.body.contains("create_optional_handle(");
        needed.iter().any(|text| self.body.contains(text)) || name == "out" && makes
    }
}

fn kind(c: &str) -> &'static str {
    match c {
        "const char *" => "text",
        "const char *const *" => "texts",
        "const void *" => "bytes",
        "void *" => "user_data",
        "void **" => "bytes",
        _ if c.ends_with("_callback") || c == "mpay_host" => "callback",
        _ if c.contains("mpay_") => "handle",
        _ => "number",
    }
}

/// Splits `const char *name` into the type `const char *` and `name`.
fn typed(parameter: &str) -> (String, &str) {
    let (c, name) = parameter.split_at(parameter.rfind([' ', '*']).map_or(0, |at| at + 1));
    // Other languages have no name for this number.
    (c.trim().replace("mpay_handle", "uint64_t"), name)
}

fn split(parameters: &str) -> impl Iterator<Item = &str> {
    parameters.split(',').map(str::trim)
}
