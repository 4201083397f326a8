//! Measures the journal that `BENCH_JOURNAL` or `BENCH_STORE` names: its cost in addition to the call, and
//! the growth of the cost with the number of rows. The task `templates` makes two rows. The driver copies
//! these two rows to make all other rows.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use merchantpay::{
    Amount, Client, Config, Error, PaymentMethod, PaymentRequest, PrivateKey, PublicKey, Signature, Signer,
};
use merchantpay_bench::stores::{MariadbStore, PostgresStore};
use merchantpay_bench::{KEY_ID, Result, SERVER_KEY_ID, Settings, expect, scattered, serve};
use merchantpay_journal::{Dialect, Journal, JournalConfig, Rows, Standing, Store, StoreError, Until};

const CALLBACK_URL: &str = "https://shop.example/pay/callback";

/// The number of open and due rows; they are the newest rows. All other rows are final and acknowledged.
const OPEN: u64 = 400;

/// One of ten rows is purged: the purged rows are the oldest.
const PURGED: u64 = 10;

struct Bench {
    settings: Settings,
    client: Client,
    journal: Journal,
    server_key: PrivateKey,
    /// The number of rows in the journal at the start.
    rows: u64,
    /// The start time of this process. References contain it, so no other process has used them.
    began: u64,
    paid: u64,
    found: u64,
    webhooks: Vec<Webhook>,
    received: u64,
    purged: u64,
    /// The journal for the payments whose requests are not sent.
    unsent: Option<Journal>,
}

/// A signer without a private key: each signature fails.
struct Unable(PublicKey);

impl Signer for Unable {
    fn public_key(&self) -> PublicKey {
        self.0
    }

    fn sign(&self, _: &[u8]) -> merchantpay::Result<Signature> {
        Err(Error::invalid_argument("it signs nothing"))
    }
}

struct Webhook {
    path: String,
    body: String,
    signature: String,
}

fn main() -> Result<()> {
    let settings = Settings::read()?;
    let keys = (
        PrivateKey::from_base64(&settings.private_key)?,
        PublicKey::from_base64(&settings.server_public_key)?,
    );
    let client = Client::new(Config::new(settings.url.as_str(), KEY_ID, keys.0, keys.1))?;
    // The number of webhooks that an earlier process has received. It is also the number of rows that the
    // process has purged.
    let used = number("BENCH_JOURNAL_USED");
    // With this limit `settle` makes no pause between its calls.
    let config = place()?.create(true).callback_url(CALLBACK_URL).calls_per_second(u32::MAX);
    let mut bench = Bench {
        journal: Journal::open(&client, config)?,
        client,
        server_key: PrivateKey::from_base64(&std::env::var("BENCH_SERVER_PRIVATE_KEY")?)?,
        settings,
        rows: number("BENCH_JOURNAL_ROWS"),
        began: SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros().try_into()?,
        paid: 0,
        found: 0,
        webhooks: Vec::new(),
        received: used,
        purged: number("BENCH_JOURNAL_ROWS") / PURGED + used,
        unsent: None,
    };
    serve(|task, count| bench.perform(task, count))
}

/// Returns the configuration of the journal: a file, or a database.
fn place() -> Result<JournalConfig> {
    let Ok(store) = std::env::var("BENCH_STORE") else {
        return Ok(JournalConfig::new(std::env::var("BENCH_JOURNAL")?));
    };
    let (socket, database) = (std::env::var("BENCH_SOCKET")?, std::env::var("BENCH_DATABASE")?);
    let socket = Path::new(&socket);
    Ok(match store.as_str() {
        "postgresql" => JournalConfig::over(postgresql()?),
        _ => JournalConfig::over(MariadbStore::new(socket, &database)),
    })
}

fn postgresql() -> Result<PostgresStore> {
    let (socket, database) = (std::env::var("BENCH_SOCKET")?, std::env::var("BENCH_DATABASE")?);
    Ok(PostgresStore::new(Path::new(&socket), &database))
}

/// Writes each statement and its parameters as one line to a file, while recording is on.
struct Recording {
    inner: PostgresStore,
    file: Mutex<File>,
    is_on: Arc<AtomicBool>,
}

impl Store for Recording {
    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> std::result::Result<Rows, StoreError> {
        if self.is_on.load(Ordering::Relaxed) {
            let parameters = parameters.iter().map(|parameter| parameter.unwrap_or("\0"));
            let words: Vec<&str> = std::iter::once(sql).chain(parameters).collect();
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            writeln!(file, "{}", words.join("\x1f"))
                .map_err(|error| StoreError::Failed(error.to_string()))?;
        }
        self.inner.run(sql, parameters)
    }
}

fn number(name: &str) -> u64 {
    std::env::var(name).unwrap_or_default().parse().unwrap_or_default()
}

fn request() -> Result<PaymentRequest> {
    Ok(PaymentRequest::new("1500.50".parse::<Amount>()?, PaymentMethod::Sbp, "79001234567"))
}

/// Returns the reference, the token and the order id that the driver has written to a row.
fn names(row: u64) -> (String, String, String) {
    let scattered = format!(
        "{}{}",
        1_000_000_000 + (((row + 1) * 2_654_435_761) & 0xffff_ffff),
        1_000_000_000_000_000_000 + row
    );
    (format!("order-{row}"), format!("{scattered}abc"), format!("sb-{scattered}"))
}

impl Bench {
    fn perform(&mut self, task: &str, count: usize) -> Result<()> {
        match task {
            "templates" => self.templates(),
            "new" => (0..count).try_for_each(|_| self.new_payment()),
            "pay" => (0..count).try_for_each(|_| self.pay()),
            "find" => (0..count).try_for_each(|_| self.find(self.rows - OPEN, OPEN)),
            "find-any" => (0..count).try_for_each(|_| self.find(0, self.rows)),
            "settle" => (0..count).try_for_each(|_| self.settle(1)),
            "settle-nothing" => (0..count).try_for_each(|_| self.settle(0)),
            "sign" => {
                self.webhooks =
                    (0..count as u64).map(|nth| self.webhook(self.rows - 1 - self.received - nth)).collect();
                Ok(())
            }
            "receive" => (0..count).try_for_each(|_| self.receive()),
            "news" => (0..count).try_for_each(|_| self.news()),
            "attention" => (0..count).try_for_each(|_| expect(self.journal.attention(10)?.len() == 1)),
            "purge" => (0..count).try_for_each(|_| self.purge()),
            "stats" => (0..count).try_for_each(|_| expect(self.journal.stats()?.due > 0)),
            "pay-unsent" => (0..count).try_for_each(|_| self.pay_unsent()),
            "statements" => self.statements(),
            "one-worker" => self.work(1, count),
            "eight-workers" => self.work(8, count),
            _ => Err(format!("no such task: {task}").into()),
        }
    }

    fn next_reference(&mut self) -> String {
        self.paid += 1;
        format!("order-{}-{}", self.began, self.paid)
    }

    /// Sends the request of the journal's call without the journal.
    fn new_payment(&mut self) -> Result<()> {
        let reference = self.next_reference();
        let request = request()?
            .status_webhook_url(format!("{CALLBACK_URL}/00000000000000000000000000000000"))
            .merchant_id(reference);
        expect(self.client.new_payment(&request)?.payee_account().is_some())
    }

    fn pay(&mut self) -> Result<()> {
        let reference = self.next_reference();
        expect(self.journal.pay(&reference, &request()?)?.credentials().is_some())
    }

    /// Makes an acknowledged payment, an open payment, and an orphan.
    fn templates(&self) -> Result<()> {
        self.journal.pay("template-final", &request()?)?;
        let entry = self.journal.wait("template-final", Duration::from_secs(20), Until::Final)?;
        expect(entry.succeeded() && self.journal.acknowledge(&entry)?)?;
        let entry = self.journal.pay("template-open", &request()?)?;
        expect(entry.standing() == Standing::Open && self.journal.acknowledge(&entry)?)?;
        // No attempt has this webhook's token, so the journal keeps the webhook as an orphan.
        let Webhook { path, body, signature } = self.webhook(u64::from(u32::MAX));
        expect(self.journal.receive(&path, body.as_bytes(), &signature, None).http_status == 404)
    }

    /// Finds one of `rows` rows, from the row `first` on, by its reference.
    fn find(&mut self, first: u64, rows: u64) -> Result<()> {
        self.found += 1;
        let (reference, ..) = names(first + scattered(self.found) % rows);
        expect(self.journal.find(&reference)?.is_some())
    }

    /// Settles the oldest due row; `due` is 0 if no due row is expected.
    fn settle(&self, due: u32) -> Result<()> {
        expect(self.journal.settle(1)?.done == due)
    }

    fn webhook(&self, row: u64) -> Webhook {
        let (_, token, order_id) = names(row);
        let body =
            String::from_utf8_lossy(&self.settings.webhook).replace(&self.settings.order_id, &order_id);
        let signature = self.server_key.sign(body.as_bytes()).to_base64();
        Webhook { path: format!("/pay/callback/{token}"), body, signature }
    }

    /// Receives the webhook of one of the newest rows. The webhook makes the row final.
    fn receive(&mut self) -> Result<()> {
        self.received += 1;
        let webhook = self.webhooks.pop().ok_or("no webhook was signed")?;
        let received = self.journal.receive(
            &webhook.path,
            webhook.body.as_bytes(),
            &webhook.signature,
            Some(SERVER_KEY_ID),
        );
        expect(received.http_status == 200 && received.entry.is_some_and(|entry| entry.succeeded()))
    }

    fn news(&self) -> Result<()> {
        let news = self.journal.news(1)?;
        expect(news.len() == 1 && self.journal.acknowledge(&news[0])?)
    }

    /// Purges the oldest row that is not yet purged. The rows were created one second apart.
    fn purge(&mut self) -> Result<()> {
        let oldest = self.journal.find(&names(0).0)?.ok_or("there is no first row")?.created_at();
        self.purged += 1;
        let end = oldest + i64::try_from(self.purged)? * 1000 - 500;
        expect(self.journal.purge(end)? == 1)
    }

    /// Takes a payment without sending its request.
    fn pay_unsent(&mut self) -> Result<()> {
        let reference = self.next_reference();
        let journal = match self.unsent.take() {
            Some(journal) => journal,
            None => self.open_unsent(JournalConfig::over(postgresql()?))?,
        };
        let entry = self.unsent.insert(journal).pay(&reference, &request()?)?;
        expect(entry.standing() == Standing::Refused)
    }

    /// Opens a journal whose client sends nothing, because it cannot sign.
    fn open_unsent(&self, config: JournalConfig) -> Result<Journal> {
        let signer = Unable(PrivateKey::from_base64(&self.settings.private_key)?.public_key());
        let key = PublicKey::from_base64(&self.settings.server_public_key)?;
        let client = Client::new(Config::new(self.settings.url.as_str(), KEY_ID, signer, key))?;
        Ok(Journal::open(&client, config.callback_url(CALLBACK_URL))?)
    }

    /// Records the statements of one payment in the file `BENCH_STATEMENTS`.
    fn statements(&mut self) -> Result<()> {
        let opened = Arc::new(AtomicBool::new(false));
        let file = File::create(std::env::var("BENCH_STATEMENTS")?)?.into();
        let recording = Recording { inner: postgresql()?, file, is_on: opened.clone() };
        self.unsent = Some(self.open_unsent(JournalConfig::over(recording))?);
        // The first payment also opens the journal, so it is not recorded.
        self.pay_unsent()?;
        opened.store(true, Ordering::Relaxed);
        self.pay_unsent()
    }

    /// Settles `rows` due rows with `workers` concurrent workers.
    fn work(&self, workers: usize, rows: usize) -> Result<()> {
        let done = std::thread::scope(|scope| {
            let work = || {
                let mut done = 0;
                while let settled @ 1.. = self.journal.derive().settle(1000).map_or(0, |settled| settled.done)
                {
                    done += settled as usize;
                }
                done
            };
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).sum::<usize>()
        });
        expect(done == rows)
    }
}
