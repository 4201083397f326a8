//! The generated parts of a source file that is otherwise hand-written. A part is between two lines of
//! comment, `generated: begin NAME` and `generated: end`.

use std::ops::Range;

use crate::Fault;

const BEGIN: &str = "generated: begin ";
const END: &str = "generated: end";

/// Replaces each generated part of a source by the result of `part`; the rest stays unchanged.
pub(crate) fn replaced(
    source: &str,
    mut part: impl FnMut(&str) -> Result<String, Fault>,
) -> Result<String, Fault> {
    let mut text = String::new();
    let mut copied = 0;
    for (name, place) in parts(source)? {
        text.push_str(&source[copied..place.start]);
        text.push_str(&part(name)?);
        copied = place.end;
    }
    text.push_str(&source[copied..]);
    Ok(text)
}

/// The names of the parts with their positions, in the order of the source.
pub(crate) fn parts(source: &str) -> Result<Vec<(&str, Range<usize>)>, Fault> {
    let mut parts = Vec::new();
    let mut open = None;
    let mut end = 0;
    for line in source.split_inclusive('\n') {
        let start = end;
        end += line.len();
        if let Some((_, name)) = line.split_once(BEGIN) {
            let name = name.split_whitespace().next().unwrap_or_default();
            if let Some((outer, _)) = open.replace((name, end)) {
                return Err(format!("part {name} begins inside part {outer}").into());
            }
        } else if line.contains(END) {
            let (name, begin) = open.take().ok_or("a part ends that has not begun")?;
            parts.push((name, begin..start));
        }
    }
    match open {
        Some((name, _)) => Err(format!("part {name} does not end").into()),
        None => Ok(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_do_not_match_are_faults() {
        for (source, message) in [
            ("// generated: begin one\n", "part one does not end"),
            ("// generated: end\n", "a part ends that has not begun"),
            ("// generated: begin one\n// generated: begin two\n", "part two begins inside part one"),
        ] {
            assert_eq!(parts(source).unwrap_err().to_string(), message);
        }
    }
}
