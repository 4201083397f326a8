//! Decides whether a file can be the sandbox's database before anything opens it for writing. SQLite itself
//! cannot look without a trace: it creates `-wal` and `-shm`, and rolls back somebody else's journal.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// The `user_version` of a file. Version 1 is 0.3.
pub(crate) const SCHEMA_VERSION: u32 = 2;
/// The `application_id` of a sandbox's file: "MPay".
pub(crate) const APPLICATION_ID: u32 = 0x4d50_6179;

const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];
const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER: u64 = 100;

/// The real path of the sandbox's file, which only its owner can read: new, empty or made by a sandbox. Any
/// other file is refused and stays as it is.
pub(crate) fn claim(path: &Path) -> io::Result<PathBuf> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(refused(path, "is not a file")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            refuse_side_files(path)?;
            let mut new = OpenOptions::new();
            new.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
            new.open(path).map_err(named)?;
        }
        Err(error) => return Err(named(error)),
    }
    let real = path.canonicalize().map_err(named)?;
    match ids(&real).map_err(named)? {
        None => refuse_side_files(&real)?,
        Some((APPLICATION_ID, SCHEMA_VERSION)) => {}
        Some((APPLICATION_ID, _)) => return Err(refused(path, "was made by another version of the sandbox")),
        Some(_) => return Err(refused(path, "is not a database of the sandbox")),
    }
    // SQLite would silently open it for reading only.
    OpenOptions::new().read(true).write(true).open(&real).map_err(named)?;
    #[cfg(unix)]
    keep_private(&real)?;
    Ok(real)
}

fn refused(path: &Path, why: &str) -> io::Error {
    let why = format!("{} {why}; it was left as it is, choose another file", path.display());
    io::Error::new(ErrorKind::InvalidData, why)
}

fn side_file(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// SQLite deletes the side files of an empty database, which may hold the data of a database that was moved.
fn refuse_side_files(path: &Path) -> io::Result<()> {
    let mut all = SIDE_FILES.iter().map(|ending| side_file(path, ending));
    match all.find(|file| file.symlink_metadata().is_ok()) {
        Some(left) => Err(refused(&left, "belongs to a database that is missing or empty")),
        None => Ok(()),
    }
}

/// Gives the database and its side files the mode 600: they contain private keys.
#[cfg(unix)]
fn keep_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let side_files = SIDE_FILES.iter().map(|ending| side_file(path, ending));
    for file in std::iter::once(path.to_owned()).chain(side_files) {
        let mode = |metadata: std::fs::Metadata| metadata.permissions().mode() & 0o777;
        match file.symlink_metadata() {
            Ok(metadata) if !metadata.is_file() => return Err(refused(&file, "is not a file")),
            Ok(metadata) if mode(metadata.clone()) == 0o600 => continue,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        }
        let private = std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600));
        // Some file systems accept every mode and keep none.
        if private.is_err() || mode(file.symlink_metadata()?) != 0o600 {
            let why = "will contain private keys, but its mode cannot be set to 600";
            return Err(io::Error::new(ErrorKind::PermissionDenied, refused(&file, why).to_string()));
        }
    }
    Ok(())
}

/// The `application_id` and the `user_version` in a file's header; `None` if the file has no bytes.
fn ids(path: &Path) -> io::Result<Option<(u32, u32)>> {
    let mut header = Vec::new();
    File::open(path)?.take(HEADER).read_to_end(&mut header)?;
    let number = |at: usize| header.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    let ids = number(68).zip(number(60)).filter(|_| header.starts_with(MAGIC));
    Ok((!header.is_empty()).then(|| ids.unwrap_or_default()))
}
