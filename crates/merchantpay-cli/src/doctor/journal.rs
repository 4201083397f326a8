//! Checks the journal: its database, the attempts that wait in it, and whether `settle` runs.

use std::path::Path;

use merchantpay::Code;

use super::files;
use super::findings::Findings;
use crate::journal::JournalSettings;
use crate::output::Failure;

/// If an attempt is overdue for longer than this time, no `settle` runs.
const LONGEST_OVERDUE_MS: i64 = 10 * 60 * 1000;

pub(super) fn check(findings: &mut Findings, settings: &JournalSettings) -> Result<(), Failure> {
    const CHECK: &str = "journal";
    if !settings.place.is_set() {
        return findings.skipped(
            CHECK,
            "no journal is set: without a journal, a lost reply can lead to a second payment",
        );
    }
    let journal = match settings.open() {
        Ok((_, journal)) => journal,
        Err(error) if error.code() == Code::InvalidArgument => {
            return findings.fault(CHECK, error.message(), "correct the setting that this line names");
        }
        Err(error) => {
            let is_file = settings.place.file().is_some();
            return findings.fault(CHECK, error.message(), next_step(error.message(), is_file));
        }
    };
    let stats = match journal.stats() {
        Ok(stats) => stats,
        Err(error) => return findings.fault(CHECK, error.message(), "check the database and its log"),
    };
    let attempts = stats.standings.sending + stats.standings.unknown + stats.standings.open;
    if stats.attention > 0 {
        let text = format!("{attempts} attempts; an operator must decide about {} of them", stats.attention);
        findings.warning(CHECK, text, "run `merchantpay journal attention`")?;
    } else {
        findings.ok(
            CHECK,
            format!("the journal's database answers; it has {attempts} attempts, and none needs attention"),
        )?;
    }
    if let Some(file) = settings.place.file() {
        files::mode(findings, "journal", Path::new(&file))?;
    }
    let minutes = stats.overdue_ms.unwrap_or(0) / 60_000;
    if stats.overdue_ms.is_some_and(|overdue| overdue > LONGEST_OVERDUE_MS) {
        let text = format!(
            "an attempt has been due for {minutes} minutes: `journal settle` does not run, or does not \
             succeed"
        );
        return findings.fault("settle", text, "run `merchantpay journal settle --every 10s` as a service");
    }
    findings.ok("settle", "no attempt is overdue")
}

/// The next step for each fault of a journal that cannot be opened, by words of the fault.
const NEXT_STEPS: &[(&str, &str)] = &[
    ("hard links", "delete the other names of the file, so that one path leads to it"),
    ("mount point", "mount the folder that contains the journal, not the file"),
    ("FUSE", "move the journal to a local file system or a volume"),
    ("network", "move the journal to a disk of this machine, or use a database server"),
    ("it is a link to", "check the mount: the file behind the link is missing"),
    ("does not exist", MISSING),
    ("it is empty", MISSING),
    (
        "tables are missing",
        "if this journal existed before, check the database's address and name; only for a new shop: \
         `merchantpay journal init`",
    ),
    ("another program", "set the path of the journal's own file; leave this file as it is"),
    ("not a database", "check the path; if this was the journal, restore its last backup"),
    ("malformed", "stop every process that pays, and restore the last backup"),
    ("not a regular file", "set the path of a file"),
    ("newer version", "update this program to the version that the shop uses"),
    ("version 0.2.0", "export the journal with version 0.2.0, and import it into a new one"),
    (
        "ermission denied",
        "run this command as the user of the shop, or correct the owner of the file and its folders",
    ),
    ("unable to open", "correct the owner of the file and its folder: both must be writable"),
    ("readonly", "correct the owner of the file and its folder: both must be writable"),
    ("ead-only", "make the disk or the database writable"),
    ("in memory", "set the absolute path of a file, in tests too"),
    ("durability_vouched=", "correct the database's setting that this line names"),
    ("locked", "find the process that holds the file for longer than 10 s"),
];

const MISSING: &str = "if this journal existed before, check the mount and the path; only for a new shop: \
    `merchantpay journal init`";

fn next_step(message: &str, is_file: bool) -> &'static str {
    // The words before contain the path, which can contain any of the words.
    let fault = message.split_once("cannot be used: ").map_or(message, |(_, fault)| fault);
    let known = NEXT_STEPS.iter().find(|(words, _)| fault.contains(words));
    known.map_or_else(
        || match is_file {
            true => "check the file, its folder and their owner",
            false => "check that the database runs, and the URL, the user and the password",
        },
        |(_, step)| step,
    )
}
