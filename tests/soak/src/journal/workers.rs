//! The processes, and what happens to them.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use merchantpay_crash::{Kind, Moment, Servers};
use serde_json::json;

use super::Plan;
use super::adapter::{Adapter, Language, Victim, kill};
use super::hooks::random;
use super::shop::Shop;
use crate::AnyResult;

/// The processes of a language that act on news; the others sell.
const SHIPPERS: usize = 2;
/// One request in so many loses its connection.
const CUT: u32 = 300;
const BETWEEN_RESTARTS: Duration = Duration::from_secs(20);

/// What happened.
#[derive(Default)]
pub(crate) struct Chaos {
    kills: u32,
    cuts: u32,
    restarts: u32,
}

impl fmt::Display for Chaos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Chaos { kills, cuts, restarts } = self;
        write!(f, "{kills} kills, {cuts} cut connections, {restarts} restarts of the server")
    }
}

/// Lets the processes work for a time. The server goes on afterwards.
pub(crate) fn run(
    shop: &Shop,
    servers: &mut Servers,
    languages: &[Language],
    plan: &Plan,
) -> AnyResult<Chaos> {
    let (is_over, time) = (AtomicBool::new(false), Duration::from_secs(plan.seconds));
    let victims: Vec<Victim> = (0..plan.processes).map(|_| Victim::default()).collect();
    if let Some(proxy) = &shop.proxy {
        let moment = || if random(2) == 0 { Moment::Before } else { Moment::After };
        proxy.cut(move || (random(CUT) == 0).then(moment), || {});
    }
    let mut chaos = Chaos::default();
    let ended: Result<(), String> = std::thread::scope(|scope| {
        let is_over = &is_over;
        let work = |number: usize, victim: &Victim| {
            let language = &languages[number % languages.len()];
            let adapter = Adapter::new(language, victim.clone(), shop.open.clone());
            let ships = number / languages.len() < SHIPPERS;
            scope.spawn(move || {
                let result = work(shop, adapter, language, ships, is_over).map_err(|error| error.to_string());
                is_over.fetch_or(result.is_err(), Ordering::SeqCst);
                result
            })
        };
        let threads: Vec<_> =
            victims.iter().enumerate().map(|(number, victim)| work(number, victim)).collect();
        let end = Instant::now() + time;
        let mut restart = Instant::now() + time.min(BETWEEN_RESTARTS) / 2;
        while Instant::now() < end && !is_over.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(u64::from(200 + random(600))));
            let victim = &victims[random(u32::try_from(victims.len()).unwrap_or(1)) as usize];
            chaos.kills += u32::from(kill(victim));
            if Instant::now() > restart && plan.kind != Kind::Sqlite {
                servers.restart();
                chaos.restarts += 1;
                restart = Instant::now() + BETWEEN_RESTARTS;
            }
        }
        is_over.store(true, Ordering::SeqCst);
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
    });
    ended?;
    if let Some(proxy) = &shop.proxy {
        chaos.cuts = proxy.cuts();
        proxy.cut(|| None, || {});
    }
    Ok(chaos)
}

fn work(
    shop: &Shop,
    mut adapter: Adapter<'_>,
    language: &Language,
    ships: bool,
    is_over: &AtomicBool,
) -> AnyResult<()> {
    while !is_over.load(Ordering::SeqCst) {
        if ships {
            if !shop.ship(&mut adapter, &language.name)? {
                std::thread::sleep(Duration::from_millis(20));
            }
            continue;
        }
        for _ in 0..3 {
            if let Some(hook) = shop.hooks.next() {
                shop.receive(&mut adapter, hook)?;
            }
        }
        shop.sell(&mut adapter)?;
        adapter.steadily(&json!({"do": "settle", "limit": 2}))?;
    }
    Ok(())
}
