//! `merchantpay.json`: the machine-readable description of functions, callbacks and constants, read from the
//! header and the sources.

use serde::Serialize;

use super::{calls, writer};

/// The whole description. docs/c-abi-description.md has the format.
#[derive(Serialize)]
pub struct Description {
    generated: &'static str,
    version: &'static str,
    abi: u32,
    calling_convention: &'static str,
    handles: Vec<Handle>,
    enums: Vec<Enum>,
    constants: Vec<Constant>,
    callbacks: Vec<Callback>,
    functions: Vec<Function>,
    opening: Vec<calls::Argument>,
    calls: Vec<calls::Call>,
    records: Vec<calls::Record>,
    lists: Vec<calls::List>,
}

#[derive(Serialize)]
struct Handle {
    name: String,
    /// `null` for a handle that exists only during a callback.
    free: Option<String>,
    doc: String,
}

#[derive(Serialize)]
struct Enum {
    name: String,
    values: Vec<Constant>,
}

#[derive(Serialize)]
struct Constant {
    name: String,
    value: i64,
    doc: String,
}

#[derive(Serialize)]
struct Callback {
    name: String,
    parameters: Vec<Parameter>,
    returns: Option<Returned>,
    doc: String,
}

#[derive(Serialize)]
struct Function {
    name: String,
    header: &'static str,
    parameters: Vec<Parameter>,
    returns: Option<Returned>,
    must_use: bool,
    threads: &'static str,
    since: String,
    doc: String,
}

#[derive(Serialize)]
struct Parameter {
    name: String,
    /// The type in C's syntax.
    c: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<String>,
    direction: &'static str,
    ownership: &'static str,
    nullable: bool,
}

#[derive(Serialize)]
struct Returned {
    c: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<String>,
    ownership: &'static str,
    nullable: bool,
}

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
    let value = serde_json::to_value(read()).expect("it can be written");
    let members = value.as_object().into_iter().flatten().map(|(name, value)| match value.as_array() {
        // One item per line, so that a change is one line of a diff.
        Some(items) => {
            let items: Vec<String> = items.iter().map(|item| format!("    {item}")).collect();
            format!("  {name:?}: [\n{}\n  ]", items.join(",\n"))
        }
        None => format!("  {name:?}: {value}"),
    });
    format!("{{\n{}\n}}\n", members.collect::<Vec<_>>().join(",\n"))
}

fn read() -> Description {
    let header = writer::header();
    let parts: Vec<&str> = header.split("\n\n").collect();
    let functions: Vec<&str> =
        parts.iter().copied().filter(|part| writer::function(part).is_some()).collect();
    let names: Vec<&str> = functions.iter().filter_map(|part| writer::function(part)).collect();
    let mut enums: Vec<Enum> = Vec::new();
    let mut constants = Vec::new();
    for constant in parts.iter().filter_map(|part| constant(part)) {
        match group(&constant.name) {
            Some(group) => match enums.iter_mut().find(|known| known.name == group) {
                Some(known) => known.values.push(constant),
                None => enums.push(Enum { name: group, values: vec![constant] }),
            },
            None => constants.push(constant),
        }
    }
    Description {
        generated: "By `make generate`: do not edit.",
        version: env!("CARGO_PKG_VERSION"),
        abi: merchantpay_capi::MPAY_HEADER_ABI,
        calling_convention: "cdecl",
        handles: parts.iter().filter_map(|part| handle(part, &names)).collect(),
        enums,
        constants,
        callbacks: parts.iter().filter_map(|part| callback(part)).collect(),
        functions: functions.iter().map(|part| described(part)).collect(),
        opening: calls::opening(),
        calls: calls::calls(),
        records: calls::records(),
        lists: calls::lists(),
    }
}

fn doc_of(part: &str) -> String {
    writer::comment(part).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn handle(part: &str, functions: &[&str]) -> Option<Handle> {
    let rest = part.rsplit("*/\n").next()?.strip_prefix("typedef struct ")?;
    let name = rest.split(' ').next()?.to_owned();
    let free = format!("{name}_free");
    let free = functions.contains(&free.as_str()).then_some(free);
    Some(Handle { free, doc: doc_of(part), name })
}

fn constant(part: &str) -> Option<Constant> {
    let rest = part.rsplit("*/\n").next()?.strip_prefix("#define MPAY_")?;
    let (name, value) = rest.split_once(' ')?;
    let value = if value.trim() == "INT64_MIN" { i64::MIN } else { value.trim().parse().ok()? };
    Some(Constant { name: format!("MPAY_{name}"), value, doc: doc_of(part) })
}

/// The enum to which a constant belongs; `None` for a constant outside the enums.
fn group(name: &str) -> Option<String> {
    let rest = name.strip_prefix("MPAY_")?;
    let belongs = |prefix: &&&str| rest.strip_prefix(**prefix).is_some_and(|rest| rest.starts_with('_'));
    if let Some(prefix) = ENUMS.iter().find(belongs) {
        return Some(prefix.to_lowercase());
    }
    (!rest.starts_with("HEADER_") && rest != "NO_MINOR").then(|| "code".to_owned())
}

fn callback(part: &str) -> Option<Callback> {
    let declaration = joined(part.rsplit("*/\n").next()?);
    let rest = declaration.strip_prefix("typedef ")?;
    let (returns, rest) = rest.split_once("(MPAY_CALL *")?;
    let (name, parameters) = rest.split_once(")(")?;
    let parameters = parameters.strip_suffix(");")?;
    let parameters = split(parameters).map(|parameter| callbacks_parameter(&parameter)).collect();
    Some(Callback { name: name.to_owned(), parameters, returns: number(returns.trim()), doc: doc_of(part) })
}

/// A callback's argument belongs to the library, and is valid during the callback.
fn callbacks_parameter(text: &str) -> Parameter {
    let (c, name) = typed(text);
    let kind = kind(&c);
    let is_out = name == "signature";
    let nullable = ["user_data", "message", "args", "answer"].contains(&name.as_str());
    let direction = if is_out { "out" } else { "in" };
    Parameter { handle: handle_of(&c), kind, c, name, direction, ownership: "borrowed", nullable }
}

fn number(c: &str) -> Option<Returned> {
    let returned =
        Returned { c: c.to_owned(), kind: "number", handle: None, ownership: "none", nullable: false };
    (c != "void").then_some(returned)
}

fn described(part: &str) -> Function {
    let name = writer::function(part).unwrap_or_default().to_owned();
    let doc = doc_of(part);
    let declaration = joined(part.rsplit(" */\n").next().unwrap_or_default());
    let (head, parameters) = declaration.split_once('(').unwrap_or_default();
    let must_use = head.starts_with("MPAY_NODISCARD ");
    let returns = head.trim_start_matches("MPAY_NODISCARD ").trim_start_matches("MPAY_API ");
    let returns = returns.split("MPAY_CALL").next().unwrap_or_default().trim().to_owned();
    let source = Source::of(&name);
    let parameters: Vec<Parameter> = split(parameters.trim_end_matches(");"))
        .filter(|parameter| parameter != "void")
        .map(|parameter| functions_parameter(&parameter, &name, &source))
        .collect();
    let threads = match () {
        () if doc.contains("One thread at a time") => "one_at_a_time",
        () if doc.contains("The callback's thread") => "callback",
        () => "any",
    };
    Function {
        header: if writer::is_for_bindings(&name) { "merchantpay_bindings.h" } else { "merchantpay.h" },
        since: doc.rsplit("Since ").next().unwrap_or_default().trim_end_matches('.').to_owned(),
        returns: returned(&returns, &name, &doc, &parameters),
        parameters,
        must_use,
        threads,
        doc,
        name,
    }
}

fn returned(c: &str, name: &str, doc: &str, parameters: &[Parameter]) -> Option<Returned> {
    let kind = match kind(c) {
        "number" if parameters.last().is_some_and(|last| last.name == "error") => "code",
        // A setter has no error parameter, but returns a code too.
        "number" if doc.contains("Returns MPAY_OK") => "code",
        kind => kind,
    };
    let makes = name.ends_with("_new");
    let (ownership, nullable) = match kind {
        "text" | "bytes" if doc.contains("Borrowed from") => ("borrowed", true),
        "text" => ("static", name != "mpay_version"),
        "handle" if makes => ("owned", false),
        "handle" => ("borrowed", true),
        _ => ("none", false),
    };
    let returned = Returned { c: c.to_owned(), handle: handle_of(c), kind, ownership, nullable };
    (c != "void").then_some(returned)
}

fn functions_parameter(text: &str, function: &str, source: &Source) -> Parameter {
    let (c, name) = typed(text);
    let is_buffer = c == "void *" && ["buffer", "large"].contains(&name.as_str());
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
    let nullable = c.contains('*') && !source.needs(&name) || kind == "callback" && !source.needs(&name);
    let direction = if is_out { "out" } else { "in" };
    Parameter { handle: handle_of(&c), kind, c, name, direction, ownership, nullable }
}

/// The facts about a function's parameters that its body shows.
struct Source {
    body: String,
    releases: bool,
}

impl Source {
    fn of(function: &str) -> Source {
        for text in super::groups::sources().values() {
            if let Some((_, rest)) = text.split_once(&format!("fn {function}(")) {
                let body = rest.split("\n}\n").next().unwrap_or_default().to_owned();
                let releases = body.contains("UserData::new(user_data, release)");
                return Source { body, releases };
            }
        }
        panic!("no source of {function}")
    }

    /// Returns true if the function refuses NULL for this parameter.
    fn needs(&self, name: &str) -> bool {
        let opens = "mpay_http_request::open(request,";
        if self.body.contains(opens) && name == "request" {
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

fn handle_of(c: &str) -> Option<String> {
    let name = c.trim_start_matches("const ").split(' ').next()?;
    (kind(c) == "handle").then(|| name.to_owned())
}

/// Splits `const char *name` into the type `const char *` and `name`.
fn typed(parameter: &str) -> (String, String) {
    let at = parameter.rfind([' ', '*']).map_or(0, |at| at + 1);
    // Other languages have no name for this number.
    let c = parameter[..at].trim().replace("mpay_handle", "uint64_t");
    (c, parameter[at..].to_owned())
}

fn split(parameters: &str) -> impl Iterator<Item = String> + '_ {
    parameters.split(',').map(|parameter| parameter.trim().to_owned())
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
