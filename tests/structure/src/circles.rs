//! Circular imports: groups of files in which each file imports every other file, directly or not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The files of one circle.
pub type Circle = BTreeSet<PathBuf>;

/// Finds every circle. A file is in at most one circle.
pub fn circles(imports: &BTreeMap<PathBuf, BTreeSet<PathBuf>>) -> Vec<Circle> {
    let reached: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> =
        imports.keys().map(|file| (file, reached_from(imports, file))).collect();
    let reaches = |from: &PathBuf, to: &PathBuf| reached.get(from).is_some_and(|files| files.contains(to));
    let circle_of = |file: &PathBuf| -> Circle {
        imports.keys().filter(|other| reaches(file, other) && reaches(other, file)).cloned().collect()
    };
    let found: BTreeSet<Circle> = imports.keys().map(circle_of).filter(|circle| !circle.is_empty()).collect();
    found.into_iter().collect()
}

fn reached_from<'a>(
    imports: &'a BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    file: &PathBuf,
) -> BTreeSet<&'a PathBuf> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&PathBuf> = imports.get(file).into_iter().flatten().collect();
    while let Some(file) = next.pop() {
        if reached.insert(file) {
            next.extend(imports.get(file).into_iter().flatten());
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a graph from lines such as `a: b c`.
    fn graph(lines: &[&str]) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
        let parse = |line: &&str| {
            let (from, to) = line.split_once(':').unwrap();
            (PathBuf::from(from), to.split_whitespace().map(PathBuf::from).collect())
        };
        lines.iter().map(parse).collect()
    }

    #[test]
    fn a_circle_is_what_reaches_itself() {
        for (lines, expected) in [
            (vec!["a: b", "b: c", "c:"], vec![]),
            (vec!["a: b c", "b: c", "c:"], vec![]),
            (vec!["a: b", "b: c", "c: a", "d: a"], vec!["a b c"]),
            (vec!["a: b", "b: a c", "c: d", "d: c"], vec!["a b", "c d"]),
        ] {
            let expected: Vec<Circle> =
                expected.iter().map(|circle| circle.split(' ').map(PathBuf::from).collect()).collect();
            assert_eq!(circles(&graph(&lines)), expected, "{lines:?}");
        }
    }
}
