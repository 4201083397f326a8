//! The generated files and their templates.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use minijinja::{Environment, Template, UndefinedBehavior, Value, context};

use crate::definition::definition;
use crate::{Fault, c, filters, marks};

/// The templates that write one file for each row of a list. In the template the row is `row`. The list is an
/// expression, and the file name is a template, too.
const EACH: &[(&str, &str, &str)] = &[
    ("codes", "Exception.php.j2", "bindings/php/src/Exception/{{ row.name | pascal }}Exception.php"),
    ("lists | rejectattr('name', 'eq', 'Balance')", "Enum.php.j2", "bindings/php/src/{{ row.name }}.php"),
    (
        "abi.records | selectattr('name', 'in', ['amounts', 'event', 'explanation', 'received', 'settled'])",
        "Value.php.j2",
        "{% import 'php.j2' as php %}bindings/php/src/{{ php.makers[row.name][0] }}.php",
    ),
    ("groups", "typed.rs.j2", "crates/merchantpay-capi/src/typed/{{ row.name }}.rs"),
    (GO_PLATFORMS, "lib_go.mod.j2", "bindings/go/internal/lib/{{ row }}/go.mod"),
    (GO_PLATFORMS, "lib_link.go.j2", "bindings/go/internal/lib/{{ row }}/link.go"),
    (
        GO_PLATFORMS,
        "link.go.j2",
        "bindings/go/internal/waist/link_{{ 'musl_' if 'musl' in row }}{{ row | replace('_musl', '') }}.go",
    ),
];

/// The platforms for which Go has a module with the C library.
const GO_PLATFORMS: &str = "['linux_amd64', 'linux_amd64_musl', 'linux_arm', 'linux_arm64', 'linux_arm64_musl', \
                            'windows_386', 'windows_amd64']";

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
    let all = context! { abi => abi()?, groups => c::groups(&crate::root())?, places => c::places(), ..definition() };
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
    let whole = files.iter().filter(|(_, text)| !text.contains("generated: begin "));
    let lines: String = whole.map(|(file, _)| format!("{file} linguist-generated\n")).collect();
    marks::replaced(source, |_| Ok(lines.clone()))
}

fn whole(template: &Template<'_, '_>, context: &Value) -> Result<String, Fault> {
    formatted(template, template.render(context)?)
}

/// The source file, in which the template's blocks replace the text between the marks of the same names.
fn marked(template: &Template<'_, '_>, context: &Value, source: &str) -> Result<String, Fault> {
    let names: Vec<&str> = marks::parts(source)?.into_iter().map(|(name, _)| name).collect();
    for block in template.source().split("{% block ").skip(1) {
        let name = block.split_whitespace().next().unwrap_or_default();
        if names.iter().filter(|known| **known == name).count() != 1 {
            return Err(format!("it must have one part {name}").into());
        }
    }
    let mut captured = template.render_captured(context)?;
    let block = |name: &str| Ok(captured.with_state_mut(|state| state.render_block(name))?);
    let written = formatted(template, marks::replaced(source, block)?)?;
    // The formatter's changes outside the marks are discarded.
    let mut parts = marks::parts(&written)?.into_iter().map(|(_, place)| written[place].to_owned());
    marks::replaced(source, |name| parts.next().ok_or_else(|| format!("part {name} is lost").into()))
}

/// Reads the functions of the C library from the library's description, which `make headers` writes first.
fn abi() -> Result<Value, Fault> {
    let text = std::fs::read_to_string(crate::root().join("include/merchantpay.json"))?;
    Ok(Value::from_serialize(serde_json::from_str::<serde_json::Value>(&text)?))
}

fn formatted(template: &Template<'_, '_>, text: String) -> Result<String, Fault> {
    if template.name().ends_with(".rs.j2") { rustfmt(&text) } else { Ok(text) }
}

/// The text as rustfmt writes it, because a template cannot make every layout.
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

/// Makes the environment of the templates: an undefined name is an error, a block leaves no empty line, and
/// the text keeps the template's last line end.
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
    environment.add_filter("snake", filters::snake);
    environment.add_filter("pascal", filters::pascal);
    environment.add_filter("camel", filters::camel);
    environment.add_filter("go_name", filters::go_name);
    environment.add_filter("doc", filters::doc);
    environment.add_filter("reword", filters::reword);
    environment.add_filter("wrap", filters::wrap);
    environment.add_filter("docstring", filters::docstring);
    environment.add_filter("lower_first", filters::lower_first);
    Ok(environment)
}

/// The files below a folder.
fn templates(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(templates(&path)?) } else { found.push(path) }
    }
    Ok(found)
}
