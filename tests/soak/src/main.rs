//! Endurance tests of the client and of the journal:
//!
//! - `soak [PAYMENTS]` tests the client, with 200 000 payments unless given. One client and eight threads make payments
//!   while one reply in a hundred is spoiled or lost. Then the merchant's ledger is compared with the service's list,
//!   payment by payment and kopeck by kopeck.
//! - `soak journal [SECONDS [STORE [PROCESSES [LANGUAGE,…]]]]` tests the journal: for 180 s, over `sqlite`, `postgresql`,
//!   `pgbouncer` or `mariadb`, with 8 processes in `rust,python`; any language with an adapter in `tests/contract` works.
//!
//! The merchant (client, ledger, receiver of webhooks) is this process, and the sandbox is a child, so that
//! the printed memory and file descriptors are only the merchant's.

#[path = "../../crash/tests/crash/audit.rs"]
mod audit;
mod gauge;
mod journal;
mod ledger;
mod receiver;
mod service;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use merchantpay::{Client, Outcome, PaymentMethod, PaymentRequest, WebhookVerifier};

use gauge::Gauge;
use ledger::{Ledger, Taken};
use receiver::Hook;
use service::Service;

const PAYMENTS: usize = 200_000;
const THREADS: usize = 8;
/// The percentage of payments before the first measurement. After these payments the caches, the connections
/// and the allocator's pools are filled.
const WARM_UP: usize = 5;
/// The run fails if nothing happens for this long. The limit finds a defect; it does not measure speed.
const TIMEOUT: Duration = Duration::from_secs(60);

type AnyResult<T> = Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "usage: soak [PAYMENTS] | soak journal [SECONDS [STORE [PROCESSES [LANGUAGE,…]]]]";

fn main() -> AnyResult<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["sandbox"] => service::serve(),
        ["journal", ref words @ ..] => journal::soak(&journal::Plan::read(words)?),
        [] => soak(PAYMENTS),
        [payments] => soak(payments.parse()?),
        _ => Err(USAGE.into()),
    }
}

fn soak(payments: usize) -> AnyResult<()> {
    let service = Service::start()?;
    let ledger = Arc::new(Ledger::new(payments)?);
    let (verifier, book) = (WebhookVerifier::new(service.public_key()?), Arc::clone(&ledger));
    let hooks = receiver::start(move |hook| take(&verifier, &book, &hook))?;
    let client = service.client()?;
    let faults = service.spoil_one_reply_in_a_hundred()?;

    let began = Instant::now();
    let ends = [payments * WARM_UP / 100, payments * (100 + WARM_UP) / 200, payments];
    let mut figures = Vec::new();
    let mut first = 0;
    for (when, end) in ["start", "middle", "end"].into_iter().zip(ends) {
        pay(&client, &ledger, &hooks, first..end)?;
        first = end;
        ledger.wait_for_webhooks(TIMEOUT)?;
        let gauge = Gauge::read()?;
        println!("{when}: {end} payments, {gauge}");
        figures.push(gauge);
    }
    println!("{payments} payments by {THREADS} threads in {:.0} s", began.elapsed().as_secs_f64());
    println!("{}", gauge::sockets()?);
    println!("replies spoiled or lost: {}", service.spoiled()?);

    let recovered = recover(&client, &ledger, &service)?;
    println!("{recovered}");
    let compared = ledger.compare(&service.payments()?, service.requests()?)?;
    println!("{compared}");
    println!("webhooks: {}", ledger.webhooks());
    if recovered.never_made != service.lost_before_commit(&faults)? {
        return Err(
            "other payments than those that were lost on the way there are missing at the service".into()
        );
    }
    let [start, .., end] = figures.as_slice() else { return Err("there are no figures".into()) };
    end.is_no_more_than(start)?;
    println!("none lost, none doubled, nothing leaked");
    Ok(())
}

/// No webhook is used before its signature is verified, and it is answered with 200 only after it is written to the
/// ledger.
fn take(verifier: &WebhookVerifier, ledger: &Ledger, hook: &Hook) -> u16 {
    let Ok(event) = verifier.verify(&hook.body, &hook.signature, Some(&hook.key_id)) else { return 400 };
    let (payment, end) = (event.payment(), hook.path.rsplit('/').next().unwrap_or_default());
    match ledger.webhook(end, payment.order_id(), payment.is_final()) {
        Taken::Yes => 200,
        Taken::Again => 500,
        Taken::NotOurs => 404,
    }
}

/// Makes each of these payments once. The ledger's entry is written before the call, and the outcome after
/// the call.
fn pay(client: &Client, ledger: &Ledger, hooks: &str, numbers: std::ops::Range<usize>) -> AnyResult<()> {
    let next = AtomicUsize::new(numbers.start);
    let worker = || -> Result<(), String> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                return Ok(());
            }
            let token = ledger.open(number).map_err(|error| error.to_string())?;
            let url = format!("{hooks}/{token}");
            let request = PaymentRequest::new(ledger::sum(number), PaymentMethod::Sbp, "never-pays")
                .merchant_id(number.to_string())
                .status_webhook_url(&url);
            let asynchronous = number % 2 == 1;
            let request = if asynchronous { request.credentials_webhook_url(&url) } else { request };
            // A request that was not sent is repeated, because it cannot take effect twice.
            let end = Instant::now() + TIMEOUT;
            let called = loop {
                let called = if asynchronous {
                    client.new_payment_async(&request)
                } else {
                    client.new_payment(&request)
                };
                match called {
                    Err(error) if error.outcome() == Outcome::NotSent && Instant::now() < end => {
                        ledger.note_not_sent()
                    }
                    called => break called,
                }
            };
            match called {
                Ok(payment) => ledger.answered(number, payment.order_id())?,
                Err(error) if error.outcome() == Outcome::Unknown => ledger.unknown(number),
                Err(error) => return Err(format!("payment {number}: {error}: {:?}", error.description())),
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(worker)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
    })?;
    Ok(())
}

/// The number of payments with the outcome unknown that later had each result.
struct Recovered {
    by_webhook: usize,
    never_made: usize,
}

impl std::fmt::Display for Recovered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = self.by_webhook + self.never_made;
        write!(
            f,
            "unknown: {all}; found by their webhook: {}; never made, as the service says: {}",
            self.by_webhook, self.never_made
        )
    }
}

/// Recovers unknown payments: a webhook has named the payment, and the service reports its status. For a
/// payment without a webhook the merchant asks support, by `merchantId`. Here the service's list takes the
/// place of support.
fn recover(client: &Client, ledger: &Ledger, service: &Service) -> AnyResult<Recovered> {
    let known: HashSet<usize> = service.payments()?.iter().map(|payment| payment.merchant_id).collect();
    let mut recovered = Recovered { by_webhook: 0, never_made: 0 };
    for number in ledger.unknown_ones() {
        if !known.contains(&number) {
            recovered.never_made += 1;
            continue;
        }
        let order_id = ledger.wait_for_name(number, TIMEOUT)?;
        let payment = client.get_status(&order_id)?;
        if payment.sum() != Some(ledger::sum(number)) || !payment.is_final() {
            return Err(format!("payment {number} is not what was asked for: {:?}", payment.status()).into());
        }
        recovered.by_webhook += 1;
    }
    Ok(recovered)
}
