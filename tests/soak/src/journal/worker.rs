//! The paying processes, and the killing of them.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::callbacks::{Callbacks, serve};
use super::languages::Program;
use super::log::reached;
use super::shop::Shop;
use super::store::Place;
use crate::AnyResult;
use crate::service::Service;

pub(crate) const COUNT: usize = 8;

/// The run fails if for this long no process completes and none is killed: a limit for a defect, not for
/// speed.
const LONGEST: Duration = Duration::from_secs(3600);

fn variable(name: &str) -> AnyResult<String> {
    std::env::var(name).map_err(|_| format!("{name} is not set").into())
}

/// A process. Each payment is taken by two processes. It continues where it was killed, until its parent
/// closes its input.
pub(crate) fn work() -> AnyResult<()> {
    let (worker, payments): (usize, usize) = (variable("WORKER")?.parse()?, variable("PAYMENTS")?.parse()?);
    let log = PathBuf::from(variable("LOG")?);
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let (kind, socket, database) = (variable("STORE")?.parse()?, variable("SOCKET")?, variable("DATABASE")?);
    let place = Place { kind, socket, database };
    let shop = Arc::new(Shop::open(&variable("SERVICE")?, &place, &log, &variable("HOOKS")?, false)?);
    println!("listening {}", serve(Arc::clone(&shop))?);
    for number in reached(&log)?..payments {
        if [worker, (worker + 1) % COUNT].contains(&(number % COUNT)) {
            shop.take(number)?;
            shop.turn(4)?;
            shop.note_done(number)?;
        }
    }
    println!("finished");
    loop {
        if !shop.turn(20)? {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

struct Worker {
    child: Child,
    /// Whether it has taken all its payments, even if it was killed afterwards.
    has_finished: Arc<AtomicBool>,
}

pub(crate) struct Workers<'a> {
    service: &'a Service,
    place: &'a Place,
    /// The programs of the processes, in turn.
    programs: &'a [Program],
    folder: PathBuf,
    payments: usize,
    callbacks: &'a Callbacks,
    workers: Vec<Worker>,
    killed: u32,
}

impl Workers<'_> {
    pub(crate) fn start<'a>(
        service: &'a Service,
        place: &'a Place,
        programs: &'a [Program],
        folder: &Path,
        payments: usize,
        callbacks: &'a Callbacks,
    ) -> AnyResult<Workers<'a>> {
        let folder = folder.to_owned();
        let mut workers =
            Workers { service, place, programs, folder, payments, callbacks, workers: Vec::new(), killed: 0 };
        for number in 0..COUNT {
            let worker = workers.spawn(number, Arc::default())?;
            workers.workers.push(worker);
        }
        Ok(workers)
    }

    pub(crate) fn killed(&self) -> u32 {
        self.killed
    }

    /// The number of processes in each language.
    pub(crate) fn languages(&self) -> String {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for number in 0..COUNT {
            let language = self.program_of(number).language;
            match counts.iter_mut().find(|(name, _)| *name == language) {
                Some((_, count)) => *count += 1,
                None => counts.push((language, 1)),
            }
        }
        counts.iter().map(|(name, count)| format!("{count} in {name}")).collect::<Vec<_>>().join(", ")
    }

    fn program_of(&self, number: usize) -> &Program {
        &self.programs[number % self.programs.len()]
    }

    fn spawn(&self, number: usize, has_finished: Arc<AtomicBool>) -> AnyResult<Worker> {
        let program = self.program_of(number);
        let mut command = program.command();
        command.env("WORKER", number.to_string()).env("PAYMENTS", self.payments.to_string());
        command.env("LOG", self.folder.join(format!("{}-{number}.log", program.language)));
        command.env("HOOKS", self.callbacks.url());
        command.env("SERVICE", self.service.settings()).envs(self.service.environment());
        command.env("STORE", self.place.kind.name()).env("SOCKET", &self.place.socket);
        command.env("DATABASE", &self.place.database);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut line = String::new();
        output.read_line(&mut line)?;
        let port = line
            .trim()
            .strip_prefix("listening ")
            .ok_or_else(|| format!("worker {number} says {line:?}"))?
            .parse()?;
        self.callbacks.set_port(number, Some(port));
        let flag = Arc::clone(&has_finished);
        std::thread::spawn(move || {
            let lines = output.lines().map_while(Result::ok);
            lines.filter(|line| line == "finished").for_each(|_| flag.store(true, Ordering::SeqCst));
        });
        Ok(Worker { child, has_finished })
    }

    /// Kills one process after another at any point, and restarts it. It fails if one has ended by itself.
    pub(crate) fn kill_until_all_have_finished(&mut self) -> AnyResult<()> {
        let end = Instant::now() + LONGEST;
        while !self.workers.iter().all(|worker| worker.has_finished.load(Ordering::SeqCst)) {
            if Instant::now() > end {
                return Err("the processes do not come to their end".into());
            }
            std::thread::sleep(Duration::from_millis(100 + u64::from(getrandom::u32()? % 400)));
            for worker in &mut self.workers {
                if let Some(status) = worker.child.try_wait()? {
                    return Err(format!("a process has ended by itself: {status}").into());
                }
            }
            self.kill(getrandom::u32()? as usize % COUNT)?;
        }
        Ok(())
    }

    fn kill(&mut self, number: usize) -> AnyResult<()> {
        self.callbacks.set_port(number, None);
        let worker = &mut self.workers[number];
        worker.child.kill()?;
        worker.child.wait()?;
        let has_finished = Arc::clone(&worker.has_finished);
        self.workers[number] = self.spawn(number, has_finished)?;
        self.killed += 1;
        Ok(())
    }

    /// Returns the number of kills.
    pub(crate) fn end(mut self) -> AnyResult<u32> {
        for (number, worker) in self.workers.iter_mut().enumerate() {
            self.callbacks.set_port(number, None);
            drop(worker.child.stdin.take());
            worker.child.wait()?;
        }
        Ok(self.killed)
    }
}

impl Drop for Workers<'_> {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            let _ = worker.child.kill();
            let _ = worker.child.wait();
        }
    }
}
