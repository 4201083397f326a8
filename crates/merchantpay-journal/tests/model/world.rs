//! One reference, two processes of the merchant, the service, and everything that can go wrong between them.
//! What a process does is decided by the library's own driver and transitions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use merchantpay::Amount;
use merchantpay_journal::internals::{
    Asked, Call, Event, Key, OrphanState, RandomTexts, Reasons, Record, Report, Run, Task,
};
use merchantpay_journal::{Level, Reason};

/// How often each thing may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Budget {
    pub pay: u8,
    pub replace: u8,
    pub confirm: u8,
    pub cancel: u8,
    /// The customer pays what was shown.
    pub customer: u8,
    pub settle: u8,
    /// A shop takes something of the news.
    pub news: u8,
    /// A process dies.
    pub crash: u8,
    /// A request or a reply is lost.
    pub lose: u8,
    /// A lease ends early: clocks differ.
    pub skew: u8,
    /// A write whose answer is lost.
    pub store: u8,
    /// The service refuses a payment.
    pub refuse: u8,
    /// The service refuses a payment, and makes it all the same.
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
    /// A person says that there is no payment.
    pub resolve: u8,
    /// A person names a wrong order.
    pub resolve_wrong: u8,
    pub purge: u8,
    /// The database forgets its newest row.
    pub failover: u8,
    /// A webhook that another process takes step by step.
    pub slow_webhook: u8,
    /// An old genuine webhook comes to a token that was in an access log.
    pub forged: u8,
    /// The customer pays less than was asked, and the webhook leaves the sum out.
    pub less: u8,
    /// An operator reads the list, and acts on it later.
    pub look: u8,
    /// The database is restored from a backup that is as old as the intents.
    pub restore: u8,
    /// An operator pauses the journal.
    pub pause: u8,
}

/// How a payment stands at the service.
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
    /// Less than was asked.
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

/// A webhook that the service has sent: it may come at any time, any number of times.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hook {
    pub token: String,
    pub order: usize,
    pub news: News,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Process {
    pub run: Option<Box<Run>>,
    /// Its creation call is under way, and what has come of it.
    pub waiting: Option<Option<Event>>,
    pub serial: u8,
    pub steps: u8,
}

/// A request for a payment, under way to the service.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Request {
    pub token: String,
    pub process: usize,
    pub serial: u8,
    pub asynchronous: bool,
}

/// A write of a process whose connection is gone, which the database may still do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Zombie {
    pub record: Arc<Record>,
    pub is_insert: bool,
}

/// A shop that acts on an entry of the news: which attempt, at which level, and whether it has acted.
pub type Shop = Option<(u32, Level, bool)>;

/// A row of the table of orphans.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Orphan {
    pub state: OrphanState,
    pub is_seen: bool,
}

/// What an operator has read: an attempt with its reasons, or an orphan with its status.
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
    /// What was reported to the shop.
    pub reported: BTreeSet<(u32, Level)>,
    pub shop: Shop,
    /// What an operator has read and will act on.
    pub operator: Option<Read>,
    /// The reasons of attempts that operators have read, and the statuses of orphans.
    pub read: BTreeSet<(u32, Reason)>,
    pub read_orphans: BTreeSet<(String, Option<String>)>,
    /// Attempts that were final once.
    pub finals: BTreeSet<u32>,
    /// Attempts and orders of which a confirm, or with `false` a cancel, was accepted.
    pub accepted: BTreeSet<(u32, Option<String>, bool)>,
    /// Whether an operator has paused the journal, and whether that call has returned.
    pub is_paused: bool,
    pub pause_has_returned: bool,
    /// Orders of which a confirm has left.
    pub confirmed: BTreeSet<usize>,
    pub left: Budget,
    /// Whether each write has a writer of its own: only where an answer may be lost does a process meet a
    /// write of its own. Else its process is enough.
    pub has_writers: bool,
    /// What the last step did wrong.
    pub fault: Option<&'static str>,
}

/// An order that is no payment of this reference: an old one that failed long ago, or one that a person names
/// by mistake.
pub const FOREIGN: usize = 8;
/// Another one, of another sum, which succeeded long ago.
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

    /// As the database: the key is unique.
    pub fn insert(&mut self, record: &Record) -> bool {
        let is_free = self.row(record.attempt).is_none();
        if is_free {
            self.rows.push(tidy(record.clone()));
            self.rows.sort_by_key(|row| row.attempt);
        }
        is_free
    }

    /// As the database: `None` for another row's order id, `false` where the version has moved on.
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

    /// As the database: once an order id. A message with another status makes the row unseen.
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

/// What is only of the clock is left out of the states.
fn tidy(mut record: Record) -> Record {
    let is_sending = record.standing == merchantpay_journal::Standing::Sending;
    record.due_at = record.due_at.map(|due_at| if is_sending { due_at } else { 0 });
    (record.tries, record.updated_at, record.created_at) = (0, 0, 0);
    record.notes.clear();
    record.error = None;
    record
}

pub fn order_id(order: usize) -> String {
    order.to_string()
}

/// The database's clock, which stands still.
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
    // Where no answer is lost, whoever found nothing to write over was beaten by another process.
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
