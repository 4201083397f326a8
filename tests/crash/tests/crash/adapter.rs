//! A process in any language: the adapter of the contract's tests, which reads a command per line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use merchantpay_crash::Folder;
use serde_json::{Value, json};

use crate::audit::AnyResult;

/// The run fails if nothing happens for this long.
const TIMEOUT: Duration = Duration::from_secs(60);

pub struct Language {
    pub name: String,
    words: Vec<String>,
    environment: Vec<(String, String)>,
    _out: Option<Folder>,
}

impl Language {
    /// The adapter in Rust, which this program is in its role `worker`.
    pub fn rust(variables: &[(&str, &Path)]) -> Language {
        let program = std::env::current_exe().unwrap().display().to_string();
        let role = [("CRASH_ROLE".to_owned(), "worker".to_owned())].into_iter();
        let others = variables.iter().map(|(name, value)| ((*name).to_owned(), value.display().to_string()));
        Language {
            name: "rust".to_owned(),
            words: vec![program],
            environment: role.chain(others).collect(),
            _out: None,
        }
    }

    /// The same adapter, started by a script of the shell.
    pub fn within(mut self, script: &str) -> Language {
        self.words.splice(0..0, ["sh", "-c", &format!("{script}; exec \"$0\"")].map(str::to_owned));
        self
    }

    pub fn build(name: &str) -> AnyResult<Language> {
        if name == "rust" {
            return Ok(Language::rust(&[]));
        }
        let here =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/adapters").join(name).canonicalize()?;
        let out = Folder::new();
        let variables = [
            ("HERE", here.clone()),
            ("OUT", out.path().to_owned()),
            // Where the C library is installed: most languages need it.
            ("INSTALLED", std::env::var_os("INSTALLED").unwrap_or_default().into()),
            ("CONTRACT_PYTHON", "python3".into()),
            ("UNDER", PathBuf::new()),
        ];
        run(Command::new(here.join("build")).envs(variables.iter().cloned()))?;
        let entry: Value = serde_json::from_str(&std::fs::read_to_string(here.join("adapter.json"))?)?;
        let expand = |word: &Value| {
            variables.iter().fold(word.as_str().unwrap_or_default().to_owned(), |word, (name, value)| {
                word.replace(&format!("${name}"), &value.display().to_string())
            })
        };
        let words = entry["start"].as_array().ok_or("no command")?.iter().map(expand).collect();
        let environment = entry["environment"].as_object().into_iter().flatten();
        let environment = environment.map(|(name, value)| (name.clone(), expand(value))).collect();
        Ok(Language { name: name.to_owned(), words, environment, _out: Some(out) })
    }
}

fn run(command: &mut Command) -> AnyResult<()> {
    // With these variables of the outer cargo an inner one would rebuild some crates.
    for (name, _) in std::env::vars() {
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

/// A handle on the process for whoever kills it.
#[derive(Clone, Default)]
pub struct Victim(Arc<Mutex<Option<Child>>>);

impl Victim {
    fn with<T>(&self, act: impl FnOnce(&mut Option<Child>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether there was a process.
    pub fn kill(&self) -> bool {
        self.with(|child| child.as_mut().is_some_and(|child| child.kill().is_ok()))
    }

    pub fn id(&self) -> Option<u32> {
        self.with(|child| child.as_ref().map(Child::id))
    }
}

#[derive(Debug)]
pub enum Answer {
    Ok(Value),
    Error(Value),
    /// The process was killed, and nobody knows.
    Lost,
}

/// An adapter with an open journal. It is started again after a kill.
pub struct Adapter<'a> {
    language: &'a Language,
    victim: Victim,
    pipes: Option<(ChildStdin, BufReader<ChildStdout>)>,
    open: Value,
    is_open: bool,
    starts: u32,
}

impl<'a> Adapter<'a> {
    /// `open` is the command that opens the journal.
    pub fn new(language: &'a Language, victim: &Victim, open: Value) -> Adapter<'a> {
        Adapter { language, victim: victim.clone(), pipes: None, open, is_open: false, starts: 0 }
    }

    fn start(&mut self) -> AnyResult<()> {
        let mut command = Command::new(&self.language.words[0]);
        command.args(&self.language.words[1..]).envs(self.language.environment.iter().cloned());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (input, output) =
            (child.stdin.take().ok_or("no input")?, child.stdout.take().ok_or("no output")?);
        self.pipes = Some((input, BufReader::new(output)));
        self.starts += 1;
        self.victim.with(|victim| *victim = Some(child));
        Ok(())
    }

    /// Starts the process if there is none, and opens the journal if it is not open.
    pub fn open(&mut self) -> AnyResult<Answer> {
        if self.pipes.is_none() {
            self.start()?;
        }
        if self.is_open {
            return Ok(Answer::Ok(json!({})));
        }
        let answer = self.exchange(&self.open.clone())?;
        self.is_open = matches!(answer, Answer::Ok(_));
        Ok(answer)
    }

    /// The journal is opened again for the next command.
    pub fn close(&mut self) -> AnyResult<()> {
        self.exchange(&json!({"do": "journal_close"}))?;
        self.is_open = false;
        Ok(())
    }

    pub fn ask(&mut self, command: &Value) -> AnyResult<Answer> {
        let end = Instant::now() + TIMEOUT;
        loop {
            match self.open()? {
                Answer::Ok(_) => return self.exchange(command),
                // The server is restarting.
                _ if Instant::now() < end => std::thread::sleep(Duration::from_millis(100)),
                answer => return Err(format!("the journal does not open: {answer:?}").into()),
            }
        }
    }

    /// Counts the processes of this adapter.
    pub fn process(&self) -> u32 {
        self.starts
    }

    /// For an entry that only this process knows.
    pub fn ask_process(&mut self, process: u32, command: &Value) -> AnyResult<Answer> {
        if self.starts == process { self.exchange(command) } else { Ok(Answer::Lost) }
    }

    pub fn exchange(&mut self, command: &Value) -> AnyResult<Answer> {
        let Some((input, output)) = &mut self.pipes else { return Ok(Answer::Lost) };
        let mut line = String::new();
        let is_lost = writeln!(input, "{command}").is_err() || output.read_line(&mut line).is_err();
        if is_lost || !line.ends_with('\n') {
            self.stop()?;
            return Ok(Answer::Lost);
        }
        let mut answer: Value = serde_json::from_str(&line)?;
        match (answer["ok"].take(), answer["error"].take()) {
            (Value::Null, Value::Null) => Err(format!("{command}: {line}").into()),
            (Value::Null, error) => Ok(Answer::Error(error)),
            (answer, _) => Ok(Answer::Ok(answer)),
        }
    }

    /// It is an error if the process has ended by itself.
    pub fn stop(&mut self) -> AnyResult<()> {
        use std::os::unix::process::ExitStatusExt as _;
        (self.pipes, self.is_open) = (None, false);
        let Some(mut child) = self.victim.with(Option::take) else { return Ok(()) };
        let status = child.wait()?;
        match status.success() || status.signal() == Some(9) {
            true => Ok(()),
            false => Err(format!("{} has ended by itself: {status}", self.language.name).into()),
        }
    }

    /// Asks until there is an answer that a repetition would not change. An error is `None` if the code is
    /// `invalid_argument`: another process has brought the attempt further.
    pub fn steadily(&mut self, command: &Value) -> AnyResult<Option<Value>> {
        let end = Instant::now() + TIMEOUT;
        loop {
            match self.ask(command)? {
                Answer::Ok(answer) => return Ok(Some(answer)),
                Answer::Error(error) if error["code"] == "invalid_argument" => return Ok(None),
                Answer::Error(error) if error["is_transient"] != json!(true) || Instant::now() > end => {
                    return Err(format!("{command}: {error}").into());
                }
                Answer::Error(_) => std::thread::sleep(Duration::from_millis(50)),
                Answer::Lost => {}
            }
        }
    }
}

impl Drop for Adapter<'_> {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}
