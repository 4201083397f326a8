//! The journal's file. It has an absolute name, only its owner can read it, and it is on a file system with
//! working locks.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use merchantpay::{Error, Outcome, Result, check_path};

use crate::storage::file_names;

/// The file to which a name resolves. SQLite derives the name of the -wal file from the resolved name, not
/// from a symbolic link.
///
/// # Errors
///
/// `invalid_argument` for a relative name; `storage`, not transient, if the file does not exist or may have a
/// second name.
pub(crate) fn find(name: &Path, vouched: &[String]) -> Result<PathBuf> {
    absolute(name)?;
    let file = real(name).map_err(|error| not_found(name, &error))?;
    check(&file).map_err(|error| unusable(name, &error))?;
    match file_names::fault(&file, vouched) {
        None => Ok(file),
        Some(fault) => Err(refused(name, &fault)),
    }
}

/// Like [`find`], but creates the file if it is missing.
///
/// This function never opens an existing journal: closing the file would drop all SQLite locks that this
/// process has on the file.
///
/// # Errors
///
/// The errors of [`find`], and `storage` if the file cannot be created.
pub(crate) fn find_or_create(name: &Path, vouched: &[String]) -> Result<PathBuf> {
    absolute(name)?;
    // This checks the -wal file before the main file. In the other order, another process could create both
    // files between the two checks, and the new -wal file would be refused.
    let wal = with_ending(name, "-wal");
    let has_wal = wal.exists();
    // A link to a missing file is an existing name. Creating the missing file would hide that a volume is not
    // mounted.
    if std::fs::symlink_metadata(name).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        if has_wal {
            return Err(refused(name, &format!("{} is left over from another journal", wal.display())));
        }
        if let Some(fault) = file_names::fault_of_folder(folder(name), vouched) {
            return Err(refused(name, &fault));
        }
        create(name).map_err(|error| unusable(name, &error))?;
    }
    find(name, vouched)
}

/// Why a journal is never in memory, and what to use.
pub(crate) const NOT_IN_MEMORY: &str = "a database in memory or a temporary one belongs to one connection, so \
    another connection would make a second payment; use the absolute path of a file, in tests too";

fn absolute(name: &Path) -> Result<()> {
    check_path("the path of the journal", name)?;
    let text = name.to_string_lossy();
    if text.is_empty()
        || text.contains(":memory:")
        || text.starts_with("sqlite:")
        || text.starts_with("file:")
    {
        return Err(Error::invalid_argument(format!(
            "{text:?} is not the path of a journal's file: {NOT_IN_MEMORY}"
        )));
    }
    match name.is_absolute() {
        true => Ok(()),
        false => {
            let name = name.display();
            Err(Error::invalid_argument(format!(
                "the path of a journal must be absolute, but {name:?} is not"
            )))
        }
    }
}

#[cfg(not(windows))]
fn real(name: &Path) -> io::Result<PathBuf> {
    name.canonicalize()
}

/// Resolves a name. Some Windows versions cannot resolve a long name. Then the name of a file that is not a
/// link is used as it is.
#[cfg(windows)]
fn real(name: &Path) -> io::Result<PathBuf> {
    name.canonicalize().or_else(|error| match name.is_file() && !name.is_symlink() {
        true => Ok(name.to_owned()),
        false => Err(error),
    })
}

fn check(file: &Path) -> io::Result<()> {
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    refuse_network(folder(file))
}

fn create(name: &Path) -> io::Result<()> {
    let new = empty_file_for(name)?;
    match give_name(&new, name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => sync_folder(folder(name)),
    }
}

/// Renames a file, unless the new name exists. The file `new` is gone afterwards, also after a failure.
fn give_name(new: &Path, name: &Path) -> io::Result<()> {
    // A link and its removal would leave two names after a crash between them, and such a file is refused.
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, new, CWD, name, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(()),
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {}
            Err(error) => {
                std::fs::remove_file(new)?;
                return Err(error.into());
            }
        }
    }
    let linked = std::fs::hard_link(new, name);
    std::fs::remove_file(new)?;
    linked
}

/// Creates an empty file that only its owner can read. It has a temporary name, and gets the given name
/// later.
fn empty_file_for(name: &Path) -> io::Result<PathBuf> {
    refuse_network(folder(name))?;
    let new = with_ending(name, &format!(".{}-{:?}.new", std::process::id(), std::thread::current().id()));
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&new)?.sync_all()?;
    Ok(new)
}

/// A file that gets its name when it is complete. If `NewFile` is dropped earlier, the file is removed.
pub(crate) struct NewFile {
    name: PathBuf,
    new: PathBuf,
}

impl NewFile {
    /// Creates an empty file that gets the given name later.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a relative name; `storage` if the name exists already, or if the file cannot be
    /// created.
    pub(crate) fn create(name: &Path) -> Result<NewFile> {
        absolute(name)?;
        if std::fs::symlink_metadata(name).is_ok() {
            return Err(refused(name, "a file with this name already exists"));
        }
        let new = empty_file_for(name).map_err(|error| unusable(name, &error))?;
        Ok(NewFile { name: name.to_owned(), new })
    }

    /// The temporary path that the file has before it gets its name.
    pub(crate) fn path(&self) -> &Path {
        &self.new
    }

    /// Gives the file its name, durably.
    ///
    /// # Errors
    ///
    /// `storage` if the content was not synced completely, or if the name exists by now.
    pub(crate) fn publish(self) -> Result<()> {
        if with_ending(&self.new, "-wal").exists() {
            return Err(refused(
                &self.name,
                "the content of its -wal file could not be written back into it",
            ));
        }
        let published = File::options()
            .write(true)
            .open(&self.new)
            .and_then(|file| file.sync_all())
            .and_then(|()| give_name(&self.new, &self.name))
            .and_then(|()| sync_folder(folder(&self.name)));
        published.map_err(|error| unusable(&self.name, &error))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm", "-journal"] {
            let _ = std::fs::remove_file(with_ending(&self.new, ending));
        }
    }
}

fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(file)
}

fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    PathBuf::from(name)
}

fn not_found(name: &Path, error: &io::Error) -> Error {
    match (error.kind(), std::fs::read_link(name)) {
        (io::ErrorKind::NotFound, Ok(target)) => {
            refused(name, &format!("it is a link to {}, which does not exist", target.display()))
        }
        (io::ErrorKind::NotFound, Err(_)) => {
            refused(name, &format!("it does not exist; {}", how_to_create(name)))
        }
        _ => unusable(name, error),
    }
}

/// What to do about a missing journal. Over an unmounted disk, a new journal would make second payments.
pub(crate) fn how_to_create(name: &Path) -> String {
    format!(
        "if this journal existed before, check the mount and the path; only for a new shop: \
         `merchantpay journal init --journal {}`, or the setting `create`",
        name.display()
    )
}

/// The error for a file that cannot be used. The error is not transient: an operator must act.
pub(crate) fn refused(name: &Path, why: &str) -> Error {
    let message = format!("the journal {} cannot be used: {why}", name.display());
    Error::storage(Outcome::NotSent, message).permanent()
}

/// Makes an error from a failed file operation. The error is transient after a disk fault, or if too many
/// files are open. Other errors need an operator.
fn unusable(name: &Path, error: &io::Error) -> Error {
    use io::ErrorKind::{
        AlreadyExists, InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound,
        PermissionDenied, ReadOnlyFilesystem, Unsupported,
    };
    let refused = refused(name, &error.to_string());
    match error.kind() {
        AlreadyExists | InvalidFilename | InvalidInput | IsADirectory | NotADirectory | NotFound
        | PermissionDenied | ReadOnlyFilesystem | Unsupported => refused,
        _ => Error::storage(Outcome::NotSent, refused.message()),
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

/// File systems whose locks do not work between machines.
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

/// Refuses a network file system. The full path of a mapped drive shows the share. If Windows cannot resolve
/// a long path, the path of the nearest parent folder decides.
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

/// The name by which SQLite opens the file. Names near Windows' old length limit need a prefix. Rust's
/// standard library adds this prefix automatically, but SQLite does not.
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

/// The identity of the files behind a name: the database and its -wal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    database: Option<(u64, u64)>,
    wal: Option<(u64, u64)>,
}

impl Identity {
    pub(crate) fn of(path: &Path) -> Identity {
        Identity { database: inode(path), wal: inode(&with_ending(path, "-wal")) }
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
