//! What `examples/README.md` says that a program prints.

use std::collections::HashMap;
use std::path::Path;

/// The lines of the first block of the program's section.
pub fn promised(name: &str) -> Vec<String> {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/README.md"))
            .unwrap();
    let section = page.split(&format!("\n### {name}\n")).nth(1).expect("a section for every program");
    let block = section.split("```text\n").nth(1).expect("a block of what it prints");
    block.lines().take_while(|line| *line != "```").map(str::to_owned).collect()
}

/// Compares lines with what was promised: a word in capitals stands for any value, the same one wherever it
/// stands again.
pub fn assert_prints(lines: &[String], promised: &[String], name: &str) {
    let mut values: HashMap<&str, &str> = HashMap::new();
    assert_eq!(lines.len(), promised.len(), "{name}: {lines:#?}");
    for (line, promise) in lines.iter().zip(promised) {
        let wanted: Vec<&str> = promise.split(' ').collect();
        // The last value of a line may have spaces in it.
        let words: Vec<&str> = line.splitn(wanted.len(), ' ').collect();
        assert_eq!(words.len(), wanted.len(), "{name}: {line} in place of {promise}");
        for (word, wanted) in words.into_iter().zip(wanted) {
            let is_value = wanted.len() > 2
                && wanted != "RUB"
                && wanted.bytes().all(|letter| letter.is_ascii_uppercase());
            let expected = if is_value { values.entry(wanted).or_insert(word) } else { wanted };
            assert!(!word.is_empty() && word == expected, "{name}: {line} in place of {promise}");
        }
    }
}
