//! Writes the JSON of a body again, in the forms that common libraries give it. If a body was parsed and serialised, the
//! signed body probably had one of these forms: other white space, order or escapes, and other texts of its numbers,
//! because most languages read an amount as a float and drop the zeros at its end.

use std::collections::HashSet;
use std::fmt::Write as _;

use rust_decimal::Decimal;
use serde_json::value::RawValue;

use super::{Contents, Finding};
use crate::amount::Amount;
use crate::json::Object;

/// The largest depth of nested values. Messages of the contract have less.
const DEEPEST: usize = 8;

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

/// The amounts of a message, first those of a currency.
const AMOUNTS: &[&str] = &["sum", "dealSum", "dealRate", "sumDriftUp", "sumDriftDown"];
const SUMS: usize = 2;

/// How a library writes JSON.
#[derive(Clone, Copy)]
struct Form {
    comma: &'static str,
    colon: &'static str,
    /// The spaces of a level, if each value is on its own line.
    indent: usize,
    escapes: &'static [Escape],
}

#[derive(Clone, Copy, PartialEq)]
enum Escape {
    /// Characters that are not ASCII.
    Unicode,
    Slash,
    /// `<`, `>` and `&`, and two line separators.
    Html,
}

const fn form(comma: &'static str, colon: &'static str, indent: usize, escapes: &'static [Escape]) -> Form {
    Form { comma, colon, indent, escapes }
}

/// The forms, the likeliest first: JavaScript and Go's structs, Python, PHP, PHP with JSON_UNESCAPED_UNICODE, Python with
/// separators, Go's HTML-safe form, Python with ensure_ascii=False, and indented texts.
const FORMS: &[Form] = &[
    form(",", ":", 0, &[]),
    form(", ", ": ", 0, &[Escape::Unicode]),
    form(",", ":", 0, &[Escape::Unicode, Escape::Slash]),
    form(",", ":", 0, &[Escape::Slash]),
    form(",", ":", 0, &[Escape::Unicode]),
    form(",", ":", 0, &[Escape::Html]),
    form(", ", ": ", 0, &[]),
    form(",", ": ", 2, &[]),
    form(",", ": ", 2, &[Escape::Unicode]),
    form(",", ": ", 4, &[]),
    form(",", ": ", 4, &[Escape::Unicode, Escape::Slash]),
];

/// A field, and the text of its value.
type Field<'a> = (&'a str, &'a str);

/// The decimals that an amount had at least, or `None` for its text as it came.
type Decimals = fn(&Number) -> Option<u32>;

/// What a parser may have dropped from all amounts of a body at once, the likeliest first.
const DECIMALS: &[Decimals] = &[
    |_| None,
    |_| Some(2),
    |number| (number.value.scale() > 0).then_some(2),
    |number| number.is_sum.then_some(2),
    |_| Some(1),
    |number| number.is_sum.then_some(1),
    |_| Some(0),
];

/// A rate often has four.
const OF_RATES: [Decimals; 2] =
    [|number| (!number.is_sum).then_some(4), |number| Some(if number.is_sum { 2 } else { 4 })];

const NUMBERS: Finding =
    Finding::changed("An amount was written again, with other decimals or as text instead of a number.");
const FORM: Finding =
    Finding::changed("The signed JSON was written again with other spaces, another order or other escapes.");
const BOTH: Finding = Finding::changed(
    "The signed JSON was written again with other spaces, another order or other escapes, and with other decimals of \
     an amount.",
);

/// The choices of numbers that are tried in the body as it came for each one in another layout: a person who changes one
/// amount keeps the layout.
const NUMBERS_FIRST: usize = 3;

/// Tries every layout with every choice of numbers, those first of which both are likely.
pub(super) fn undone(body: &[u8], contents: &mut Contents<'_>) -> Option<Finding> {
    let object = Object::parse(body).ok()?;
    let message = Message::new(&object);
    let (layouts, numbers) = (message.layouts(), message.choices());
    let as_received = numbers.chunks(NUMBERS_FIRST);
    for (rank, choices) in
        as_received.chain(std::iter::repeat(&[][..])).enumerate().take(layouts.len() + numbers.len())
    {
        let others = (1..=rank).filter_map(|at| Some((layouts.get(at)?, numbers.get(rank - at)?)));
        for (layout, numbers) in choices.iter().map(|numbers| (&Layout::AsReceived, numbers)).chain(others) {
            if contents.is_exhausted() {
                return None;
            }
            if contents.signed(message.written(layout, numbers)?.as_bytes()) {
                return Some(match layout {
                    Layout::AsReceived => NUMBERS,
                    Layout::Written { .. } if *numbers == message.numbers_as_written() => FORM,
                    Layout::Written { .. } => BOTH,
                });
            }
        }
    }
    None
}

struct Number<'a> {
    /// The index of its field.
    place: usize,
    is_sum: bool,
    written: &'a str,
    /// The value without zeros at its end.
    value: Decimal,
    is_text: bool,
}

impl<'a> Number<'a> {
    fn read(fields: &[Field<'a>], rank: usize) -> Option<Number<'a>> {
        let place = fields.iter().position(|(name, _)| *name == AMOUNTS[rank])?;
        let (_, value) = fields[place];
        let written = value.trim_matches('"');
        let is_text = written.len() < value.len();
        let value = Amount::parse_number(written).ok()?.to_decimal().normalize();
        Some(Number { place, is_sum: rank < SUMS, written, value, is_text })
    }

    fn text(&self, decimals: Option<u32>, is_text: bool) -> String {
        let text = match decimals {
            Some(decimals) => format!("{:.*}", decimals.max(self.value.scale()) as usize, self.value),
            None => self.written.to_owned(),
        };
        if is_text { format!("\"{text}\"") } else { text }
    }
}

enum Layout {
    AsReceived,
    Written { form: &'static Form, order: Vec<usize> },
}

struct Message<'a> {
    body: &'a str,
    fields: Vec<Field<'a>>,
    numbers: Vec<Number<'a>>,
}

impl<'a> Message<'a> {
    fn new(object: &'a Object<'a>) -> Message<'a> {
        let fields: Vec<Field<'a>> = object.fields().collect();
        let numbers = (0..AMOUNTS.len()).filter_map(|rank| Number::read(&fields, rank)).collect();
        Message { body: object.json, fields, numbers }
    }

    /// The layouts that differ for this message: each form in the order that came, and between them the likeliest forms
    /// in another order.
    fn layouts(&self) -> Vec<Layout> {
        let received: Vec<usize> = (0..self.fields.len()).collect();
        let name = |place: &usize| self.fields[*place].0;
        let rank = |place: &usize| CONTRACT.iter().position(|known| *known == name(place));
        let (mut contract, mut alphabet) = (received.clone(), received.clone());
        contract.sort_by_key(|place| rank(place).unwrap_or(CONTRACT.len()));
        alphabet.sort_by(|one, other| name(one).cmp(name(other)));
        let mut all = vec![Layout::AsReceived];
        all.extend(FORMS.iter().map(|form| Layout::Written { form, order: received.clone() }));
        for (at, form, order) in
            [(3, 0, &contract), (5, 1, &contract), (6, 0, &alphabet), (7, 2, &contract), (10, 1, &alphabet)]
        {
            all.insert(at, Layout::Written { form: &FORMS[form], order: order.clone() });
        }
        let numbers = self.numbers_as_written();
        let mut texts = HashSet::new();
        all.into_iter()
            .filter(|layout| self.written(layout, &numbers).is_some_and(|text| texts.insert(text)))
            .collect()
    }

    fn numbers_as_written(&self) -> Vec<String> {
        self.numbers.iter().map(|number| number.text(None, number.is_text)).collect()
    }

    /// The texts that the numbers may have had: first with a rule for all of them, then every combination, and at last as
    /// texts, because in the contract they are numbers.
    fn choices(&self) -> Vec<Vec<String>> {
        let all = |decimals: &Decimals, is_text: bool| {
            self.numbers.iter().map(|number| number.text(decimals(number), is_text)).collect::<Vec<_>>()
        };
        let as_written = all(&DECIMALS[0], false);
        let mut combinations = self.numbers.iter().fold(vec![Vec::new()], |combinations, number| {
            let texts = [None, Some(2), Some(1), Some(0)].map(|decimals| number.text(decimals, false));
            let with = |before: &Vec<String>| texts.clone().map(|text| [before.as_slice(), &[text]].concat());
            combinations.iter().flat_map(with).collect()
        });
        combinations.extend(OF_RATES.iter().map(|decimals| all(decimals, false)));
        combinations
            .sort_by_key(|texts| texts.iter().zip(&as_written).filter(|(one, other)| one != other).count());
        let rules = DECIMALS.iter().map(|decimals| all(decimals, false));
        let texts = [self.numbers_as_written(), all(&DECIMALS[0], true), all(&DECIMALS[1], true)];
        let mut distinct = HashSet::new();
        rules.chain(combinations).chain(texts).filter(|texts| distinct.insert(texts.clone())).collect()
    }

    /// The message in another layout and with other texts of its numbers. `None` if it is nested too deeply.
    fn written(&self, layout: &Layout, numbers: &[String]) -> Option<String> {
        let mut fields = self.fields.clone();
        for (number, text) in self.numbers.iter().zip(numbers) {
            fields[number.place].1 = text;
        }
        match layout {
            Layout::Written { form, order } => {
                form.object(&order.iter().map(|place| fields[*place]).collect::<Vec<_>>(), 0)
            }
            Layout::AsReceived => {
                let mut text = String::with_capacity(self.body.len() + 16);
                let mut done = 0;
                for ((_, received), (_, value)) in self.fields.iter().zip(&fields) {
                    // A received value is a part of the body.
                    let start = received.as_ptr().addr() - self.body.as_ptr().addr();
                    text.push_str(&self.body[done..start]);
                    text.push_str(value);
                    done = start + received.len();
                }
                text.push_str(&self.body[done..]);
                Some(text)
            }
        }
    }
}

impl Form {
    fn value(&self, text: &str, depth: usize) -> Option<String> {
        match text.as_bytes().first()? {
            // Before it is parsed, as each level is parsed again.
            b'{' | b'[' if depth >= DEEPEST => None,
            b'{' => {
                let object = Object::parse(text.as_bytes()).ok()?;
                self.object(&object.fields().collect::<Vec<_>>(), depth)
            }
            b'[' => {
                let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                let items =
                    items.iter().map(|item| self.value(item.get(), depth + 1)).collect::<Option<_>>()?;
                Some(self.list("[", items, "]", depth))
            }
            b'"' => Some(self.string(&serde_json::from_str::<String>(text).ok()?)),
            _ => Some(text.to_owned()),
        }
    }

    fn object(&self, fields: &[Field<'_>], depth: usize) -> Option<String> {
        let field = |(name, value): &Field<'_>| {
            Some([self.string(name).as_str(), self.colon, &self.value(value, depth + 1)?].concat())
        };
        Some(self.list("{", fields.iter().map(field).collect::<Option<_>>()?, "}", depth))
    }

    fn list(&self, start: &str, items: Vec<String>, end: &str, depth: usize) -> String {
        let line = |depth| {
            if self.indent > 0 { format!("\n{}", " ".repeat(self.indent * depth)) } else { String::new() }
        };
        let is_empty = items.is_empty();
        let comma = [self.comma, &line(depth + 1)].concat();
        let (first, last) = if is_empty { Default::default() } else { (line(depth + 1), line(depth)) };
        [start, &first, &items.join(&comma), &last, end].concat()
    }

    fn string(&self, text: &str) -> String {
        let mut written = String::with_capacity(text.len() + 2);
        written.push('"');
        for c in text.chars() {
            let is_escaped = |escape: &Escape| match escape {
                Escape::Unicode => !c.is_ascii(),
                Escape::Html => matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}'),
                Escape::Slash => false,
            };
            let short = [
                ('"', '"'),
                ('\\', '\\'),
                ('\n', 'n'),
                ('\r', 'r'),
                ('\t', 't'),
                ('\u{8}', 'b'),
                ('\u{c}', 'f'),
            ];
            let short = short.iter().find(|(escaped, _)| *escaped == c).map(|(_, letter)| *letter);
            let slash = (c == '/' && self.escapes.contains(&Escape::Slash)).then_some('/');
            if let Some(letter) = short.or(slash) {
                written.extend(['\\', letter]);
            } else if c < ' ' || self.escapes.iter().any(is_escaped) {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a string does not fail.
                    let _ = write!(written, "\\u{unit:04x}");
                }
            } else {
                written.push(c);
            }
        }
        written.push('"');
        written
    }
}
