//! Random JSON objects in the styles of several JSON writers, made without the tested code.

use super::random::Random;

pub(super) enum Tree {
    Object(Vec<(String, Tree)>),
    Array(Vec<Tree>),
    Text(String),
    Other(&'static str),
}

#[derive(Clone, Copy)]
pub(super) struct Style {
    comma: &'static str,
    colon: &'static str,
    ascii: bool,
    slashes: bool,
    sorted: bool,
}

const NAMES: &[&str] =
    &["orderId", "success", "status", "sum", "payeeName", "deeplink", "currency", "payeeAccount"];
const PIECES: &[&str] = &[
    "o-1",
    "Анна",
    "https://pay.example/1?a=1&b=2",
    "<b>",
    "\"",
    "\\",
    "\n",
    "\u{1}",
    "😀",
    " ",
    "\u{2028}",
    "",
];
const OTHERS: &[&str] = &["1500.50", "0", "-0.10", "1e5", "true", "false", "null"];

impl Tree {
    /// An object with `fields` fields.
    pub(super) fn object(random: &mut Random, fields: usize, depth: usize) -> Tree {
        let name = |random: &mut Random, number: usize| match NAMES.get(number) {
            Some(name) => (*name).to_owned(),
            None => format!("{}{number}", random.pick(PIECES)),
        };
        let first = random.below(NAMES.len());
        let fields = (first..first + fields).map(|number| (name(random, number), Tree::value(random, depth)));
        Tree::Object(fields.collect())
    }

    fn value(random: &mut Random, depth: usize) -> Tree {
        let items = random.below(4);
        match random.below(6) {
            0 if depth > 0 => Tree::object(random, items, depth - 1),
            1 if depth > 0 => Tree::Array((0..items).map(|_| Tree::value(random, depth - 1)).collect()),
            2 | 3 => Tree::Other(random.pick(OTHERS)),
            _ => Tree::Text((0..items).map(|_| random.pick(PIECES)).collect()),
        }
    }

    pub(super) fn written(&self, style: Style) -> String {
        let mut text = String::new();
        self.write(style, &mut text);
        text
    }

    fn write(&self, style: Style, text: &mut String) {
        match self {
            Tree::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                if style.sorted {
                    fields.sort_by_key(|(name, _)| name);
                }
                text.push('{');
                for (at, (name, value)) in fields.into_iter().enumerate() {
                    text.push_str(if at > 0 { style.comma } else { "" });
                    quote(name, style, text);
                    text.push_str(style.colon);
                    value.write(style, text);
                }
                text.push('}');
            }
            Tree::Array(items) => {
                text.push('[');
                for (at, item) in items.iter().enumerate() {
                    text.push_str(if at > 0 { style.comma } else { "" });
                    item.write(style, text);
                }
                text.push(']');
            }
            Tree::Text(value) => quote(value, style, text),
            Tree::Other(value) => text.push_str(value),
        }
    }
}

fn quote(value: &str, style: Style, text: &mut String) {
    let quoted = serde_json::to_string(value).unwrap();
    for c in quoted.chars() {
        match c {
            '/' if style.slashes => text.push_str("\\/"),
            c if style.ascii && !c.is_ascii() => {
                text.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
            }
            c => text.push(c),
        }
    }
}

impl Style {
    /// A style that well-known JSON writers have, or a style that no JSON writer has.
    pub(super) fn any(random: &mut Random) -> Style {
        let [ascii, slashes, sorted] = [random.one_in(2), random.one_in(4), random.one_in(4)];
        let (comma, colon) = [(",", ":"), (", ", ": "), (",\r\n", " :")][random.below(3)];
        Style { comma, colon, ascii, slashes, sorted }
    }
}
