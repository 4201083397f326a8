//! Tells whether the -wal file beside a journal belongs to another file, as far as that can be told.
//!
//! SQLite does not check this: it applies every -wal that is whole. After a backup was copied over a journal
//! whose process was killed, the pages of the old -wal would silently damage the restored file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::file::with_ending;
use super::kept;

const WAL_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The length of a database's header, at the beginning of its first page.
const DATABASE_HEADER: usize = 100;

/// Why the -wal beside a file is foreign; `None` if it is not, if there is none, or if it cannot be told.
pub(super) fn foreign(path: &Path) -> Option<&'static str> {
    // While another process writes a page back, it can differ for a moment.
    (0..3).map(|_| look(path).ok().flatten()).reduce(|first, next| first.and(next)).flatten()
}

fn look(path: &Path) -> io::Result<Option<&'static str>> {
    // SQLite has no locks on the -wal file, so it may be closed.
    let mut wal = File::open(with_ending(path, "-wal"))?;
    let mut begin = [0; WAL_HEADER];
    wal.read_exact(&mut begin)?;
    // Two magic numbers: for checksums in either byte order.
    if ![0x377f_0682, 0x377f_0683].contains(&number(&begin, 0)) {
        return Ok(None);
    }
    let kept = kept::open(path)?;
    #[allow(clippy::needless_borrow)] // On Unix it is a reference already.
    let database: &File = &kept;
    let mut header = [0; DATABASE_HEADER];
    kept::read_at(database, &mut header, 0)?;
    // A file in WAL mode has 2 here from before its first -wal. A backup has 1 until somebody opens it.
    if header[18..20] == [1, 1] {
        return Ok(Some("the file is a backup that has had none"));
    }
    let page_size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => u32::from(size),
    };
    if number(&begin, 8) != page_size {
        return Ok(Some("it has other pages"));
    }
    // SQLite writes into the database only what the -wal has, so if the database is the newer one of the two,
    // some of its pages are as they are in the -wal.
    let was_copied = database.metadata()?.modified()? > wal.metadata()?.modified()?;
    let mut frames = Frames { wal, salt: begin[16..24].to_owned(), page: vec![0; page_size as usize] };
    let (mut own, mut has_frames) = (vec![0; page_size as usize], false);
    while let Some(place) = frames.next()? {
        has_frames = true;
        // A file that was just made has its identity, a number other than 0, only in its -wal.
        if place == 1 && header[60..64] != [0; 4] && frames.page[60..64] != header[60..64] {
            return Ok(Some("it names another journal"));
        }
        if !was_copied {
            continue;
        }
        let offset = u64::from(place - 1) * u64::from(page_size);
        if kept::read_at(database, &mut own, offset).is_ok() && own == frames.page {
            return Ok(None);
        }
    }
    Ok((was_copied && has_frames).then_some("the file is newer than it, and has none of its pages"))
}

fn number(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// The frames of the present generation. Older ones may follow: they have another salt.
struct Frames {
    wal: File,
    salt: Vec<u8>,
    page: Vec<u8>,
}

impl Frames {
    /// Reads the next frame; returns the number of its page.
    fn next(&mut self) -> io::Result<Option<u32>> {
        let mut header = [0; FRAME_HEADER];
        let is_whole = self.wal.read_exact(&mut header).and_then(|()| self.wal.read_exact(&mut self.page));
        match is_whole {
            Ok(()) => {
                Ok(Some(number(&header, 0)).filter(|place| header[8..16] == self.salt[..] && *place > 0))
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}
