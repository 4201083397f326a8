//! The files that are generated, and their templates.

use std::path::Path;

use minijinja::{Environment, UndefinedBehavior, Value, context};

use crate::definition::Definition;
use crate::{Fault, error_texts, filters, formatters};

/// One generated file, or one for each row of a list.
struct Target {
    /// In `templates/`.
    template: &'static str,
    /// The list of the definition whose rows have a file each, which see their row as `row`.
    each: Option<&'static str>,
    /// The file, itself a template.
    file: &'static str,
}

const TARGETS: &[Target] = &[
    Target { template: "c/constants.rs.j2", each: None, file: "crates/merchantpay-capi/src/constants.rs" },
    Target {
        template: "c/journal_constants.rs.j2",
        each: None,
        file: "crates/merchantpay-capi/src/journal_constants.rs",
    },
    Target { template: "c/names.rs.j2", each: None, file: "crates/merchantpay-capi/src/names.rs" },
    Target {
        template: "c/payment_request_fields.rs.j2",
        each: None,
        file: "crates/merchantpay-capi/src/payment_request_fields.rs",
    },
    Target {
        template: "c/payment_fields.rs.j2",
        each: None,
        file: "crates/merchantpay-capi/src/payment_fields.rs",
    },
    Target { template: "c/merchantpay.ffi.h.j2", each: None, file: "include/merchantpay.ffi.h" },
    Target { template: "c/merchantpay.ffi.h.j2", each: None, file: "bindings/php/merchantpay.ffi.h" },
    Target {
        template: "pascal/merchantpay_api.pas.j2",
        each: None,
        file: "bindings/pascal/merchantpay_api.pas",
    },
    Target { template: "docs/errors.md.j2", each: None, file: "docs/errors.md" },
    Target { template: "docs/error-texts.md.j2", each: None, file: "docs/error-texts.md" },
    Target { template: "docs/settings.md.j2", each: None, file: "docs/settings.md" },
    Target { template: "go/words.go.j2", each: None, file: "bindings/go/words.go" },
    Target { template: "go/journal_words.go.j2", each: None, file: "bindings/go/journal_words.go" },
    Target { template: "go/journal_config.go.j2", each: None, file: "bindings/go/journal_config.go" },
    Target { template: "go/entry_fields.go.j2", each: None, file: "bindings/go/entry_fields.go" },
    Target { template: "go/payment_fields.go.j2", each: None, file: "bindings/go/payment_fields.go" },
    Target { template: "go/request_fields.go.j2", each: None, file: "bindings/go/request_fields.go" },
    Target { template: "go/config_fields.go.j2", each: None, file: "bindings/go/config_fields.go" },
    Target { template: "go/definition_test.go.j2", each: None, file: "bindings/go/definition_test.go" },
    Target { template: "go/request.h.j2", each: None, file: "bindings/go/internal/capi/request.h" },
    Target { template: "go/request.c.j2", each: None, file: "bindings/go/internal/capi/request.c" },
    Target {
        template: "go/request_texts.go.j2",
        each: None,
        file: "bindings/go/internal/capi/request_texts.go",
    },
    Target {
        template: "go/conformance_fields.go.j2",
        each: None,
        file: "tests/conformance/programs/go/fields.go",
    },
    Target {
        template: "python/entry_fields.rs.j2",
        each: None,
        file: "crates/merchantpay-python/src/journal/entry_fields.rs",
    },
    Target {
        template: "python/journal_operations.rs.j2",
        each: None,
        file: "crates/merchantpay-python/src/journal/operations.rs",
    },
    Target {
        template: "python/journal_settings.rs.j2",
        each: None,
        file: "crates/merchantpay-python/src/journal/settings.rs",
    },
    Target {
        template: "python/operations.rs.j2",
        each: None,
        file: "crates/merchantpay-python/src/operations.rs",
    },
    Target {
        template: "python/payment_fields.rs.j2",
        each: None,
        file: "crates/merchantpay-python/src/payment_fields.rs",
    },
    Target {
        template: "python/request_arguments.rs.j2",
        each: None,
        file: "crates/merchantpay-python/src/request_arguments.rs",
    },
    Target {
        template: "python/settings.rs.j2",
        each: None,
        file: "crates/merchantpay-python/src/settings.rs",
    },
    Target {
        template: "python/settings_documentation.rs.j2",
        each: None,
        file: "crates/merchantpay-python/src/settings_documentation.rs",
    },
    Target {
        template: "python/__init__.py.j2",
        each: None,
        file: "bindings/python/python/merchantpay/__init__.py",
    },
    Target {
        template: "python/words.py.j2",
        each: None,
        file: "bindings/python/python/merchantpay/_words.py",
    },
    Target {
        template: "python/error_classes.py.j2",
        each: None,
        file: "bindings/python/python/merchantpay/_error_classes.py",
    },
    Target {
        template: "python/_merchantpay.pyi.j2",
        each: None,
        file: "bindings/python/python/merchantpay/_merchantpay.pyi",
    },
    Target { template: "python/names.py.j2", each: None, file: "tests/conformance/programs/python/names.py" },
    Target { template: "php/Attention.php.j2", each: None, file: "bindings/php/src/Attention.php" },
    Target { template: "php/Balance.php.j2", each: None, file: "bindings/php/src/Balance.php" },
    Target {
        template: "php/ClientInterface.php.j2",
        each: None,
        file: "bindings/php/src/ClientInterface.php",
    },
    Target { template: "php/Code.php.j2", each: None, file: "bindings/php/src/Code.php" },
    Target { template: "php/EventKind.php.j2", each: None, file: "bindings/php/src/EventKind.php" },
    Target { template: "php/Intent.php.j2", each: None, file: "bindings/php/src/Intent.php" },
    Target { template: "php/Level.php.j2", each: None, file: "bindings/php/src/Level.php" },
    Target { template: "php/Outcome.php.j2", each: None, file: "bindings/php/src/Outcome.php" },
    Target { template: "php/Paid.php.j2", each: None, file: "bindings/php/src/Paid.php" },
    Target { template: "php/PaymentMethod.php.j2", each: None, file: "bindings/php/src/PaymentMethod.php" },
    Target { template: "php/Reason.php.j2", each: None, file: "bindings/php/src/Reason.php" },
    Target { template: "php/Rounding.php.j2", each: None, file: "bindings/php/src/Rounding.php" },
    Target { template: "php/Standing.php.j2", each: None, file: "bindings/php/src/Standing.php" },
    Target { template: "php/Status.php.j2", each: None, file: "bindings/php/src/Status.php" },
    Target { template: "php/Until.php.j2", each: None, file: "bindings/php/src/Until.php" },
    Target {
        template: "php/Exception.php.j2",
        each: Some("codes"),
        file: "bindings/php/src/Exception/{{ row.name | pascal }}Exception.php",
    },
    Target {
        template: "php/ClientOperations.php.j2",
        each: None,
        file: "bindings/php/src/Ffi/ClientOperations.php",
    },
    Target { template: "php/EntryFields.php.j2", each: None, file: "bindings/php/src/Ffi/EntryFields.php" },
    Target {
        template: "php/JournalOperations.php.j2",
        each: None,
        file: "bindings/php/src/Ffi/JournalOperations.php",
    },
    Target {
        template: "php/PaymentFields.php.j2",
        each: None,
        file: "bindings/php/src/Ffi/PaymentFields.php",
    },
    Target {
        template: "php/ProtocolOperations.php.j2",
        each: None,
        file: "bindings/php/src/Ffi/ProtocolOperations.php",
    },
    Target { template: "php/SettingTable.php.j2", each: None, file: "bindings/php/src/Ffi/SettingTable.php" },
    Target { template: "php/Settings.php.j2", each: None, file: "bindings/php/src/Ffi/Settings.php" },
    Target {
        template: "c/protocol_operations.rs.j2",
        each: None,
        file: "crates/merchantpay-capi/src/protocol_operations.rs",
    },
    Target { template: "c/fields.h.j2", each: None, file: "tests/conformance/programs/c/fields.h" },
    Target { template: "cpp/fields.hpp.j2", each: None, file: "tests/conformance/programs/cpp/fields.hpp" },
    Target { template: "cpp/merchantpay.hpp.j2", each: None, file: "include/merchantpay.hpp" },
];

/// Every generated file with its text.
pub(crate) fn rendered() -> Result<Vec<(String, String)>, Fault> {
    let environment = environment();
    let abi = abi()?;
    let definition = Value::from_serialize(Definition::read());
    let error_texts = Value::from_serialize(error_texts::read(&crate::root())?);
    let mut files = Vec::new();
    for target in TARGETS {
        let rows = match target.each {
            Some(list) => definition.get_attr(list)?.try_iter()?.collect(),
            None => vec![Value::UNDEFINED],
        };
        for row in rows {
            let context =
                context! { row => row, error_texts => error_texts, abi => abi, ..definition.clone() };
            let file = environment.render_str(target.file, &context)?;
            let text = environment.get_template(target.template)?.render(&context)?;
            files.push((file, formatted(target.template, &text)?));
        }
    }
    Ok(files)
}

/// The functions of the C library, which are read from its header: `make headers` writes the file first.
fn abi() -> Result<Value, Fault> {
    let text = std::fs::read_to_string(crate::root().join("include/merchantpay.json"))?;
    Ok(Value::from_serialize(serde_json::from_str::<serde_json::Value>(&text)?))
}

fn formatted(template: &str, text: &str) -> Result<String, Fault> {
    if template.ends_with(".rs.j2") { formatters::rust(text) } else { Ok(text.to_owned()) }
}

/// Undefined names are faults, blocks leave no empty lines, and the text ends as the template does.
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
    environment.add_filter("kebab", |name: &str| filters::kebab(name));
    environment.add_filter("go_name", |name: &str| filters::go_name(name));
    environment.add_filter("python_error", |code: &str| filters::python_error(code));
    environment.add_filter("doc", |text: &str, language: &str| filters::doc(text, language));
    environment
        .add_filter("wrap", |text: &str, width: usize, prefix: &str| filters::wrap(text, width, prefix));
    environment.add_filter("pad", |text: &str, width: usize| filters::pad(text, width));
    environment.add_filter("lower_first", |text: &str| filters::lower_first(text));
    environment
}
