//! The store over every database: a SQLite file, PostgreSQL, pgbouncer in transaction mode, and MariaDB.
//!
//! Without the feature `databases` only the file is tested.

mod files;
#[cfg(unix)]
mod forks;
mod places;
#[cfg(feature = "databases")]
mod protection;
mod rows;
#[cfg(feature = "databases")]
mod servers;
mod statements;
mod upkeep;

use std::panic::catch_unwind;
use std::time::Instant;

use places::{KINDS, Kind, Servers};

type OfPlace = (&'static str, fn(&Servers, Kind));

/// Tests that run over each kind of place.
const EVERYWHERE: &[OfPlace] = &[
    ("look finds the last attempt, the clock and the pause", statements::look),
    ("keys are compared byte for byte", statements::keys),
    ("new attempt is stored once, unless paused or paid", statements::guards),
    ("stale write changes nothing", statements::stamps),
    ("order belongs to one attempt, and a reference has one success", statements::uniqueness),
    ("whole-row write leaves acknowledgement and lease alone", statements::news),
    ("entry of the news is leased to one reader", statements::lease),
    ("replacing writes both attempts or none", statements::replace),
    ("due attempts come by time, and a time too far ahead is due", statements::due),
    ("attention and unknown calls are listed", statements::attention),
    ("list pages through the last attempts", statements::list),
    ("message is stored once, and its hints count the tokens", upkeep::messages),
    ("orphans are listed by order, and kept until they are seen", upkeep::orphans),
    ("due row in an unknown state is only unreadable", statements::other_state),
    ("setting is set once", upkeep::settings),
    ("restored journal is marked and paused", upkeep::restored),
    ("purge finds what is finished", upkeep::purge),
    ("export is imported as it was", upkeep::export),
    ("journal without tables names the remedy", upkeep::without_tables),
    ("threads share one connection", statements::threads),
    #[cfg(unix)]
    ("child goes on when its parent has closed the journal", forks::outlives_its_parent),
    #[cfg(unix)]
    ("sixteen processes store each reference once", forks::sixteen),
];

type Test = (&'static str, fn(&Servers));

const OF_A_FILE: &[Test] = &[
    ("file: missing file is not created unless asked", files::missing),
    ("file: foreign files are left as they are", files::foreign),
    ("file: second hard link is refused", files::links),
    ("file: mode is the owner's alone", files::mode),
    ("file: replaced files are noticed for good", files::replaced),
    ("file: -wal of another state is refused", files::foreign_wal),
    ("file: killed process leaves a -wal that is its own", files::own_wal),
    #[cfg(target_os = "linux")]
    ("file: second journal keeps the first one's locks", files::locks),
];

fn main() {
    // The program that a test starts again in another role.
    match std::env::var("STORE_ROLE").as_deref() {
        Ok("shop") => return files::play_shop(),
        #[cfg(feature = "databases")]
        Ok("host") => return servers::play_host(),
        #[cfg(feature = "databases")]
        Ok("connect") => return protection::play_connect(),
        _ => {}
    }
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let everywhere = KINDS.iter().flat_map(|kind| {
        EVERYWHERE.iter().map(move |(name, test)| {
            let run: Box<dyn Fn(&Servers)> = Box::new(move |servers| test(servers, *kind));
            (format!("{}: {name}", kind.name()), run)
        })
    });
    #[cfg(feature = "databases")]
    let others = [OF_A_FILE, servers::TESTS, protection::TESTS].concat();
    #[cfg(not(feature = "databases"))]
    let others = OF_A_FILE;
    let others = others.iter().map(|(name, test)| {
        let run: Box<dyn Fn(&Servers)> = Box::new(test);
        ((*name).to_owned(), run)
    });
    let tests: Vec<_> = everywhere.chain(others).filter(|(name, _)| is_wanted(name)).collect();
    if std::env::args().any(|argument| argument == "--list") {
        tests.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    let servers = Servers::default();
    let mut failed = Vec::new();
    for (name, test) in &tests {
        let begun = Instant::now();
        let passed = catch_unwind(std::panic::AssertUnwindSafe(|| test(&servers))).is_ok();
        let result = if passed { "ok" } else { "FAILED" };
        println!("test {name} ... {result} ({:.1} s)", begun.elapsed().as_secs_f64());
        failed.extend((!passed).then_some(name));
    }
    drop(servers);
    if !failed.is_empty() {
        println!("failed: {failed:#?}");
        std::process::exit(1);
    }
}
