//! Reads the cases in the folder of the vectors. tests/contract/vectors/README.md describes the format.

use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

const FILES: &str = "amounts explanations headers keys misdirected receipts refused_requests replies requests settings statuses webhooks";

/// A case, with the settings of its file and its own settings.
pub struct Case {
    pub file: String,
    pub fields: Value,
    settings: Map<String, Value>,
}

pub fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/contract/vectors");
    let names = std::fs::read_dir(&folder).expect("the folder of the vectors").filter_map(|entry| {
        entry.expect("an entry").file_name().to_str()?.strip_suffix(".json").map(str::to_owned)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert_eq!(names.join(" "), FILES);
    names.iter().flat_map(|name| read(&folder, name)).collect()
}

fn read(folder: &Path, name: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("a file of vectors");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let cases = file["cases"].as_array().expect("cases");
    assert_eq!(file["count"].as_u64(), Some(cases.len() as u64), "{name}");
    assert!(cases.len() >= 30, "{name}: {}", cases.len());
    let common = file["settings"].as_object().expect("settings");
    let merged = |case: &Value| {
        let mut settings = common.clone();
        settings.extend(case["settings"].as_object().cloned().unwrap_or_default());
        Case { file: name.to_owned(), fields: case.clone(), settings }
    };
    cases.iter().map(merged).collect()
}

impl Case {
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings[name].as_str()
    }

    pub fn setting_list(&self, name: &str) -> Vec<String> {
        self.settings[name].as_array().expect(name).iter().map(|value| text(value).to_owned()).collect()
    }

    pub fn text(&self, pointer: &str) -> Option<&str> {
        self.fields.pointer(pointer)?.as_str()
    }

    pub fn error(&self) -> Option<&Value> {
        self.fields.pointer("/expected/error")
    }
}

pub fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.clone().into_bytes(),
        other => BASE64_STANDARD.decode(other["base64"].as_str().expect("base64")).expect("base64"),
    }
}

pub fn pairs(value: &Value) -> Vec<(&str, &str)> {
    value.as_array().expect("headers").iter().map(|header| (text(&header[0]), text(&header[1]))).collect()
}

pub fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}
