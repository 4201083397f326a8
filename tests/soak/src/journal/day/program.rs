//! The program `merchantpay`: the commands of an operator, and `settle` as a process that runs all day.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::AnyResult;
use crate::journal::languages;
use crate::journal::store::Place;
use crate::service::Service;

pub(super) struct Program<'a> {
    executable: PathBuf,
    service: &'a Service,
    place: &'a Place,
    folder: &'a Path,
    callback_url: String,
}

impl Program<'_> {
    pub(super) fn build<'a>(
        service: &'a Service,
        place: &'a Place,
        folder: &'a Path,
        callback_url: &str,
    ) -> AnyResult<Program<'a>> {
        let executable = languages::build_merchantpay(folder)?;
        Ok(Program { executable, service, place, folder, callback_url: callback_url.to_owned() })
    }

    /// A command with the settings for `merchantpay` and for PostgreSQL's own programs.
    fn command(&self, program: &Path) -> Command {
        let Place { socket, database, .. } = self.place;
        let mut command = Command::new(program);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MERCHANTPAY_")) {
            command.env_remove(name);
        }
        let journal = format!("postgresql://shop@{}/{database}", socket.replace('/', "%2F"));
        command.envs(self.service.environment()).env("MERCHANTPAY_JOURNAL", journal);
        command.env("MERCHANTPAY_CALLBACK_URL", &self.callback_url);
        command.env("PGHOST", socket).env("PGUSER", "shop").current_dir(self.folder).stdin(Stdio::null());
        command
    }

    /// Runs `merchantpay journal` with these arguments. Returns the output.
    pub(super) fn journal(&self, words: &[&str]) -> AnyResult<String> {
        languages::run(self.command(&self.executable).arg("journal").args(words))
    }

    /// Runs commands of the page `docs/journal.md`, with this run's database in place of `shop`.
    pub(super) fn shell(&self, commands: &str) -> AnyResult<()> {
        let database = &self.place.database;
        let commands = commands.replace("=shop", &format!("={database}"));
        let commands = commands.replace(" shop", &format!(" {database}"));
        let own = self.executable.parent().map(Path::to_owned);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path)))?;
        languages::run(self.command(Path::new("sh")).env("PATH", path).args(["-eu", "-c", &commands]))?;
        Ok(())
    }

    fn settle(&self, number: usize) -> AnyResult<Child> {
        let open = || {
            File::options().create(true).append(true).open(self.folder.join(format!("settle-{number}.out")))
        };
        let mut command = self.command(&self.executable);
        command.args(["journal", "settle", "--every", "200ms", "--calls-per-second", "200"]);
        Ok(command.stdout(open()?).stderr(open()?).spawn()?)
    }
}

/// Two services that run `settle`. The second service is killed at random times.
pub(super) struct Settlers<'a> {
    program: &'a Program<'a>,
    services: Vec<Child>,
    pub(super) killed: usize,
}

impl Settlers<'_> {
    pub(super) fn start<'a>(program: &'a Program<'a>) -> AnyResult<Settlers<'a>> {
        let mut settlers = Settlers { program, services: Vec::new(), killed: 0 };
        settlers.start_again()?;
        Ok(settlers)
    }

    pub(super) fn start_again(&mut self) -> AnyResult<()> {
        for number in 0..2 {
            self.services.push(self.program.settle(number)?);
        }
        Ok(())
    }

    pub(super) fn kill_the_second(&mut self) -> AnyResult<()> {
        let mut service = self.services.pop().ok_or("no service runs")?;
        if let Some(status) = service.try_wait()? {
            return Err(format!("a settle service has ended by itself: {status}").into());
        }
        service.kill()?;
        service.wait()?;
        self.services.push(self.program.settle(1)?);
        self.killed += 1;
        Ok(())
    }

    /// Ends the services with SIGTERM, as an operator does.
    pub(super) fn stop(&mut self) -> AnyResult<()> {
        for mut service in self.services.drain(..) {
            languages::run(Command::new("kill").arg(service.id().to_string()))?;
            let status = service.wait()?;
            if !status.success() {
                return Err(format!("a settle service ends with {status}").into());
            }
        }
        Ok(())
    }

    /// The number of attempts that the two services have settled.
    pub(super) fn done(&self) -> AnyResult<u64> {
        let mut done = 0;
        for number in 0..2 {
            let printed = std::fs::read_to_string(self.program.folder.join(format!("settle-{number}.out")))?;
            // After a kill the last line may be incomplete, and the line of an error has no count. These
            // lines are skipped.
            let lines =
                printed.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            done += lines.filter_map(|line| line["done"].as_u64()).sum::<u64>();
        }
        Ok(done)
    }
}

impl Drop for Settlers<'_> {
    fn drop(&mut self) {
        for service in &mut self.services {
            let _ = service.kill();
            let _ = service.wait();
        }
    }
}
