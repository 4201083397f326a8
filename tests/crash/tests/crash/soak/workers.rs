//! The processes, and what happens to them.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use merchantpay_crash::{Kind, Moment, Servers};
use serde_json::json;

use super::gauge::Gauge;
use super::hooks::random;
use super::till::Till;
use crate::adapter::{Adapter, Language, Victim};
use crate::audit::AnyResult;

/// So many processes of a language act on news; the others sell.
const SHIPPERS: usize = 2;
/// One request in so many loses its connection.
const CUT: u32 = 300;
const BETWEEN_RESTARTS: Duration = Duration::from_secs(20);
/// After so many turns a process closes its journal and opens it again: an adapter keeps every entry until then.
const TURNS: u32 = 50;
/// After this part of the time a process uses what it needs.
const WARM_UP: u32 = 3;

#[derive(Default)]
pub struct Chaos {
    kills: u32,
    cuts: u32,
    restarts: u32,
    grown: String,
}

impl fmt::Display for Chaos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Chaos { kills, cuts, restarts, grown } = self;
        write!(f, "{kills} kills, {cuts} cut connections, {restarts} restarts of the server; {grown}")
    }
}

/// The last process is never killed. The server goes on afterwards.
pub fn run(
    till: &Till,
    servers: &Servers,
    languages: &[Language],
    processes: usize,
    time: Duration,
) -> AnyResult<Chaos> {
    let is_over = AtomicBool::new(false);
    let all: Vec<Victim> = (0..processes).map(|_| Victim::default()).collect();
    let (survivor, victims) = all.split_last().ok_or("no process")?;
    if let Some(proxy) = &till.proxy {
        let moment = || if random(2) == 0 { Moment::Before } else { Moment::After };
        proxy.cut(move || (random(CUT) == 0).then(moment), || {});
    }
    let mut chaos = Chaos::default();
    let ended: Result<(), String> = std::thread::scope(|scope| {
        let is_over = &is_over;
        let work = |number: usize, victim: &Victim| {
            let language = &languages[number % languages.len()];
            let adapter = Adapter::new(language, victim, till.opens());
            let ships = number / languages.len() < SHIPPERS;
            scope.spawn(move || {
                let result = work(till, adapter, language, ships, is_over).map_err(|error| error.to_string());
                is_over.fetch_or(result.is_err(), Ordering::SeqCst);
                result
            })
        };
        let threads: Vec<_> = all.iter().enumerate().map(|(number, victim)| work(number, victim)).collect();
        let (begun, mut warm) = (Instant::now(), None);
        let end = begun + time;
        let mut restart = Instant::now() + time.min(BETWEEN_RESTARTS) / 2;
        while Instant::now() < end && !is_over.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(u64::from(200 + random(600))));
            if let Some(victim) = victims.get(random(u32::try_from(victims.len()).unwrap_or(1)) as usize) {
                chaos.kills += u32::from(victim.kill());
            }
            if warm.is_none() && begun.elapsed() > time / WARM_UP {
                warm = survivor.id().and_then(|process| Gauge::read(process).ok());
            }
            if Instant::now() > restart && servers.kind() != Kind::Sqlite {
                servers.restart();
                chaos.restarts += 1;
                restart = Instant::now() + BETWEEN_RESTARTS;
            }
        }
        let grown = match (&warm, survivor.id().map(Gauge::read)) {
            (Some(warm), Some(Ok(now))) => {
                chaos.grown = format!("{warm} became {now}");
                now.is_no_more_than(warm)
            }
            _ => Err("the process that nobody kills is not there".to_owned()),
        };
        is_over.store(true, Ordering::SeqCst);
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
            .and(grown)
    });
    ended?;
    if let Some(proxy) = &till.proxy {
        chaos.cuts = proxy.cuts();
        proxy.cut(|| None, || {});
    }
    Ok(chaos)
}

fn work(
    till: &Till,
    mut adapter: Adapter<'_>,
    language: &Language,
    ships: bool,
    is_over: &AtomicBool,
) -> AnyResult<()> {
    let mut turns = 0;
    while !is_over.load(Ordering::SeqCst) {
        turns += 1;
        if turns % TURNS == 0 {
            adapter.close()?;
        }
        if ships {
            if !till.ship(&mut adapter, &language.name)? {
                std::thread::sleep(Duration::from_millis(20));
            }
            continue;
        }
        for _ in 0..3 {
            if let Some(hook) = till.hooks.next() {
                till.receive(&mut adapter, hook)?;
            }
        }
        till.sell(&mut adapter)?;
        adapter.steadily(&json!({"do": "settle", "limit": 2}))?;
    }
    Ok(())
}
