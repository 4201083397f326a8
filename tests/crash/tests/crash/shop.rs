//! A merchant with a sandbox, and the process that continues after a worker was killed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use merchantpay::{Amount, Client, Config, PaymentMethod, PaymentRequest, Status};
use merchantpay_crash::{Place, Servers};
use merchantpay_journal::{Entry, Journal, JournalConfig};
use merchantpay_sandbox::{Options, Sandbox};

use crate::audit::{Made, compare, go_on, let_time_pass, listed};
use crate::worker::settings;

/// Nobody listens there: the tests pass the webhooks on.
pub const CALLBACK: &str = "http://127.0.0.1:9/callback";

/// A test that waits longer fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn request() -> PaymentRequest {
    request_of("79001234567")
}

pub fn request_of(account: &str) -> PaymentRequest {
    PaymentRequest::new(Amount::from_minor(100_035), PaymentMethod::Sbp, account)
}

pub struct Shop {
    pub sandbox: Sandbox,
    pub client: Client,
    pub place: Place,
    /// The orders whose credentials somebody got, by reference.
    shown: BTreeMap<String, BTreeSet<String>>,
    shipped: BTreeSet<String>,
    references: Vec<String>,
}

impl Shop {
    pub fn new(servers: &Servers) -> Shop {
        Shop::with(servers, Duration::from_millis(300))
    }

    pub fn with(servers: &Servers, credentials_wait: Duration) -> Shop {
        let options = Options {
            pace: Duration::ZERO,
            webhook_retries: Vec::new(),
            credentials_wait,
            ..Options::default()
        };
        let sandbox = Sandbox::start(options).unwrap();
        let key = sandbox.merchant_private_key().unwrap().clone();
        let config = Config::new(sandbox.url(), sandbox.merchant_key_id(), key, sandbox.server_public_key());
        let client = Client::new(config).unwrap();
        let place = servers.place();
        let (shown, shipped) = (BTreeMap::new(), BTreeSet::new());
        let shop = Shop { sandbox, client, place, shown, shipped, references: Vec::new() };
        Journal::open(&shop.client, settings(JournalConfig::new(shop.place.url())).create(true)).unwrap();
        shop
    }

    pub fn journal(&self) -> Journal {
        Journal::open(&self.client, settings(JournalConfig::new(self.place.url()))).unwrap()
    }

    pub fn made(&self, reference: &str) -> Vec<Made> {
        let mut made = listed(self.sandbox.url()).unwrap();
        made.retain(|made| made.merchant_id.split('~').next() == Some(reference));
        made
    }

    pub fn note_shown(&mut self, reference: &str, order_id: &str) {
        self.shown.entry(reference.to_owned()).or_default().insert(order_id.to_owned());
    }

    pub fn note_shipped(&mut self, reference: &str) {
        self.shipped.insert(reference.to_owned());
    }

    /// Every lease and running call of a dead process ends, as if time passed.
    pub fn let_time_pass(&self) {
        let_time_pass(&self.place);
    }

    /// Continues with a reference until it has succeeded and is shipped.
    pub fn finish(&mut self, journal: &Journal, reference: &str) {
        self.references.push(reference.to_owned());
        let end = Instant::now() + PATIENCE;
        loop {
            let entry = journal.find(reference).unwrap();
            if entry.as_ref().is_some_and(|entry| entry.succeeded) {
                break;
            }
            assert!(Instant::now() < end, "{entry:?} {:?}", self.made(reference));
            self.go_on(journal, reference, entry);
        }
        self.ship(journal);
        let entry = journal.find(reference).unwrap().unwrap();
        assert!(self.shipped.contains(reference) && entry.acknowledged, "{entry:?}");
        let made = self.made(reference);
        let shown = self.shown.get(reference).cloned().unwrap_or_default();
        let live = made.iter().filter(|made| made.status != Status::DoneFail);
        let live: Vec<_> = live.filter(|made| shown.contains(&made.order_id)).collect();
        assert!(live.len() <= 1, "{reference} has two payable payments: {live:?}");
    }

    fn go_on(&mut self, journal: &Journal, reference: &str, entry: Option<Entry>) {
        // Nobody waits for what is due only after a while.
        self.let_time_pass();
        let mut shown = Vec::new();
        let note = |order_id| shown.push(order_id);
        let patience = Duration::from_millis(500);
        go_on(journal, reference, entry, &request(), patience, || self.made(reference), note).unwrap();
        shown.iter().for_each(|order_id| self.note_shown(reference, order_id));
    }

    /// Ships what has succeeded.
    pub fn ship(&mut self, journal: &Journal) {
        for entry in journal.news(1000).unwrap() {
            if entry.succeeded {
                self.note_shipped(&entry.reference);
            }
            journal.acknowledge(&entry).unwrap();
        }
    }

    /// Compares the journal with the sandbox.
    pub fn audit(&self, journal: &Journal) {
        let list = listed(self.sandbox.url()).unwrap();
        let ledger = compare(journal, self.references.clone(), |_| true, list).unwrap();
        assert_eq!(journal.attention(10).unwrap(), [], "{ledger:?}");
        assert_eq!(journal.stats().unwrap().news, 0);
    }
}
