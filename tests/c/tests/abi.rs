//! The ABI of the built library, its header and its description: the same functions everywhere, and those that
//! are committed in `abi`. Its dependencies and its size.

mod support;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use support::{ABI, root, scratch, sh, unstripped};

const LIBRARY: &str = "$PREFIX/lib/libmerchantpay.so";

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn here() -> PathBuf {
    scratch("abi")
}

/// A number that PACKAGING.md states, between these two texts.
fn stated(before: &str, behind: &str) -> String {
    let text = read("crates/merchantpay-capi/PACKAGING.md");
    let number = text.split_once(before).and_then(|(_, rest)| rest.split_once(behind));
    number.unwrap_or_else(|| panic!("PACKAGING.md does not say {before:?} … {behind:?}")).0.to_owned()
}

/// Each by the version that added it.
#[test]
fn exports_are_functions_of_version_script() {
    let (mut wanted, mut version) = (Vec::new(), "");
    let script = read("crates/merchantpay-capi/package/libmerchantpay.map");
    for line in script.lines().map(str::trim) {
        if let Some(node) = line.strip_suffix(" {") {
            version = node;
            wanted.push(format!("{version} A"));
        } else if line.starts_with("mpay_") {
            wanted.push(format!("{}@@{version} T", line.trim_end_matches(';')));
        }
    }
    wanted.sort();
    // Behind a name and its kind are the address and the size.
    let line = format!(
        "nm -D --defined-only --with-symbol-versions --format=posix {LIBRARY} | cut -d' ' -f1,2 | LC_ALL=C sort"
    );
    assert_eq!(sh(&here(), &line).lines().collect::<Vec<_>>(), wanted);
}

/// Any other global symbol could collide.
#[test]
fn static_library_defines_nothing_but_functions() {
    let line = "nm --defined-only --extern-only --format=just-symbols $PREFIX/lib/libmerchantpay.a | grep -v -e ':$' -e '^$' | LC_ALL=C sort";
    assert_eq!(sh(&here(), line), read("tests/c/abi/symbols.txt"));
}

#[test]
fn header_has_committed_functions_constants_and_types() {
    let folder = scratch("abi-of-header");
    let committed = root().join("tests/c/abi").display().to_string();
    let root = root().display();
    sh(&folder, &format!("{root}/tools/dev/abi . {root}/include/merchantpay.h"));
    for compare in [
        "diff {}/symbols.txt symbols.txt",
        "diff {}/constants.txt constants.txt",
        "abidiff {}/merchantpay.abi merchantpay.abi",
    ] {
        // If it fails, run `make generate` and look at the difference.
        sh(&folder, &compare.replace("{}", &committed));
    }
    assert!(read("tests/c/abi/constants.txt").contains("MPAY_NO_MINOR INT64_MIN\n"));
}

fn version(text: &str) -> Vec<u32> {
    text.split('.').map(|part| part.parse().unwrap_or_else(|error| panic!("{text}: {error}"))).collect()
}

#[test]
fn needs_no_newer_glibc_than_stated() {
    let floor = version(&stated("machine that built it, such as ", " on Debian 12"));
    let needed = sh(&here(), &format!("objdump -T {LIBRARY} | grep -o 'GLIBC_[0-9.]*' | sort -u"));
    let newer: Vec<_> = needed.lines().filter(|name| version(&name["GLIBC_".len()..]) > floor).collect();
    assert!(newer.is_empty() && !needed.is_empty(), "{newer:?}");
}

#[test]
fn library_is_stripped_hardened_and_stays_loaded() {
    let dynamic = sh(&here(), &format!("readelf -dlSW {LIBRARY}"));
    let needed = dynamic
        .lines()
        .filter(|line| line.contains("(NEEDED)"))
        .filter_map(|line| line.split(['[', ']']).nth(1));
    let needed: Vec<_> = needed.collect();
    let allowed = ["libc.so.", "libm.so.", "libgcc_s.so.", "ld-linux"];
    let is_allowed = |name: &&str| allowed.iter().any(|start| name.starts_with(start));
    assert!(!needed.is_empty() && needed.iter().all(is_allowed), "{needed:?}");
    let soname = format!("(SONAME) Library soname: [libmerchantpay.so.{ABI}]");
    let words: Vec<String> =
        dynamic.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert!(words.iter().any(|line| line.ends_with(&soname)), "{dynamic}");
    let flags = words.iter().find(|line| line.contains("FLAGS_1")).expect("flags");
    assert!(flags.contains("NODELETE") && flags.contains("NOW"), "{flags}");
    let stack = words.iter().find(|line| line.starts_with("GNU_STACK")).expect("a line for the stack");
    assert!(stack.contains(" RW ") && dynamic.contains("GNU_RELRO"), "{stack}");
    for absent in ["TEXTREL", "RPATH", "RUNPATH", ".debug_", ".symtab"] {
        assert!(!dynamic.contains(absent), "{absent}: {dynamic}");
    }
}

/// In bytes, stripped, with TLS and the drivers of databases.
const LARGEST: u64 = 7_000_000;

#[test]
fn library_has_the_stated_size() {
    let size = sh(&here(), &format!("stat -L -c %s {LIBRARY}")).trim().parse::<u64>().unwrap();
    assert!(size <= LARGEST, "{size} bytes");
    // Other compilers make it slightly larger or smaller.
    let megabytes: f64 = stated("The stripped library has ", " MB").parse().expect("a number");
    assert!(
        (megabytes * 1e6 - size as f64).abs() < 1e5,
        "{size} bytes, and PACKAGING.md says {megabytes} MB"
    );
}

/// Then its crates are one compilation unit; otherwise each has its own, as compiler_builtins always has.
#[test]
fn library_is_optimised_at_link_time() {
    let unstripped = unstripped().display().to_string();
    let id = |library: &str| sh(&here(), &format!("readelf -n {library} | grep 'Build ID: '"));
    assert_eq!(id(LIBRARY), id(&unstripped), "the library with its names is another one");
    let units = format!(
        "readelf -sW {unstripped} | grep ' FILE ' | grep -o '[^ .]*[.][^ ]*-cgu[.]' | cut -d. -f1 | sort -u"
    );
    let units = sh(&here(), &units);
    let others: Vec<_> =
        units.lines().filter(|unit| !["merchantpay_capi", "compiler_builtins"].contains(unit)).collect();
    assert!(others.is_empty() && units.contains("merchantpay_capi"), "compiled on their own: {others:?}");
}

fn described() -> Value {
    serde_json::from_str(&read("include/merchantpay.json")).expect("JSON")
}

fn rows<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    of[name].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    of[name].as_str().unwrap_or_default()
}

fn pointer(function: &Value, name: &str) -> String {
    let parameters: Vec<&str> = rows(function, "parameters").iter().map(|one| text(one, "c")).collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let returns = if function["returns"].is_null() { "void" } else { text(&function["returns"], "c") };
    format!("{returns} (MPAY_CALL *{name})({parameters})")
}

/// A C file that compiles only if the whole description is true.
#[test]
fn description_is_what_compiler_reads_in_header() {
    let description = described();
    let mut file = "#include <merchantpay_bindings.h>\n#include <stdint.h>\n".to_owned();
    for (place, function) in rows(&description, "functions").iter().enumerate() {
        let pointer = pointer(function, &format!("f{place}"));
        file += &format!("extern {pointer};\n{pointer} = {};\n", text(function, "name"));
    }
    for (place, callback) in rows(&description, "callbacks").iter().enumerate() {
        let pointer = pointer(callback, &format!("c{place}"));
        file += &format!("extern {} c{place};\n{pointer} = 0;\n", text(callback, "name"));
    }
    let enums = rows(&description, "enums").iter().flat_map(|one| rows(one, "values"));
    for constant in rows(&description, "constants").iter().chain(enums) {
        let (name, value) = (text(constant, "name"), constant["value"].as_i64().expect("a number"));
        let value = if value == i64::MIN { "INT64_MIN".to_owned() } else { value.to_string() };
        file += &format!("typedef char is_{}[({name}) == ({value}) ? 1 : -1];\n", name.to_lowercase());
    }
    fs::write(here().join("claims.c"), file).unwrap();
    let flags = "-std=c99 -pedantic-errors -Wall -Wextra -Werror -fsyntax-only";
    sh(&here(), &format!("cc {flags} $(pkg-config --cflags merchantpay) claims.c"));

    let mut names: Vec<&str> = rows(&description, "functions").iter().map(|one| text(one, "name")).collect();
    names.sort_unstable();
    assert_eq!(names, read("tests/c/abi/symbols.txt").lines().collect::<Vec<_>>());
}

#[test]
fn description_follows_its_schema() {
    let schema: Value = serde_json::from_str(&read("docs/merchantpay.schema.json")).expect("JSON");
    follows(&described(), &schema, &schema, "merchantpay.json");
}

/// Checks the part of JSON Schema that the schema uses.
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

#[test]
fn reference_renders_without_warning() {
    let output = scratch("reference");
    let doxyfile = read("crates/merchantpay-capi/Doxyfile");
    fs::write(output.join("Doxyfile"), format!("{doxyfile}\nOUTPUT_DIRECTORY = \"{}\"\n", output.display()))
        .unwrap();
    sh(root(), &format!("doxygen {}/Doxyfile", output.display()));
    let page = fs::read_to_string(output.join("html/merchantpay_8h.html")).unwrap();
    assert!(page.contains("mpay_verify_webhook") && page.contains("MPAY_OUTCOME_UNKNOWN"));
}
