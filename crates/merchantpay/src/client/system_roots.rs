//! The operating system's CAs. Reading them takes milliseconds, and a php-fpm process makes a client for each
//! request. So the CAs are cached while their files and folders are unchanged, but for at most a minute.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustls::RootCertStore;

/// The CAs that the system trusts, and the first error if some could not be read.
#[derive(Clone)]
pub(super) struct System {
    pub(super) roots: Arc<RootCertStore>,
    pub(super) fault: Option<String>,
}

impl Default for System {
    fn default() -> System {
        System { roots: Arc::new(RootCertStore::empty()), fault: None }
    }
}

pub(super) fn system() -> System {
    static KEPT: Mutex<Option<Kept>> = Mutex::new(None);
    kept(&KEPT, state(), Instant::now(), || {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        // A store can contain certificates that no verifier can use. All other certificates are still
        // trusted.
        roots.add_parsable_certificates(found.certs);
        System { roots: Arc::new(roots), fault: found.errors.first().map(ToString::to_string) }
    })
}

/// The whole store, as it was read last.
struct Kept {
    roots: Arc<RootCertStore>,
    state: State,
    read: Instant,
}

/// The cache ends after this time, because a folder's time does not change when a file in the folder is
/// overwritten.
const LONGEST: Duration = Duration::from_secs(60);

/// Never waits for the lock: in a forked child the lock may be held for ever.
fn kept(
    store: &Mutex<Option<Kept>>,
    state: Option<State>,
    now: Instant,
    read: impl FnOnce() -> System,
) -> System {
    let Some(state) = state else { return read() };
    if let Ok(store) = store.try_lock()
        && let Some(store) = store.as_ref()
        && store.state == state
        && now.saturating_duration_since(store.read) < LONGEST
    {
        return System { roots: Arc::clone(&store.roots), fault: None };
    }
    let system = read();
    if let Ok(mut store) = store.try_lock()
        && system.fault.is_none()
        && !system.roots.is_empty()
    {
        *store = Some(Kept { roots: Arc::clone(&system.roots), state, read: now });
    }
    system
}

/// The files and folders from which the store is read. Each has its version, if it exists.
type State = Vec<(PathBuf, Option<[i64; 5]>)>;

/// The present state of these files and folders. `None` if it is unknown, or if a path is relative and so
/// depends on the working directory.
#[cfg(any(windows, all(unix, not(target_os = "macos"))))]
fn state() -> Option<State> {
    // rustls-native-certs reads from the same places.
    let file = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from);
    let folders = std::env::var_os("SSL_CERT_DIR");
    let mut places: Vec<PathBuf> = folders
        .iter()
        .flat_map(std::env::split_paths)
        .filter(|place| !place.as_os_str().is_empty())
        .collect();
    places.extend(file);
    if places.is_empty() {
        places = system_places();
    }
    let with_version = |place: PathBuf| {
        let found = std::fs::metadata(&place).ok();
        (place, found.as_ref().map(version))
    };
    places.iter().all(|place| place.is_absolute()).then(|| places.into_iter().map(with_version).collect())
}

#[cfg(all(unix, not(target_os = "macos")))]
fn system_places() -> Vec<PathBuf> {
    let probed = openssl_probe::probe();
    probed.cert_dir.into_iter().chain(probed.cert_file).collect()
}

/// The store of Windows is not a file and does not report changes. So its content is always cached for a
/// minute.
#[cfg(windows)]
fn system_places() -> Vec<PathBuf> {
    Vec::new()
}

#[cfg(all(unix, not(target_os = "macos")))]
fn version(found: &std::fs::Metadata) -> [i64; 5] {
    use std::os::unix::fs::MetadataExt;

    // Inodes are only compared.
    [found.ino().cast_signed(), found.size().cast_signed(), found.mtime(), found.ctime(), found.ctime_nsec()]
}

#[cfg(windows)]
fn version(found: &std::fs::Metadata) -> [i64; 5] {
    use std::os::windows::fs::MetadataExt;

    let (size, attributes) = (found.file_size().cast_signed(), found.file_attributes().into());
    [size, attributes, found.creation_time().cast_signed(), found.last_write_time().cast_signed(), 0]
}

#[cfg(not(any(windows, all(unix, not(target_os = "macos")))))]
fn state() -> Option<State> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> System {
        System {
            roots: Arc::new(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS[..1].to_vec() }),
            fault: None,
        }
    }

    fn never() -> System {
        panic!("it is read")
    }

    fn at(place: &str, version: i64) -> Option<State> {
        Some(vec![(PathBuf::from(place), Some([version; 5]))])
    }

    #[test]
    fn what_was_read_is_kept_for_a_minute_while_its_files_are_the_same() {
        let (store, start) = (Mutex::new(None), Instant::now());
        let same = |one: &System, other: &System| Arc::ptr_eq(&one.roots, &other.roots);
        let first = kept(&store, at("a", 1), start, found);
        assert_eq!(first.roots.len(), 1);
        assert!(same(&first, &kept(&store, at("a", 1), start + LONGEST / 2, never)));
        let changed = kept(&store, at("a", 2), start, found);
        assert!(!same(&first, &changed));
        let elsewhere = kept(&store, at("b", 2), start, found);
        assert!(!same(&changed, &elsewhere) && same(&elsewhere, &kept(&store, at("b", 2), start, never)));
        let later = kept(&store, at("b", 2), start + LONGEST, found);
        assert!(!same(&elsewhere, &later) && same(&later, &kept(&store, at("b", 2), start + LONGEST, never)));
        assert!(
            !same(&later, &kept(&store, None, start + LONGEST, found)),
            "what cannot be identified is not kept"
        );
        let held = store.lock().unwrap();
        assert!(
            !same(&later, &kept(&store, at("b", 2), start + LONGEST, found)),
            "no call waits for the lock"
        );
        drop(held);
    }

    #[test]
    #[cfg(any(windows, all(unix, not(target_os = "macos"))))]
    fn the_store_of_this_system_is_kept() {
        assert!(state().is_some(), "so it is read at most once a minute");
    }

    #[test]
    fn what_was_empty_or_not_read_whole_is_read_again() {
        let (store, now) = (Mutex::new(None), Instant::now());
        for partly in [System::default(), System { fault: Some("unreadable".to_owned()), ..found() }] {
            kept(&store, at("a", 1), now, || partly);
            assert!(store.lock().unwrap().is_none());
        }
        kept(&store, at("a", 1), now, found);
        assert!(store.lock().unwrap().is_some());
    }
}
