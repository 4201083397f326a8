//! `merchantpay.json` describes every function, callback and constant as a compiler reads it in the header.

mod support;

use std::fs;
use std::process::Command;

use serde_json::Value;
use support::{pkg_config, root, run, scratch};

fn described() -> Value {
    let text = fs::read_to_string(root().join("include/merchantpay.json")).expect("the description");
    serde_json::from_str(&text).expect("JSON")
}

fn rows<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    of[name].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    of[name].as_str().unwrap_or_default()
}

/// A pointer to a function with these parameters and this result.
fn pointer(function: &Value, name: &str) -> String {
    let parameters: Vec<&str> =
        rows(function, "parameters").iter().map(|parameter| text(parameter, "c")).collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let returns = if function["returns"].is_null() { "void" } else { text(&function["returns"], "c") };
    format!("{returns} (MPAY_CALL *{name})({parameters})")
}

/// A C file that compiles only if the whole description is true.
fn claims(description: &Value) -> String {
    let mut file = "#include <merchantpay_bindings.h>\n#include <stdint.h>\n".to_owned();
    for (place, function) in rows(description, "functions").iter().enumerate() {
        let name = text(function, "name");
        file += &format!("extern {};\n", pointer(function, &format!("f{place}")));
        file += &format!("{} = {name};\n", pointer(function, &format!("f{place}")));
    }
    for (place, callback) in rows(description, "callbacks").iter().enumerate() {
        let name = text(callback, "name");
        file += &format!("extern {name} c{place};\n{} = 0;\n", pointer(callback, &format!("c{place}")));
    }
    let enums = rows(description, "enums").iter().flat_map(|one| rows(one, "values"));
    for constant in rows(description, "constants").iter().chain(enums) {
        let (name, value) = (text(constant, "name"), constant["value"].as_i64().expect("a number"));
        let value = if value == i64::MIN { "INT64_MIN".to_owned() } else { value.to_string() };
        file += &format!("typedef char is_{}[({name}) == ({value}) ? 1 : -1];\n", name.to_lowercase());
    }
    file
}

#[test]
fn the_description_for_machines_is_what_a_compiler_reads_in_the_header() {
    let description = described();
    let path = scratch("description").join("claims.c");
    fs::write(&path, claims(&description)).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]);
    run(compiler.args(pkg_config(&["--cflags"])).arg(&path));
}

#[test]
fn the_description_has_every_function_that_is_exported() {
    let symbols = fs::read_to_string(root().join("tests/c/abi/symbols.txt")).expect("the symbols");
    let mut described: Vec<String> =
        rows(&described(), "functions").iter().map(|function| text(function, "name").to_owned()).collect();
    described.sort_unstable();
    assert_eq!(described, symbols.lines().collect::<Vec<_>>());
}

#[test]
fn the_description_follows_the_schema_of_its_page() {
    let page = fs::read_to_string(root().join("docs/c-abi-description.md")).expect("the page");
    let schema = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a schema");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    follows(&described(), &schema, &schema, "merchantpay.json");
}

/// Checks the part of JSON Schema that the page uses.
fn follows(value: &Value, schema: &Value, root: &Value, place: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).expect("a definition");
        return follows(value, target, root, place);
    }
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{place}: {value}");
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        single => single.as_str().into_iter().collect(),
    };
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    assert!(types.is_empty() || types.contains(&is), "{place} is a {is}, not {types:?}");
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        follows(item, &schema["items"], root, &format!("{place}[{index}]"));
    }
    if let (Some(members), Some(known)) = (value.as_object(), schema["properties"].as_object()) {
        for name in rows(schema, "required").iter().filter_map(Value::as_str) {
            assert!(members.contains_key(name), "{place} has no {name}");
        }
        for (name, member) in members {
            let schema = known.get(name).unwrap_or_else(|| panic!("{place}: the schema has no {name}"));
            follows(member, schema, root, &format!("{place}.{name}"));
        }
    }
}
