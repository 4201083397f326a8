//! The generated files and their templates.

use std::path::Path;

use minijinja::{Environment, Template, UndefinedBehavior, Value, context};

use crate::definition::Definition;
use crate::{Fault, c, filters, formatters, marks};

/// The templates, each with its file. A template with blocks is for a file that is otherwise hand-written:
/// each block writes the part with its name between the file's marks.
const FILES: &[(&str, &str)] = &[
    ("c/constants.rs.j2", "crates/merchantpay-capi/src/constants.rs"),
    ("c/journal_constants.rs.j2", "crates/merchantpay-capi/src/journal_constants.rs"),
    ("c/places.rs.j2", "crates/merchantpay-capi/src/places.rs"),
    ("c/typed_mod.rs.j2", "crates/merchantpay-capi/src/typed/mod.rs"),
    ("c/merchantpay.ffi.h.j2", "include/merchantpay.ffi.h"),
    ("pascal/merchantpay_api.pas.j2", "bindings/pascal/src/merchantpay_api.pas"),
    ("pascal/merchantpay_calls.pas.j2", "bindings/pascal/src/merchantpay_calls.pas"),
    ("pascal/merchantpay_objects.pas.j2", "bindings/pascal/src/merchantpay_objects.pas"),
    ("pascal/journal.inc.j2", "bindings/pascal/src/journal.inc"),
    ("dotnet/Calls.cs.j2", "bindings/dotnet/src/Interop/Calls.cs"),
    ("dotnet/Names.cs.j2", "bindings/dotnet/src/Interop/Names.cs"),
    ("dotnet/Records.cs.j2", "bindings/dotnet/src/Records.cs"),
    ("dotnet/Words.cs.j2", "bindings/dotnet/src/Words.cs"),
    ("dotnet/Methods.cs.j2", "bindings/dotnet/src/Methods.cs"),
    ("dotnet/Exceptions.cs.j2", "bindings/dotnet/src/Errors/Exceptions.cs"),
    ("dotnet/Requests.cs.j2", "bindings/dotnet/src/Payments/Requests.cs"),
    ("dotnet/OptionSettings.cs.j2", "bindings/dotnet/src/Client/OptionSettings.cs"),
    ("dotnet/JournalSettings.cs.j2", "bindings/dotnet/src/Journal/JournalSettings.cs"),
    ("docs/errors.md.j2", "docs/errors.md"),
    ("docs/settings.md.j2", "docs/settings.md"),
    ("go/words.go.j2", "bindings/go/words.go"),
    ("go/records.go.j2", "bindings/go/records.go"),
    ("go/operations.go.j2", "bindings/go/operations.go"),
    ("go/settings.go.j2", "bindings/go/settings.go"),
    ("go/redaction.go.j2", "bindings/go/redaction.go"),
    ("go/frames.go.j2", "bindings/go/internal/waist/frames.go"),
    ("python/types.py.j2", "bindings/python/python/merchantpay/_generated/types.py"),
    ("python/words.py.j2", "bindings/python/python/merchantpay/_generated/words.py"),
    ("python/error_classes.py.j2", "bindings/python/python/merchantpay/_generated/error_classes.py"),
    ("python/error_fields.py.j2", "bindings/python/python/merchantpay/_generated/error_fields.py"),
    ("python/fields.py.j2", "bindings/python/python/merchantpay/_generated/fields.py"),
    ("python/entry_fields.py.j2", "bindings/python/python/merchantpay/_generated/entry_fields.py"),
    ("python/settings.py.j2", "bindings/python/python/merchantpay/_generated/settings.py"),
    ("python/operations.py.j2", "bindings/python/python/merchantpay/_generated/operations.py"),
    ("python/journal_methods.py.j2", "bindings/python/python/merchantpay/_generated/journal_methods.py"),
    ("python/async_methods.py.j2", "bindings/python/python/merchantpay/_generated/async_methods.py"),
    ("python/like.py.j2", "bindings/python/python/merchantpay/_generated/like.py"),
    ("php/merchantpay.ffi.h.j2", "bindings/php/merchantpay.ffi.h"),
    ("php/ErrorFields.php.j2", "bindings/php/src/Ffi/ErrorFields.php"),
    ("php/ExceptionInterface.php.j2", "bindings/php/src/Exception/ExceptionInterface.php"),
    ("php/Calls.php.j2", "bindings/php/src/Ffi/Calls.php"),
    ("php/Records.php.j2", "bindings/php/src/Ffi/Records.php"),
    ("php/Balance.php.j2", "bindings/php/src/Balance.php"),
    ("php/ClientInterface.php.j2", "bindings/php/src/ClientInterface.php"),
    ("php/JournalInterface.php.j2", "bindings/php/src/JournalInterface.php"),
    ("php/PaymentMethod.php.j2", "bindings/php/src/PaymentMethod.php"),
    ("php/Status.php.j2", "bindings/php/src/Status.php"),
    ("php/ClientOperations.php.j2", "bindings/php/src/Ffi/ClientOperations.php"),
    ("php/EntryFields.php.j2", "bindings/php/src/Ffi/EntryFields.php"),
    ("php/JournalOperations.php.j2", "bindings/php/src/Ffi/JournalOperations.php"),
    ("php/PaymentFields.php.j2", "bindings/php/src/Ffi/PaymentFields.php"),
    ("php/ProtocolOperations.php.j2", "bindings/php/src/Ffi/ProtocolOperations.php"),
    ("php/Settings.php.j2", "bindings/php/src/Ffi/Settings.php"),
    ("c/calls.h.j2", "tests/contract/adapters/c/calls.h"),
    ("c/fields.h.j2", "tests/contract/adapters/c/fields.h"),
    ("cpp/merchantpay.hpp.j2", "include/merchantpay.hpp"),
];

/// The templates that write one file for each row of a list. In the template the row is `row`. The list is an
/// expression, and the file name is a template, too.
const EACH: &[(&str, &str, &str)] = &[
    ("codes", "php/Exception.php.j2", "bindings/php/src/Exception/{{ row.name | pascal }}Exception.php"),
    (
        "lists | rejectattr('name', 'in', ['Balance', 'Status'])",
        "php/Enum.php.j2",
        "bindings/php/src/{{ row.name }}.php",
    ),
    (
        "abi.records | selectattr('name', 'in', ['amounts', 'event', 'explanation', 'received', 'settled'])",
        "php/Value.php.j2",
        "{% import 'php/php.j2' as php %}bindings/php/src/{{ php.makers[row.name][0] }}.php",
    ),
    ("groups", "c/typed.rs.j2", "crates/merchantpay-capi/src/typed/{{ row.name }}.rs"),
    (GO_PLATFORMS, "go/lib_go.mod.j2", "bindings/go/internal/lib/{{ row }}/go.mod"),
    (GO_PLATFORMS, "go/lib_link.go.j2", "bindings/go/internal/lib/{{ row }}/link.go"),
    (
        GO_PLATFORMS,
        "go/link.go.j2",
        "bindings/go/internal/waist/link_{{ 'musl_' if 'musl' in row }}{{ row | replace('_musl', '') }}.go",
    ),
];

/// The platforms for which Go has a module with the C library.
const GO_PLATFORMS: &str = "['linux_amd64', 'linux_amd64_musl', 'linux_arm', 'linux_arm64', 'linux_arm64_musl', \
                            'windows_386', 'windows_amd64']";

/// Every generated file with its text. The marked files are read in `root`.
///
/// # Errors
///
/// A template that cannot be rendered, or a marked file without its marks.
pub fn rendered(root: &Path) -> Result<Vec<(String, String)>, Fault> {
    let environment = environment();
    let definition = Value::from_serialize(Definition::read());
    let all = context! { abi => abi()?, groups => c::groups(&crate::root())?, places => c::places(), ..definition.clone() };
    let mut files = Vec::new();
    for (template, file) in FILES {
        let template = environment.get_template(template)?;
        let text = if template.source().contains("{% block ") {
            marked(&template, &all, &std::fs::read_to_string(root.join(file))?)
        } else {
            whole(&template, &all)
        };
        files.push(((*file).to_owned(), text.map_err(|fault| format!("{file}: {fault}"))?));
    }
    for (list, template, file) in EACH {
        for row in environment.compile_expression(list)?.eval(&all)?.try_iter()? {
            let context = context! { row => row, ..all.clone() };
            let text = whole(&environment.get_template(template)?, &context)?;
            files.push((environment.render_str(file, &context)?, text));
        }
    }
    Ok(files)
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
    if template.name().ends_with(".rs.j2") { formatters::rust(&text) } else { Ok(text) }
}

/// Makes the environment of the templates: an undefined name is an error, a block leaves no empty line, and
/// the text keeps the template's last line end.
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_keep_trailing_newline(true);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    environment.set_loader(move |name| match std::fs::read_to_string(templates.join(name)) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Ok(None),
    });
    environment.add_filter("snake", |name: &str| filters::snake(name));
    environment.add_filter("screaming", |name: &str| filters::screaming(name));
    environment.add_filter("pascal", |name: &str| filters::pascal(name));
    environment.add_filter("camel", |name: &str| filters::camel(name));
    environment.add_filter("go_name", |name: &str| filters::go_name(name));
    environment.add_filter("python_error", |code: &str| filters::python_error(code));
    environment.add_filter("doc", |text: &str, language: &str| filters::doc(text, language));
    environment.add_filter("reword", |text: &str, part: &str, replacement: &str| {
        filters::reword(text, part, replacement)
    });
    environment
        .add_filter("wrap", |text: &str, width: usize, prefix: &str| filters::wrap(text, width, prefix));
    environment.add_filter("pad", |text: &str, width: usize| filters::pad(text, width));
    environment.add_filter("docstring", |texts: Vec<String>| filters::docstring(&texts));
    environment.add_filter("lower_first", |text: &str| filters::lower_first(text));
    environment
}
