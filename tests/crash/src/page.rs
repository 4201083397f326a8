//! The commands of `docs/journal.md` that tests run.

const PAGE: &str = include_str!("../../../docs/journal.md");

/// The marked blocks of commands: backup and restore of PostgreSQL, then of MariaDB.
pub fn backup_commands() -> [&'static str; 4] {
    let mark = "<!-- checked by tests/databases/tests/program/restore.rs -->\n";
    let blocks =
        PAGE.split(mark).skip(1).map(|rest| rest.split("```").nth(1).unwrap().trim_start_matches("sh\n"));
    blocks.map(str::trim_end).collect::<Vec<_>>().try_into().unwrap()
}
