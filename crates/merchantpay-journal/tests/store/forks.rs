//! Many processes over one place. tests/crash forks in the middle of payments.

use fork::Fork;
use merchantpay_databases::{Servers, wait_until};
use merchantpay_journal::Standing;
use merchantpay_journal::store::{Database, Failure, Options, Written};

use crate::rows::{attempt, change, insert, journal, open, opened};

fn work(database: &Database, name: &str) {
    for number in 0..10 {
        let row = insert(database, &format!("{name}-{number}"));
        change(database, &row, opened);
    }
}

/// Runs a function in a forked child, which ends with its destructors run, as a worker of php-fpm does. Its
/// exit status is the function's result.
fn child(database: Database, work: impl FnOnce(&Database) -> i32) -> i32 {
    match fork::fork().unwrap() {
        Fork::Child => {
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&database)));
            drop(database);
            std::process::exit(result.unwrap_or(255));
        }
        Fork::Parent(child) => child,
    }
}

fn exit_status(child: i32) -> i32 {
    let status = fork::waitpid(child).unwrap();
    if fork::WIFEXITED(status) { fork::WEXITSTATUS(status) } else { 254 }
}

/// The last process that closes a file removes its -wal: a parent that does not see its child's lock would take
/// it away.
pub fn outlives_its_parent(servers: &Servers) {
    let (place, database) = journal(servers);
    work(&database, "before");
    let (begun, closed) = (Signal::new(), Signal::new());
    let child = child(database.clone(), |database| {
        work(database, "child");
        begun.set();
        closed.wait();
        work(database, "alone");
        0
    });
    begun.wait();
    drop(database);
    closed.set();
    assert_eq!(exit_status(child), 0, "how the child ended");
    assert_eq!(open(&place).list(Some(Standing::Open), None, 1000).unwrap().attempts.len(), 30);
}

/// Something that one process tells another.
struct Signal(std::path::PathBuf);

impl Signal {
    fn new() -> Signal {
        Signal(std::env::temp_dir().join(format!("signal-{}", merchantpay_databases::random())))
    }

    fn set(&self) {
        std::fs::write(&self.0, "").unwrap();
    }

    fn wait(&self) {
        wait_until("the other process does not go on", || self.0.exists());
        std::fs::remove_file(&self.0).unwrap();
    }
}

pub fn sixteen_processes(servers: &Servers) {
    const REFERENCES: u32 = 50;
    let (place, database) = journal(servers);
    let url = &place.url();
    let mut children = Vec::new();
    for _ in 0..16 {
        children.push(child(database.clone(), |_| {
            let options = Options { durability_vouched: vec!["fuse".to_owned()], ..Options::default() };
            let own = Database::open(url, &options).unwrap();
            let mut won = 0;
            for number in 0..REFERENCES {
                let reference = format!("order-{number}");
                while own.look(&reference).map_or(true, |look| look.attempt.is_none()) {
                    match own.insert(&attempt(&own, &reference, 1)) {
                        Ok(Written::Reported) => won += 1,
                        Ok(_) | Err(Failure::Duplicate) => {}
                        // With gap locks these would be deadlocks.
                        Err(failure) => panic!("{failure}"),
                    }
                }
            }
            won
        }));
    }
    let won: i32 = children.into_iter().map(exit_status).sum();
    assert_eq!(won as u32, REFERENCES, "each reference was reported to one process");
    let all = open(&place).list(None, None, 1000).unwrap().attempts;
    assert_eq!((all.len() as u32, all.iter().all(|row| row.attempt == 1)), (REFERENCES, true));
}
