//! `mpay_entry` and `mpay_entries`: entries of the journal.

use std::ffi::{CString, c_char};
use std::sync::OnceLock;

use merchantpay::{Code, Outcome};
use merchantpay_journal::{Attention, Entry, Orphan, Reason, Style};

use crate::entry_texts;
use crate::field_text::FieldText;
use crate::handle::{borrowed, free, read};
use crate::payment::mpay_payment;
use crate::texts::{Texts, cut};

/// An entry of the journal: one attempt of a payment. An entry of mpay_journal_attention can also be an
/// orphan (mpay_entry_is_orphan) or a row that cannot be read (mpay_entry_unreadable). An entry is a value: it
/// does not change, and needs no journal. Any number of threads may read an entry at once.
pub struct mpay_entry {
    /// The texts of [`Place`], and then the fields in the order of their table.
    texts: Texts<{ FIELDS + Entry::FIELDS.len() }>,
    credentials: Option<mpay_payment>,
    details: Vec<CString>,
    /// `None` for an orphan and an unreadable row.
    entry: Option<Box<Entry>>,
    statements: OnceLock<Texts<{ Style::ALL.len() }>>,
}

/// A list of entries. Any number of threads may read it at once.
pub struct mpay_entries(Vec<mpay_entry>);

/// The texts before the fields. A new field does not move them.
#[derive(Clone, Copy)]
enum Place {
    Json,
    Outcome,
    Description,
    IsOrphan,
    Unreadable,
    Details,
}

const FIELDS: usize = Place::Details as usize + 1;

type Filled = [Option<String>; FIELDS + Entry::FIELDS.len()];

fn place_of(field: &str) -> usize {
    FIELDS + Entry::FIELDS.iter().position(|row| row.name == field).unwrap_or_default()
}

impl mpay_entry {
    fn new(mut texts: Filled, entry: Option<Box<Entry>>, details: Vec<String>) -> mpay_entry {
        let order_id = &mut texts[place_of("order_id")];
        // An id with a NUL is left out: C would see the id of a different order, cut at the NUL.
        *order_id = order_id.take().filter(|id| !id.contains('\0'));
        texts[Place::Details as usize] = Some(serde_json::to_string(&details).unwrap_or_default());
        mpay_entry {
            texts: Texts::new(texts.each_ref().map(|text| text.as_deref().map(cut))),
            credentials: entry
                .as_ref()
                .and_then(|entry| entry.credentials.as_ref())
                .map(|payment| mpay_payment::of(payment, None)),
            details: details.iter().filter_map(|detail| CString::new(cut(detail)).ok()).collect(),
            entry,
            statements: OnceLock::new(),
        }
    }

    fn of_entry(entry: Box<Entry>, json: String, details: Vec<String>) -> mpay_entry {
        let mut texts = [const { None }; FIELDS + Entry::FIELDS.len()];
        texts[Place::Json as usize] = Some(json);
        texts[Place::Outcome as usize] = entry.error.as_ref().map(|error| error.outcome.clone());
        texts[Place::Description as usize] = entry.error.as_ref().and_then(|error| error.description.clone());
        texts[Place::IsOrphan as usize] = false.text();
        for (text, field) in texts.iter_mut().skip(FIELDS).zip(entry_texts::texts(&entry)) {
            *text = field;
        }
        mpay_entry::new(texts, Some(entry), details)
    }

    /// An item that is no attempt: the fields that it has, by their names.
    fn of_other(
        json: String,
        is_orphan: bool,
        column: Option<&str>,
        fields: impl IntoIterator<Item = (&'static str, Option<String>)>,
    ) -> mpay_entry {
        let mut texts = [const { None }; FIELDS + Entry::FIELDS.len()];
        texts[Place::Json as usize] = Some(json);
        texts[Place::IsOrphan as usize] = is_orphan.text();
        texts[Place::Unreadable as usize] = column.map(str::to_owned);
        for (name, text) in fields {
            texts[place_of(name)] = text;
        }
        mpay_entry::new(texts, None, Vec::new())
    }

    /// A field as a text that C borrows.
    pub(crate) fn text(&self, field: &str) -> *const c_char {
        self.texts.get(place_of(field))
    }

    /// A number of a field, or 0.
    pub(crate) fn number<N: std::str::FromStr + Default>(&self, field: &str) -> N {
        self.field(field).and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    pub(crate) fn field(&self, field: &str) -> Option<&str> {
        self.texts.text(place_of(field))
    }

    pub(crate) fn credentials(&self) -> *const mpay_payment {
        borrowed(self.credentials.as_ref())
    }

    pub(crate) fn fields(&self) -> &[u8] {
        self.texts.from(0)
    }

    fn statement(&self, style: i32) -> *const c_char {
        let place = Style::ALL.iter().position(|known| known.number() == style);
        let (Some(entry), Some(place)) = (&self.entry, place) else { return std::ptr::null() };
        let statements = self.statements.get_or_init(|| {
            let texts: Vec<String> =
                Style::ALL.iter().map(|style| entry.acknowledge_sql(*style).text).collect();
            Texts::new(std::array::from_fn(|place| texts.get(place).map(String::as_str)))
        });
        statements.get(place)
    }
}

impl From<Entry> for mpay_entry {
    fn from(entry: Entry) -> mpay_entry {
        let json = entry.to_json();
        mpay_entry::of_entry(Box::new(entry), json, Vec::new())
    }
}

impl mpay_entry {
    fn of_attention(item: Attention) -> Option<mpay_entry> {
        let json = item.to_json();
        match item {
            Attention::Entry { entry, details } => Some(mpay_entry::of_entry(entry, json, details)),
            Attention::Orphan(orphan) => {
                let Orphan { order_id, status, received_at, reference, attempt, .. } = orphan;
                let fields = [
                    ("reference", reference),
                    ("attempt", attempt.text()),
                    ("order_id", Some(order_id)),
                    ("status", status),
                    ("created_at", received_at.text()),
                ];
                Some(mpay_entry::of_other(json, true, None, fields))
            }
            Attention::Unreadable { reference, attempt, column } => {
                let fields = [("reference", Some(reference)), ("attempt", attempt.text())];
                Some(mpay_entry::of_other(json, false, Some(column), fields))
            }
            _ => None,
        }
    }
}

impl From<Vec<Entry>> for mpay_entries {
    fn from(entries: Vec<Entry>) -> mpay_entries {
        mpay_entries(entries.into_iter().map(mpay_entry::from).collect())
    }
}

impl From<Vec<Attention>> for mpay_entries {
    fn from(items: Vec<Attention>) -> mpay_entries {
        mpay_entries(items.into_iter().filter_map(mpay_entry::of_attention).collect())
    }
}

/// The standing's name, such as "open"; NULL if the entry is not an attempt. Borrowed from the entry. Any
/// thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_standing_name(entry: Option<&mpay_entry>) -> *const c_char {
    read(entry, |entry| entry.text("standing"))
}

/// A reason for which a person must look at the attempt, by index from 0: MPAY_ATTENTION_UNKNOWN and so on; 0
/// after the last one. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_attention(entry: Option<&mpay_entry>, place: usize) -> i32 {
    read(entry, |entry| {
        let reason = entry.field("attention").and_then(|names| names.split(',').nth(place));
        reason.and_then(Reason::from_name).map_or(0, Reason::number)
    })
}

/// What a reason means for this attempt, by the reason's index: one sentence. NULL after the last one, and for
/// an entry that is not of mpay_journal_attention. Borrowed from the entry. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_detail(entry: Option<&mpay_entry>, place: usize) -> *const c_char {
    read(entry, |entry| entry.details.get(place).map_or(std::ptr::null(), |detail| detail.as_ptr()))
}

/// 1 for an orphan, verified messages about an order that no attempt has; mpay_journal_attention lists them.
/// An orphan has the order id, the status, and as its creation time the arrival of its first message. It has
/// the reference and the number of an attempt only if it came to the URL of that attempt. Else 0. Any thread.
/// Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_is_orphan(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| i32::from(entry.texts.text(Place::IsOrphan as usize) == Some("1")))
}

/// The column that cannot be read in a row that a newer version or another program has written; else NULL.
/// mpay_journal_attention lists such rows; they have only the reference and the number of the attempt.
/// Borrowed from the entry. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_unreadable(entry: Option<&mpay_entry>) -> *const c_char {
    read(entry, |entry| entry.texts.get(Place::Unreadable as usize))
}

/// The error code of the last call about the attempt: MPAY_TRANSPORT and so on; MPAY_OK if that call did not
/// fail. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_error_code(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| entry.field("error").and_then(Code::from_name).map_or(0, Code::number))
}

/// The outcome of the last call about the attempt: MPAY_OUTCOME_NOT_SENT and so on; 0 if that call did not
/// fail. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_error_outcome(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| {
        let outcome = entry.texts.text(Place::Outcome as usize);
        outcome.and_then(Outcome::from_name).map_or(0, Outcome::number)
    })
}

/// The service's text about the refusal of the last call, or NULL. Borrowed from the entry. Any thread. Since
/// 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_error_description(entry: Option<&mpay_entry>) -> *const c_char {
    read(entry, |entry| entry.texts.get(Place::Description as usize))
}

/// The whole entry as one line of JSON. Borrowed from the entry. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_json(entry: Option<&mpay_entry>) -> *const c_char {
    read(entry, |entry| entry.texts.get(Place::Json as usize))
}

/// The statement that acknowledges an entry, for the merchant's own transaction in the journal's database.
/// style is the way in which the database's driver writes parameters: MPAY_STYLE_QUESTION and so on. The
/// parameters are the entry's reference, attempt and news, in this order or by these names. If the statement
/// changes no row, another worker was first, or there are newer news: roll back, and read the news again.
/// Otherwise the transaction's other work is done exactly once. NULL if the entry is not an attempt, or for
/// another style. Borrowed from the entry. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_acknowledge_sql(entry: Option<&mpay_entry>, style: i32) -> *const c_char {
    read(entry, |entry| entry.statement(style))
}

/// Frees an entry that a call returned, and all that was borrowed from it; NULL is allowed. Do not free an
/// entry that was borrowed. Any thread, once. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_free(entry: Option<Box<mpay_entry>>) {
    free(entry);
}

/// The number of entries. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entries_count(entries: Option<&mpay_entries>) -> usize {
    read(entries, |entries| entries.0.len())
}

/// The entry at this index, counted from 0; NULL after the last one. Borrowed from the entries: not to be
/// freed. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entries_get(entries: Option<&mpay_entries>, place: usize) -> *const mpay_entry {
    read(entries, |entries| borrowed(entries.0.get(place)))
}

/// Frees entries and all that was borrowed from them; NULL is allowed. Any thread, once. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entries_free(entries: Option<Box<mpay_entries>>) {
    free(entries);
}
