//! A merchant with a sandbox, and the process that continues after a worker was killed.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use merchantpay::{Amount, Client, PaymentMethod, PaymentRequest};
use merchantpay_crash::{Place, Servers};
use merchantpay_journal::{Entry, Journal, JournalConfig};
use merchantpay_sandbox::{Options, Sandbox};
use serde_json::{Value, json};

use crate::adapter::{Adapter, Language, Victim};
use crate::audit::{Made, Shown, compare, go_on, let_time_pass, listed};

/// Nobody listens there: the tests pass the webhooks on.
const CALLBACK: &str = "http://127.0.0.1:9/callback";

pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn request() -> PaymentRequest {
    request_of("79001234567")
}

pub fn request_of(account: &str) -> PaymentRequest {
    PaymentRequest::new(Amount::from_minor(100_035), PaymentMethod::Sbp, account)
}

pub fn asks(what: &str, reference: &str, account: &str) -> Value {
    let request = json!({"sum": "1000.35", "payment_method": "sbp", "customer_account": account});
    json!({"do": what, "reference": reference, "attempt": 1, "request": request})
}

pub struct Shop {
    pub sandbox: Sandbox,
    pub place: Place,
    /// For an adapter.
    opens: Value,
    shown: Shown,
    shipped: BTreeSet<String>,
    references: Vec<String>,
}

impl Shop {
    pub fn new(servers: &Servers) -> Shop {
        Shop::with(servers, Duration::from_millis(300))
    }

    pub fn with(servers: &Servers, credentials_wait: Duration) -> Shop {
        let options = Options { webhook_retries: Vec::new(), credentials_wait, ..Options::default() };
        Shop::over(servers, options, CALLBACK, 0)
    }

    /// `pay_wait_ms`: how long `pay` waits for credentials that another process asks for.
    pub fn over(servers: &Servers, options: Options, callback_url: &str, pay_wait_ms: u32) -> Shop {
        let sandbox = Sandbox::start(Options { pace: Duration::ZERO, ..options }).unwrap();
        let key = sandbox.merchant_private_key().unwrap();
        let opens = json!({
            "do": "journal_open",
            "settings": {"callback_url": callback_url, "timeout_ms": "15000", "pay_wait_ms": pay_wait_ms.to_string()},
            "client": {
                "base_url": sandbox.url(), "key_id": sandbox.merchant_key_id(), "private_key": key.to_base64().as_str(),
                "server_public_key": [sandbox.server_public_key().to_base64()], "timeout_ms": "15000",
            },
        });
        let place = servers.place();
        let (shown, shipped) = (Shown::default(), BTreeSet::new());
        let shop = Shop { sandbox, place, opens, shown, shipped, references: Vec::new() };
        shop.open(&shop.place.url(), true).unwrap();
        shop
    }

    pub fn opens(&self, place: &str) -> Value {
        let mut opens = self.opens.clone();
        opens["place"] = place.into();
        opens
    }

    pub fn open(&self, place: &str, create: bool) -> merchantpay::Result<(Client, Journal)> {
        let mut opens = self.opens(place);
        opens["settings"]["create"] = u8::from(create).to_string().into();
        merchantpay_contract::open_journal(&opens, JournalConfig::new)
    }

    pub fn journal(&self) -> Journal {
        self.open(&self.place.url(), false).unwrap().1
    }

    pub fn adapter<'a>(&self, language: &'a Language, place: &str) -> Adapter<'a> {
        Adapter::new(language, &Victim::default(), self.opens(place))
    }

    pub fn made(&self, reference: &str) -> Vec<Made> {
        let mut made = listed(self.sandbox.url()).unwrap();
        made.retain(|made| made.merchant_id.split('~').next() == Some(reference));
        made
    }

    pub fn note_shown(&mut self, reference: &str, order_id: &str) {
        self.shown.note(reference, order_id);
    }

    /// Returns the order of the credentials in the answer.
    pub fn note_answer(&mut self, answer: &Value) -> Option<String> {
        let fields = &answer["entry"]["fields"];
        let order_id = fields["order_id"].as_str().filter(|_| fields["credentials"].is_object())?;
        self.note_shown(fields["reference"].as_str()?, order_id);
        Some(order_id.to_owned())
    }

    pub fn note_shipped(&mut self, reference: &str) {
        self.shipped.insert(reference.to_owned());
    }

    pub fn let_time_pass(&self) {
        let_time_pass(&self.place);
    }

    /// Until it has succeeded and is shipped.
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
        self.shown.check(&self.made(reference)).unwrap();
    }

    fn go_on(&mut self, journal: &Journal, reference: &str, entry: Option<Entry>) {
        // Nobody waits for what is due only after a while.
        self.let_time_pass();
        let (made, patience) = (self.made(reference), Duration::from_millis(500));
        go_on(journal, reference, entry, &request(), patience, &made, &mut self.shown).unwrap();
    }

    pub fn ship(&mut self, journal: &Journal) {
        for entry in journal.news(1000).unwrap() {
            if entry.succeeded {
                self.note_shipped(&entry.reference);
            }
            journal.acknowledge(&entry).unwrap();
        }
    }

    pub fn audit(&self, journal: &Journal) {
        let list = listed(self.sandbox.url()).unwrap();
        let ledger = compare(journal, self.references.clone(), |_| true, list).unwrap();
        assert_eq!(journal.attention(10).unwrap(), [], "{ledger:?}");
        assert_eq!(journal.stats().unwrap().news, 0);
    }
}
