//! A merchant who uses the journal through the program, and the sandbox as the service.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use merchantpay_sandbox::{Delivery, Fault, Options, Sandbox};
use serde_json::Value;

use crate::common::{Folder, Ran, at, run, run_with_stdin};

/// No server listens here. The tests give the webhooks to `receive` instead.
const CALLBACK: &str = "http://127.0.0.1:9/callback";

/// Only a test that hangs waits this long.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub const ACCOUNT: &str = "79001234567";

pub struct Shop {
    pub sandbox: Sandbox,
    folder: Folder,
}

impl Shop {
    pub fn new() -> Shop {
        let wait = Duration::from_millis(300);
        let options = Options {
            pace: Duration::ZERO,
            webhook_retries: Vec::new(),
            credentials_wait: wait,
            ..Options::default()
        };
        let shop = Shop { sandbox: Sandbox::start(options).unwrap(), folder: Folder::new() };
        assert_eq!(shop.run(&["init"]).reply()["journal"], shop.file().to_str().unwrap());
        shop
    }

    pub fn file(&self) -> PathBuf {
        self.folder.join("payments.db")
    }

    /// Changes the database behind the program's back.
    pub fn sql(&self, statement: &str) {
        rusqlite::Connection::open(self.file()).unwrap().execute(statement, []).unwrap();
    }

    /// Loses the reply to a payment, whose attempt is `unknown` for three minutes then.
    pub fn lose(&self, reference: &str) {
        self.sandbox.misbehave(Fault::DropAfterCommit, Some("newPayment"), 1);
        assert_eq!(self.pay(reference, ACCOUNT, &[]).status, 4);
        self.sql("UPDATE merchantpay_attempts SET call_until = call_until - 180000 WHERE state = 'sent'");
    }

    /// Makes a payment that succeeds.
    pub fn succeed(&self, reference: &str) {
        self.paid_for(reference, ACCOUNT);
        self.run(&["confirm", reference]).reply();
        self.run(&["wait", reference]).reply();
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = at(&self.sandbox, &[&["journal"], args].concat());
        command.env("MERCHANTPAY_JOURNAL", self.file()).env("MERCHANTPAY_CALLBACK_URL", CALLBACK);
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        run(self.command(args))
    }

    pub fn pay(&self, reference: &str, account: &str, more: &[&str]) -> Ran {
        let args = [
            "pay",
            "--reference",
            reference,
            "--sum",
            "1500.50",
            "--payment-method",
            "sbp",
            "--customer-account",
            account,
        ];
        self.run(&[&args, more].concat())
    }

    /// Makes a payment with credentials and returns its order id.
    pub fn paid_for(&self, reference: &str, account: &str) -> String {
        self.pay(reference, account, &[]).reply()["orderId"].as_str().unwrap().to_owned()
    }

    /// The last attempt of a reference.
    pub fn entry(&self, reference: &str) -> Value {
        self.lines(&["show", reference]).swap_remove(0)
    }

    /// The lines of a command that succeeds.
    pub fn lines(&self, args: &[&str]) -> Vec<Value> {
        let ran = self.run(args);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{args:?}");
        lines(&ran)
    }

    /// The sandbox's webhook about an order.
    pub fn webhook(&self, order_id: &str, kind: &str) -> Delivery {
        self.sandbox.wait_for_delivery(order_id, kind, PATIENCE).expect("the sandbox sends it")
    }

    /// The order id of the payment that the service made for a `merchantId`.
    pub fn sandbox_payment(&self, merchant_id: &str) -> String {
        let ran = self.control(&["api", &format!("payments?merchantId={merchant_id}")]);
        ran["payments"][0]["orderId"].as_str().unwrap().to_owned()
    }

    /// Makes the customer pay and the service find the payment.
    pub fn approve(&self, order_id: &str) {
        self.control(&["operate", order_id, "approve"]);
    }

    fn control(&self, args: &[&str]) -> Value {
        run(at(&self.sandbox, &[&["sandbox"], args].concat())).reply()
    }

    pub fn receive(&self, path: &str, signature: &str, body: &[u8]) -> Ran {
        run_with_stdin(self.command(&["receive", "--path", path, "--signature", signature]), body)
    }

    pub fn deliver(&self, delivery: &Delivery) -> Ran {
        self.receive(&delivery.url, &delivery.signature, &delivery.body)
    }
}

/// The JSON lines on stdout.
pub fn lines(ran: &Ran) -> Vec<Value> {
    ran.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Waits until `there` returns a value, and returns this value.
pub fn until<T>(mut there: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = there() {
            return found;
        }
        assert!(Instant::now() < end, "it does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}
