//! Whether a file can be reached under a second name that would get a write-ahead log of its own. Two logs of one
//! database hide payments from each other, so an order could be paid twice.

use std::path::Path;

/// The name with which `durability_vouched` accepts a FUSE file system.
pub(crate) const FUSE: &str = "fuse";

/// The endings of the files that SQLite keeps beside a database.
#[cfg(target_os = "linux")]
const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The fault of a file, and what to do about it; `None` if the file has one name.
pub(crate) fn fault(file: &Path, vouched: &[String]) -> Option<String> {
    if let Some(fault) = fault_of_folder(file, vouched) {
        return Some(fault);
    }
    if let Some(mounted) = mount_point(file) {
        return Some(format!(
            "{mounted} is itself a mount point, and the same file on the other side of the mount would have \
             another write-ahead log: mount the folder that contains it, not the file"
        ));
    }
    let links = hard_links(file);
    (links > 1).then(|| {
        format!(
            "it has {links} hard links, and each name would have another write-ahead log: delete the other names \
             (`find / -samefile '{}'` lists them)",
            file.display()
        )
    })
}

/// The fault of the file system, before a file is made in the folder.
pub(crate) fn fault_of_folder(folder: &Path, vouched: &[String]) -> Option<String> {
    let is_refused = is_on_fuse(folder) && !vouched.iter().any(|name| name == FUSE);
    is_refused.then(|| {
        format!(
            "it is on a FUSE file system (such as bindfs, sshfs, or a folder of Docker Desktop), where the same \
             file under another mount can have another write-ahead log: move the journal to a local file system \
             or a volume; durability_vouched={FUSE} accepts the risk, if every process uses the same mount"
        )
    })
}

#[cfg(target_os = "linux")]
fn is_on_fuse(file: &Path) -> bool {
    const FUSE_SUPER_MAGIC: u32 = 0x6573_5546;
    rustix::fs::statfs(file).is_ok_and(|found| found.f_type as u32 == FUSE_SUPER_MAGIC)
}

#[cfg(not(target_os = "linux"))]
fn is_on_fuse(_: &Path) -> bool {
    false
}

/// A file system without `RENAME_NOREPLACE` creates a journal by a link, which exists twice for a moment. FUSE
/// remembers the number of links for a second.
#[cfg(unix)]
fn hard_links(file: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    use std::time::{Duration, Instant};

    let count = || file.metadata().map_or(1, |metadata| metadata.nlink());
    let end = Instant::now() + Duration::from_secs(3);
    while count() > 1 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    count()
}

#[cfg(not(unix))]
fn hard_links(_: &Path) -> u64 {
    1
}

/// The file, or the file beside it, that is a mount point of its own. `file` has no symbolic link in it.
#[cfg(target_os = "linux")]
fn mount_point(file: &Path) -> Option<String> {
    use std::os::unix::ffi::OsStrExt as _;

    let names = std::iter::once("").chain(SIDE_FILES).map(|ending| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        name
    });
    let found = match std::fs::read("/proc/self/mountinfo") {
        Ok(mounts) => {
            let mounts: Vec<Vec<u8>> = mounts.split(|byte| *byte == b'\n').filter_map(mounted_at).collect();
            names.into_iter().find(|name| mounts.iter().any(|mount| mount == name.as_bytes()))
        }
        // A chroot can lack /proc; the kernel itself tells since Linux 5.8.
        Err(_) => names.into_iter().find(|name| is_mount_root(Path::new(name))),
    };
    Some(Path::new(&found?).display().to_string())
}

#[cfg(target_os = "linux")]
fn is_mount_root(file: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};

    statx(CWD, file, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty())
        .is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

#[cfg(not(target_os = "linux"))]
fn mount_point(_: &Path) -> Option<String> {
    None
}

/// The mount point in a line of mountinfo (proc(5)): the fifth field, in which white space and backslashes are
/// three octal digits behind a backslash.
#[cfg(target_os = "linux")]
fn mounted_at(line: &[u8]) -> Option<Vec<u8>> {
    let field = line.split(|byte| *byte == b' ').nth(4)?;
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let octal = after
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        path.push(octal.unwrap_or(*first));
        rest = if octal.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn reads_the_mount_point_with_its_escapes() {
        let line = |path: &str| format!("36 35 98:0 /mnt1 {path} rw,noatime master:1 - ext3 /dev/root rw");
        for (escaped, path) in [
            ("/data/payments.db", "/data/payments.db"),
            (r"/my\040data/pay\134\011.db", "/my data/pay\\\t.db"),
            ("/касса.db", "/касса.db"),
            (r"/short\04", r"/short\04"),
        ] {
            assert_eq!(super::mounted_at(line(escaped).as_bytes()).unwrap(), path.as_bytes(), "{escaped}");
        }
        assert_eq!(super::mounted_at(b"36 35"), None);
    }
}
