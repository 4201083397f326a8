//! Decides whether a file can be the sandbox's database before anything opens it for writing. SQLite itself
//! cannot look without a trace: it creates `-wal` and `-shm`, and rolls back somebody else's journal.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// The `user_version` of a file. Version 1 is 0.3, whose rows are upgraded.
pub(crate) const SCHEMA_VERSION: u32 = 2;
/// The `application_id` of a sandbox's file: "MPay".
pub(crate) const APPLICATION_ID: u32 = 0x4d50_6179;

/// The files that SQLite keeps beside a database.
const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];
const MAGIC: &[u8] = b"SQLite format 3\0";
const DATABASE_HEADER: usize = 100;
const WAL_HEADER: usize = 32;
const WAL_FRAME_HEADER: usize = 24;
/// The WAL of a database without a checkpoint is smaller.
const MOST_OF_WAL: u64 = 64 << 20;

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
        Ids::Empty => refuse_side_files(&real)?,
        Ids::Of { application: APPLICATION_ID, version: 1..=SCHEMA_VERSION } => {}
        Ids::Of { application: APPLICATION_ID, version } if version > SCHEMA_VERSION => {
            return Err(refused(path, "was made by a newer version of the sandbox"));
        }
        Ids::Of { .. } | Ids::Missing => return Err(refused(path, "is not a database of the sandbox")),
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

/// What a file says that it is.
enum Ids {
    /// It has no bytes.
    Empty,
    /// It is no SQLite database.
    Missing,
    Of {
        application: u32,
        version: u32,
    },
}

fn ids(path: &Path) -> io::Result<Ids> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut header = Vec::new();
    file.by_ref().take(DATABASE_HEADER as u64).read_to_end(&mut header)?;
    if header.is_empty() {
        return Ok(Ids::Empty);
    }
    let Some(ids) = ids_of_page(&header).filter(|_| header.starts_with(MAGIC)) else {
        return Ok(Ids::Missing);
    };
    // Before version 0.4 the ids of a new database were only in the WAL until its first checkpoint.
    match ids {
        Ids::Of { application: 0, version: 0 } if size == page_size(&header) => {
            Ok(ids_in_wal(&side_file(path, "-wal"))?.unwrap_or(ids))
        }
        ids => Ok(ids),
    }
}

fn ids_of_page(page: &[u8]) -> Option<Ids> {
    Some(Ids::Of { application: number(page, 68)?, version: number(page, 60)? })
}

fn page_size(header: &[u8]) -> u64 {
    match (header.get(16), header.get(17)) {
        (Some(0), Some(1)) => 65_536,
        (Some(high), Some(low)) => u64::from(u16::from_be_bytes([*high, *low])),
        _ => 0,
    }
}

/// The ids of the newest committed first page in a WAL, which SQLite's documentation of the file format
/// describes.
fn ids_in_wal(path: &Path) -> io::Result<Option<Ids>> {
    let mut wal = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(MOST_OF_WAL).read_to_end(&mut wal)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let (Some(header), Some(page_size)) = (wal.get(..WAL_HEADER), number(&wal, 8)) else { return Ok(None) };
    let frame_size = WAL_FRAME_HEADER + usize::try_from(page_size).unwrap_or(usize::MAX / 2);
    let (salts, mut written, mut committed) = (&header[16..24], None, None);
    for frame in wal[WAL_HEADER..].chunks_exact(frame_size) {
        // Frames with other salts are left over from before a checkpoint.
        if frame.get(8..16) != Some(salts) {
            break;
        }
        if number(frame, 0) == Some(1) {
            written = ids_of_page(&frame[WAL_FRAME_HEADER..]);
        }
        // Only the last frame of a transaction has the size of the database.
        if number(frame, 4) != Some(0) && written.is_some() {
            committed = written.take();
        }
    }
    Ok(committed)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
