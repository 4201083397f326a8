//! The state of a model: one reference (an order number), two processes of the merchant, the service, and all
//! faults between them. The library's own code (driver and transitions) decides the processes' actions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use merchantpay::Amount;
use merchantpay_journal_old::internals::{
    Asked, Call, Event, Key, OrphanState, RandomTexts, Reasons, Record, Report, Run, Task,
};
use merchantpay_journal_old::{Level, Reason};

/// For each kind of event, the number of events that are still allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Budget {
    pub pay: u8,
    pub replace: u8,
    pub confirm: u8,
    pub cancel: u8,
    /// The customer pays with credentials that were shown.
    pub customer: u8,
    pub settle: u8,
    /// A shop reads an entry of the news.
    pub news: u8,
    /// A process dies.
    pub crash: u8,
    /// A request or a reply is lost.
    pub lose: u8,
    /// A lease ends early, because clocks differ.
    pub skew: u8,
    /// The answer to a write is lost.
    pub store: u8,
    /// The service refuses a payment.
    pub refuse: u8,
    /// The service refuses a payment but makes it nevertheless.
    pub late_refusal: u8,
    pub not_sent: u8,
    /// A request reaches the service twice.
    pub doubled: u8,
    /// No credentials are found.
    pub credentials_fail: u8,
    pub expire: u8,
    pub receipt: u8,
    /// A failed payment becomes a success.
    pub dispute: u8,
    /// An operator decides that there is no payment.
    pub resolve: u8,
    /// An operator names a wrong order.
    pub resolve_wrong: u8,
    pub purge: u8,
    /// A failover of the database loses its newest row.
    pub failover: u8,
    /// Another process handles a webhook, with steps of other processes in between.
    pub slow_webhook: u8,
    /// An attacker sends an old genuine webhook to a token that was in an access log.
    pub forged: u8,
    /// The customer pays less than requested, and the webhook leaves out the sum.
    pub less: u8,
    /// An operator reads the list, and acts on it later.
    pub look: u8,
    /// The database is restored from a backup, in which the attempts are stored but their calls have no
    /// result.
    pub restore: u8,
    /// An operator pauses the journal.
    pub pause: u8,
}

/// The state of a payment at the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    Finding,
    Awaiting,
    Verifying,
    Receipt,
    Success,
    Fail,
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Order {
    pub token: String,
    pub state: State,
    pub paid: bool,
    /// Less than the requested sum was paid.
    pub is_less: bool,
    pub asynchronous: bool,
    pub had_credentials: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum News {
    Credentials,
    CredentialsFailed,
    Status(State),
}

/// A webhook that was sent. It can arrive at any time, any number of times.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hook {
    pub token: String,
    pub order: usize,
    pub news: News,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Process {
    pub run: Option<Box<Run>>,
    /// `Some` while the call that creates the payment is running. The inner value is the result of the call,
    /// as soon as there is a result.
    pub waiting: Option<Option<Event>>,
    pub serial: u8,
    pub steps: u8,
}

/// A request for a payment, on its way to the service.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Request {
    pub token: String,
    pub process: usize,
    pub serial: u8,
    pub asynchronous: bool,
}

/// A write that the database may still execute, although the connection is lost.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Zombie {
    pub record: Arc<Record>,
    pub is_insert: bool,
}

/// A shop that handles an entry of the news: the attempt, the level, and `true` if the shop has acted.
pub type Shop = Option<(u32, Level, bool)>;

/// A row of the table of orphans.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Orphan {
    pub state: OrphanState,
    pub is_seen: bool,
}

/// Something that an operator has read: an attempt with its reasons, or an orphan with its status.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Read {
    Attempt(u32, Reasons),
    Orphan(String, Option<String>),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct World {
    pub rows: Vec<Record>,
    pub orphans: BTreeMap<String, Orphan>,
    pub orders: Vec<Order>,
    pub processes: [Process; 2],
    pub requests: BTreeSet<Request>,
    pub hooks: BTreeSet<Hook>,
    pub zombies: Vec<Zombie>,
    /// Orders whose credentials a customer has seen.
    pub handed: BTreeSet<usize>,
    /// The levels that were reported to the shop.
    pub reported: BTreeSet<(u32, Level)>,
    pub shop: Shop,
    /// The item that an operator has read and will decide.
    pub operator: Option<Read>,
    /// The reasons of attempts, and the statuses of orphans, that operators have read.
    pub read: BTreeSet<(u32, Reason)>,
    pub read_orphans: BTreeSet<(String, Option<String>)>,
    /// Attempts that have ever been final.
    pub finals: BTreeSet<u32>,
    /// Attempts and orders with an accepted confirm or, with `false`, an accepted cancel.
    pub accepted: BTreeSet<(u32, Option<String>, bool)>,
    /// `true` if an operator has called `pause`.
    pub is_paused: bool,
    /// `true` if that call has returned.
    pub pause_has_returned: bool,
    /// Orders for which a confirm was sent.
    pub confirmed: BTreeSet<usize>,
    pub left: Budget,
    /// `true` if each write has its own writer. If the answer to a write can be lost, a process must
    /// recognize each of its own writes. Otherwise the number of the process is enough as the writer.
    pub has_writers: bool,
    /// The fault of the last step.
    pub fault: Option<&'static str>,
}

/// An order that does not belong to this reference. It failed long ago, or an operator names it by mistake.
pub const FOREIGN: usize = 8;
/// A further order, which does not belong to this reference either. It has a different sum, and succeeded long
/// ago.
pub const OF_OTHER_SUM: usize = 9;

impl World {
    pub fn new(budget: Budget) -> World {
        let idle = Process { run: None, waiting: None, serial: 0, steps: 0 };
        World {
            rows: Vec::new(),
            orphans: BTreeMap::new(),
            orders: Vec::new(),
            processes: [idle.clone(), idle],
            requests: BTreeSet::new(),
            hooks: BTreeSet::new(),
            zombies: Vec::new(),
            handed: BTreeSet::new(),
            reported: BTreeSet::new(),
            shop: None,
            operator: None,
            read: BTreeSet::new(),
            read_orphans: BTreeSet::new(),
            finals: BTreeSet::new(),
            accepted: BTreeSet::new(),
            is_paused: false,
            pause_has_returned: false,
            confirmed: BTreeSet::new(),
            left: budget,
            has_writers: budget.store > 0,
            fault: None,
        }
    }

    pub fn row(&self, attempt: u32) -> Option<&Record> {
        self.rows.iter().find(|row| row.attempt == attempt)
    }

    pub fn row_of_order(&self, order: usize) -> Option<&Record> {
        let id = order_id(order);
        self.rows.iter().find(|row| row.order_id.as_deref() == Some(&id))
    }

    pub fn order_of(&self, row: &Record) -> Option<usize> {
        let number: usize = row.order_id.as_deref()?.parse().ok()?;
        (number < self.orders.len()).then_some(number)
    }

    pub fn load(&self, key: &Key) -> Option<Arc<Record>> {
        let found = match key {
            Key::Last(_) => self.rows.last(),
            Key::Attempt(_, attempt) => self.row(*attempt),
            Key::Token(token) => self.rows.iter().find(|row| row.token == *token),
        };
        found.cloned().map(Arc::new)
    }

    /// Inserts a row as the database does. Returns `false` if a row with the same key exists.
    pub fn insert(&mut self, record: &Record) -> bool {
        let is_free = self.row(record.attempt).is_none();
        if is_free {
            self.rows.push(tidy(record.clone()));
            self.rows.sort_by_key(|row| row.attempt);
        }
        is_free
    }

    /// Updates a row as the database does: `None` if another row has the order id, `false` if the version has
    /// changed.
    pub fn update(&mut self, record: &Record) -> Option<bool> {
        let is_taken = |row: &Record| {
            row.attempt != record.attempt && row.order_id.is_some() && row.order_id == record.order_id
        };
        let place = self.rows.iter().position(|row| row.attempt == record.attempt);
        let Some(place) = place.filter(|place| self.rows[*place].version + 1 == record.version) else {
            return Some(false);
        };
        if self.rows.iter().any(is_taken) {
            return None;
        }
        let acknowledged = self.rows[place].acknowledged;
        self.rows[place] = tidy(Record { acknowledged, ..record.clone() });
        Some(true)
    }

    /// Stores an orphan as the database does: one row for each order id. If the status has changed, the row
    /// becomes unseen.
    pub fn store_orphan(&mut self, report: &Report) {
        let Some(orphan) = self.orphans.get_mut(&report.order_id) else {
            let orphan = Orphan { state: OrphanState::from(report), is_seen: false };
            self.orphans.insert(report.order_id.clone(), orphan);
            return;
        };
        let next = orphan.state.updated(report);
        orphan.is_seen &= next.status == orphan.state.status;
        orphan.state = next;
    }

    pub fn hook(&mut self, order: usize, news: News) {
        let token = self.orders[order].token.clone();
        self.hooks.insert(Hook { token, order, news });
    }

    /// The orders that a customer could pay now.
    pub fn payable(&self) -> impl Iterator<Item = usize> + '_ {
        self.orders
            .iter()
            .enumerate()
            .filter(|(_, order)| order.state == State::Awaiting)
            .map(|(number, _)| number)
    }
}

/// Removes values that depend only on the clock, and texts. So states that differ only in such values are
/// equal.
fn tidy(mut record: Record) -> Record {
    let is_sending = record.standing == merchantpay_journal_old::Standing::Sending;
    record.due_at = record.due_at.map(|due_at| if is_sending { due_at } else { 0 });
    (record.tries, record.updated_at, record.created_at) = (0, 0, 0);
    record.notes.clear();
    record.error = None;
    record
}

pub fn order_id(order: usize) -> String {
    order.to_string()
}

/// The database's clock. In the model it does not advance.
pub const NOW: i64 = 0;

pub fn sum() -> Amount {
    Amount::from_minor(100)
}

pub fn asked(asynchronous: bool) -> Asked {
    let text = |text: &str| text.to_owned();
    let (reference, account, payment_method, fields) = (text("r"), text("a"), text("sbp"), String::new());
    Asked { reference, account, asynchronous, sum: sum(), payment_method, fields, lease: 1 }
}

pub fn pay(replace: Option<u32>, asynchronous: bool) -> Task {
    Task::Pay(Box::new(asked(asynchronous)), replace)
}

pub fn apply(attempt: u32, event: Event) -> Task {
    Task::Apply(Key::Attempt("r".to_owned(), attempt), Box::new(event))
}

pub fn random_texts(has_writers: bool, process: usize, serial: u8, steps: u8) -> RandomTexts {
    // If no answer is lost, a failed compare-and-swap means that another process wrote first.
    let writer = if has_writers { format!("{process}.{serial}.{steps}") } else { process.to_string() };
    RandomTexts { token: format!("{process}.{serial}"), writer }
}

pub fn report(order: usize, status: Option<&str>, has_credentials: bool) -> Report {
    Report {
        order_id: order_id(order),
        status: status.map(str::to_owned),
        sum: Some(if order == OF_OTHER_SUM { Amount::from_minor(101) } else { sum() }),
        currency: None,
        has_credentials,
        fields: Default::default(),
    }
}

pub fn is_creation(call: Call) -> bool {
    call == Call::Create
}
