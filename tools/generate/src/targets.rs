//! The files that are generated, and their templates.

use std::path::Path;

use minijinja::{Environment, UndefinedBehavior, Value, context};

use crate::definition::Definition;
use crate::{Fault, filters, formatters};

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
    Target { template: "c/names.rs.j2", each: None, file: "crates/merchantpay-capi/src/names.rs" },
    Target { template: "c/payment_request_fields.rs.j2", each: None, file: "crates/merchantpay-capi/src/payment_request_fields.rs" },
    Target { template: "c/payment_fields.rs.j2", each: None, file: "crates/merchantpay-capi/src/payment_fields.rs" },
    Target { template: "c/protocol_operations.rs.j2", each: None, file: "crates/merchantpay-capi/src/protocol_operations.rs" },
    Target { template: "c/fields.h.j2", each: None, file: "crates/merchantpay-capi/tests/c/fields.h" },
    Target { template: "c/fields.h.j2", each: None, file: "tests/conformance/programs/c/fields.h" },
    Target { template: "cpp/fields.hpp.j2", each: None, file: "tests/conformance/programs/cpp/fields.hpp" },
    Target { template: "cpp/merchantpay.hpp.j2", each: None, file: "include/merchantpay.hpp" },
];

/// Every generated file with its text.
pub(crate) fn rendered() -> Result<Vec<(String, String)>, Fault> {
    let environment = environment();
    let definition = Value::from_serialize(Definition::read());
    let mut files = Vec::new();
    for target in TARGETS {
        let rows = match target.each {
            Some(list) => definition.get_attr(list)?.try_iter()?.collect(),
            None => vec![Value::UNDEFINED],
        };
        for row in rows {
            let context = context! { row => row, ..definition.clone() };
            let file = environment.render_str(target.file, &context)?;
            let text = environment.get_template(target.template)?.render(&context)?;
            files.push((file, formatted(target.template, &text)?));
        }
    }
    Ok(files)
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
    environment.add_filter("doc", |text: &str, language: &str| filters::doc(text, language));
    environment.add_filter("wrap", |text: &str, width: usize, prefix: &str| filters::wrap(text, width, prefix));
    environment.add_filter("pad", |text: &str, width: usize| filters::pad(text, width));
    environment.add_filter("lower_first", |text: &str| filters::lower_first(text));
    environment
}
