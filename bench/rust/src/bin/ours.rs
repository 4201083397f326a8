//! Measures the core itself. The other languages' packages are compared with the core. The program also
//! measures how the core's cost grows with the amount of work.

use std::hint::black_box;
use std::io::Read;
use std::net::TcpListener;
use std::sync::Arc;

use merchantpay::{
    Client, Code, Config, Keypair, Outcome, Payment, PrivateKey, Protocol, PublicKey, Receipt, RequestValues,
    WebhookVerifier, operation,
};
use merchantpay_bench::{KEY_ID, Result, SERVER_KEY_ID, Settings, expect, serve};

struct Bench {
    settings: Settings,
    verifier: WebhookVerifier,
    protocol: Protocol,
    client: Client,
    sized: Option<Sized>,
}

/// A webhook and a receipt of a given size.
struct Sized {
    verifier: WebhookVerifier,
    webhook: Vec<u8>,
    signature: String,
    receipt: Receipt,
}

fn main() -> Result<()> {
    let settings = Settings::read()?;
    let signer = PrivateKey::from_base64(&settings.private_key)?;
    let server = PublicKey::from_base64(&settings.server_public_key)?;
    let mut bench = Bench {
        verifier: WebhookVerifier::new(server),
        protocol: Protocol::new("https://pay.example", KEY_ID, Arc::new(signer.clone()), &[server], &[])?,
        client: new_client(&settings, &settings.url)?,
        settings,
        sized: None,
    };
    serve(|task, count| bench.perform(task, count))
}

fn new_client(settings: &Settings, url: &str) -> Result<Client> {
    let (signer, server) = (
        PrivateKey::from_base64(&settings.private_key)?,
        PublicKey::from_base64(&settings.server_public_key)?,
    );
    let mut config = Config::new(url, KEY_ID, signer, server);
    if let Some(file) = &settings.ca_file {
        config = config.ca_file(file)?;
    }
    if let Some(proxy) = &settings.proxy {
        config = config.proxy(proxy);
    }
    Ok(Client::new(config)?)
}

impl Bench {
    fn perform(&mut self, task: &str, count: usize) -> Result<()> {
        match task {
            "webhook" => (0..count).try_for_each(|_| self.webhook()),
            "prepare" => (0..count).try_for_each(|_| self.prepare()),
            "status" => (0..count).try_for_each(|_| self.status()),
            "new" => (0..count).try_for_each(|_| self.new_payment()),
            "sale" => (0..count).try_for_each(|_| self.sale()),
            "cold" => (0..count).try_for_each(|_| {
                self.client = new_client(&self.settings, &self.settings.url)?;
                self.new_payment()
            }),
            "interrupt" => (0..count).try_for_each(|_| self.interrupted()),
            "connect" => (0..count).try_for_each(|_| {
                self.client = new_client(&self.settings, &self.settings.url)?;
                Ok(self.client.connect()?)
            }),
            // One thread, or two threads together, make `count` × 100 calls.
            "threads1" => self.by_threads(1, count),
            "threads2" => self.by_threads(2, count),
            "size" => {
                self.sized = Some(Sized::new(count)?);
                Ok(())
            }
            "sized-webhook" | "sized-receipt" => {
                let sized = self.sized.as_ref().ok_or("no size was given")?;
                (0..count).try_for_each(|_| {
                    if task == "sized-webhook" { sized.webhook() } else { sized.receipt(&self.protocol) }
                })
            }
            _ => Err(format!("no such task: {task}").into()),
        }
    }

    fn by_threads(&self, threads: usize, hundreds: usize) -> Result<()> {
        std::thread::scope(|scope| {
            let share = || {
                (0..hundreds * 100 / threads)
                    .try_for_each(|_| self.status())
                    .map_err(|error| error.to_string())
            };
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(share)).collect();
            running.into_iter().try_for_each(|thread| {
                thread.join().map_err(|_| "a thread has panicked")?.map_err(Into::into)
            })
        })
    }

    fn webhook(&self) -> Result<()> {
        let event =
            self.verifier.verify(&self.settings.webhook, &self.settings.signature, Some(SERVER_KEY_ID))?;
        self.read(event.payment())
    }

    fn status(&self) -> Result<()> {
        self.read(&self.client.get_status(&self.settings.order_id)?)
    }

    fn prepare(&self) -> Result<()> {
        let payment = fields().payment_request()?;
        let prepared = self.protocol.prepare(operation::new_payment(&payment))?;
        let headers: Vec<_> =
            prepared.request().headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        black_box((headers, prepared.request().body().to_vec()));
        Ok(())
    }

    fn new_payment(&self) -> Result<()> {
        self.read(&self.client.new_payment(&fields().payment_request()?)?)
    }

    /// Makes the three calls of a payment one after another.
    fn sale(&self) -> Result<()> {
        let amounts = self.client.get_available_amounts(&fields().amounts_request()?)?;
        expect(!amounts.available_amounts().is_empty())?;
        self.new_payment()?;
        self.read(&self.client.confirm(&self.settings.order_id)?)
    }

    /// Calls a service that reads the request and never answers. Interrupts the call after the request has
    /// arrived.
    fn interrupted(&self) -> Result<()> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let client = new_client(&self.settings, &format!("http://{}", listener.local_addr()?))?;
        let calling = client.clone();
        let order_id = self.settings.order_id.clone();
        let call = std::thread::spawn(move || calling.confirm(&order_id).map(drop));
        let (mut service, _) = listener.accept()?;
        expect(service.read(&mut [0])? == 1)?;
        client.interrupt();
        let error =
            call.join().map_err(|_| "the call has panicked")?.err().ok_or("it was not interrupted")?;
        expect((error.code(), error.outcome()) == (Code::Cancelled, Outcome::Unknown))
    }

    /// Reads and checks the fields that a merchant reads.
    fn read(&self, payment: &Payment) -> Result<()> {
        expect(payment.order_id() == self.settings.order_id && payment.is_final() && payment.sum().is_some())
    }
}

fn fields() -> RequestValues {
    let mut values = RequestValues::default();
    for (name, text) in [("sum", "1500.50"), ("paymentMethod", "sbp"), ("customerAccount", "79001234567")] {
        let _ = values.set(name, text);
    }
    values
}

impl Sized {
    fn new(bytes: usize) -> Result<Sized> {
        let pair = Keypair::generate()?;
        let start = br#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50,"deeplink":"https://pay.example/"#;
        let mut webhook = Vec::with_capacity(bytes);
        webhook.extend_from_slice(start);
        webhook.resize(bytes.saturating_sub(2), b'x');
        webhook.extend_from_slice(b"\"}");
        let mut receipt = Receipt::new("o-1");
        let mut pdf = b"%PDF-1.4\n".to_vec();
        pdf.resize(bytes.max(pdf.len()), b'x');
        receipt.add_bytes("receipt.pdf", "application/pdf", &pdf)?;
        let signature = pair.private_key().sign(&webhook).to_base64();
        Ok(Sized { verifier: WebhookVerifier::new(pair.public_key()), webhook, signature, receipt })
    }

    fn webhook(&self) -> Result<()> {
        black_box(self.verifier.verify(&self.webhook, &self.signature, None)?);
        Ok(())
    }

    fn receipt(&self, protocol: &Protocol) -> Result<()> {
        black_box(protocol.prepare(operation::attach_receipt(&self.receipt))?);
        Ok(())
    }
}
