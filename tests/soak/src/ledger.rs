//! The merchant's ledger. It has its full size from the beginning, so that later growth is a leak.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use merchantpay::Amount;

use crate::service::{Made, Requests};

/// The length of a token in a URL: 32 random bytes in hex.
const TOKEN: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Blank,
    /// The entry is written, and its call is running.
    Open,
    Answered,
    Unknown,
}

struct Entry {
    token: [u8; 32],
    state: State,
    /// Empty until a reply or a webhook has named the order.
    order_id: [u8; 48],
    /// `true` if the last webhook of the payment has arrived.
    ended: bool,
    webhooks: u8,
}

impl Entry {
    fn order_id(&self) -> &str {
        std::str::from_utf8(&self.order_id).unwrap_or_default().trim_end_matches('\0')
    }

    /// Stores the payment's first order id. Returns `false` if the payment already has a different order id.
    fn name(&mut self, order_id: &str) -> bool {
        if self.order_id().is_empty() && !order_id.is_empty() && order_id.len() <= self.order_id.len() {
            self.order_id = [0; 48];
            self.order_id[..order_id.len()].copy_from_slice(order_id.as_bytes());
        }
        self.order_id() == order_id
    }
}

pub(crate) struct Ledger {
    entries: Vec<Mutex<Entry>>,
    not_sent: AtomicUsize,
    taken: AtomicUsize,
    refused: AtomicUsize,
}

/// Each payment has a different sum.
pub(crate) fn sum(number: usize) -> Amount {
    Amount::from_minor(10_001 + i64::try_from(number).unwrap_or(i64::MAX))
}

/// The receiver's answer.
pub(crate) enum Taken {
    Yes,
    /// The webhook is written to the ledger, but the service must send it once more.
    Again,
    NotOurs,
}

impl Ledger {
    pub(crate) fn new(payments: usize) -> Result<Ledger, getrandom::Error> {
        let mut entries = Vec::with_capacity(payments);
        for _ in 0..payments {
            // The tokens are random from the beginning, so that the memory pages are really in use.
            let mut entry =
                Entry { token: [0; 32], state: State::Blank, order_id: [0; 48], ended: false, webhooks: 0 };
            getrandom::fill(&mut entry.token)?;
            entries.push(Mutex::new(entry));
        }
        Ok(Ledger {
            entries,
            not_sent: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
        })
    }

    fn entry(&self, number: usize) -> MutexGuard<'_, Entry> {
        self.entries[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn all(&self) -> impl Iterator<Item = (usize, MutexGuard<'_, Entry>)> {
        (0..self.entries.len()).map(|number| (number, self.entry(number)))
    }

    /// Writes a payment to the ledger, and returns the end of the payment's webhook URL. The end has the
    /// payment's number, by which its entry is found, and the entry's token, which only the service gets.
    pub(crate) fn open(&self, number: usize) -> Result<String, getrandom::Error> {
        let mut entry = self.entry(number);
        entry.state = State::Open;
        Ok(format!("{number}-{}", hex(&entry.token)))
    }

    pub(crate) fn note_not_sent(&self) {
        self.not_sent.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(20));
    }

    pub(crate) fn answered(&self, number: usize, order_id: &str) -> Result<(), String> {
        let mut entry = self.entry(number);
        entry.state = State::Answered;
        if entry.name(order_id) { Ok(()) } else { Err(format!("payment {number} has two names")) }
    }

    pub(crate) fn unknown(&self, number: usize) {
        self.entry(number).state = State::Unknown;
    }

    /// Records a verified webhook that came to a URL with this end. Any webhook can come twice, because for
    /// some webhooks the ledger requests a second delivery on purpose.
    pub(crate) fn webhook(&self, end: &str, order_id: &str, is_final: bool) -> Taken {
        let found =
            end.split_once('-').and_then(|(number, token)| Some((number.parse::<usize>().ok()?, token)));
        let Some((number, token)) =
            found.filter(|(number, token)| *number < self.entries.len() && token.len() == TOKEN)
        else {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Taken::NotOurs;
        };
        let mut entry = self.entry(number);
        if hex(&entry.token) != token || entry.state == State::Blank || !entry.name(order_id) {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Taken::NotOurs;
        }
        entry.webhooks = entry.webhooks.saturating_add(1);
        entry.ended |= is_final;
        self.taken.fetch_add(1, Ordering::Relaxed);
        if entry.webhooks == 1 && number % 50 == 0 { Taken::Again } else { Taken::Yes }
    }

    /// Waits until the last webhook of every answered payment has arrived.
    pub(crate) fn wait_for_webhooks(&self, patience: Duration) -> Result<(), String> {
        let (mut seen, mut end) = (0, Instant::now() + patience);
        loop {
            if !self.all().any(|(_, entry)| entry.state == State::Answered && !entry.ended) {
                return Ok(());
            }
            let taken = self.taken.load(Ordering::Relaxed);
            if taken != seen {
                (seen, end) = (taken, Instant::now() + patience);
            } else if Instant::now() > end {
                return Err("webhooks do not come any more".to_owned());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn unknown_ones(&self) -> Vec<usize> {
        self.all().filter(|(_, entry)| entry.state == State::Unknown).map(|(number, _)| number).collect()
    }

    /// Waits until a webhook has named a payment.
    pub(crate) fn wait_for_name(&self, number: usize, patience: Duration) -> Result<String, String> {
        let end = Instant::now() + patience;
        loop {
            let order_id = self.entry(number).order_id().to_owned();
            if !order_id.is_empty() {
                return Ok(order_id);
            }
            if Instant::now() > end {
                return Err(format!("no webhook has named payment {number}"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Compares the ledger with all payments of the service. Each payment must belong to an entry with the
    /// same order id, number and sum, and no payment may occur twice. Only payments with lost requests may be
    /// missing.
    pub(crate) fn compare(&self, made: &[Made], requests: Requests) -> Result<String, String> {
        let mut times = vec![0_u8; self.entries.len()];
        let mut theirs = 0_i64;
        for payment in made {
            let number = payment.merchant_id;
            let entry = self
                .entries
                .get(number)
                .map(|_| self.entry(number))
                .ok_or("a payment that nobody asked for")?;
            if payment.sum != sum(number) || entry.order_id() != payment.order_id {
                return Err(format!("payment {number} is another one at the service"));
            }
            times[number] += 1;
            theirs += payment.sum.minor().ok_or("a sum without kopecks")?;
        }
        let mut ours = 0_i64;
        for (number, entry) in self.all() {
            let named = !entry.order_id().is_empty();
            let is_right = match entry.state {
                State::Answered => times[number] == 1,
                State::Unknown => times[number] == u8::from(named),
                State::Blank | State::Open => false,
            };
            if !is_right {
                return Err(format!(
                    "payment {number} is {:?} here and {} times at the service",
                    entry.state, times[number]
                ));
            }
            ours += if named { sum(number).minor().unwrap_or_default() } else { 0 };
        }
        if ours != theirs {
            return Err(format!("{ours} kopecks here and {theirs} at the service"));
        }
        // Each payment was sent once, even if its reply was lost. Requests with the outcome not_sent did not
        // arrive at the service.
        if requests.new_payments != self.entries.len() as u64 {
            return Err(format!("{} requests for {} payments", requests.new_payments, self.entries.len()));
        }
        Ok(format!(
            "ledger: {} payments at the service, {} here, {ours} kopecks in both; {} requests; {} calls not sent and made again",
            made.len(),
            times.iter().filter(|times| **times == 1).count(),
            requests.new_payments,
            self.not_sent.load(Ordering::Relaxed)
        ))
    }

    pub(crate) fn webhooks(&self) -> String {
        format!(
            "{} taken, {} refused",
            self.taken.load(Ordering::Relaxed),
            self.refused.load(Ordering::Relaxed)
        )
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
