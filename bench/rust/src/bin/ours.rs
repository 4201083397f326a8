//! Makes the measured calls with the core and the journal.

use std::env::var;
use std::io::BufRead;
use std::time::{SystemTime, UNIX_EPOCH};

use merchantpay::{
    Amount, Client, Config, Payment, PaymentMethod, PaymentRequest, PrivateKey, PublicKey, WebhookVerifier,
};
use merchantpay_journal::{Journal, JournalConfig};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const CALLBACK_URL: &str = "https://shop.example/pay/callback";

struct Bench {
    order_id: String,
    webhook: Vec<u8>,
    signature: String,
    verifier: WebhookVerifier,
    client: Client,
    journal: Option<Journal>,
    /// Begins the references, which no other process may have used.
    began: u128,
    paid: u64,
}

fn main() -> Result<()> {
    let private_key = PrivateKey::from_base64(&var("BENCH_PRIVATE_KEY")?)?;
    let server_public_key = PublicKey::from_base64(&var("BENCH_SERVER_PUBLIC_KEY")?)?;
    let mut config = Config::new(var("BENCH_URL")?, "merchant-1", private_key, server_public_key);
    if let Ok(file) = var("BENCH_CA") {
        config = config.ca_file(file)?;
    }
    let client = Client::new(config)?;
    let open = |place: String| {
        let config = JournalConfig::new(place).create(true).callback_url(CALLBACK_URL);
        Journal::open(&client, config)
    };
    let mut bench = Bench {
        order_id: var("BENCH_ORDER_ID")?,
        webhook: var("BENCH_WEBHOOK")?.into_bytes(),
        signature: var("BENCH_SIGNATURE")?,
        verifier: WebhookVerifier::new(server_public_key),
        journal: var("BENCH_JOURNAL").ok().map(open).transpose()?,
        began: SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros(),
        paid: 0,
        client,
    };
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (task, count) = line.split_once(' ').ok_or("a command is a task and a number")?;
        for _ in 0..count.parse::<usize>()? {
            bench.perform(task)?;
        }
        println!("ok");
    }
    Ok(())
}

fn request() -> Result<PaymentRequest> {
    Ok(PaymentRequest::new("1500.50".parse::<Amount>()?, PaymentMethod::Sbp, "79001234567"))
}

fn expect(right: bool) -> Result<()> {
    if right { Ok(()) } else { Err("this is not what the server has sent".into()) }
}

impl Bench {
    fn perform(&mut self, task: &str) -> Result<()> {
        match task {
            "webhook" => {
                let event = self.verifier.verify(&self.webhook, &self.signature, Some("service-1"))?;
                self.read(event.payment())
            }
            "status" => self.read(&self.client.get_status(&self.order_id)?),
            "new" => self.read(&self.client.new_payment(&request()?)?),
            "order" => {
                let url = format!("{CALLBACK_URL}/00000000000000000000000000000000");
                let request = request()?.status_webhook_url(url).merchant_id(self.reference());
                expect(self.client.new_payment(&request)?.payee_account().is_some())
            }
            "pay" => {
                let reference = self.reference();
                let journal = self.journal.as_ref().ok_or("BENCH_JOURNAL is not set")?;
                expect(journal.pay(&reference, &request()?)?.credentials.is_some())
            }
            _ => Err(format!("no such task: {task}").into()),
        }
    }

    fn reference(&mut self) -> String {
        self.paid += 1;
        format!("order-{}-{}", self.began, self.paid)
    }

    fn read(&self, payment: &Payment) -> Result<()> {
        expect(payment.order_id() == self.order_id && payment.is_final() && payment.sum().is_some())
    }
}
