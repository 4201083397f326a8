//! The journal's endurance test. Eight processes in one or several languages, with one file or database,
//! create the same payments. Meanwhile replies are lost, processes are killed at random, and callbacks arrive
//! twice and out of order. Then the journal is compared with the service's list, payment by payment and kopeck
//! by kopeck. Each process's log shows which credentials the process has given to customers.

mod audit;
mod callbacks;
#[cfg(feature = "servers")]
mod day;
mod languages;
mod log;
mod operator;
mod shop;
mod store;
mod worker;

use std::sync::Arc;
use std::time::Instant;

#[cfg(feature = "servers")]
pub(crate) use day::day;
pub(crate) use languages::Languages;
pub(crate) use store::Kind;
pub(crate) use worker::work;

use crate::AnyResult;
use crate::service::Service;
use callbacks::Callbacks;
use operator::{LONG, Operator};
use shop::Shop;
use store::{Folder, Servers};
use worker::Workers;

pub(crate) fn soak(payments: usize, kind: Kind, languages: &Languages) -> AnyResult<()> {
    let (service, folder) = (Service::start()?, Folder::new()?);
    let servers = Servers::start(kind, folder.path())?;
    let programs = languages.build(folder.path(), kind)?;
    service.lose_replies()?;
    let callbacks = Callbacks::start()?;
    let log = folder.path().join("operator.log");
    let shop = Arc::new(Shop::open(&service.settings(), servers.place(), &log, callbacks.url(), true)?);
    callbacks.take_over(Some(Arc::clone(&shop)));

    let began = Instant::now();
    let mut workers =
        Workers::start(&service, servers.place(), &programs, folder.path(), payments, &callbacks)?;
    workers.kill_until_all_have_finished()?;
    println!(
        "{payments} payments over {} by {} processes, {}; {} killed, in {:.0} s",
        kind.name(),
        worker::COUNT,
        workers.languages(),
        workers.kills().len(),
        began.elapsed().as_secs_f64()
    );
    let lost = service.spoiled()?;
    let killed = workers.kills().len();
    workers.stop()?;
    println!("replies lost: {lost}; callbacks: {callbacks}");
    service.lose_no_more()?;
    callbacks.deliver_what_is_late()?;

    let mut operator = Operator::new(&service, &shop, payments);
    operator.end_all(payments >= LONG)?;
    println!("{operator}; {:.0} s", began.elapsed().as_secs_f64());
    println!("{}", audit::compare(&service, &shop, payments)?);
    let least = if payments >= LONG { audit::succeeded(&shop, payments)?.saturating_sub(killed) } else { 0 };
    println!("{}", audit::hand_outs(&service, folder.path(), &programs, least)?);
    println!("the journal and the service agree");
    Ok(())
}
