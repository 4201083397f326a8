//! `mpay_entry` and `mpay_entries`: entries of the journal, and what else a person must look at.

use std::ffi::c_char;
use std::sync::OnceLock;

use merchantpay_calls::Value;
use merchantpay_journal::{Entry, Style};

use crate::arguments::word;
use crate::handle::read;
use crate::object::{LIBRARY, call};
use crate::places::{attention, entry, number, orphan, statement, unreadable};
use crate::record::Record;

/// An entry of the journal: one attempt of a payment. An entry of mpay_journal_attention can also be an
/// orphan (mpay_entry_is_orphan) or a row that cannot be read (mpay_entry_unreadable). An entry is a value:
/// it does not change, and needs no journal. Any number of threads may read an entry at once.
pub struct mpay_entry {
    record: Record,
    /// The rest of an item of mpay_journal_attention.
    item: Record,
    statements: OnceLock<Vec<Record>>,
}

/// A list of entries. Any number of threads may read it at once.
pub struct mpay_entries(Vec<mpay_entry>);

impl mpay_entry {
    pub(crate) fn new(record: Record) -> mpay_entry {
        mpay_entry { record, item: Record::default(), statements: OnceLock::new() }
    }

    /// An item of the list of attention. One that is no attempt has some fields of an entry.
    fn of_item(mut item: Record) -> mpay_entry {
        let record = item.take(attention::ENTRY).unwrap_or_else(|| {
            let mut record = Record::default();
            let field = |of: &[usize]| item.bytes(of);
            for place in 0..=Entry::FIELDS.len() {
                let (orphan, unreadable) = (attention::ORPHAN, attention::UNREADABLE);
                record.push(match place {
                    entry::JSON => field(&[attention::JSON]),
                    entry::REFERENCE => field(&[orphan, orphan::REFERENCE])
                        .or_else(|| field(&[unreadable, unreadable::REFERENCE])),
                    entry::ATTEMPT => field(&[orphan, orphan::ATTEMPT])
                        .or_else(|| field(&[unreadable, unreadable::ATTEMPT])),
                    entry::ORDER_ID => field(&[orphan, orphan::ORDER_ID]),
                    entry::STATUS => field(&[orphan, orphan::STATUS]),
                    entry::CREATED_AT => field(&[orphan, orphan::RECEIVED_AT]),
                    _ => None,
                });
            }
            record
        });
        mpay_entry { item, ..mpay_entry::new(record) }
    }

    /// That of an item has the details too.
    pub(crate) fn json(&self) -> Option<&str> {
        self.item.str(&[attention::JSON]).or_else(|| self.record.str(&[entry::JSON]))
    }

    pub(crate) fn details(&self) -> Vec<&str> {
        let details = self.item.inside(&[attention::DETAILS]).into_iter();
        details.flat_map(|list| (0..list.len()).filter_map(|place| list.str(&[place]))).collect()
    }

    pub(crate) fn is_orphan(&self) -> bool {
        self.item.inside(&[attention::ORPHAN]).is_some()
    }

    pub(crate) fn unreadable(&self) -> Option<&str> {
        self.item.str(&[attention::UNREADABLE, unreadable::COLUMN])
    }

    fn statement(&self, style: i32) -> *const c_char {
        let place = Style::ALL.iter().position(|known| known.number() == style);
        let (Some(place), Some(_)) = (place, self.record.str(&[entry::STANDING])) else {
            return std::ptr::null();
        };
        let statements = self.statements.get_or_init(|| {
            let key = [entry::REFERENCE, entry::ATTEMPT, entry::NEWS];
            let made = |style: &Style| {
                let [reference, attempt, news] =
                    key.map(|place| self.record.bytes(&[place]).map(Value::Borrowed));
                let style = word(style.number(), "Style", "style", "STYLE_")?;
                call(LIBRARY, number::LIBRARY_ACKNOWLEDGE_SQL, &[reference, attempt, news, style])
            };
            Style::ALL.iter().map(|style| made(style).unwrap_or_default()).collect()
        });
        statements.get(place).map_or(std::ptr::null(), |made| made.text(&[statement::TEXT]))
    }
}

impl AsRef<Record> for mpay_entry {
    fn as_ref(&self) -> &Record {
        &self.record
    }
}

impl mpay_entries {
    pub(crate) fn new(list: Record) -> mpay_entries {
        mpay_entries(list.into_records().map(mpay_entry::new).collect())
    }

    pub(crate) fn of_items(list: Record) -> mpay_entries {
        mpay_entries(list.into_records().map(mpay_entry::of_item).collect())
    }
}

/// What a reason means for this attempt, by the reason's index: one sentence. NULL after the last one, and
/// for an entry that is not of mpay_journal_attention. Borrowed from the entry. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_detail(entry: Option<&mpay_entry>, place: usize) -> *const c_char {
    read(entry, |entry| entry.item.text(&[attention::DETAILS, place]))
}

/// 1 for an orphan, verified messages about an order that no attempt has; mpay_journal_attention lists them.
/// An orphan has the order id, the status, and as its creation time the arrival of its first message. It has
/// the reference and the number of an attempt only if it came to the URL of that attempt. Else 0. Any thread.
/// Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_is_orphan(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| i32::from(entry.is_orphan()))
}

/// The column that cannot be read in a row that a newer version or another program has written; else NULL.
/// mpay_journal_attention lists such rows; they have only the reference and the number of the attempt.
/// Borrowed from the entry. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_unreadable(entry: Option<&mpay_entry>) -> *const c_char {
    read(entry, |entry| entry.unreadable().map_or(std::ptr::null(), |column| column.as_ptr().cast()))
}

/// The whole entry as one line of JSON. Borrowed from the entry. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_json(entry: Option<&mpay_entry>) -> *const c_char {
    read(entry, |entry| entry.json().map_or(std::ptr::null(), |json| json.as_ptr().cast()))
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

/// The number of entries. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entries_count(entries: Option<&mpay_entries>) -> usize {
    read(entries, |entries| entries.0.len())
}

/// The entry at this index, counted from 0; NULL after the last one. Borrowed from the entries: not to be
/// freed. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entries_get(entries: Option<&mpay_entries>, place: usize) -> *const mpay_entry {
    read(entries, |entries| entries.0.get(place).map_or(std::ptr::null(), std::ptr::from_ref))
}
