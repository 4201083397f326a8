//! The groups of the header's functions. A function's source file decides its group.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The beginning of a source file's name, and the group of the functions in that file. If several beginnings
/// match, the longest one decides.
const GROUPS: &[(&str, &str)] = &[
    ("version", "Versions"),
    ("error", "Errors"),
    ("config", "Settings"),
    ("attempt", "Log of attempts"),
    ("client", "Client"),
    ("payment_request", "Requests"),
    ("payment", "Responses"),
    ("operations", "Operations"),
    ("webhook", "Webhooks"),
    ("keypair", "Keys"),
    ("balance", "Balance"),
    ("http", "Operations without I/O"),
    ("protocol", "Operations without I/O"),
    ("journal_config", "Journal: settings"),
    ("entry", "Journal: entries"),
    ("journal", "Journal: calls"),
    ("waist", "Calls by number, for bindings of other languages"),
    ("bindings", BINDINGS),
];

/// The functions of the separate header.
pub const BINDINGS: &str = "Reads of many values";

pub fn title(function: &str) -> &'static str {
    static GROUP_OF: OnceLock<HashMap<String, &str>> = OnceLock::new();
    let groups = GROUP_OF.get_or_init(read);
    groups.get(function).unwrap_or_else(|| panic!("{function} is in no source file with a group"))
}

/// The heading above the first function of a group.
pub fn heading(title: &str) -> String {
    let rule = "=".repeat(100 - title.len());
    format!("/* ==== {title} {rule} */")
}

pub fn place(function: &str) -> usize {
    let title = title(function);
    GROUPS.iter().position(|(_, group)| *group == title).unwrap_or_default()
}

pub fn sources() -> &'static BTreeMap<PathBuf, String> {
    static SOURCES: OnceLock<BTreeMap<PathBuf, String>> = OnceLock::new();
    SOURCES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let files =
            [folder.join("typed"), folder].map(|folder| std::fs::read_dir(folder).expect("the sources"));
        let paths = files.into_iter().flatten().map(|entry| entry.expect("a source").path());
        let sources = paths.filter(|path| path.is_file());
        sources.map(|path| (path.clone(), std::fs::read_to_string(path).expect("a source is text"))).collect()
    })
}

fn read() -> HashMap<String, &'static str> {
    let mut groups = HashMap::new();
    for (path, text) in sources() {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let fits = GROUPS.iter().filter(|(beginning, _)| name.starts_with(beginning));
        let Some((_, group)) = fits.max_by_key(|(beginning, _)| beginning.len()) else { continue };
        for rest in text.split("extern \"C\" fn ").skip(1) {
            groups.insert(rest.split('(').next().unwrap_or_default().to_owned(), *group);
        }
    }
    groups
}
