//! What this process remembers of the public keys that it verifies under: how often, and, for those that come often, the
//! [`KeyTable`].
//!
//! It is kept per process and not per verifier, because some hosts drop their verifiers at the end of each request. It holds
//! public keys alone, and it is bounded: [`KEYS`] keys with a count and [`TABLES`] tables. Nothing here waits for a lock, so
//! that a child that was forked while another thread held one goes on; whoever finds a lock taken verifies without a table.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, Weak};

use ed25519_dalek::{Signature, VerifyingKey};

use crate::key_table::KeyTable;

/// How many keys are counted. Beyond, the one that was verified under least often makes room, never one with a table.
const KEYS: usize = 64;

/// How many keys have a table.
const TABLES: usize = 8;

/// Every so many verifications without a table are a reason to look for one: making one costs about as much as ten of them.
const EARNED: usize = 32;

/// So many verifications since the last replacement earn the table of another key, of the one that was used least since
/// then. However many keys come in turn, making tables costs them less than a microsecond a verification.
const REPLACES: usize = 1024;

static KNOWN: RwLock<Vec<Entry>> = RwLock::new(Vec::new());

struct Entry {
    known: Arc<KnownKey>,
    /// The only strong reference that lasts: a table is gone when its entry lets go of it.
    table: Option<Arc<KeyTable>>,
}

/// A public key and what is known of it. Whoever verifies often keeps it.
pub(crate) struct KnownKey {
    key: VerifyingKey,
    uses: AtomicUsize,
    table: RwLock<Weak<KeyTable>>,
}

impl KnownKey {
    /// What the process knows of `key`, from now on if it was nothing.
    pub(crate) fn of(key: VerifyingKey) -> Arc<KnownKey> {
        let find = |known: &[Entry]| known.iter().find(|entry| entry.known.key == key).map(|entry| Arc::clone(&entry.known));
        if let Some(known) = read(&KNOWN).and_then(|known| find(&known)) {
            return known;
        }
        let new = Arc::new(KnownKey { key, uses: AtomicUsize::new(0), table: RwLock::new(Weak::new()) });
        let Some(mut known) = write(&KNOWN) else {
            return new;
        };
        find(&known).unwrap_or_else(|| {
            remember(&mut known, Entry { known: Arc::clone(&new), table: None });
            new
        })
    }

    /// Whether `signature` is the key's over `message`, as `verify_strict` says.
    pub(crate) fn verifies(self: &Arc<KnownKey>, message: &[u8], signature: &[u8; 64]) -> bool {
        let uses = self.uses.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        if let Some(table) = read(&self.table).and_then(|table| table.upgrade()) {
            return table.verifies(message, signature);
        }
        let verifies = self.key.verify_strict(message, &Signature::from_bytes(signature)).is_ok();
        if uses % EARNED == 0 {
            self.look_for_table(uses);
        }
        verifies
    }

    /// Takes the table that the process has for this key, or makes it, while no lock is held. Should another thread be in
    /// the way, the next occasion is as good.
    fn look_for_table(self: &Arc<KnownKey>, uses: usize) {
        {
            let Some(known) = read(&KNOWN) else { return };
            if let Some(table) = self.table_in(&known) {
                return self.take(&table);
            }
            if tables(&known) >= TABLES && uses < REPLACES {
                return;
            }
        }
        let Some(table) = KeyTable::new(self.key).map(Arc::new) else { return };
        let Some(mut known) = write(&KNOWN) else { return };
        if let Some(table) = self.table_in(&known) {
            return self.take(&table);
        }
        if tables(&known) >= TABLES {
            if uses < REPLACES {
                return;
            }
            if let Some(least) = known.iter_mut().filter(|entry| entry.table.is_some()).min_by_key(|entry| entry.uses()) {
                least.table = None;
            }
            known.iter().for_each(|entry| entry.known.uses.store(0, Ordering::Relaxed));
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
        let least = known.iter().enumerate().filter(|(_, entry)| entry.table.is_none()).min_by_key(|(_, entry)| entry.uses());
        if let Some((least, _)) = least {
            known.remove(least);
        }
    }
    known.push(entry);
}

fn read<T>(lock: &RwLock<T>) -> Option<RwLockReadGuard<'_, T>> {
    match lock.try_read() {
        Ok(guard) => Some(guard),
        // Whatever was half done is at worst a table that is missing.
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
