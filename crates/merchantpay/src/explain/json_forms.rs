//! The forms in which common libraries write a JSON object. If a body was parsed and serialised again, the
//! signed body probably had one of these forms. The texts of numbers are not changed.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::value::RawValue;

use super::budget::Contents;
use crate::json::Object;

/// The largest depth of nested values. Messages of the contract have less depth, and fewer values than
/// [`MOST_VALUES`].
const DEEPEST: u32 = 8;
const MOST_VALUES: usize = 256;

/// The fields of webhooks and requests in the order in which the contract lists them (sections 4 and 6).
const CONTRACT: &[&str] = &[
    "success",
    "orderId",
    "status",
    "sum",
    "payeeAccount",
    "payeeAccountBank",
    "payeeName",
    "currency",
    "dealSum",
    "dealCurrency",
    "dealRate",
    "deeplink",
    "paymentMethod",
    "customerAccount",
    "statusWebhookUrl",
    "credentialsWebhookUrl",
    "payerBank",
    "merchantId",
];

#[derive(Clone, Copy)]
enum Order {
    AsReceived,
    Contract,
    Sorted,
    Reversed,
}

#[derive(Clone, Copy)]
enum Space {
    None,
    /// A space after each comma and each colon.
    After,
    Indent(&'static str),
}

#[derive(Clone, Copy)]
enum Escapes {
    AsReceived,
    Fewest,
    /// Writes characters that are not ASCII as escapes, as in `\u0444`.
    Ascii,
    AsciiUpper,
    AsciiAndSlashes,
    Slashes,
    /// Writes `<`, `>`, `&` and the line separators as escapes, as in `\u003c`.
    Html,
}

/// The forms of well-known JSON writers, the most common ones first.
const WRITERS: [(Space, Escapes); 14] = [
    (Space::None, Escapes::Fewest),          // JavaScript, Rust
    (Space::After, Escapes::Ascii),          // Python
    (Space::None, Escapes::AsciiAndSlashes), // PHP
    (Space::After, Escapes::Fewest),         // Python, ensure_ascii=False
    (Space::None, Escapes::Ascii),           // Python with separators, PHP with JSON_UNESCAPED_SLASHES
    (Space::Indent("  "), Escapes::Fewest),  // JavaScript, indented
    (Space::None, Escapes::Html),            // Go
    (Space::None, Escapes::Slashes),         // PHP with JSON_UNESCAPED_UNICODE
    (Space::None, Escapes::AsReceived),
    (Space::Indent("    "), Escapes::Ascii), // Python, indented
    (Space::Indent("    "), Escapes::Fewest),
    (Space::Indent("  "), Escapes::Ascii),
    (Space::None, Escapes::AsciiUpper), // C#
    (Space::Indent("\t"), Escapes::Fewest),
];

/// The orders of the fields, each with the range of [`WRITERS`] to try. If the budget is used up, the rest of
/// the list is not tried.
const SCHEDULE: [(Order, Range<usize>); 7] = [
    (Order::AsReceived, 0..5),
    (Order::Contract, 0..2),
    (Order::Sorted, 0..2),
    (Order::AsReceived, 5..WRITERS.len()),
    (Order::Contract, 2..5),
    (Order::Sorted, 2..5),
    (Order::Reversed, 0..2),
];

enum Json<'a> {
    Object(Vec<Field<'a>>),
    Array(Vec<Json<'a>>),
    Text { received: &'a str, value: String },
    Other(&'a str),
}

/// Returns `true` if one of the other forms of the object in `text` was signed.
pub(super) fn any_form_signed(text: &str, contents: &mut Contents<'_>) -> bool {
    if contents.is_exhausted() {
        return false;
    }
    let Some(object @ Json::Object(_)) = parse(text, DEEPEST, &mut { MOST_VALUES }) else { return false };
    let longest = 3 * text.len() + 256;
    let mut tried = vec![text.to_owned()];
    for (order, writers) in SCHEDULE {
        for (space, escapes) in WRITERS.get(writers).into_iter().flatten().copied() {
            let mut writer =
                Writer { order, space, escapes, longest, text: String::with_capacity(text.len()) };
            if writer.write(&object, 0).is_none() || tried.contains(&writer.text) {
                continue;
            }
            if contents.signed(writer.text.as_bytes()) {
                return true;
            }
            if contents.is_exhausted() {
                return false;
            }
            tried.push(writer.text);
        }
    }
    false
}

/// Parses a value. `None` if it is nested deeper than `depth`, or if it contains more than `values` values.
fn parse<'a>(text: &'a str, depth: u32, values: &mut usize) -> Option<Json<'a>> {
    let depth = depth.checked_sub(1)?;
    *values = values.checked_sub(1)?;
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    Some(match text.bytes().next()? {
        b'{' => {
            let object = Object::parse(text.as_bytes()).ok()?;
            let fields =
                object.fields().map(|(name, value)| Some((name.to_owned(), parse(value, depth, values)?)));
            Json::Object(fields.collect::<Option<_>>()?)
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            Json::Array(
                items.into_iter().map(|item| parse(item.get(), depth, values)).collect::<Option<_>>()?,
            )
        }
        b'"' => Json::Text { received: text, value: serde_json::from_str(text).ok()? },
        _ => Json::Other(text),
    })
}

/// Writes one form. Each method returns `None` if the form becomes too long to be the original.
struct Writer {
    order: Order,
    space: Space,
    escapes: Escapes,
    longest: usize,
    text: String,
}

impl Writer {
    fn write(&mut self, json: &Json<'_>, depth: usize) -> Option<()> {
        match json {
            Json::Object(fields) => {
                let fields = ordered(fields, self.order);
                self.list(['{', '}'], &fields, depth, |writer, (name, value)| {
                    writer.quoted(name);
                    writer.text.push_str(if matches!(writer.space, Space::None) { ":" } else { ": " });
                    writer.write(value, depth + 1)
                })
            }
            Json::Array(items) => {
                self.list(['[', ']'], items, depth, |writer, item| writer.write(item, depth + 1))
            }
            Json::Text { received, .. } if matches!(self.escapes, Escapes::AsReceived) => {
                self.text.push_str(received);
                self.fits()
            }
            Json::Text { value, .. } => {
                self.quoted(value);
                self.fits()
            }
            Json::Other(text) => {
                self.text.push_str(text);
                self.fits()
            }
        }
    }

    fn list<T>(
        &mut self,
        [open, close]: [char; 2],
        items: &[T],
        depth: usize,
        mut write: impl FnMut(&mut Writer, &T) -> Option<()>,
    ) -> Option<()> {
        self.text.push(open);
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.text.push_str(if matches!(self.space, Space::After) { ", " } else { "," });
            }
            self.line(depth + 1);
            write(self, item)?;
        }
        if !items.is_empty() {
            self.line(depth);
        }
        self.text.push(close);
        self.fits()
    }

    fn line(&mut self, depth: usize) {
        if let Space::Indent(indent) = self.space {
            self.text.push('\n');
            (0..depth).for_each(|_| self.text.push_str(indent));
        }
    }

    fn fits(&self) -> Option<()> {
        (self.text.len() <= self.longest).then_some(())
    }

    fn quoted(&mut self, text: &str) {
        self.text.push('"');
        let mut rest = text;
        while let Some(at) = rest.find(|c| self.escapes.takes(c)) {
            let (plain, escaped) = rest.split_at(at);
            self.text.push_str(plain);
            let mut chars = escaped.chars();
            chars.next().into_iter().for_each(|c| self.escaped(c));
            rest = chars.as_str();
        }
        self.text.push_str(rest);
        self.text.push('"');
    }

    fn escaped(&mut self, c: char) {
        match c {
            '"' | '\\' | '/' => self.text.extend(['\\', c]),
            '\u{8}' => self.text.push_str("\\b"),
            '\u{c}' => self.text.push_str("\\f"),
            '\n' => self.text.push_str("\\n"),
            '\r' => self.text.push_str("\\r"),
            '\t' => self.text.push_str("\\t"),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a String does not fail.
                    let _ = match self.escapes {
                        Escapes::AsciiUpper => write!(self.text, "\\u{unit:04X}"),
                        _ => write!(self.text, "\\u{unit:04x}"),
                    };
                }
            }
        }
    }
}

impl Escapes {
    fn takes(self, c: char) -> bool {
        matches!(c, '"' | '\\' | '\0'..='\x1f')
            || match self {
                Escapes::Ascii | Escapes::AsciiUpper => !c.is_ascii(),
                Escapes::AsciiAndSlashes => !c.is_ascii() || c == '/',
                Escapes::Slashes => c == '/',
                Escapes::Html => matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}'),
                Escapes::AsReceived | Escapes::Fewest => false,
            }
    }
}

type Field<'a> = (String, Json<'a>);

fn ordered<'f, 'a>(fields: &'f [Field<'a>], order: Order) -> Vec<&'f Field<'a>> {
    let mut fields: Vec<&Field<'_>> = fields.iter().collect();
    let place = |name: &str| CONTRACT.iter().position(|known| *known == name).unwrap_or(CONTRACT.len());
    match order {
        Order::AsReceived => {}
        Order::Contract => fields.sort_by_key(|(name, _)| place(name)),
        Order::Sorted => fields.sort_by(|(one, _), (other, _)| one.cmp(other)),
        Order::Reversed => fields.reverse(),
    }
    fields
}
