//! The journal's endurance test. Eight processes in one or several languages, with one file or database, take
//! the same payments. Meanwhile replies are lost, processes are killed at random, and callbacks arrive twice
//! and out of order. Then the journal is compared with the service's list, payment by payment and kopeck by
//! kopeck, and each process's log shows which credentials it has handed out.

mod audit;
mod callbacks;
mod languages;
mod log;
mod operator;
mod shop;
mod store;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

pub(crate) use languages::Languages;
pub(crate) use store::Kind;
pub(crate) use worker::work;

use crate::AnyResult;
use crate::service::Service;
use callbacks::Callbacks;
use operator::Operator;
use shop::Shop;
use store::Servers;
use worker::Workers;

/// One reply in a hundred is lost.
const LOST: f64 = 0.01;
const OPERATIONS: [&str; 5] = ["newPayment", "newPaymentAsync", "confirm", "cancel", "getStatus"];

/// From this many payments on, the run waits for the leases of killed processes, 25 s, and for their claims
/// of news, a minute.
const LONG: usize = 1000;

pub(crate) fn soak(payments: usize, kind: Kind, languages: &Languages) -> AnyResult<()> {
    let (service, folder) = (Service::start()?, Folder::new()?);
    let servers = Servers::start(kind, &folder.0)?;
    let programs = languages.build(&folder.0, kind)?;
    service.lose_replies(&OPERATIONS, LOST)?;
    let callbacks = Callbacks::start()?;
    let log = folder.0.join("operator.log");
    let shop = Arc::new(Shop::open(&service.settings(), servers.place(), &log, callbacks.url(), true)?);
    callbacks.take_over(Arc::clone(&shop));

    let began = Instant::now();
    let mut workers = Workers::start(&service, servers.place(), &programs, &folder.0, payments, &callbacks)?;
    workers.kill_until_all_have_finished()?;
    println!(
        "{payments} payments over {} by {} processes, {}; {} killed, in {:.0} s",
        kind.name(),
        worker::COUNT,
        workers.languages(),
        workers.killed(),
        began.elapsed().as_secs_f64()
    );
    let lost = service.spoiled()?;
    let killed = workers.end()?;
    println!("replies lost: {lost}; callbacks: {callbacks}");
    service.lose_no_more()?;
    callbacks.deliver_what_is_late()?;

    let mut operator = Operator::new(&service, &shop, payments);
    operator.end_all(payments >= LONG)?;
    println!("{operator}; {:.0} s", began.elapsed().as_secs_f64());
    println!("{}", audit::compare(&service, &shop, payments)?);
    let least =
        if payments >= LONG { audit::succeeded(&shop, payments)?.saturating_sub(killed as usize) } else { 0 };
    println!("{}", audit::hand_outs(&service, &folder.0, &programs, least)?);
    println!("the journal and the service agree");
    Ok(())
}

/// A folder that is deleted after the run.
struct Folder(PathBuf);

impl Folder {
    fn new() -> AnyResult<Folder> {
        let path = std::env::temp_dir().join(format!("merchantpay-soak-{}", std::process::id()));
        std::fs::create_dir(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
