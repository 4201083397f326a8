//! The journal's file: found by its resolved name, its owner's alone, over a file system whose locks work.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::names;
use crate::store::failure::Failure;

/// The file to which an absolute name resolves. SQLite derives the name of the -wal file from the resolved
/// name, not from a symbolic link.
pub(super) fn find(name: &Path, vouched: &[String]) -> Result<PathBuf, Failure> {
    let file = real(name).map_err(|error| not_found(name, &error))?;
    if !file.metadata().map_err(|error| unusable(&error))?.is_file() {
        return Err(Failure::lasting("it is not a regular file"));
    }
    refuse_network(folder(&file))?;
    names::fault(&file, vouched).map_or(Ok(file), |fault| Err(Failure::lasting(fault)))
}

/// Like [`find`], but creates the file if it is missing.
///
/// This function never opens an existing journal: closing the file would drop all SQLite locks that this
/// process has on the file.
pub(super) fn find_or_create(name: &Path, vouched: &[String]) -> Result<PathBuf, Failure> {
    // This checks the -wal file before the main file. In the other order, another process could create both
    // files between the two checks, and the new -wal file would be refused.
    let wal = with_ending(name, "-wal");
    let has_wal = wal.exists();
    // A link to a missing file is an existing name. Creating the missing file would hide that a volume is not
    // mounted.
    if std::fs::symlink_metadata(name).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        if has_wal {
            return Err(Failure::lasting(format!("{} is left over from another journal", wal.display())));
        }
        if let Some(fault) = names::fault_of_folder(folder(name), vouched) {
            return Err(Failure::lasting(fault));
        }
        match NewFile::create(name)?.publish() {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(unusable(&error)),
            _ => {}
        }
    }
    find(name, vouched)
}

#[cfg(not(windows))]
fn real(name: &Path) -> io::Result<PathBuf> {
    name.canonicalize()
}

/// Some Windows versions cannot resolve a long name. Then the name of a file that is not a link is used as it
/// is.
#[cfg(windows)]
fn real(name: &Path) -> io::Result<PathBuf> {
    name.canonicalize().or_else(|error| match name.is_file() && !name.is_symlink() {
        true => Ok(name.to_owned()),
        false => Err(error),
    })
}

/// A file that gets its name when it is complete. If it is dropped earlier, it is removed.
pub(in crate::store) struct NewFile {
    name: PathBuf,
    new: PathBuf,
}

impl NewFile {
    /// Creates an empty file that only its owner can read. Its name cannot be foreseen: in a folder that others can
    /// write to, it could be their link to another file.
    pub(in crate::store) fn create(name: &Path) -> Result<NewFile, Failure> {
        refuse_network(folder(name))?;
        let random = getrandom::u64().map_err(|_| Failure::failed("the system returned no random bytes"))?;
        let ending = format!(".{random:016x}.new");
        let new = NewFile { name: name.to_owned(), new: with_ending(name, &ending) };
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&new.new).map_err(|error| unusable(&error))?;
        Ok(new)
    }

    /// The path of the file before it gets its name.
    pub(in crate::store) fn path(&self) -> &Path {
        &self.new
    }

    /// Gives a file that SQLite has closed its name.
    pub(in crate::store) fn publish_alone(self) -> Result<(), Failure> {
        if with_ending(&self.new, "-wal").exists() {
            return Err(Failure::failed("the content of its -wal file could not be written back into it"));
        }
        self.publish().map_err(|error| unusable(&error))
    }

    /// Gives the file its name, durably. An existing file is never replaced.
    fn publish(self) -> io::Result<()> {
        File::options().write(true).open(&self.new)?.sync_all()?;
        give_name(&self.new, &self.name)?;
        sync_folder(folder(&self.name))
    }
}

/// Renames a file, unless the new name exists.
fn give_name(new: &Path, name: &Path) -> io::Result<()> {
    // A link and its removal would leave two names after a crash between them, and such a file is refused.
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, new, CWD, name, RenameFlags::NOREPLACE) {
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {}
            result => return result.map_err(io::Error::from),
        }
    }
    std::fs::hard_link(new, name)?;
    std::fs::remove_file(new)
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

pub(super) fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    PathBuf::from(name)
}

fn not_found(name: &Path, error: &io::Error) -> Failure {
    match (error.kind(), std::fs::read_link(name)) {
        (io::ErrorKind::NotFound, Ok(target)) => {
            Failure::lasting(format!("it is a link to {}, which does not exist", target.display()))
        }
        (io::ErrorKind::NotFound, Err(_)) => {
            Failure::lasting(format!("it does not exist; {}", how_to_create(name)))
        }
        _ => unusable(error),
    }
}

pub(super) fn how_to_create(name: &Path) -> String {
    format!(
        "if this journal existed before, check the mount and the path; only for a new shop: \
         `merchantpay journal init --journal {}`, or the setting `create`",
        name.display()
    )
}

/// A fault of the disk, or too many open files, may pass. Others need an operator.
pub(super) fn unusable(error: &io::Error) -> Failure {
    use io::ErrorKind::{
        AlreadyExists, InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound,
        PermissionDenied, ReadOnlyFilesystem, Unsupported,
    };
    match error.kind() {
        AlreadyExists | InvalidFilename | InvalidInput | IsADirectory | NotADirectory | NotFound
        | PermissionDenied | ReadOnlyFilesystem | Unsupported => Failure::lasting(error.to_string()),
        _ => Failure::failed(error.to_string()),
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
    (0x7461_636f, "OCFS2"),
    (0x0116_1970, "GFS2"),
    (0x4750_4653, "GPFS"),
    (0x1983_0326, "BeeGFS"),
    (0x786f_4256, "VirtualBox's vboxsf"),
    (0x7c7c_6673, "Parallels' prl_fs"),
];

#[cfg(target_os = "linux")]
fn refuse_network(folder: &Path) -> Result<(), Failure> {
    let found = rustix::fs::statfs(folder).map_err(|error| unusable(&error.into()))?.f_type as u32;
    let network = NETWORK.iter().find(|(kind, _)| *kind == found);
    network.map_or(Ok(()), |(_, name)| {
        Err(Failure::lasting(format!(
            "it is on a network file system ({name}), whose locks do not work between machines: use a local disk, or \
             a database server"
        )))
    })
}

/// Refuses a network share. The full path of a mapped drive shows it. If Windows cannot resolve a long path,
/// the nearest parent folder decides.
#[cfg(windows)]
fn refuse_network(folder: &Path) -> Result<(), Failure> {
    let whole = folder.ancestors().find_map(|folder| folder.canonicalize().ok());
    match is_share(whole.as_deref().unwrap_or(folder)) {
        true => Err(Failure::lasting("it is on a network share: use a local disk, or a database server")),
        false => Ok(()),
    }
}

#[cfg(windows)]
fn is_share(path: &Path) -> bool {
    use std::path::{Component, Prefix};
    matches!(path.components().next(), Some(Component::Prefix(prefix))
        if matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..)))
}

#[cfg(not(any(target_os = "linux", windows)))]
fn refuse_network(_: &Path) -> Result<(), Failure> {
    Ok(())
}

/// The name by which SQLite opens the file. Names near Windows' old length limit need a prefix, which Rust's
/// standard library adds by itself, and SQLite does not.
#[cfg(windows)]
pub(super) fn name_for_sqlite(path: &Path) -> PathBuf {
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
pub(super) struct Identity {
    database: Option<(u64, u64)>,
    wal: Option<(u64, u64)>,
}

impl Identity {
    pub(super) fn of(path: &Path) -> Identity {
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
    fn share_is_on_the_network_and_drive_is_not() {
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
