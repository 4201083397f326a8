//! The journal's calls and records. Arguments, results and fields are those of the journal's own tables.

use std::time::Duration;

use merchantpay_journal::{
    AcknowledgeSql, Attention, Entry, EntryField, Intent, IntentState, Kind as JournalKind, METHODS, Method,
    NewsKey, Orphan, Problem, Reason, Received, Resolution, Settled, Standing, Stats, Style as SqlStyle,
    Until, VisitField,
};

use crate::arguments::{Argument, Arguments};
use crate::calls::{Call, Row, held, wrong_object};
use crate::kinds::Kind;
use crate::lists::{Named, named};
use crate::object::{Held, ObjectKind};
use crate::phase::Phase;
use crate::put::{NewJournal, Put, Returned};
use crate::records::{Field, REQUEST, Record, declare_records};
use crate::writer::Out;

/// Milliseconds since 1970.
struct Time(i64);

impl Put for Time {
    const KIND: Kind = Kind::Time;

    fn put(&self, out: &mut dyn Out) {
        self.0.put(out);
    }
}

fn argument(row: &merchantpay_journal::Argument) -> Argument {
    Argument { name: row.name, kind: kind(row.kind), default: row.default }
}

const AN_ENTRY: Kind = ENTRY.kind();

const fn kind(kind: JournalKind) -> Kind {
    match kind {
        JournalKind::Text => Kind::Text,
        JournalKind::Bytes => Kind::Bytes,
        JournalKind::Number => Kind::Number,
        JournalKind::LongNumber => Kind::LongNumber,
        JournalKind::Flag => Kind::Flag,
        JournalKind::Milliseconds => Kind::Milliseconds,
        JournalKind::Request => REQUEST.kind(),
        JournalKind::Amount => Kind::Amount,
        JournalKind::Standing => Kind::Word(Standing::LIST),
        JournalKind::Until => Kind::Word(Until::LIST),
        JournalKind::Style => Kind::Word(SqlStyle::LIST),
        JournalKind::Header => Kind::Header,
        JournalKind::Reasons => Kind::List(&Kind::Word(Reason::LIST)),
        JournalKind::Position => POSITION.kind(),
        JournalKind::Journal => Kind::Handle(ObjectKind::Journal),
        JournalKind::Entry => ENTRY.kind(),
        JournalKind::OptionalEntry => Kind::Optional(&AN_ENTRY),
        JournalKind::Entries => Kind::List(&AN_ENTRY),
        JournalKind::Received => Kind::Record("received"),
        JournalKind::Settled => Kind::Record("settled"),
        JournalKind::Attention => Kind::List(&Kind::Record("attention")),
        JournalKind::Stats => Kind::Record("stats"),
        JournalKind::Statement => Kind::Record("statement"),
        _ => Kind::Nothing,
    }
}

const fn method(name: &str) -> &'static Method {
    let mut index = 0;
    while index < METHODS.len() {
        if is_same(METHODS[index].name.as_bytes(), name.as_bytes()) {
            return &METHODS[index];
        }
        index += 1;
    }
    panic!("no such method")
}

/// `==` for a constant.
const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}

macro_rules! methods {
    ($( $number:literal $name:ident on $kind:ident, $phase:ident = |$journal:pat_param, $args:pat_param| $body:expr; )+) => {
        pub(crate) const CALLS: &[Call] = &[ $( Call {
            number: $number,
            name: stringify!($name),
            on: ObjectKind::$kind,
            phase: Phase::$phase,
            is_secret: false,
            row: Row::Listed {
                arguments: || method(stringify!($name)).arguments.iter().map(argument).collect(),
                result: kind(method(stringify!($name)).result),
                doc: method(stringify!($name)).doc,
            },
            run: |object, args| {
                let $journal = held!($kind object);
                let $args = args;
                $body.map(Returned::new)
            },
        } ),+ ];
    };
}

methods! {
    70 pay on Journal, Call = |journal, args| journal.pay(args.text()?, &args.payment_request()?);
    71 pay_async on Journal, Call = |journal, args| journal.pay_async(args.text()?, &args.payment_request()?);
    72 replace on Journal, Call = |journal, args| journal.replace(args.text()?, args.number()?, &args.payment_request()?);
    73 find on Journal, Setup = |journal, args| journal.find(args.text()?);
    74 list on Journal, Setup = |journal, args| {
        let (standing, limit, before) = (args.optional_word::<Standing>()?, args.number()?, position(args)?);
        journal.list_before(standing, limit, before)
    };
    75 wait on Journal, Call = |journal, args| {
        let (reference, until, timeout) = (args.text()?, args.word::<Until>()?, args.milliseconds()?);
        match args.pause() {
            Some(pause) => {
                let left = timeout.saturating_sub(pause.waited);
                journal.wait_with(reference, until, left, pause.sleep)
            }
            None => journal.wait(reference, until, timeout),
        }
    };
    76 confirm on Journal, Call = |journal, args| journal.confirm((args.text()?, args.number()?));
    77 cancel on Journal, Call = |journal, args| journal.cancel((args.text()?, args.number()?));
    78 receive on Journal, Reply = |journal, args| {
        let path = args.header().unwrap_or_default();
        let (body, signature, key_id) = (args.bytes(), args.header(), args.header());
        Ok(journal.receive(&path, body, &signature.unwrap_or_default(), key_id.as_deref()))
    };
    79 settle on Journal, Call = |journal, args| {
        let limit = args.number()?;
        match args.pause() {
            Some(pause) => journal.settle_with(limit, pause.sleep),
            None => journal.settle(limit),
        }
    };
    80 news on Journal, Setup = |journal, args| journal.news(args.number()?);
    81 acknowledge on Journal, Call = |journal, args| journal.acknowledge((args.text()?, args.number()?, args.long_number()?));
    // A statement is only text, so it needs no open journal.
    82 acknowledge_sql on Library, Setup = |_, args| {
        let key = NewsKey::from((args.text()?, args.number()?, args.long_number()?));
        Ok(key.acknowledge_sql(args.word::<SqlStyle>()?))
    };
    83 attention on Journal, Setup = |journal, args| journal.attention(args.number()?);
    84 resolve_order on Journal, Call = |journal, args| {
        let (key, order_id, note) = ((args.text()?, args.number()?), args.text()?.to_owned(), args.text()?);
        let sum = args.optional_amount()?;
        journal.resolve(key, &Resolution::Order(order_id, sum), note)
    };
    85 resolve_no_payment on Journal, Call = |journal, args| {
        journal.resolve((args.text()?, args.number()?), &Resolution::NoPayment, args.text()?)
    };
    86 resolve_seen on Journal, Call = |journal, args| {
        let key = (args.text()?, args.number()?);
        let reasons = args.words::<Reason>(kind(JournalKind::Reasons))?;
        journal.resolve(key, &Resolution::Seen(reasons), args.text()?)
    };
    87 resolve_trusted on Journal, Call = |journal, args| {
        journal.resolve((args.text()?, args.number()?), &Resolution::Trusted, args.text()?)
    };
    88 resolve_orphan on Journal, Call = |journal, args| {
        let (order_id, status, note) = (args.text()?, args.optional_text()?, args.text()?);
        journal.resolve_orphan(order_id, status, note)
    };
    89 stats on Journal, Setup = |journal, _| journal.stats();
    90 derive on Journal, Setup = |journal, args| Ok(NewJournal(args.object(Held::Journal(Box::new(journal.derive())))));
}

const POSITION: Record = Record {
    name: "position",
    doc: "The entry behind which a list goes on.",
    since: "0.4.0",
    fields: || {
        let field = |name, kind, doc| Field { name, kind, doc, since: "0.4.0" };
        vec![
            field("created_at", Kind::Time, "When the entry was stored."),
            field("reference", Kind::Text, "Its reference."),
        ]
    },
};

fn position<'a>(args: &mut Arguments<'a>) -> merchantpay::Result<Option<(i64, &'a str)>> {
    let fields = args.record(&POSITION)?;
    fields.map(|mut fields| Ok((fields.time()?, fields.text()?))).transpose()
}

pub(crate) fn records() -> impl Iterator<Item = &'static Record> {
    [&ENTRY, &POSITION].into_iter().chain(OWN)
}

/// The fields of an entry come last, because a later version can add some.
const ENTRY: Record = Record {
    name: "entry",
    doc: "One attempt of a payment. An entry is a value: it does not change after it was read.",
    since: "0.4.0",
    fields: || {
        let json = Field {
            name: "json",
            kind: <String as Put>::KIND,
            doc: "The entry as one line of JSON.",
            since: "0.4.0",
        };
        let mut fields = Fields(vec![json]);
        Entry::visit_fields(None, &mut fields);
        fields.0
    },
};

impl Put for Entry {
    const KIND: Kind = ENTRY.kind();

    fn put(&self, out: &mut dyn Out) {
        out.begin(Self::KIND, 1 + Entry::FIELDS.len());
        self.to_json().put(out);
        Entry::visit_fields(Some(self), &mut Values(out));
        out.end();
    }
}

struct Fields(Vec<Field>);

impl<T: Put> VisitField<T> for Fields {
    fn visit(&mut self, field: &'static EntryField, _: Option<&T>) {
        let EntryField { name, doc, since, .. } = *field;
        let kind = if name.ends_with("_at") { Kind::Time } else { T::KIND };
        self.0.push(Field { name, kind, doc, since });
    }
}

struct Values<'a>(&'a mut dyn Out);

impl<T: Put> VisitField<T> for Values<'_> {
    fn visit(&mut self, _: &'static EntryField, value: Option<&T>) {
        value.put(self.0);
    }
}

named! { LISTS;
    Standing = "Standing",
    Intent = "Intent",
    IntentState = "IntentState",
    Reason = "Attention",
    Until = "Until",
    SqlStyle = "Style",
}

declare_records! { OWN;
    /// The error of the last call about an attempt.
    problem: Problem as it, since "0.4.0" {
        /// The code's name.
        code: &str = &it.code;
        /// The outcome's name.
        outcome: &str = &it.outcome;
        /// The service's own text.
        description: Option<&str> = it.description.as_deref();
    }
    /// The answer to a webhook.
    received: Received as it, since "0.4.0" {
        /// The HTTP status to answer with: 200 if the webhook is stored, now or earlier; 400 if it does not verify; 404 for
        /// an unknown token; 409 for another order; 503 if the journal failed, so that the service tries again.
        http_status: u16 = it.http_status;
        /// The attempt that the webhook is about.
        entry: Option<&Entry> = it.entry.as_ref();
        /// Why the webhook was not stored; absent for 200, 404 and 409.
        error: Option<&merchantpay::Error> = it.error.as_ref();
    }
    /// What a call of settle did.
    settled: Settled as it, since "0.4.0" {
        /// How many attempts it asked about.
        done: u32 = it.done;
        /// The time until the next attempt is due; absent if none will be.
        next_due_ms: Option<Duration> = it.next_due;
    }
    /// What a person must look at: an entry, an orphan or a row that cannot be read.
    attention: Attention as it, since "0.4.0" {
        /// The item as one line of JSON.
        json: String = it.to_json();
        /// The attempt.
        entry: Option<&Entry> = match it {
            Attention::Entry { entry, .. } => Some(entry),
            _ => None,
        };
        /// What happened, one text for each reason of the entry.
        details: &[String] = match it {
            Attention::Entry { details, .. } => details,
            _ => &[],
        };
        /// Messages about an order that no attempt has.
        orphan: Option<&Orphan> = match it {
            Attention::Orphan(orphan) => Some(orphan),
            _ => None,
        };
        /// A row that cannot be read.
        unreadable: Option<Unreadable> = match it {
            Attention::Unreadable { reference, attempt, column } => Some(Unreadable { reference, attempt: *attempt, column }),
            _ => None,
        };
    }
    /// Messages about an order that no attempt has.
    orphan: Orphan as it, since "0.4.0" {
        /// The order.
        order_id: &str = &it.order_id;
        /// The most final status that the messages report.
        status: Option<&str> = it.status.as_deref();
        /// When the first message came.
        received_at: Time = Time(it.received_at);
        /// The reference to whose URL the messages came.
        reference: Option<&str> = it.reference.as_deref();
        /// The number of its attempt.
        attempt: Option<u32> = it.attempt;
    }
    /// A row that cannot be read.
    unreadable: Unreadable<'_> as it, since "0.4.0" {
        /// The merchant's order number.
        reference: &str = it.reference;
        /// The number of the attempt.
        attempt: u32 = it.attempt;
        /// The column.
        column: &str = it.column;
    }
    /// The counts of a journal.
    stats: Stats as it, since "0.4.0" {
        /// The counts as one line of JSON.
        json: String = it.to_json();
        /// Attempts whose call may still run.
        sending: u64 = it.standings.sending;
        /// Attempts of which nobody knows whether there is a payment.
        unknown: u64 = it.standings.unknown;
        /// Attempts with an order that is not final.
        open: u64 = it.standings.open;
        /// Items that a person must look at, with orphans.
        attention: u64 = it.attention;
        /// Orders that no attempt has.
        orphans: u64 = it.orphans;
        /// Attempts about which the service must be asked now.
        due: u64 = it.due;
        /// How long an attempt has been due; absent if none is.
        overdue_ms: Option<i64> = it.overdue_ms;
        /// Entries that nobody has acknowledged.
        news: u64 = it.news;
        /// The note of the pause; absent if the journal is not paused.
        pause: Option<&str> = it.pause.as_deref();
        /// Settings of the database that can lose a commit and were accepted.
        durability_vouched: &[String] = &it.durability_vouched;
    }
    /// A statement for the merchant's own transaction.
    statement: AcknowledgeSql as it, since "0.4.0" {
        /// The UPDATE. If it changes no row: roll back, and read the news again.
        text: &str = &it.text;
        /// The first parameter, `reference`.
        reference: &str = &it.reference;
        /// The second parameter, `attempt`.
        attempt: u32 = it.attempt;
        /// The third parameter, `news`.
        news: i64 = it.news;
    }
}

struct Unreadable<'a> {
    reference: &'a str,
    attempt: u32,
    column: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_call_but_those_that_the_waist_has_itself() {
        for method in METHODS.iter().filter(|method| !matches!(method.name, "interrupt" | "close")) {
            assert!(CALLS.iter().any(|call| call.name == method.name), "{}", method.name);
        }
    }
}
