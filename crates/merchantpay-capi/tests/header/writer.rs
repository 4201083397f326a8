//! Writes the headers and the version script from the functions that cbindgen finds in the crate.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use super::groups;

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

const ERROR_PARAMETER: &str = "mpay_error **error);";
/// `mpay_client_connect` opens a connection early. Its result may be ignored: after a failure the next call
/// opens a connection.
const MAY_BE_IGNORED: &str = "mpay_client_connect";
const WIDTH: usize = 120;

/// Its path and its text.
pub type GeneratedFile = (&'static str, String);

pub fn all() -> Vec<GeneratedFile> {
    let header = header();
    vec![
        ("include/merchantpay.h", for_users(&header)),
        ("include/merchantpay_bindings.h", for_bindings(&header)),
        ("crates/merchantpay-capi/package/libmerchantpay.map", version_script(&header)),
    ]
}

/// Cached, because cbindgen parses the whole crate.
pub fn header() -> String {
    static HEADER: OnceLock<String> = OnceLock::new();
    HEADER.get_or_init(read).clone()
}

fn read() -> String {
    let text = generate(|config| {
        let version = format!(
            "/** The version of this header, as text. */\n#define MPAY_HEADER_VERSION \"{}\"",
            env!("CARGO_PKG_VERSION")
        );
        config.after_includes =
            Some(format!("\n{}\n\n{version}", include_str!("../../header/platform.h").trim()));
        config.header = Some(include_str!("../../header/rules.h").trim().to_owned());
    });
    // C89 has no `//` comments, and allows only a comment after an `#endif`.
    let text = text
        .replace("  // extern \"C\"", "")
        .replace("#endif  // __cplusplus", "#endif")
        .replace("#endif // __cplusplus", "#endif");
    let text = text.replace("(*mpay_", "(MPAY_CALL *mpay_");
    let mut parts: Vec<String> = text.split("\n\n").map(annotated).collect();
    sort(&mut parts);
    parts.join("\n\n")
}

/// cbindgen goes by source file; the generated functions of `typed/` must join their groups.
fn sort(parts: &mut [String]) {
    let first = parts.iter().position(|part| function_name(part).is_some()).unwrap_or_default();
    let last = parts.iter().rposition(|part| function_name(part).is_some()).unwrap_or_default();
    parts[first..=last].sort_by_key(|part| function_name(part).map_or(usize::MAX, groups::place));
}

/// The header for programs: without the functions for bindings, in groups.
pub fn for_users(header: &str) -> String {
    let mut parts = Vec::new();
    let mut before = "";
    for part in header.split("\n\n") {
        if let Some(group) = function_name(part).map(groups::title) {
            if group == groups::BINDINGS {
                continue;
            }
            if group != before {
                parts.push(groups::heading(group));
            }
            before = group;
        }
        parts.push(part.to_owned());
    }
    parts.join("\n\n")
}

pub fn for_bindings(header: &str) -> String {
    let functions: Vec<_> =
        header.split("\n\n").filter(|part| function_name(part).is_some_and(is_for_bindings)).collect();
    include_str!("../../header/bindings.h").replace("@FUNCTIONS@", &functions.join("\n\n"))
}

/// The linker's version script. It has one node for each release, with the functions that were added in that
/// release.
pub fn version_script(header: &str) -> String {
    let mut nodes: BTreeMap<Vec<u32>, Vec<&str>> = BTreeMap::new();
    for part in header.split("\n\n") {
        if let Some(name) = function_name(part) {
            let doc = doc(part);
            let version = since(&doc).split('.').map(|number| number.parse());
            let version =
                version.collect::<Result<_, _>>().unwrap_or_else(|_| panic!("no version in: {doc}"));
            nodes.entry(version).or_default().push(name);
        }
    }
    let mut text =
        "/* The functions that each release has added, by `Since` in the header. Written by `make generate`: do not edit. */\n"
            .to_owned();
    let mut before: Option<String> = None;
    for (version, mut names) in nodes {
        names.sort_unstable();
        let numbers: Vec<_> = version.iter().map(u32::to_string).collect();
        let node = format!("MERCHANTPAY_{}", numbers.join("."));
        text.push_str(&format!("\n{node} {{\n    global:\n        {};\n", names.join(";\n        ")));
        // The first node hides all other symbols, for the whole script.
        let (rest, parent) =
            before.map_or(("    local:\n        *;\n", String::new()), |before| ("", format!(" {before}")));
        text.push_str(&format!("{rest}}}{parent};\n"));
        before = Some(node);
    }
    text
}

pub fn function_name(part: &str) -> Option<&str> {
    let (_, declaration) = declared(part)?;
    declaration.split('(').next()?.rsplit([' ', '*']).next()
}

/// The comment and the declaration, if the part is a function.
fn declared(part: &str) -> Option<(&str, &str)> {
    part.rsplit_once(" */\n").filter(|(_, declaration)| declaration.starts_with("MPAY_"))
}

/// The comment of a part, in one line.
pub fn doc(part: &str) -> String {
    let comment = part.rsplit("/**").next().and_then(|rest| rest.split("*/").next()).unwrap_or_default();
    joined(&comment.replace("\n *", " "))
}

pub fn declaration(part: &str) -> String {
    joined(part.rsplit("*/\n").next().unwrap_or_default())
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn since(doc: &str) -> &str {
    doc.rsplit("Since ").next().unwrap_or_default().trim_end_matches('.')
}

pub fn is_for_bindings(name: &str) -> bool {
    groups::title(name) == groups::BINDINGS
}

/// A part of the header with the function's attributes: its calling convention, and whether the caller must
/// check its result.
fn annotated(part: &str) -> String {
    let Some((comment, declaration)) = declared(part) else { return part.to_owned() };
    let declaration = joined(declaration);
    let name = function_name(part).unwrap_or_default();
    let (return_type, signature) =
        declaration.split_at(declaration.find(&format!("{name}(")).unwrap_or_default());
    let is_void = return_type.trim_end().ends_with("void");
    let may_be_ignored = is_void || is_setter(signature) || name == MAY_BE_IGNORED;
    let nodiscard = if may_be_ignored { "" } else { "MPAY_NODISCARD " };
    format!("{comment} */\n{}", wrapped(&format!("{nodiscard}{return_type}MPAY_CALL {signature}")))
}

/// A function that changes a handle and has no error parameter: the handle remembers the error.
pub fn is_setter(signature: &str) -> bool {
    let first = signature.split_once('(').map_or("", |(_, parameters)| parameters);
    !signature.ends_with(ERROR_PARAMETER)
        && first.starts_with("mpay_")
        && first.split(',').next().is_some_and(|first| first.contains('*'))
}

fn wrapped(declaration: &str) -> String {
    if declaration.len() <= WIDTH {
        return declaration.to_owned();
    }
    let (name, parameters) = declaration.split_once('(').unwrap_or((declaration, ""));
    format!("{name}(\n    {}", parameters.replace(", ", ",\n    "))
}

fn generate(change: impl FnOnce(&mut cbindgen::Config)) -> String {
    let mut config =
        cbindgen::Config::from_file(Path::new(CRATE).join("cbindgen.toml")).expect("cbindgen.toml");
    change(&mut config);
    let bindings = cbindgen::Builder::new()
        .with_crate(CRATE)
        .with_config(config)
        .generate()
        .expect("the crate can be read");
    let mut text = Vec::new();
    bindings.write(&mut text);
    String::from_utf8(text).expect("a header is text")
}
