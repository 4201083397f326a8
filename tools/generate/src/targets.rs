//! The generated files and their templates.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use heck::{ToLowerCamelCase, ToSnakeCase, ToUpperCamelCase};
use minijinja::{Environment, Template, UndefinedBehavior, Value, context};

use crate::definition::definition;
use crate::{Fault, c, filters};

/// Templates for a file a row of a list, which is `row` in the template. The list is an expression, and the file name a
/// template too.
const EACH: &[(&str, &str, &str)] = &[
    ("words.Code", "Exception.php.j2", "bindings/php/src/Exception/{{ row.name | pascal }}Exception.php"),
    ("lists | rejectattr('name', 'eq', 'Balance')", "Enum.php.j2", "bindings/php/src/{{ row.name }}.php"),
    (
        "abi.records | selectattr('name', 'in', ['amounts', 'event', 'explanation', 'received', 'settled'])",
        "Value.php.j2",
        "{% import 'php.j2' as php %}bindings/php/src/{{ php.makers[row.name][0] }}.php",
    ),
    ("groups", "typed.rs.j2", "crates/merchantpay-capi/src/typed/{{ row.name }}.rs"),
    ("go_platforms", "lib_go.mod.j2", "bindings/go/internal/lib/{{ row }}/go.mod"),
    ("go_platforms", "lib_link.go.j2", "bindings/go/internal/lib/{{ row }}/link.go"),
    (
        "go_platforms",
        "link.go.j2",
        "bindings/go/internal/waist/link_{{ 'musl_' if 'musl' in row }}{{ row | replace('_musl', '') }}.go",
    ),
];

/// The last column of the release's targets: for these Go has a module with the C library.
fn go_platforms() -> Result<Vec<String>, Fault> {
    let targets = std::fs::read_to_string(crate::root().join("tools/release/targets"))?;
    let rows = targets.lines().filter(|line| !line.starts_with('#'));
    let names = rows.filter_map(|row| row.split_whitespace().last()).filter(|name| *name != "-");
    Ok(names.map(str::to_owned).collect())
}

/// Every generated file with its text. The marked files are read in `root`.
///
/// A template in a folder writes the file of its own path; the others write several files, or are imported. A
/// template with blocks is for a file that is otherwise hand-written: each block writes the part with its name
/// between the file's marks.
///
/// # Errors
///
/// A template that cannot be rendered, or a marked file without its marks.
pub fn rendered(root: &Path) -> Result<Vec<(String, String)>, Fault> {
    let environment = environment()?;
    let all = context! {
        abi => abi()?,
        groups => c::groups(&crate::root())?,
        places => c::places(),
        go_platforms => go_platforms()?,
        ..definition()
    };
    let mut files = Vec::new();
    // Collected, because the iterator holds a lock that rendering needs.
    let names: Vec<String> = environment.templates().map(|(name, _)| name.to_owned()).collect();
    for name in names.iter().filter(|name| name.contains('/')) {
        let (template, file) = (environment.get_template(name)?, name.trim_end_matches(".j2"));
        let text = if template.source().contains("{% block ") {
            marked(&template, &all, &std::fs::read_to_string(root.join(file))?)
        } else {
            whole(&template, &all)
        };
        files.push((file.to_owned(), text.map_err(|fault| format!("{file}: {fault}"))?));
    }
    for (list, template, file) in EACH {
        for row in environment.compile_expression(list)?.eval(&all)?.try_iter()? {
            let context = context! { row => row, ..all.clone() };
            let text = whole(&environment.get_template(template)?, &context)?;
            files.push((environment.render_str(file, &context)?, text));
        }
    }
    files.sort();
    let attributes = attributes(&files, &std::fs::read_to_string(root.join(ATTRIBUTES))?)?;
    files.push((ATTRIBUTES.to_owned(), attributes));
    Ok(files)
}

/// The file by which linters and the line count know the generated files; a file with marks is hand-written.
const ATTRIBUTES: &str = ".gitattributes";

fn attributes(files: &[(String, String)], source: &str) -> Result<String, Fault> {
    let whole = files.iter().filter(|(_, text)| !text.contains(BEGIN));
    let lines: String = whole.map(|(file, _)| format!("{file} linguist-generated\n")).collect();
    replaced(source, |_| Ok(lines.clone()))
}

fn whole(template: &Template<'_, '_>, context: &Value) -> Result<String, Fault> {
    let text = tidy(&template.render(context)?);
    if template.name().ends_with(".rs.j2") { rustfmt(&text) } else { Ok(text) }
}

/// Drops the empty line that a list's last item leaves before a brace.
fn tidy(text: &str) -> String {
    let mut tidied = String::new();
    for line in text.trim_end().lines() {
        if line.trim_start().starts_with('}') && tidied.ends_with("\n\n") {
            tidied.pop();
        }
        tidied.push_str(line);
        tidied.push('\n');
    }
    tidied
}

/// The template's blocks replace the text between the marks of the same names.
fn marked(template: &Template<'_, '_>, context: &Value, source: &str) -> Result<String, Fault> {
    let words = template.source().split("{% block ").skip(1);
    let mut blocks: BTreeSet<&str> = words.filter_map(|block| block.split_whitespace().next()).collect();
    let mut captured = template.render_captured(context)?;
    let text = replaced(source, |name| {
        if !blocks.remove(name) {
            return Err(format!("part {name} has no block of its own").into());
        }
        Ok(captured.with_state_mut(|state| state.render_block(name))?)
    })?;
    if blocks.is_empty() { Ok(text) } else { Err(format!("it has no part {blocks:?}").into()) }
}

const BEGIN: &str = "generated: begin ";

/// Replaces each part of a source, between two lines of comment with `generated: begin NAME` and `generated: end`.
fn replaced(source: &str, mut part: impl FnMut(&str) -> Result<String, Fault>) -> Result<String, Fault> {
    let (mut text, mut inside) = (String::new(), false);
    for line in source.split_inclusive('\n') {
        let begun = line.split_once(BEGIN).and_then(|(_, name)| name.split_whitespace().next());
        let ended = line.contains("generated: end");
        if begun.is_some() && inside || ended && !inside {
            return Err(format!("a mark that does not match: {line}").into());
        }
        inside &= !ended;
        if !inside {
            text.push_str(line);
        }
        if let Some(name) = begun {
            text.push_str(&part(name)?);
            inside = true;
        }
    }
    if inside { Err("the last part does not end".into()) } else { Ok(text) }
}

/// The C library's description of itself, which `make headers` writes first.
fn abi() -> Result<Value, Fault> {
    let text = std::fs::read_to_string(crate::root().join("include/merchantpay.json"))?;
    Ok(Value::from_serialize(serde_json::from_str::<serde_json::Value>(&text)?))
}

/// Because a template cannot make every layout.
fn rustfmt(text: &str) -> Result<String, Fault> {
    let mut formatter = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout", "--config-path"])
        .arg(crate::root().join("rustfmt.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    formatter.stdin.take().ok_or("rustfmt takes no text")?.write_all(text.as_bytes())?;
    let formatted = formatter.wait_with_output()?;
    if !formatted.status.success() {
        return Err("rustfmt cannot read what the template wrote".into());
    }
    Ok(String::from_utf8(formatted.stdout)?)
}

fn environment() -> Result<Environment<'static>, Fault> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_keep_trailing_newline(true);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    for path in templates(&folder)? {
        let name = path.strip_prefix(&folder)?.to_string_lossy().into_owned();
        environment.add_template_owned(name, std::fs::read_to_string(path)?)?;
    }
    environment.add_filter("named", filters::named);
    environment.add_filter("snake", |name: &str| name.to_snake_case());
    environment.add_filter("pascal", |name: &str| name.to_upper_camel_case());
    environment.add_filter("camel", |name: &str| name.to_lower_camel_case());
    environment.add_filter("go_name", filters::go_name);
    environment.add_filter("doc", filters::doc);
    environment.add_filter("reword", filters::reword);
    environment.add_filter("wrap", filters::wrap);
    environment.add_filter("docstring", filters::docstring);
    environment.add_filter("lower_first", filters::lower_first);
    Ok(environment)
}

fn templates(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(templates(&path)?) } else { found.push(path) }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #[test]
    fn unmatched_marks_are_faults() {
        for marks in [vec!["begin one"], vec!["end"], vec!["begin one", "begin two", "end"]] {
            let source: String = marks.iter().map(|mark| format!("// generated: {mark}\n")).collect();
            assert!(super::replaced(&source, |_| Ok(String::new())).is_err(), "{source}");
        }
    }
}
