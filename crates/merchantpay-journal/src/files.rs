//! The file of a journal and its place: made for its owner alone, on a file system whose locks hold.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Makes the file if it is not there, readable by its owner alone, and makes sure that its name is durable.
///
/// Nothing here opens a journal that somebody may use: closing it again would drop the locks that SQLite
/// holds on it in this process.
pub(crate) fn prepare(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    refuse_network(folder)?;
    if path.exists() {
        return Ok(());
    }
    let mut made = OsString::from(path);
    made.push(format!(".{}-{:?}.new", std::process::id(), std::thread::current().id()));
    let made = PathBuf::from(made);
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&made)?.sync_all()?;
    let linked = std::fs::hard_link(&made, path);
    std::fs::remove_file(&made)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => sync_folder(folder),
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// File systems whose locks do not hold between machines.
#[cfg(target_os = "linux")]
const NETWORK: &[(u32, &str)] = &[
    (0x6969, "NFS"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x517b, "SMB"),
    (0x0102_1997, "9p"),
    (0x00c3_6400, "Ceph"),
    (0x5346_414f, "AFS"),
    (0x7375_7245, "Coda"),
    (0x0bd0_0bd0, "Lustre"),
];

#[cfg(target_os = "linux")]
fn refuse_network(folder: &Path) -> io::Result<()> {
    let found = rustix::fs::statfs(folder)?.f_type as u32;
    match NETWORK.iter().find(|(kind, _)| *kind == found) {
        Some((_, name)) => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("it is on a network file system ({name})"),
        )),
        None => Ok(()),
    }
}

/// A drive that is connected to a share has the share's name in its whole path. Where Windows cannot say that, as some do for a long one,
/// that of the folder above decides.
#[cfg(windows)]
fn refuse_network(folder: &Path) -> io::Result<()> {
    let whole = folder.ancestors().find_map(|folder| folder.canonicalize().ok());
    if is_share(whole.as_deref().unwrap_or(folder)) {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "it is on a network share"));
    }
    Ok(())
}

#[cfg(windows)]
fn is_share(path: &Path) -> bool {
    use std::path::{Component, Prefix};
    matches!(path.components().next(), Some(Component::Prefix(prefix))
        if matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..)))
}

#[cfg(not(any(target_os = "linux", windows)))]
fn refuse_network(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The name by which SQLite finds the file. Longer names than Windows' old limit, with what SQLite adds to them, need the prefix that says so;
/// Rust's standard library adds it by itself.
#[cfg(windows)]
pub(crate) fn name_for_sqlite(path: &Path) -> PathBuf {
    use std::os::windows::ffi::OsStrExt;
    use std::path::{Component, Prefix};

    const LONGEST: usize = 240;
    let is_on_drive = matches!(path.components().next(), Some(Component::Prefix(prefix))
        if matches!(prefix.kind(), Prefix::Disk(_)));
    if !is_on_drive || path.as_os_str().encode_wide().count() < LONGEST {
        return path.to_owned();
    }
    let mut name = OsString::from(r"\\?\");
    name.push(path);
    PathBuf::from(name)
}

/// Which files a name leads to: the database and its -wal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    database: Option<(u64, u64)>,
    wal: Option<(u64, u64)>,
}

impl Identity {
    pub(crate) fn of(path: &Path) -> Identity {
        let mut wal = OsString::from(path);
        wal.push("-wal");
        Identity { database: inode(path), wal: inode(&PathBuf::from(wal)) }
    }
}

#[cfg(unix)]
fn inode(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Path) -> Option<(u64, u64)> {
    None
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_on_the_network_and_a_drive_is_not() {
        for (path, expected) in [
            (r"\\server\share\shop", true),
            (r"\\?\UNC\server\share\shop", true),
            (r"\\?\C:\shop", false),
            (r"C:\shop", false),
        ] {
            assert_eq!(is_share(Path::new(path)), expected, "{path}");
        }
        assert!(refuse_network(&std::env::temp_dir()).is_ok());
    }

    #[test]
    fn only_a_long_name_on_a_drive_gets_the_prefix_of_long_names() {
        let folder = "x".repeat(240);
        for (path, expected) in [
            (format!(r"C:\{folder}\журнал.db"), format!(r"\\?\C:\{folder}\журнал.db")),
            (format!(r"\\?\C:\{folder}\журнал.db"), format!(r"\\?\C:\{folder}\журнал.db")),
            (r"C:\shop\журнал.db".to_owned(), r"C:\shop\журнал.db".to_owned()),
        ] {
            assert_eq!(name_for_sqlite(Path::new(&path)), PathBuf::from(expected));
        }
    }
}
