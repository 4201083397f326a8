//! A process's log, with one line per action. The log is readable after a kill.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

use crate::AnyResult;

pub(crate) struct Log(Mutex<File>);

impl Log {
    pub(crate) fn open(path: &Path) -> std::io::Result<Log> {
        File::options().create(true).append(true).open(path).map(Mutex::new).map(Log)
    }

    /// Each line is one write, so that a kill leaves no half line.
    pub(crate) fn note(&self, line: &str) -> std::io::Result<()> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .write_all(format!("{line}\n").as_bytes())
    }
}

/// The number of the first payment that a process has not completed, from its log.
pub(crate) fn reached(path: &Path) -> AnyResult<usize> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(0) };
    let last = text.lines().rev().find_map(|line| line.strip_prefix("done "));
    Ok(last.map_or(Ok(0), |number| number.parse().map(|number: usize| number + 1))?)
}

/// The actions of all processes.
#[derive(Default)]
pub(crate) struct Deeds {
    /// The orders with credentials that a customer got, by reference and attempt.
    pub(crate) handed: BTreeMap<String, BTreeMap<u32, BTreeSet<String>>>,
    /// The attempts with a cancel that was accepted before the next attempt was requested.
    pub(crate) cancelled: BTreeSet<(String, u32)>,
    /// The number of times that each reference was shipped.
    pub(crate) shipped: BTreeMap<String, u32>,
    /// The number of times that credentials were handed out, by the language of the process or by the
    /// operator.
    pub(crate) hand_outs: BTreeMap<String, u32>,
}

impl Deeds {
    pub(crate) fn read(folder: &Path) -> AnyResult<Deeds> {
        let mut deeds = Deeds::default();
        for file in std::fs::read_dir(folder)? {
            let path = file?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".log")) else {
                continue;
            };
            let whose = name.split('-').next().unwrap_or_default();
            std::fs::read_to_string(&path)?.lines().try_for_each(|line| deeds.take(whose, line))?;
        }
        Ok(deeds)
    }

    fn take(&mut self, whose: &str, line: &str) -> AnyResult<()> {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["handed", reference, attempt, order_id] => {
                let attempts = self.handed.entry(reference.to_owned()).or_default();
                attempts.entry(attempt.parse()?).or_default().insert(order_id.to_owned());
                *self.hand_outs.entry(whose.to_owned()).or_default() += 1;
            }
            ["cancelled", reference, attempt] => {
                self.cancelled.insert((reference.to_owned(), attempt.parse()?));
            }
            ["shipped", reference] => *self.shipped.entry(reference.to_owned()).or_default() += 1,
            ["done", _] => {}
            _ => return Err(format!("a log has the line {line:?}").into()),
        }
        Ok(())
    }
}
