//! `demo`: payments through their whole life against a sandbox of its own, over real HTTP with real signatures.
//!
//! Every step says what the contract makes it expect; one that differs makes the program exit with 1.

mod story;
mod table;

use std::time::Duration;

use merchantpay::{Client, Config, Error, Event, Keypair, Payment, Status};
use merchantpay_sandbox::{Options, Sandbox};

use crate::output::{Failure, print_line, tell};
use crate::receiver::Receiver;

/// How long a step may take before it counts as failed.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn run() -> Result<(), Failure> {
    let demo = Demo::start().map_err(|why| {
        tell(&format!("the demo cannot start: {why}"));
        Failure::Told(1)
    })?;
    print_line(&format!("A sandbox is running at {} and a webhook receiver at {}\n", demo.sandbox.url(), demo.receiver.url()))?;
    let mut table = table::Table::default();
    story::tell(&demo, &mut table)?;
    print_line(&table.to_string())?;
    if table.all_as_expected() { Ok(()) } else { Err(Failure::Told(1)) }
}

/// The parties: the service, the merchant's client and the merchant's webhook address.
pub(crate) struct Demo {
    sandbox: Sandbox,
    client: Client,
    receiver: Receiver,
}

impl Demo {
    fn start() -> Result<Demo, Box<dyn std::error::Error>> {
        // As a merchant does: make a pair, hand its public half to the service.
        let keys = Keypair::generate()?;
        let key_id = "demo-merchant";
        let options = Options { merchant: Some((key_id.to_owned(), keys.public_key())), ..Options::default() };
        let sandbox = Sandbox::start(options)?;
        let config = Config::new(sandbox.url(), key_id, keys.private_key().clone(), sandbox.server_public_key())
            .server_key_id(sandbox.server_key_id());
        let receiver = Receiver::start(config.verifier()?)?;
        Ok(Demo { client: Client::new(config)?, receiver, sandbox })
    }

    /// Asks for the status until it is the one that is waited for.
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

    /// The next webhook.
    fn webhook(&self) -> Result<Event, String> {
        match self.receiver.next(PATIENCE) {
            Some(event) => event.map_err(|error| error.to_string()),
            None => Err("no webhook came".to_owned()),
        }
    }
}
