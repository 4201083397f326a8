//! `demo`: makes payments and follows each payment to its end, against its own sandbox, over real HTTP with
//! real signatures. Each step prints what the contract expects. If a step differs, the program exits with 1.

mod orders;
mod story;
mod table;

use std::path::PathBuf;
use std::time::Duration;

use merchantpay::{Client, Config, Error, Event, Keypair, Payment, Status, WebhookVerifier};
use merchantpay_journal::{Entry, Journal, JournalConfig};
use merchantpay_sandbox::{Options, Sandbox};

use crate::output::{Failure, eprint_line, print_line};
use crate::receiver::{Arrival, Receiver};

/// A step that takes longer than this time has failed.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn run() -> Result<(), Failure> {
    let demo = Demo::start().map_err(|why| {
        eprint_line(&format!("the demo cannot start: {why}"));
        Failure::AlreadyReported(1)
    })?;
    print_line(&format!(
        "A sandbox is running at {} and a webhook receiver at {}",
        demo.sandbox.url(),
        demo.receiver.url()
    ))?;
    let mut table = table::Table::default();
    story::run(&demo, &mut table)?;
    print_line(&table.to_string())?;
    if table.all_as_expected() { Ok(()) } else { Err(Failure::AlreadyReported(1)) }
}

/// The parties of the demo: the service, and the merchant's client, journal and webhook address.
pub(crate) struct Demo {
    sandbox: Sandbox,
    client: Client,
    verifier: WebhookVerifier,
    journal: Journal,
    receiver: Receiver,
    /// Removes the folder at the end of the demo.
    _folder: Folder,
}

impl Demo {
    fn start() -> Result<Demo, Box<dyn std::error::Error>> {
        // A real merchant also makes a pair of keys and gives the public key to the service.
        let keys = Keypair::generate()?;
        let key_id = "demo-merchant";
        let options =
            Options { merchant: Some((key_id.to_owned(), keys.public_key())), ..Options::default() };
        let sandbox = Sandbox::start(options)?;
        let config =
            Config::new(sandbox.url(), key_id, keys.private_key().clone(), sandbox.server_public_key())
                .server_key_id(sandbox.server_key_id());
        let (verifier, client) = (config.verifier()?, Client::new(config)?);
        let (receiver, folder) = (Receiver::start()?, Folder::make()?);
        let settings = JournalConfig::new(folder.0.join("payments.db").display().to_string())
            .create(true)
            .callback_url(format!("{}/callback", receiver.url()));
        let journal = Journal::open(&client, settings)?;
        Ok(Demo { sandbox, client, verifier, journal, receiver, _folder: folder })
    }

    /// Asks for the status until it is `status`.
    fn wait_for(&self, order_id: &str, status: &Status) -> Result<Payment, Error> {
        let started = std::time::Instant::now();
        loop {
            let payment = self.client.get_status(order_id)?;
            if payment.status() == Some(status) || payment.is_final() || started.elapsed() > PATIENCE {
                return Ok(payment);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Returns the next webhook about an order, after its signature was verified.
    fn webhook(&self, order_id: &str) -> Result<Event, String> {
        loop {
            let arrival = self.arrival()?;
            let event = self.verifier.verify(&arrival.body, &arrival.signature, arrival.key_id.as_deref());
            arrival.answer(if event.is_ok() { 200 } else { 400 });
            let event = event.map_err(|error| error.to_string())?;
            if event.payment().order_id() == order_id {
                return Ok(event);
            }
        }
    }

    /// Gives webhooks to the journal until `is_it` accepts the entry of an attempt. A merchant's web handler
    /// does this all the time.
    fn callback(&self, is_it: impl Fn(&Entry) -> bool) -> Result<Entry, String> {
        loop {
            let arrival = self.arrival()?;
            let received = self.journal.receive(
                &arrival.path,
                &arrival.body,
                &arrival.signature,
                arrival.key_id.as_deref(),
            );
            arrival.answer(received.http_status);
            if let Some(error) = received.error {
                return Err(error.to_string());
            }
            if let Some(entry) = received.entry.filter(&is_it) {
                return Ok(entry);
            }
        }
    }

    fn arrival(&self) -> Result<Arrival, String> {
        self.receiver.next(PATIENCE).ok_or_else(|| "no webhook came".to_owned())
    }
}

struct Folder(PathBuf);

impl Folder {
    fn make() -> std::io::Result<Folder> {
        let path = std::env::temp_dir().join(format!("merchantpay-demo-{}", std::process::id()));
        std::fs::create_dir(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
