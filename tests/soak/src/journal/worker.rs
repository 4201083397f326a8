//! The paying processes. They are killed and restarted at random.

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

/// The run fails if during this time no process completes and no process is killed. The limit finds a defect;
/// it does not measure speed.
const LONGEST: Duration = Duration::from_secs(3600);

fn variable(name: &str) -> AnyResult<String> {
    std::env::var(name).map_err(|_| format!("{name} is not set").into())
}

/// Returns `true` if this process creates the payment. Two processes create each payment.
fn is_taken_by(worker: usize, number: usize) -> bool {
    [worker, (worker + 1) % COUNT].contains(&(number % COUNT))
}

/// Runs a process. It continues with the payment at which it was killed, and ends when the parent closes the
/// process's input.
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
        if is_taken_by(worker, number) {
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

/// A process that was ended in the middle of its work.
#[cfg_attr(not(feature = "servers"), expect(dead_code, reason = "the day reads them"))]
pub(crate) struct Kill {
    /// The time when the process had ended, in milliseconds since 1970.
    pub(crate) at: i64,
    /// The payment that the process was creating, or the next payment that it would have created.
    pub(crate) number: usize,
}

struct Worker {
    child: Child,
    /// `true` if the process has created all its payments, even if it was killed afterwards.
    has_finished: Arc<AtomicBool>,
}

pub(crate) struct Workers<'a> {
    service: &'a Service,
    place: &'a Place,
    /// The programs of the languages. The processes use these programs in turn.
    programs: &'a [Program],
    folder: PathBuf,
    payments: usize,
    callbacks: &'a Callbacks,
    workers: Vec<Worker>,
    kills: Vec<Kill>,
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
        let (workers, kills) = (Vec::new(), Vec::new());
        let mut workers = Workers { service, place, programs, folder, payments, callbacks, workers, kills };
        for number in 0..COUNT {
            let worker = workers.spawn(number, Arc::default())?;
            workers.workers.push(worker);
        }
        Ok(workers)
    }

    /// The processes that were killed or stopped.
    pub(crate) fn kills(&self) -> &[Kill] {
        &self.kills
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

    fn log(&self, number: usize) -> PathBuf {
        self.folder.join(format!("{}-{number}.log", self.program_of(number).language))
    }

    fn spawn(&self, number: usize, has_finished: Arc<AtomicBool>) -> AnyResult<Worker> {
        let program = self.program_of(number);
        let mut command = program.command();
        command.env("WORKER", number.to_string()).env("PAYMENTS", self.payments.to_string());
        command.env("LOG", self.log(number));
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

    pub(crate) fn have_finished(&self) -> bool {
        self.workers.iter().all(|worker| worker.has_finished.load(Ordering::SeqCst))
    }

    /// Kills one process after another, each at a random point, and restarts the process.
    pub(crate) fn kill_until_all_have_finished(&mut self) -> AnyResult<()> {
        let end = Instant::now() + LONGEST;
        while !self.have_finished() {
            if Instant::now() > end {
                return Err("the processes do not come to their end".into());
            }
            std::thread::sleep(Duration::from_millis(100 + u64::from(getrandom::u32()? % 400)));
            self.kill_one()?;
        }
        Ok(())
    }

    /// Fails if a process has ended by itself.
    pub(crate) fn check(&mut self) -> AnyResult<()> {
        for worker in &mut self.workers {
            if let Some(status) = worker.child.try_wait()? {
                return Err(format!("a process has ended by itself: {status}").into());
            }
        }
        Ok(())
    }

    /// Kills one process at a random point, and restarts it. Fails if a process has ended by itself.
    pub(crate) fn kill_one(&mut self) -> AnyResult<()> {
        self.check()?;
        let number = getrandom::u32()? as usize % COUNT;
        self.callbacks.set_port(number, None);
        self.workers[number].child.kill()?;
        self.note_end(number)?;
        self.start_one(number)
    }

    /// Waits for the end of a process, and notes the payment that the process was creating.
    fn note_end(&mut self, number: usize) -> AnyResult<()> {
        self.workers[number].child.wait()?;
        let at = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_millis();
        let mut takes = (reached(&self.log(number))?..).filter(|payment| is_taken_by(number, *payment));
        let payment = takes.next().unwrap_or_default();
        self.kills.push(Kill { at: i64::try_from(at)?, number: payment });
        Ok(())
    }

    fn start_one(&mut self, number: usize) -> AnyResult<()> {
        let has_finished = Arc::clone(&self.workers[number].has_finished);
        self.workers[number] = self.spawn(number, has_finished)?;
        Ok(())
    }

    /// Kills all processes, at any point of their work.
    pub(crate) fn stop(&mut self) -> AnyResult<()> {
        for number in 0..COUNT {
            self.callbacks.set_port(number, None);
            drop(self.workers[number].child.stdin.take());
            self.note_end(number)?;
        }
        Ok(())
    }

    /// Restarts the stopped processes.
    #[cfg(feature = "servers")]
    pub(crate) fn start_again(&mut self) -> AnyResult<()> {
        (0..COUNT).try_for_each(|number| self.start_one(number))
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
