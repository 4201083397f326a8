//! The end: what the killed processes have left is completed, and everything is compared.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use merchantpay::{Amount, PaymentMethod, PaymentRequest};
use merchantpay_journal::{Entry, Journal};

use super::till::{Till, account, must_succeed, number_of, reference, sum};
use crate::adapter::{Adapter, Language, Victim};
use crate::audit::{self, AnyResult, Ledger, Made, compare};

const PATIENCE: Duration = Duration::from_secs(300);

pub fn finish(till: &Till, language: &Language) -> AnyResult<String> {
    let (shop, journal) = (&till.shop, till.shop.journal());
    let mut adapter = Adapter::new(language, &Victim::default(), till.opens());
    let end = Instant::now() + PATIENCE;
    let mut orphans = 0;
    let ledger = loop {
        while let Some(hook) = till.hooks.next() {
            till.receive(&mut adapter, hook)?;
        }
        // All processes are over, so no call runs and nobody has news.
        audit::let_time_pass(&shop.place);
        let made = audit::listed(shop.sandbox.url())?;
        orphans += audit::decide(&journal, &made)?;
        for number in 0..till.taken() {
            complete(till, &journal, number, &made)?;
        }
        journal.settle(1000)?;
        while till.ship(&mut adapter, "the end")? {}
        let references = (0..till.taken()).map(reference);
        match compare(&journal, references, must_succeed, audit::listed(shop.sandbox.url())?) {
            Ok(ledger) if journal.stats()?.news == 0 => break ledger,
            Ok(_) if Instant::now() < end => {}
            Err(_) if Instant::now() < end => {}
            Ok(_) => return Err("there are always news".into()),
            Err(error) => return Err(error),
        }
    };
    let shipped = shipped(till, &journal)?;
    till.book().shown.check(&audit::listed(shop.sandbox.url())?)?;
    let Ledger { attempts, payments, succeeded, kopecks, never_shown } = ledger;
    let requests = shop.sandbox.requests("newPayment") + shop.sandbox.requests("newPaymentAsync");
    if requests > attempts as u64 || orphans > 0 {
        return Err(format!("{requests} requests for {attempts} attempts, {orphans} orphans").into());
    }
    let news = &till.book().news;
    Ok(format!(
        "{payments} payments at the service, {attempts} attempts, {requests} requests; {succeeded} succeeded, {kopecks} kopecks in \
         both; {never_shown} made and never shown; {shipped} shipped; news by {news:?}"
    ))
}

fn complete(till: &Till, journal: &Journal, number: u32, made: &[Made]) -> AnyResult<()> {
    let reference = reference(number);
    let entry = journal.find(&reference)?;
    let ends_so =
        |entry: &Entry| !must_succeed(&reference) && ["refused", "final"].contains(&entry.standing.name());
    if entry.as_ref().is_some_and(|entry| entry.succeeded || ends_so(entry)) {
        return Ok(());
    }
    let request = PaymentRequest::new(Amount::from_minor(sum(number)), PaymentMethod::Sbp, account(number));
    // What it could wait for is due at the next turn.
    audit::go_on(journal, &reference, entry, &request, Duration::ZERO, made, &mut till.book().shown)
}

/// Each success was shipped once, and nothing else.
fn shipped(till: &Till, journal: &Journal) -> AnyResult<usize> {
    let book = till.book();
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    let by_transaction = till.shop.place.sql("SELECT reference FROM shipped");
    for reference in by_transaction.lines().chain(book.shipped.iter().map(String::as_str)) {
        *times.entry(reference).or_default() += 1;
    }
    for number in 0..till.taken() {
        let reference = reference(number);
        let count = times.get(reference.as_str()).copied().unwrap_or_default();
        let succeeded = journal.find(&reference)?.is_some_and(|entry| entry.succeeded);
        let is_right =
            count == u32::from(succeeded) || succeeded && count == 0 && book.perhaps.contains(&reference);
        if !is_right {
            return Err(
                format!("{reference} was shipped {count} times, and has succeeded: {succeeded}").into()
            );
        }
    }
    debug_assert!(times.keys().all(|reference| number_of(reference) < till.taken()));
    Ok(times.len())
}
