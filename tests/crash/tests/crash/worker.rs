//! This program as another process, which executes one instruction of the test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use merchantpay::{Client, Config, PrivateKey, PublicKey};
use merchantpay_crash::Moment;
use merchantpay_journal::{Entry, Journal, JournalConfig};

use crate::shop::{CALLBACK, Shop, request, request_of};
use crate::store::{Count, Trap, TrapStore};

fn value(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

pub fn settings(config: JournalConfig) -> JournalConfig {
    config.callback_url(CALLBACK).timeout(Duration::from_secs(15)).pay_wait(Duration::ZERO)
}

/// The client that the environment describes.
fn client() -> Client {
    let key = PrivateKey::from_base64(&value("PRIVATE_KEY")).unwrap();
    let server = PublicKey::from_base64(&value("SERVER_KEY")).unwrap();
    Client::new(Config::new(value("BASE_URL"), value("KEY_ID"), key, server)).unwrap()
}

/// The journal that the environment describes.
pub fn journal() -> Journal {
    Journal::open(&client(), settings(JournalConfig::new(value("PLACE")))).unwrap()
}

/// Opens the journal, reads an instruction, and executes it.
pub fn work() {
    let count = Count::default();
    let trap = value("TRAP");
    let journal = match trap.split(' ').collect::<Vec<_>>()[..] {
        [at, moment] => {
            let at = at.parse().unwrap();
            let moment = if moment == "Before" { Moment::Before } else { Moment::After };
            let trap = Trap { at, moment, count: count.clone() };
            let config = JournalConfig::over(TrapStore(value("PLACE").into(), Arc::new(trap)));
            Journal::open(&client(), settings(config)).unwrap()
        }
        _ => journal(),
    };
    println!("ready");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    count.store(1, Ordering::SeqCst);
    let words: Vec<&str> = line.trim_end().split('\t').collect();
    match execute(&journal, &words) {
        Ok(()) => println!("done"),
        Err(error) => println!("failed {} {}", error.code(), error.outcome()),
    }
}

fn execute(journal: &Journal, words: &[&str]) -> merchantpay::Result<()> {
    let show = |entry: &Entry| {
        if entry.credentials.is_some() {
            println!("shown {}", entry.order_id.as_deref().unwrap_or_default());
        }
    };
    match *words {
        ["pay", reference] => show(&journal.pay(reference, &request())?),
        ["pay_async", reference] => show(&journal.pay_async(reference, &request())?),
        ["pay_slowly", reference] => show(&journal.pay(reference, &request_of("slow-credentials"))?),
        ["replace", reference] => show(&journal.replace(reference, 1, &request())?),
        ["confirm", reference] => drop(journal.confirm((reference, 1))?),
        ["settle", _] => drop(journal.settle(10)?),
        ["receive", _, path, body, signature] => {
            if let Some(error) = journal.receive(path, body.as_bytes(), signature, None).error {
                return Err(error);
            }
        }
        ["ship", _] => {
            // At least once: what was acknowledged before it was shipped would be lost with the process.
            for entry in journal.news(100)? {
                if entry.succeeded {
                    println!("shipped {}", entry.reference);
                }
                journal.acknowledge(&entry)?;
            }
        }
        _ => panic!("{words:?}"),
    }
    Ok(())
}

/// A worker that has opened its journal.
pub struct Worker {
    child: Child,
    output: BufReader<ChildStdout>,
}

/// What a worker printed until it ended.
pub struct Said(Vec<String>);

impl Said {
    pub fn is_done(&self) -> bool {
        self.0.iter().any(|line| line == "done")
    }

    /// Code and outcome.
    pub fn failure(&self) -> Option<&str> {
        self.after("failed ").next()
    }

    pub fn was_killed(&self) -> bool {
        !self.is_done() && self.failure().is_none()
    }

    /// What follows such words.
    pub fn after<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter_map(move |line| line.strip_prefix(word))
    }
}

/// This program in a role, with a journal at a place.
pub fn command(shop: &Shop, role: &str, place: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    with_environment(&mut command, shop, role, place);
    command
}

pub fn with_environment(command: &mut Command, shop: &Shop, role: &str, place: &str) {
    let sandbox = &shop.sandbox;
    command.env("CRASH_ROLE", role).env("PLACE", place);
    command.env("BASE_URL", sandbox.url()).env("KEY_ID", sandbox.merchant_key_id());
    command.env("PRIVATE_KEY", sandbox.merchant_private_key().unwrap().to_base64().as_str());
    command.env("SERVER_KEY", sandbox.server_public_key().to_base64());
}

impl Worker {
    pub fn start(shop: &Shop, place: &str, trap: &str) -> Worker {
        let mut command = command(shop, "worker", place);
        let mut child =
            command.env("TRAP", trap).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Worker { child, output }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn give(&mut self, words: &[&str]) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{}", words.join("\t")).unwrap();
    }

    pub fn end(mut self) -> Said {
        let said = Said(self.output.by_ref().lines().map(Result::unwrap).collect());
        let status = self.child.wait().unwrap();
        assert!(status.success() || said.was_killed(), "{status}");
        // A panic is no kill.
        assert!(status.code().is_none_or(|code| code == 0), "{status}");
        said
    }
}
