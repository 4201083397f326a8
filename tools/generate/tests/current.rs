//! The committed generated files match the definition.

use std::fs;
use std::path::Path;

use merchantpay_generate::{rendered, root, write_all};

#[test]
fn every_generated_file_is_current() {
    for (file, text) in rendered(&root()).unwrap() {
        assert!(
            fs::read_to_string(root().join(&file)).is_ok_and(|now| now == text),
            "run `make generate`: {file}"
        );
    }
}

#[test]
fn only_text_between_marks_is_written() {
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    for (file, text) in rendered(&root()).unwrap() {
        fs::create_dir_all(copy.join(&file).parent().unwrap()).unwrap();
        fs::write(copy.join(&file), text).unwrap();
    }
    let header = copy.join("include/merchantpay.hpp");
    let changed = fs::read_to_string(&header).unwrap().replace("class Entry {", "class Entry : Base {");
    fs::write(&header, changed.replace("Config &set_timeout_ms", "Config &set_deadline")).unwrap();
    write_all(&copy).unwrap();
    assert_eq!(fs::read_to_string(&header).unwrap(), changed);
}
