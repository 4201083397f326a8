//! A merchant with a sandbox of its own, a client, and a journal in a folder of its own.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use merchantpay::{Amount, Client, Config, PaymentMethod, PaymentRequest};
use merchantpay_journal::{Entry, Journal, JournalConfig, Received};
use merchantpay_sandbox::{Delivery, Options, Sandbox};

/// Nobody listens there: the tests pass the webhooks on.
pub const CALLBACK: &str = "http://127.0.0.1:9/callback";

/// A test that waits longer fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A folder that is removed at the end of the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).unwrap();
        let path = std::env::temp_dir().join(format!("merchantpay-api-{:016x}", u64::from_ne_bytes(bytes)));
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn config(file: &Path) -> JournalConfig {
    let config = JournalConfig::new(file.to_str().unwrap()).create(true).callback_url(CALLBACK);
    config.timeout(Duration::from_secs(15)).pay_wait(Duration::ZERO)
}

/// Runs a statement in a journal's file, as an operator might.
pub fn sql(file: &Path, statement: &str) -> usize {
    rusqlite::Connection::open(file).unwrap().execute(statement, []).unwrap()
}

pub fn select(file: &Path, query: &str) -> Vec<Option<String>> {
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut statement = connection.prepare(query).unwrap();
    let text = |row: &rusqlite::Row<'_>| {
        row.get_ref(0).map(|value| match value {
            rusqlite::types::ValueRef::Null => None,
            rusqlite::types::ValueRef::Integer(number) => Some(number.to_string()),
            value => Some(value.as_str().unwrap().to_owned()),
        })
    };
    statement.query_map([], text).unwrap().map(Result::unwrap).collect()
}

pub fn request(sum: &str, account: &str) -> PaymentRequest {
    PaymentRequest::new(sum.parse::<Amount>().unwrap(), PaymentMethod::Sbp, account)
}

pub fn good() -> PaymentRequest {
    request("10", "79001234567")
}

/// Acknowledges all news, and returns them.
pub fn acknowledge_all(journal: &Journal) -> Vec<Entry> {
    let news = journal.news(100).unwrap();
    assert!(news.iter().all(|entry| journal.acknowledge(entry).unwrap()));
    news
}

pub struct Shop {
    pub sandbox: Sandbox,
    pub folder: Folder,
    pub client: Client,
}

/// A sandbox without delays that sends each webhook once.
pub fn options() -> Options {
    Options {
        pace: Duration::ZERO,
        webhook_retries: Vec::new(),
        credentials_wait: Duration::from_millis(300),
        ..Options::default()
    }
}

pub fn client(sandbox: &Sandbox) -> Client {
    let key = sandbox.merchant_private_key().expect("the sandbox made it").clone();
    let config = Config::new(sandbox.url(), sandbox.merchant_key_id(), key, sandbox.server_public_key());
    Client::new(config.timeout(Duration::from_secs(5))).unwrap()
}

impl Shop {
    pub fn new() -> Shop {
        let sandbox = Sandbox::start(options()).unwrap();
        let client = client(&sandbox);
        Shop { sandbox, folder: Folder::new(), client }
    }

    pub fn file(&self) -> PathBuf {
        self.folder.file("payments.db")
    }

    pub fn config(&self) -> JournalConfig {
        config(&self.file())
    }

    pub fn journal(&self) -> Journal {
        Journal::open(&self.client, self.config()).unwrap()
    }

    /// The webhook of this kind about an order.
    pub fn delivery(&self, order_id: &str, kind: &str) -> Delivery {
        self.sandbox.wait_for_delivery(order_id, kind, PATIENCE).unwrap()
    }

    /// The first webhook that the sandbox has tried to deliver.
    pub fn first_delivery(&self) -> Delivery {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(delivery) = self.sandbox.deliveries().first() {
                return delivery.clone();
            }
            assert!(Instant::now() < end, "no webhook");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

pub fn give(journal: &Journal, delivery: &Delivery) -> Received {
    journal.receive(&delivery.url, &delivery.body, &delivery.signature, None)
}
