//! The resources that this process uses.

use std::fmt;

/// The allowed growth of memory from start to end. The allocator's fragments stay below this limit. In a long
/// run, a leak of 100 bytes per payment exceeds this limit by far.
const MORE_MEMORY_KB: u64 = 8 * 1024;
/// The allowed growth of open files: some webhook connections are kept open.
const MORE_FILES: usize = 16;

pub(crate) struct Gauge {
    memory_kb: u64,
    files: usize,
}

impl Gauge {
    pub(crate) fn read() -> std::io::Result<Gauge> {
        let status = std::fs::read_to_string("/proc/self/status")?;
        let resident = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .and_then(|rest| rest.split_whitespace().next());
        let memory_kb =
            resident.and_then(|text| text.parse().ok()).ok_or_else(|| std::io::Error::other("no VmRSS"))?;
        Ok(Gauge { memory_kb, files: std::fs::read_dir("/proc/self/fd")?.count() })
    }

    pub(crate) fn is_no_more_than(&self, start: &Gauge) -> Result<(), String> {
        if self.memory_kb > start.memory_kb + MORE_MEMORY_KB {
            return Err(format!("memory has grown from {} to {} kB", start.memory_kb, self.memory_kb));
        }
        if self.files > start.files + MORE_FILES {
            return Err(format!("open files have grown from {} to {}", start.files, self.files));
        }
        Ok(())
    }
}

impl fmt::Display for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RSS {} kB, {} open files", self.memory_kb, self.files)
    }
}

/// The machine's TCP sockets. The sockets in TIME_WAIT belong to this run.
pub(crate) fn sockets() -> std::io::Result<String> {
    let all = std::fs::read_to_string("/proc/net/sockstat")?;
    Ok(format!(
        "sockets of the machine: {}",
        all.lines().find(|line| line.starts_with("TCP:")).unwrap_or_default()
    ))
}
