//! The resources of a process.

use std::fmt;
use std::io;

/// The allocator's fragments stay below it.
const MORE_MEMORY_KB: u64 = 8 * 1024;
const MORE_FILES: usize = 16;

pub struct Gauge {
    memory_kb: u64,
    files: usize,
}

impl Gauge {
    pub fn read(process: u32) -> io::Result<Gauge> {
        let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let memory_kb = resident.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        Ok(Gauge {
            memory_kb: memory_kb.ok_or_else(|| io::Error::other("no VmRSS"))?,
            files: std::fs::read_dir(format!("/proc/{process}/fd"))?.count(),
        })
    }

    pub fn is_no_more_than(&self, start: &Gauge) -> Result<(), String> {
        let is_more =
            self.memory_kb > start.memory_kb + MORE_MEMORY_KB || self.files > start.files + MORE_FILES;
        if is_more { Err(format!("a process has grown from {start} to {self}")) } else { Ok(()) }
    }
}

impl fmt::Display for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} kB and {} open files", self.memory_kb, self.files)
    }
}
