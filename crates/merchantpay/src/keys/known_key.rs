//! The cache of the public keys with which a process verifies. It stores how often each key is used, and a
//! [`KeyTable`] for each key that is used often.
//!
//! The cache belongs to the process and not to a verifier, because some hosts drop their verifiers at the end
//! of each request. It contains only public keys, and its size is limited: [`KEYS`] keys with a count and
//! [`TABLES`] tables. No code here waits for a lock, so that a child process works if it was forked while
//! another thread held the lock. If another thread holds the lock, a thread verifies without a table.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, Weak};

use ed25519_dalek::{Signature, VerifyingKey};

use super::key_table::KeyTable;

/// The largest number of counted keys. If there are more, the least used key without a table is removed.
const KEYS: usize = 64;

/// The largest number of keys with a table.
const TABLES: usize = 8;

/// After this many verifications without a table, the key looks for a table or makes one. Making a table
/// costs about as much as ten verifications.
const EARNED: usize = 32;

/// If all tables are in use, a key needs this many verifications since the last replacement to replace the
/// table of another key. The other key is the key that was used least since the last replacement. Even if
/// many keys are used in turn, the tables then cost less than a microsecond per verification.
const REPLACES: usize = 1024;

static PROCESS: Known = Known(RwLock::new(Vec::new()));

/// The known keys. The process has one list; tests have their own lists.
struct Known(RwLock<Vec<Entry>>);

struct Entry {
    known: Arc<KnownKey>,
    /// The only lasting strong reference to the table. The table is freed when the entry drops this
    /// reference.
    table: Option<Arc<KeyTable>>,
}

/// A public key and its number of uses. Code that verifies often should keep this object.
pub(crate) struct KnownKey {
    key: VerifyingKey,
    among: &'static Known,
    uses: AtomicUsize,
    table: RwLock<Weak<KeyTable>>,
}

impl KnownKey {
    /// Returns the cache's entry of `key`. Makes an entry if there is none.
    pub(crate) fn of(key: VerifyingKey) -> Arc<KnownKey> {
        PROCESS.key(key)
    }

    /// Returns `true` if `signature` is the key's signature of `message`, as in `verify_strict`.
    pub(crate) fn verifies(self: &Arc<KnownKey>, message: &[u8], signature: &[u8; 64]) -> bool {
        let uses = self.uses.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        if let Some(table) = read(&self.table).and_then(|table| table.upgrade()) {
            return table.verifies(message, signature);
        }
        let verifies = self.key.verify_strict(message, &Signature::from_bytes(signature)).is_ok();
        if uses.is_multiple_of(EARNED) {
            self.look_for_table(uses);
        }
        verifies
    }

    /// Like [`verifies`](Self::verifies), but does not count the use, and so never makes a table.
    pub(crate) fn verifies_uncounted(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        match read(&self.table).and_then(|table| table.upgrade()) {
            Some(table) => table.verifies(message, signature),
            None => self.key.verify_strict(message, &Signature::from_bytes(signature)).is_ok(),
        }
    }

    /// Uses the process's table for this key. If there is no such table, makes a table, and holds no lock
    /// during the computation. If another thread holds the lock, a later call tries again.
    fn look_for_table(self: &Arc<KnownKey>, uses: usize) {
        {
            let Some(known) = read(&self.among.0) else { return };
            if let Some(table) = self.table_in(&known) {
                return self.take(&table);
            }
            if tables(&known) >= TABLES && uses < REPLACES {
                return;
            }
        }
        let Some(table) = KeyTable::new(self.key).map(Arc::new) else { return };
        let Some(mut known) = write(&self.among.0) else { return };
        if let Some(table) = self.table_in(&known) {
            return self.take(&table);
        }
        if tables(&known) >= TABLES {
            if uses < REPLACES {
                return;
            }
            if let Some(least) =
                known.iter_mut().filter(|entry| entry.table.is_some()).min_by_key(|entry| entry.uses())
            {
                least.table = None;
            }
            // The count of this key is reset too, even if the list no longer has the key's entry. Otherwise
            // this key would replace a table after every `EARNED` verifications.
            known
                .iter()
                .map(|entry| &entry.known)
                .chain([self])
                .for_each(|known| known.uses.store(0, Ordering::Relaxed));
        }
        self.take(&table);
        let entry = Entry { known: Arc::clone(self), table: Some(table) };
        match known.iter_mut().find(|entry| entry.known.key == self.key) {
            Some(found) => *found = entry,
            None => remember(&mut known, entry),
        }
    }

    fn table_in(&self, known: &[Entry]) -> Option<Arc<KeyTable>> {
        known.iter().find(|entry| entry.known.key == self.key).and_then(|entry| entry.table.clone())
    }

    fn take(&self, table: &Arc<KeyTable>) {
        if let Some(mut own) = write(&self.table) {
            *own = Arc::downgrade(table);
        }
    }
}

impl Known {
    fn key(&'static self, key: VerifyingKey) -> Arc<KnownKey> {
        let find = |known: &[Entry]| {
            known.iter().find(|entry| entry.known.key == key).map(|entry| Arc::clone(&entry.known))
        };
        if let Some(known) = read(&self.0).and_then(|known| find(&known)) {
            return known;
        }
        let new = Arc::new(KnownKey {
            key,
            among: self,
            uses: AtomicUsize::new(0),
            table: RwLock::new(Weak::new()),
        });
        let Some(mut known) = write(&self.0) else {
            return new;
        };
        find(&known).unwrap_or_else(|| {
            remember(&mut known, Entry { known: Arc::clone(&new), table: None });
            new
        })
    }
}

impl Entry {
    fn uses(&self) -> usize {
        self.known.uses.load(Ordering::Relaxed)
    }
}

fn tables(known: &[Entry]) -> usize {
    known.iter().filter(|entry| entry.table.is_some()).count()
}

fn remember(known: &mut Vec<Entry>, entry: Entry) {
    if known.len() >= KEYS {
        let least = known
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.table.is_none())
            .min_by_key(|(_, entry)| entry.uses());
        if let Some((least, _)) = least {
            known.remove(least);
        }
    }
    known.push(entry);
}

fn read<T>(lock: &RwLock<T>) -> Option<RwLockReadGuard<'_, T>> {
    match lock.try_read() {
        Ok(guard) => Some(guard),
        // A panic cannot make the data wrong: at worst, a table is missing.
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

fn write<T>(lock: &RwLock<T>) -> Option<RwLockWriteGuard<'_, T>> {
    match lock.try_write() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use ed25519_dalek::{Signer, SigningKey};

    use super::*;

    fn nothing_known() -> &'static Known {
        Box::leak(Box::new(Known(RwLock::new(Vec::new()))))
    }

    struct Signed {
        key: VerifyingKey,
        signature: [u8; 64],
    }

    const MESSAGE: &[u8] = b"message";

    fn signed(number: usize) -> Signed {
        let mut seed = [0; 32];
        // A usize has only four bytes on 32-bit systems, so the number is converted to a u64.
        seed[..8].copy_from_slice(&(number as u64).to_le_bytes());
        let signer = SigningKey::from_bytes(&seed);
        Signed { key: signer.verifying_key(), signature: signer.sign(MESSAGE).to_bytes() }
    }

    /// Verifies like a host that drops its verifier after each use.
    fn verify(among: &'static Known, signed: &Signed, times: usize) {
        for _ in 0..times {
            let known = among.key(signed.key);
            assert!(known.verifies(MESSAGE, &signed.signature));
            assert!(!known.verifies(b"another", &signed.signature));
        }
    }

    fn has_table(known: &'static Known, signed: &Signed) -> bool {
        known.key(signed.key).table_in(&known.0.read().unwrap()).is_some()
    }

    #[test]
    fn a_key_that_comes_often_gets_a_table_also_for_hosts_that_drop_their_verifiers() {
        let known = nothing_known();
        let key = signed(1);
        verify(known, &key, EARNED / 2 - 1);
        assert!(!has_table(known, &key));
        verify(known, &key, 1);
        assert!(has_table(known, &key));
        verify(known, &key, 3);
    }

    #[test]
    fn a_flood_of_keys_grows_nothing_and_takes_no_table() {
        let known = nothing_known();
        let key = signed(1);
        verify(known, &key, EARNED);
        (2..2 + 3 * KEYS).for_each(|other| verify(known, &signed(other), 1));
        assert_eq!(known.0.read().unwrap().len(), KEYS);
        assert!(has_table(known, &key));
    }

    #[test]
    fn a_table_more_is_earned_by_long_use_and_taken_from_the_one_that_is_used_least() {
        let known = nothing_known();
        let keys: Vec<Signed> = (1..=TABLES).map(signed).collect();
        keys.iter().for_each(|key| verify(known, key, EARNED));
        let (least, others) = keys.split_last().unwrap();
        others.iter().for_each(|key| verify(known, key, EARNED));
        let late = signed(TABLES + 1);
        let held = known.key(least.key);
        verify(known, &late, REPLACES / 2 - 1);
        assert!(!has_table(known, &late) && keys.iter().all(|key| has_table(known, key)));
        verify(known, &late, 1);
        assert!(
            has_table(known, &late)
                && !has_table(known, least)
                && others.iter().all(|key| has_table(known, key))
        );
        assert_eq!(tables(&known.0.read().unwrap()), TABLES);
        // The object of a key whose table was dropped can still verify.
        assert!(held.table.read().unwrap().upgrade().is_none());
        assert!(held.verifies(MESSAGE, &least.signature));
    }

    #[test]
    fn of_the_keys_without_a_table_the_one_that_is_used_least_makes_room() {
        let known = nothing_known();
        let often = signed(1);
        verify(known, &often, 2);
        (2..2 + 2 * KEYS).for_each(|other| verify(known, &signed(other), 1));
        assert_eq!(known.key(often.key).uses.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn a_table_that_was_earned_while_the_lock_was_taken_is_made_at_the_next_occasion() {
        let known = nothing_known();
        (1..=TABLES).map(signed).for_each(|key| verify(known, &key, EARNED));
        let late = signed(TABLES + 1);
        verify(known, &late, REPLACES / 2 - 1);
        let held = known.key(late.key);
        let locked = known.0.write().unwrap();
        (0..2).for_each(|_| assert!(held.verifies(MESSAGE, &late.signature)));
        drop(locked);
        assert!(!has_table(known, &late));
        verify(known, &late, EARNED / 2);
        assert!(has_table(known, &late));
    }

    #[test]
    fn a_verifier_that_outlives_its_entry_shares_the_table_of_the_next() {
        let known = nothing_known();
        let key = signed(1);
        let old = known.key(key.key);
        known.0.write().unwrap().clear();
        verify(known, &key, EARNED);
        (0..EARNED).for_each(|_| assert!(old.verifies(MESSAGE, &key.signature)));
        let shared = known.key(key.key).table_in(&known.0.read().unwrap()).unwrap();
        assert!(old.table.read().unwrap().upgrade().is_some_and(|table| Arc::ptr_eq(&table, &shared)));
    }

    #[test]
    fn a_verifier_that_outlives_its_entry_earns_each_table_by_long_use() {
        let known = nothing_known();
        let keys: Vec<Signed> = (1..=TABLES).map(signed).collect();
        keys.iter().for_each(|key| verify(known, key, EARNED));
        let late = signed(TABLES + 1);
        let held = known.key(late.key);
        known.0.write().unwrap().retain(|entry| entry.known.key != late.key);
        (0..REPLACES).for_each(|_| assert!(held.verifies(MESSAGE, &late.signature)));
        assert!(has_table(known, &late));
        assert_eq!(held.uses.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn nobody_waits_for_a_lock_that_is_never_released() {
        let known = nothing_known();
        let (key, other) = (signed(1), signed(2));
        verify(known, &key, EARNED);
        let held = known.key(key.key);
        // A forked child finds the locks in this state if a thread of the parent process was writing.
        let _locked = known.0.write().unwrap();
        assert!(held.verifies(MESSAGE, &key.signature));
        verify(known, &other, 2 * EARNED);
        let kept = known.key(other.key);
        (0..2 * EARNED).for_each(|_| assert!(kept.verifies(MESSAGE, &other.signature)));
        let _table = held.table.write().unwrap();
        (0..2 * EARNED).for_each(|_| assert!(held.verifies(MESSAGE, &key.signature)));
    }

    #[test]
    fn a_panic_that_held_a_lock_costs_nothing() {
        let known = nothing_known();
        let key = signed(1);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _locked = known.0.write().unwrap();
            panic!("while it is held");
        }));
        assert!(panicked.is_err() && known.0.is_poisoned());
        verify(known, &key, EARNED);
        assert_eq!(known.key(key.key).table.read().unwrap().strong_count(), 1);
    }
}
