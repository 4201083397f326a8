//! Measures the journal at the place `BENCH_JOURNAL`. The task `templates` makes two attempts, which the driver
//! copies to make all others.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use merchantpay::{
    Amount, Client, Config, Error, PaymentMethod, PaymentRequest, PrivateKey, PublicKey, Signature, Signer,
};
use merchantpay_bench::{KEY_ID, Result, SERVER_KEY_ID, Settings, expect, serve};
use merchantpay_journal::{Journal, JournalConfig, Standing, Until};

const CALLBACK_URL: &str = "https://shop.example/pay/callback";

struct Bench {
    settings: Settings,
    client: Client,
    journal: Journal,
    /// A journal whose payments are not sent.
    unsent: Journal,
    /// The start of this process, in references that no other process has used.
    began: u128,
    paid: u64,
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

fn main() -> Result<()> {
    let settings = Settings::read()?;
    let key = PrivateKey::from_base64(&settings.private_key)?;
    let server_key = PublicKey::from_base64(&settings.server_public_key)?;
    let unable = Unable(key.public_key());
    let client = Client::new(Config::new(settings.url.as_str(), KEY_ID, key, server_key))?;
    let mute = Client::new(Config::new(settings.url.as_str(), KEY_ID, unable, server_key))?;
    let place = std::env::var("BENCH_JOURNAL")?;
    let open = |client: &Client| {
        Journal::open(client, JournalConfig::new(&place).create(true).callback_url(CALLBACK_URL))
    };
    let mut bench = Bench {
        journal: open(&client)?,
        unsent: open(&mute)?,
        client,
        settings,
        began: SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros(),
        paid: 0,
    };
    serve(|task, count| (0..count).try_for_each(|_| bench.perform(task)))
}

fn request() -> Result<PaymentRequest> {
    Ok(PaymentRequest::new("1500.50".parse::<Amount>()?, PaymentMethod::Sbp, "79001234567"))
}

impl Bench {
    fn perform(&mut self, task: &str) -> Result<()> {
        self.paid += 1;
        let reference = format!("order-{}-{}", self.began, self.paid);
        match task {
            "templates" => self.templates(),
            "new" => {
                let url = format!("{CALLBACK_URL}/00000000000000000000000000000000");
                let request = request()?.status_webhook_url(url).merchant_id(reference);
                expect(self.client.new_payment(&request)?.payee_account().is_some())
            }
            "pay" => expect(self.journal.pay(&reference, &request()?)?.credentials.is_some()),
            "pay-unsent" => expect(self.unsent.pay(&reference, &request()?)?.standing == Standing::Refused),
            "settle" => expect(self.journal.settle(1)?.done == 1),
            "news" => {
                let news = self.journal.news(1)?;
                expect(news.len() == 1 && self.journal.acknowledge(&news[0])?)
            }
            "attention" => expect(self.journal.attention(10)?.len() == 1),
            _ => Err(format!("no such task: {task}").into()),
        }
    }

    /// Makes an acknowledged payment, an open one, and an orphan.
    fn templates(&self) -> Result<()> {
        self.journal.pay("template-final", &request()?)?;
        let entry = self.journal.wait("template-final", Until::Final, Duration::from_secs(20))?;
        expect(entry.succeeded && self.journal.acknowledge(&entry)?)?;
        let entry = self.journal.pay("template-open", &request()?)?;
        expect(entry.standing == Standing::Open && self.journal.acknowledge(&entry)?)?;
        let (path, webhook) = (format!("{CALLBACK_URL}/of-no-attempt"), &self.settings.webhook);
        let received = self.journal.receive(&path, webhook, &self.settings.signature, Some(SERVER_KEY_ID));
        expect(received.http_status == 404)
    }
}
