//! `mpay_entry` and `mpay_entries`: entries of the journal.

use std::ffi::c_char;
use std::sync::OnceLock;

use merchantpay::{Code, Error, Outcome, Paid, Result};
use merchantpay_journal::{Attention, Entry, IntentState, Level, Orphan, Reason, ServerChange};

use crate::handle::{borrowed, free, read};
use crate::payment::mpay_payment;
use crate::texts::{Texts, cut};

/// An entry of the journal: one attempt of a payment. An entry of mpay_journal_attention can also be an
/// orphan (a verified message that matches no attempt) or a changed server. Any number of threads may read an
/// entry at once.
pub struct mpay_entry {
    pub(crate) item: Attention,
    texts: Texts<{ Text::COUNT }>,
    fields: OnceLock<Texts<{ FIELDS + Entry::FIELDS.len() }>>,
    credentials: Option<mpay_payment>,
    payment: Option<mpay_payment>,
    earlier: Vec<mpay_entry>,
}

/// A list of entries. Any number of threads may read it at once.
pub struct mpay_entries(Vec<mpay_entry>);

#[derive(Clone, Copy)]
enum Text {
    Reference,
    StandingName,
    OrderId,
    SumAsked,
    ErrorDescription,
}

impl Text {
    const COUNT: usize = 5;
}

impl mpay_entry {
    /// The attempt; an error if the entry is something else.
    pub(crate) fn attempt(&self) -> Result<&Entry> {
        self.entry().ok_or_else(|| {
            Error::invalid_argument("entry is not an attempt: it is an orphan, or a changed server")
        })
    }

    fn entry(&self) -> Option<&Entry> {
        match &self.item {
            Attention::Entry(entry) => Some(entry),
            _ => None,
        }
    }

    /// The value that `body` reads from the attempt; the default if the entry is not an attempt.
    fn of<R: Default>(&self, body: impl FnOnce(&Entry) -> R) -> R {
        self.entry().map(body).unwrap_or_default()
    }

    fn text(&self, text: Text) -> *const c_char {
        self.texts.get(text as usize)
    }
}

/// The number of texts before the fields of an entry. A new field does not move these texts.
const FIELDS: usize = 4;

impl mpay_entry {
    /// The JSON, the orphan flag, outcome and description of the error, and then the fields in the order of
    /// their definition.
    pub(crate) fn fields(&self) -> &[u8] {
        self.read_once().from(0)
    }

    fn read_once(&self) -> &Texts<{ FIELDS + Entry::FIELDS.len() }> {
        self.fields.get_or_init(|| self.read_fields())
    }

    fn read_fields(&self) -> Texts<{ FIELDS + Entry::FIELDS.len() }> {
        let present = |is_present: bool| is_present.then(|| "1".to_owned());
        let flag = |is_on: bool| Some(if is_on { "1" } else { "0" }.to_owned());
        let mut texts = [const { None }; FIELDS + Entry::FIELDS.len()];
        let mut places = texts.iter_mut();
        let mut add = |text: Option<String>| {
            if let Some(place) = places.next() {
                *place = text;
            }
        };
        match &self.item {
            Attention::Entry(entry) => {
                let problem = entry.error();
                add(Some(entry.to_json()));
                add(flag(false));
                add(problem.map(|problem| problem.outcome.clone()));
                add(problem
                    .and_then(|problem| problem.description.as_deref())
                    .map(|text| cut(text).to_owned()));
                add(Some(entry.reference().to_owned()));
                add(Some(entry.attempt().to_string()));
                add(Some(entry.standing().name().to_owned()));
                add(entry.order_id().filter(|id| !id.contains('\0')).map(str::to_owned));
                add(Some(entry.sum_asked().to_string()));
                add(entry.paid().map(|paid| paid.name().to_owned()));
                add(flag(entry.succeeded()));
                add(present(self.credentials.is_some()));
                add(present(self.payment.is_some()));
                add(entry.confirm().map(|state| state.name().to_owned()));
                add(entry.cancel().map(|state| state.name().to_owned()));
                add(Some(entry.reported().name().to_owned()));
                add(Some(entry.acknowledged().name().to_owned()));
                add(problem.map(|problem| problem.code.clone()));
                add(Some(entry.attention().iter().map(|reason| reason.name()).collect::<Vec<_>>().join(",")));
                add(Some(entry.created_at().to_string()));
                add(Some(entry.updated_at().to_string()));
                add(entry.due_at().map(|time| time.to_string()));
            }
            Attention::Orphan(orphan) => {
                add(Some(orphan.to_json()));
                add(flag(true));
                (0..2).for_each(|_| add(None));
                add(orphan.attempt.as_ref().map(|(reference, _)| reference.clone()));
                add(orphan.attempt.as_ref().map(|(_, attempt)| attempt.to_string()));
                add(None);
                add(Some(orphan.order_id.clone()).filter(|id| !id.contains('\0')));
                (0..2).for_each(|_| add(None));
                add(flag(false));
                (0..4).for_each(|_| add(None));
                add(Some(Level::None.name().to_owned()));
                add(Some(Level::None.name().to_owned()));
                add(None);
                add(Some(String::new()));
                add(Some(orphan.received_at.to_string()));
            }
            Attention::ServerChange(change) => {
                add(Some(change.to_json()));
                add(flag(false));
                (0..8).for_each(|_| add(None));
                add(flag(false));
                (0..4).for_each(|_| add(None));
                add(Some(Level::None.name().to_owned()));
                add(Some(Level::None.name().to_owned()));
                add(None);
                add(Some(Reason::ServerChanged.name().to_owned()));
            }
            _ => {}
        }
        Texts::new(texts.each_ref().map(Option::as_deref))
    }
}

impl From<Entry> for mpay_entry {
    fn from(entry: Entry) -> mpay_entry {
        let sum = entry.sum_asked().to_string();
        // Without `black_box`, the optimiser would read the description before the check for an error, and
        // then discard it. That is harmless, but valgrind would report this read to every host.
        let problem = std::hint::black_box(entry.error());
        let texts = Texts::new([
            Some(entry.reference()),
            Some(entry.standing().name()),
            // An id with a NUL is left out: C would see the id of a different order, cut at the NUL.
            entry.order_id().filter(|id| !id.contains('\0')),
            Some(&sum),
            problem.and_then(|problem| problem.description.as_deref()),
        ]);
        let payment = |payment| mpay_payment::of(payment, None);
        mpay_entry {
            texts,
            fields: OnceLock::new(),
            credentials: entry.credentials().map(payment),
            payment: entry.payment().map(payment),
            earlier: entry.earlier().iter().cloned().map(mpay_entry::from).collect(),
            item: Attention::Entry(Box::new(entry)),
        }
    }
}

impl From<Orphan> for mpay_entry {
    fn from(orphan: Orphan) -> mpay_entry {
        let reference = orphan.attempt.as_ref().map(|(reference, _)| reference.as_str());
        let order_id = Some(orphan.order_id.as_str()).filter(|id| !id.contains('\0'));
        let texts = Texts::new([reference, None, order_id, None, None]);
        mpay_entry {
            texts,
            fields: OnceLock::new(),
            credentials: None,
            payment: None,
            earlier: Vec::new(),
            item: Attention::Orphan(orphan),
        }
    }
}

impl From<ServerChange> for mpay_entry {
    fn from(change: ServerChange) -> mpay_entry {
        mpay_entry {
            texts: Texts::new([None; Text::COUNT]),
            fields: OnceLock::new(),
            credentials: None,
            payment: None,
            earlier: Vec::new(),
            item: Attention::ServerChange(change),
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
        let entry = |item| match item {
            Attention::Entry(entry) => Some(mpay_entry::from(*entry)),
            Attention::Orphan(orphan) => Some(mpay_entry::from(orphan)),
            Attention::ServerChange(change) => Some(mpay_entry::from(change)),
            _ => None,
        };
        mpay_entries(items.into_iter().filter_map(entry).collect())
    }
}

fn intent(state: Option<IntentState>) -> i32 {
    state.map_or(0, IntentState::number)
}

/// The merchant's own order number; NULL for an orphan without an attempt. Borrowed from the entry. Any
/// thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_reference(entry: Option<&mpay_entry>) -> *const c_char {
    read(entry, |entry| entry.text(Text::Reference))
}

/// The number of the attempt, counted from 1; 0 for an orphan without an attempt, and for a NULL handle. Any
/// thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_attempt(entry: Option<&mpay_entry>) -> u32 {
    read(entry, |entry| match &entry.item {
        Attention::Entry(entry) => entry.attempt(),
        Attention::Orphan(orphan) => orphan.attempt.as_ref().map_or(0, |(_, attempt)| *attempt),
        _ => 0,
    })
}

/// 1 for an orphan, a verified message that matches no attempt; mpay_journal_attention lists them. An orphan
/// has an order id and no standing. It has the reference and the number of an attempt only if it came to the
/// URL of that attempt. 0 for an attempt, and for NULL. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_is_orphan(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| i32::from(matches!(entry.item, Attention::Orphan(_))))
}

/// The standing of the attempt: MPAY_STANDING_SENDING and so on. A standing alone never shows that the
/// attempt was paid: see mpay_entry_succeeded. 0 for NULL. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_standing(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| entry.of(|entry| entry.standing().number()))
}

/// The standing's name, such as "open"; NULL if the entry is not an attempt. Borrowed from the entry. Any
/// thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_standing_name(entry: Option<&mpay_entry>) -> *const c_char {
    read(entry, |entry| entry.text(Text::StandingName))
}

/// The service's order id, or NULL if it is not known. Borrowed from the entry. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_order_id(entry: Option<&mpay_entry>) -> *const c_char {
    read(entry, |entry| entry.text(Text::OrderId))
}

/// The payment details that the customer needs (credentials). NULL unless the customer may pay: the attempt
/// is open, no cancel is stored, and sum and currency are as requested. Borrowed from the entry: not to be
/// freed. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_credentials(entry: Option<&mpay_entry>) -> *const mpay_payment {
    read(entry, |entry| borrowed(entry.credentials.as_ref()))
}

/// The payment, merged from all messages of the service; NULL if the service has reported nothing about it.
/// Borrowed from the entry: not to be freed. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_payment(entry: Option<&mpay_entry>) -> *const mpay_payment {
    read(entry, |entry| borrowed(entry.payment.as_ref()))
}

/// The requested sum, as decimal text. Borrowed from the entry. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_sum_asked(entry: Option<&mpay_entry>) -> *const c_char {
    read(entry, |entry| entry.text(Text::SumAsked))
}

/// The paid sum compared with the requested one: MPAY_PAID_EXACTLY, MPAY_PAID_LESS or MPAY_PAID_MORE; 0 until
/// the paid sum is known. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_paid(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| entry.of(|entry| entry.paid().map_or(0, Paid::number)))
}

/// 1 if the payment succeeded with exactly the requested sum, else 0. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_succeeded(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| entry.of(|entry| i32::from(entry.succeeded())))
}

/// The state of the confirm, the report that the customer has paid: MPAY_INTENT_STORED and so on; 0 if there
/// is no confirm. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_confirm_state(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| entry.of(|entry| intent(entry.confirm())))
}

/// The state of the cancel: MPAY_INTENT_STORED and so on; 0 if there is no cancel. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_cancel_state(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| entry.of(|entry| intent(entry.cancel())))
}

/// The level that the attempt has reached, from MPAY_LEVEL_NONE to MPAY_LEVEL_FINAL. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_reported(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| entry.of(|entry| entry.reported().number()))
}

/// The level that the merchant has acknowledged, from MPAY_LEVEL_NONE to MPAY_LEVEL_FINAL. Any thread. Since
/// 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_acknowledged(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| entry.of(|entry| entry.acknowledged().number()))
}

/// The error code of the last call for the attempt: MPAY_TRANSPORT and so on; MPAY_OK if that call did not
/// fail. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_error_code(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| {
        entry.of(|entry| {
            entry.error().and_then(|problem| Code::from_name(&problem.code)).map_or(0, Code::number)
        })
    })
}

/// The outcome of the last call for the attempt: MPAY_OUTCOME_NOT_SENT and so on; 0 if that call did not
/// fail. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_error_outcome(entry: Option<&mpay_entry>) -> i32 {
    read(entry, |entry| {
        entry.of(|entry| {
            entry.error().and_then(|problem| Outcome::from_name(&problem.outcome)).map_or(0, Outcome::number)
        })
    })
}

/// The service's text about the refusal of the last call, or NULL. Borrowed from the entry. Any thread. Since
/// 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_error_description(entry: Option<&mpay_entry>) -> *const c_char {
    read(entry, |entry| entry.text(Text::ErrorDescription))
}

/// A reason for which an operator must decide, by index from 0: MPAY_ATTENTION_UNKNOWN and so on; 0 after the
/// last one. MPAY_ATTENTION_SERVER_CHANGED belongs to no attempt. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_attention(entry: Option<&mpay_entry>, place: usize) -> i32 {
    read(entry, |entry| match &entry.item {
        Attention::ServerChange(_) if place == 0 => Reason::ServerChanged.number(),
        _ => entry.of(|entry| entry.attention().get(place).map_or(0, |reason| reason.number())),
    })
}

/// An earlier attempt of the reference, by index: 0 is the newest earlier attempt. NULL after the oldest one,
/// and if the call returned the entry without its earlier attempts. Borrowed from the entry: not to be freed.
/// Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_earlier(entry: Option<&mpay_entry>, place: usize) -> *const mpay_entry {
    read(entry, |entry| borrowed(entry.earlier.get(place)))
}

/// The time at which the attempt was stored or the orphan arrived, in milliseconds since 1970 by the
/// database's clock. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_created_at_ms(entry: Option<&mpay_entry>) -> u64 {
    read(entry, |entry| match &entry.item {
        Attention::Entry(entry) => time(entry.created_at()),
        Attention::Orphan(orphan) => time(orphan.received_at),
        _ => 0,
    })
}

/// The time of the last write, in milliseconds since 1970 by the database's clock. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_updated_at_ms(entry: Option<&mpay_entry>) -> u64 {
    read(entry, |entry| entry.of(|entry| time(entry.updated_at())))
}

/// The time at which the journal queries the service next, in milliseconds since 1970; 0 if no query is
/// planned. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_due_at_ms(entry: Option<&mpay_entry>) -> u64 {
    read(entry, |entry| entry.of(|entry| entry.due_at().map_or(0, time)))
}

fn time(time: i64) -> u64 {
    u64::try_from(time).unwrap_or_default()
}

/// The whole entry as one line of JSON. Borrowed from the entry. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_entry_json(entry: Option<&mpay_entry>) -> *const c_char {
    read(entry, |entry| entry.read_once().get(0))
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
