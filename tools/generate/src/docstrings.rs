//! Writes the documentation of the Python package into its stubs: each class and method gets the
//! documentation comment of its Rust source, which is its docstring at run time.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Fault;

const SOURCES: &str = "crates/merchantpay-python/src";

/// The stubs. Each stub has a list of its classes that have another name in the Rust sources, with that name.
const STUBS: &[(&str, &[(&str, &str)])] = &[
    ("bindings/python/python/merchantpay/_merchantpay.pyi", &[]),
    (
        "bindings/python/python/merchantpay/_async.pyi",
        &[("AsyncClient", "Client"), ("AsyncJournal", "Journal")],
    ),
];

/// One macro makes these classes, so the source documents their methods only once.
const EVENTS: &[&str] = &["CredentialsIssued", "CredentialsFailed", "StatusChanged"];

type Docs = BTreeMap<String, Vec<String>>;

/// Writes the documentation into the stubs among the rendered files.
pub(crate) fn write(root: &Path, files: &mut [(String, String)]) -> Result<(), Fault> {
    let mut docs = Docs::new();
    for path in sources(&root.join(SOURCES))? {
        let rendered = files.iter().find(|(file, _)| root.join(file) == path);
        let text = rendered.map_or_else(|| std::fs::read_to_string(&path), |(_, text)| Ok(text.clone()))?;
        read(&text, &mut docs);
    }
    for (stub, names) in STUBS {
        if let Some((_, text)) = files.iter_mut().find(|(file, _)| file == stub) {
            *text = documented(text, &docs, names);
        }
    }
    Ok(())
}

fn sources(folder: &Path) -> Result<Vec<std::path::PathBuf>, Fault> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// Reads the documentation comments of a source. Their keys are `Class`, `Class.method` and `function`.
fn read(source: &str, docs: &mut Docs) {
    let mut class = String::new();
    let mut comment: Vec<String> = Vec::new();
    for line in source.lines() {
        let text = line.trim();
        if let Some(words) = text.strip_prefix("///") {
            comment.push(words.strip_prefix(' ').unwrap_or(words).to_owned());
            continue;
        }
        if line.starts_with('}') {
            class.clear();
        }
        if text.is_empty() || text.starts_with('}') {
            comment.clear();
            continue;
        }
        let Some(name) = declared(text) else { continue };
        let is_type = text.contains("struct ") || text.contains("impl ");
        if is_type || text.ends_with('"') {
            if text.ends_with('{') && is_type {
                class = name.to_owned();
            }
            keep(docs, name.to_owned(), &mut comment);
        } else if class.is_empty() {
            keep(docs, name.to_owned(), &mut comment);
        } else if class == "$name" {
            for event in EVENTS {
                keep(docs, format!("{event}.{name}"), &mut comment.clone());
            }
        } else {
            keep(docs, format!("{class}.{name}"), &mut comment);
        }
    }
}

/// Returns the name that a line declares: of a struct, an impl, a function, a field that Python reads, or an
/// event of the macro.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    for keyword in ["struct ", "impl ", "fn "] {
        if let Some(rest) = line.strip_prefix(keyword) {
            return rest.split(|letter| !is_name(letter)).next();
        }
    }
    if let Some((name, _)) = line.split_once(": ") {
        return Some(name).filter(|name| name.chars().all(is_name) && line.ends_with(','));
    }
    let (name, kind) = line.split_once(' ')?;
    (EVENTS.contains(&name) && kind.starts_with('"')).then_some(name)
}

fn keep(docs: &mut Docs, name: String, comment: &mut Vec<String>) {
    let comment = std::mem::take(comment);
    if !comment.is_empty() {
        docs.entry(name).or_insert(comment);
    }
}

/// Returns the stub with the documentation from the sources.
fn documented(stub: &str, docs: &Docs, names: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut lines = stub.lines().peekable();
    let (mut class, mut open) = (String::new(), None);
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let declared = declaration(line.trim_start());
        if indent == 0 && declared.is_some() {
            class.clear();
        }
        if let Some((keyword, name)) = declared {
            let in_sources =
                names.iter().find(|(stub, _)| *stub == class).map_or(class.as_str(), |(_, name)| name);
            open = match (keyword, class.is_empty()) {
                ("class", _) => Some((indent, name.to_owned())),
                (_, true) => Some((indent, name.to_owned())),
                (_, false) => Some((indent, format!("{in_sources}.{name}"))),
            };
            if keyword == "class" {
                class = name.to_owned();
            }
        }
        let ends = line.ends_with(": ...") || line.ends_with(':');
        let Some((indent, name)) = open.take_if(|_| ends) else {
            text.push_str(line);
            text.push('\n');
            continue;
        };
        let Some(comment) = docs.get(&name) else {
            text.push_str(line);
            text.push('\n');
            continue;
        };
        text.push_str(line.strip_suffix(" ...").unwrap_or(line));
        text.push('\n');
        if lines.peek().is_some_and(|next| next.trim_start().starts_with("\"\"\"")) {
            skip_docstring(&mut lines);
        }
        text.push_str(&docstring(comment, &" ".repeat(indent + 4)));
    }
    text
}

/// Returns the kind and the name of the class or function that begins on this line of a stub.
fn declaration(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    let (keyword, rest) = line.split_once(' ').filter(|(word, _)| ["class", "def"].contains(word))?;
    let name = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    Some((keyword, name))
}

fn skip_docstring<'a>(lines: &mut impl Iterator<Item = &'a str>) {
    let first = lines.next().unwrap_or_default().trim();
    if first.len() >= 6 && first.ends_with("\"\"\"") {
        return;
    }
    for line in lines {
        if line.ends_with("\"\"\"") {
            return;
        }
    }
}

fn docstring(comment: &[String], indent: &str) -> String {
    let mut text = format!("{indent}\"\"\"");
    for (number, line) in comment.iter().enumerate() {
        let line = line.replace('\\', "\\\\");
        match (number, line.is_empty()) {
            (0, _) => text.push_str(&line),
            (_, true) => text.push('\n'),
            (_, false) => text.push_str(&format!("\n{indent}{line}")),
        }
    }
    if text.ends_with('"') {
        text.push_str(&format!("\n{indent}"));
    }
    text + "\"\"\"\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "/// A shop.\n#[pyclass]\npub(crate) struct Shop {\n    /// Its name.\n    #[pyo3(get)]\n    pub(crate) name: String,\n}\n\n\
                          impl Shop {\n    /// Sells.\n    ///\n    /// Once.\n    #[pyo3(signature = (\n        sum\n    ))]\n    fn sell(\n        &self,\n    ) {\n    }\n}\n";
    const STUB: &str = "class Shop:\n    @property\n    def name(self) -> str: ...\n    def sell(\n        self,\n    ) -> int: ...\n    def close(self) -> None: ...\n";
    const DOCUMENTED: &str = "class Shop:\n    \"\"\"A shop.\"\"\"\n    @property\n    def name(self) -> str:\n        \"\"\"Its name.\"\"\"\n    def sell(\n        self,\n    ) -> int:\n        \"\"\"Sells.\n\n        Once.\"\"\"\n    def close(self) -> None: ...\n";

    #[test]
    fn a_stub_has_the_documentation_of_the_sources_once() {
        let mut docs = Docs::new();
        read(SOURCE, &mut docs);
        assert_eq!(documented(STUB, &docs, &[]), DOCUMENTED);
        assert_eq!(documented(DOCUMENTED, &docs, &[]), DOCUMENTED);
        let renamed = documented(&STUB.replace("Shop", "AsyncShop"), &docs, &[("AsyncShop", "Shop")]);
        assert_eq!(renamed.matches("\"\"\"").count(), 4);
    }
}
