//! The ways in which programs write the same JSON object: what a body may have been before somebody parsed it
//! and wrote it again.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde_json::value::RawValue;

use super::members::Members;

/// The fields of a webhook in the order in which the contract lists them (section 6).
const CONTRACT: [&str; 12] = [
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
];

/// Deeper than any webhook of the contract.
const DEEPEST: usize = 16;

/// A value whose numbers and texts are kept as they stand.
enum Json {
    Object(Vec<(String, Json)>),
    Array(Vec<Json>),
    Text { raw: String, value: String },
    Number(String),
    Word(String),
}

impl Json {
    fn parse(text: &str, deeper: usize) -> Option<Json> {
        let deeper = deeper.checked_sub(1)?;
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        Some(match text.bytes().next()? {
            b'{' => {
                let Members(members) = serde_json::from_str(text).ok()?;
                Json::Object(
                    members
                        .into_iter()
                        .map(|(name, raw)| Some((name, Json::parse(raw.get(), deeper)?)))
                        .collect::<Option<_>>()?,
                )
            }
            b'[' => {
                let items: Vec<Box<RawValue>> = serde_json::from_str(text).ok()?;
                Json::Array(items.iter().map(|raw| Json::parse(raw.get(), deeper)).collect::<Option<_>>()?)
            }
            b'"' => Json::Text { raw: text.to_owned(), value: serde_json::from_str(text).ok()? },
            b'-' | b'0'..=b'9' => Json::Number(text.to_owned()),
            _ => Json::Word(text.to_owned()),
        })
    }

    /// Its numbers and texts as they stand, for comparison.
    fn leaves<'a>(&'a self, numbers: &mut Vec<&'a str>, texts: &mut Vec<&'a str>) {
        match self {
            Json::Object(members) => members.iter().for_each(|(_, value)| value.leaves(numbers, texts)),
            Json::Array(items) => items.iter().for_each(|value| value.leaves(numbers, texts)),
            Json::Text { raw, .. } => texts.push(raw),
            Json::Number(number) => numbers.push(number),
            Json::Word(_) => {}
        }
    }

    fn names(&self) -> Vec<&str> {
        match self {
            Json::Object(members) => members.iter().map(|(name, _)| name.as_str()).collect(),
            _ => Vec::new(),
        }
    }
}

#[derive(Clone, Copy)]
enum Order {
    AsItCame,
    Contract,
    /// The same with `status` at its end.
    StatusLast,
    Sorted,
    Reversed,
}

#[derive(Clone, Copy)]
enum Escapes {
    AsTheyCame,
    Fewest,
    /// `\u0444`, as Python and Ruby write.
    Ascii,
    AsciiUpper,
    /// `\/` and `\u0444`, as PHP writes.
    AsciiAndSlashes,
    Slashes,
    /// `\u003c`, as Go writes.
    Html,
}

#[derive(Clone, Copy)]
enum Numbers {
    AsTheyCame,
    /// `1500.50` as `1500.5`, as whoever goes through a float writes.
    Trimmed,
    TwoDigits,
}

#[derive(Clone, Copy)]
enum Space {
    None,
    AfterColon,
    /// `", "` and `": "`, as Python writes.
    AfterBoth,
    Indent(&'static str),
}

const ORDERS: [Order; 5] =
    [Order::AsItCame, Order::Contract, Order::StatusLast, Order::Sorted, Order::Reversed];
const ESCAPES: [Escapes; 7] = [
    Escapes::AsTheyCame,
    Escapes::Fewest,
    Escapes::Ascii,
    Escapes::AsciiUpper,
    Escapes::AsciiAndSlashes,
    Escapes::Slashes,
    Escapes::Html,
];
const NUMBERS: [Numbers; 3] = [Numbers::AsTheyCame, Numbers::Trimmed, Numbers::TwoDigits];
const SPACES: [Space; 6] = [
    Space::None,
    Space::AfterBoth,
    Space::AfterColon,
    Space::Indent("  "),
    Space::Indent("    "),
    Space::Indent("\t"),
];

struct Style {
    order: Order,
    escapes: Escapes,
    numbers: Numbers,
    space: Space,
}

/// The other ways to write this object, those with the fewest changes first; none if it is no object.
pub(super) fn rewritings(json: &str) -> Vec<String> {
    let Some(parsed @ Json::Object(_)) = Json::parse(json, DEEPEST) else { return Vec::new() };
    let mut seen = HashSet::from([json.to_owned()]);
    let mut rewritings = Vec::new();
    for order in ORDERS {
        for numbers in NUMBERS {
            for escapes in ESCAPES {
                for space in SPACES {
                    let mut text = String::with_capacity(json.len());
                    write(&parsed, &Style { order, escapes, numbers, space }, 0, &mut text);
                    for text in [format!("{text}\n"), text] {
                        if seen.insert(text.clone()) {
                            rewritings.push(text);
                        }
                    }
                }
            }
        }
    }
    rewritings
}

/// In words, what differs between two ways to write the same object.
pub(super) fn differences(one: &str, other: &str) -> String {
    let (Some(a), Some(b)) = (Json::parse(one, DEEPEST), Json::parse(other, DEEPEST)) else {
        return String::new();
    };
    let leaves = |json: &Json| {
        let (mut numbers, mut texts) = (Vec::new(), Vec::new());
        json.leaves(&mut numbers, &mut texts);
        let own = |mut list: Vec<&str>| {
            list.sort_unstable();
            list.join("\0")
        };
        (own(numbers), own(texts))
    };
    let ((a_numbers, a_texts), (b_numbers, b_texts)) = (leaves(&a), leaves(&b));
    let mut found = Vec::new();
    let reordered = a.names() != b.names();
    let spaces = |text: &str| text.len() - crate::json::one_line(text).len();
    if spaces(one) != spaces(other) {
        found.push("its white space");
    }
    if reordered {
        found.push("the order of its fields");
    }
    if a_texts != b_texts {
        found.push("the escapes in its texts");
    }
    if a_numbers != b_numbers {
        found.push("the digits of its numbers");
    }
    found.join(", ")
}

fn write(json: &Json, style: &Style, depth: usize, out: &mut String) {
    match json {
        Json::Object(members) => {
            let members: Vec<&(String, Json)> = ordered(members, style.order);
            list(out, style.space, depth, ['{', '}'], &members, |out, (name, value)| {
                text(name, style.escapes, out);
                out.push_str(if matches!(style.space, Space::None) { ":" } else { ": " });
                write(value, style, depth + 1, out);
            });
        }
        Json::Array(items) => {
            list(out, style.space, depth, ['[', ']'], items, |out, item| write(item, style, depth + 1, out))
        }
        Json::Text { raw, .. } if matches!(style.escapes, Escapes::AsTheyCame) => out.push_str(raw),
        Json::Text { value, .. } => text(value, style.escapes, out),
        Json::Number(number) => out.push_str(&digits(number, style.numbers)),
        Json::Word(word) => out.push_str(word),
    }
}

fn list<T>(
    out: &mut String,
    space: Space,
    depth: usize,
    [open, close]: [char; 2],
    items: &[T],
    mut item: impl FnMut(&mut String, &T),
) {
    let new_line = |out: &mut String, depth: usize| {
        if let Space::Indent(indent) = space {
            out.push('\n');
            (0..depth).for_each(|_| out.push_str(indent));
        }
    };
    out.push(open);
    for (index, each) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(if matches!(space, Space::AfterBoth) { ", " } else { "," });
        }
        new_line(out, depth + 1);
        item(out, each);
    }
    if !items.is_empty() {
        new_line(out, depth);
    }
    out.push(close);
}

fn ordered(members: &[(String, Json)], order: Order) -> Vec<&(String, Json)> {
    let mut members: Vec<_> = members.iter().collect();
    let place = |name: &str| CONTRACT.iter().position(|field| *field == name).unwrap_or(CONTRACT.len());
    match order {
        Order::AsItCame => {}
        Order::Contract => members.sort_by_key(|(name, _)| place(name)),
        Order::StatusLast => members.sort_by_key(|(name, _)| (name == "status", place(name))),
        Order::Sorted => members.sort_by(|(one, _), (other, _)| one.cmp(other)),
        Order::Reversed => members.reverse(),
    }
    members
}

fn text(value: &str, escapes: Escapes, out: &mut String) {
    let (ascii, slashes) = match escapes {
        Escapes::AsTheyCame | Escapes::Fewest | Escapes::Html => (false, false),
        Escapes::Ascii | Escapes::AsciiUpper => (true, false),
        Escapes::AsciiAndSlashes => (true, true),
        Escapes::Slashes => (false, true),
    };
    // Quotes, backslashes and control characters are escaped by everybody.
    for c in crate::json::quoted(value).chars() {
        match c {
            '/' if slashes => out.push_str("\\/"),
            '<' | '>' | '&' if matches!(escapes, Escapes::Html) => push_unit(out, c as u16, false),
            c if ascii && !c.is_ascii() => {
                let upper = matches!(escapes, Escapes::AsciiUpper);
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| push_unit(out, *unit, upper));
            }
            c => out.push(c),
        }
    }
}

fn push_unit(out: &mut String, unit: u16, upper: bool) {
    // Writing to a string does not fail.
    let _ = if upper { write!(out, "\\u{unit:04X}") } else { write!(out, "\\u{unit:04x}") };
}

fn digits(number: &str, numbers: Numbers) -> String {
    if number.contains(['e', 'E']) {
        return number.to_owned();
    }
    match (numbers, number.split_once('.')) {
        (Numbers::AsTheyCame, _) | (Numbers::Trimmed, None) => number.to_owned(),
        (Numbers::Trimmed, Some(_)) => number.trim_end_matches('0').trim_end_matches('.').to_owned(),
        (Numbers::TwoDigits, Some((_, fraction))) if fraction.len() >= 2 => number.to_owned(),
        (Numbers::TwoDigits, Some(_)) => format!("{number}0"),
        (Numbers::TwoDigits, None) => format!("{number}.00"),
    }
}
