//! Reads a database file beside SQLite, without closing it.
//!
//! When a process closes any descriptor of a file, POSIX drops all locks that the process has on the file, also
//! SQLite's. Another process would then take itself for the last one and remove the -wal file, with commits in it.

use std::fs::File;
use std::io;
use std::path::Path;

#[cfg(not(unix))]
pub(super) use other::{open, read_at};
#[cfg(unix)]
pub(super) use unix::{open, read_at};

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{FileExt as _, MetadataExt as _};
    use std::sync::Arc;

    use arc_swap::ArcSwapOption;

    use super::{File, Path, io};

    #[derive(Clone, Copy)]
    struct Kept {
        inode: (u64, u64),
        file: &'static File,
    }

    /// A kept descriptor also keeps its inode's number from being given to another file. Without a lock, which
    /// a forked child could inherit locked.
    static KEPT: ArcSwapOption<Vec<Kept>> = ArcSwapOption::const_empty();

    /// The one descriptor of this process for the file that has this name now. It is never closed.
    pub(in super::super) fn open(path: &Path) -> io::Result<&'static File> {
        let find = |all: &Vec<Kept>, inode| all.iter().find(|kept| kept.inode == inode).map(|kept| kept.file);
        let named = path.metadata()?;
        if let Some(file) = KEPT.load().as_deref().and_then(|all| find(all, (named.dev(), named.ino()))) {
            return Ok(file);
        }
        // Whatever fails from here on, and if another thread is faster: the descriptor is leaked, not closed.
        let file: &'static File = Box::leak(Box::new(File::open(path)?));
        let opened = file.metadata()?;
        let new = Kept { inode: (opened.dev(), opened.ino()), file };
        KEPT.rcu(|all| {
            let mut all = all.as_deref().cloned().unwrap_or_default();
            if find(&all, new.inode).is_none() {
                all.push(new);
            }
            Some(Arc::new(all))
        });
        Ok(KEPT.load().as_deref().and_then(|all| find(all, new.inode)).unwrap_or(file))
    }

    pub(in super::super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        file.read_exact_at(buffer, offset)
    }
}

/// Here a lock belongs to a handle, so another handle can be closed.
#[cfg(not(unix))]
mod other {
    use std::io::{Read as _, Seek as _, SeekFrom};

    use super::{File, Path, io};

    pub(in super::super) fn open(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub(in super::super) fn read_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }
}
