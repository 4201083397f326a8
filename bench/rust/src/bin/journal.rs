//! The journal that `BENCH_JOURNAL` names: what it costs beside the call without it, and how its cost grows with
//! its rows, which the driver makes of the two that `templates` pays.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use merchantpay::{Amount, Client, Config, PaymentMethod, PaymentRequest, PrivateKey, PublicKey};
use merchantpay_bench::{KEY_ID, Result, SERVER_KEY_ID, Settings, expect, scattered, serve};
use merchantpay_journal::{Journal, JournalConfig, Standing, Until};

const CALLBACK_URL: &str = "https://shop.example/pay/callback";

/// So many of the rows, the newest, are open and due; all others are final and acknowledged.
const OPEN: u64 = 600;

struct Bench {
    settings: Settings,
    client: Client,
    journal: Journal,
    server_key: PrivateKey,
    /// How many rows the journal had at the start.
    rows: u64,
    /// When this process began, for references that no other has used.
    began: u64,
    paid: u64,
    found: u64,
    webhooks: Vec<Webhook>,
    received: u64,
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
    // No pause between the calls of settle.
    let config = JournalConfig::new(std::env::var("BENCH_JOURNAL")?)
        .create(true)
        .callback_url(CALLBACK_URL)
        .calls_per_second(u32::MAX);
    let mut bench = Bench {
        journal: Journal::open(&client, config)?,
        client,
        server_key: PrivateKey::from_base64(&std::env::var("BENCH_SERVER_PRIVATE_KEY")?)?,
        settings,
        rows: std::env::var("BENCH_JOURNAL_ROWS").unwrap_or_default().parse().unwrap_or_default(),
        began: SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros().try_into()?,
        paid: 0,
        found: 0,
        webhooks: Vec::new(),
        received: 0,
    };
    serve(|task, count| bench.perform(task, count))
}

fn request() -> Result<PaymentRequest> {
    Ok(PaymentRequest::new("1500.50".parse::<Amount>()?, PaymentMethod::Sbp, "79001234567"))
}

/// The reference, token and order id of a row, as the driver writes them.
fn names(row: u64) -> (String, String, String) {
    let scattered = ((row + 1) * 2_654_435_761) & 0xffff_ffff;
    (format!("order-{row:07}"), format!("{scattered:08x}{row:024x}"), format!("sb-{scattered:08x}{row:016x}"))
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
            _ => Err(format!("no such task: {task}").into()),
        }
    }

    fn next_reference(&mut self) -> String {
        self.paid += 1;
        format!("order-{}-{}", self.began, self.paid)
    }

    /// What the journal's call sends, without the journal.
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

    /// An acknowledged payment and an open one.
    fn templates(&self) -> Result<()> {
        self.journal.pay("template-final", &request()?)?;
        let entry = self.journal.wait("template-final", Duration::from_secs(20), Until::Final)?;
        expect(entry.succeeded() && self.journal.acknowledge(&entry)?)?;
        let entry = self.journal.pay("template-open", &request()?)?;
        expect(entry.standing() == Standing::Open && self.journal.acknowledge(&entry)?)
    }

    /// One of so many rows.
    fn find(&mut self, first: u64, rows: u64) -> Result<()> {
        self.found += 1;
        let (reference, ..) = names(first + scattered(self.found) % rows);
        expect(self.journal.find(&reference)?.is_some())
    }

    /// The oldest of the rows that are due, if any is expected to be.
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

    /// The webhook of one of the newest rows, which makes it final.
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
}
