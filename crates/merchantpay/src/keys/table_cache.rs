//! The tables of the keys with which this process verifies often. They belong to the process and not to a verifier,
//! because some hosts drop their verifiers at the end of each request.
//!
//! Nothing here waits for a lock: a forked child may have inherited one that no thread of its own will release. Whoever
//! finds the lock taken verifies without a table.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, RwLock};

use ed25519_dalek::{Signature, VerifyingKey};

use super::key_table::KeyTable;

/// A key gets its table at this verification. Making a table costs about as much as ten verifications.
const USES_FOR_A_TABLE: u32 = 32;

/// The first keys that earn a table keep it for the life of the process: a merchant has one or two keys to verify
/// with, and a flood of other keys must not grow the memory.
const MOST_TABLES: usize = 4;

pub(super) static PROCESS: TableCache = TableCache::new();

pub(super) struct TableCache {
    /// Verifications without a table, counted by the first byte of the key. Keys that share a byte only get their
    /// tables earlier.
    uses: [AtomicU32; 256],
    tables: RwLock<Vec<(VerifyingKey, Arc<KeyTable>)>>,
}

impl TableCache {
    const fn new() -> TableCache {
        TableCache { uses: [const { AtomicU32::new(0) }; 256], tables: RwLock::new(Vec::new()) }
    }

    /// The result of `verify_strict`. A counted use may earn the key its table.
    pub(super) fn verifies(
        &self,
        key: &VerifyingKey,
        message: &[u8],
        signature: &[u8; 64],
        is_counted: bool,
    ) -> bool {
        if let Some(table) = self.table(key) {
            return table.verifies(message, signature);
        }
        let uses = &self.uses[usize::from(key.as_bytes()[0])];
        if is_counted && uses.fetch_add(1, Ordering::Relaxed).wrapping_add(1).is_multiple_of(USES_FOR_A_TABLE)
        {
            self.make_table(key);
        }
        key.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }

    fn table(&self, key: &VerifyingKey) -> Option<Arc<KeyTable>> {
        let tables = self.tables.try_read().ok()?;
        tables.iter().find(|(owner, _)| owner == key).map(|(_, table)| Arc::clone(table))
    }

    fn make_table(&self, key: &VerifyingKey) {
        let Ok(mut tables) = self.tables.try_write() else { return };
        if tables.len() < MOST_TABLES && tables.iter().all(|(owner, _)| owner != key) {
            let table = KeyTable::new(*key, tables.first().map(|(_, table)| table.as_ref()));
            tables.extend(table.map(|table| (*key, Arc::new(table))));
        }
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};

    use super::*;

    const MESSAGE: &[u8] = b"message";

    fn verify(cache: &TableCache, number: u8, times: u32) -> VerifyingKey {
        let signer = SigningKey::from_bytes(&[number; 32]);
        let (key, signature) = (signer.verifying_key(), signer.sign(MESSAGE).to_bytes());
        for _ in 0..times {
            assert!(cache.verifies(&key, MESSAGE, &signature, true));
            assert!(cache.verifies(&key, MESSAGE, &signature, false));
            assert!(!cache.verifies(&key, b"another", &signature, false));
        }
        key
    }

    #[test]
    fn four_keys_get_a_table_at_their_32nd_verification_and_keep_it() {
        let cache = TableCache::new();
        let mut keys: Vec<VerifyingKey> = Vec::new();
        for number in 0..MOST_TABLES as u8 {
            let key = verify(&cache, number, USES_FOR_A_TABLE - 1);
            assert!(cache.table(&key).is_none());
            verify(&cache, number, 1);
            assert!(cache.table(&key).is_some());
            keys.push(key);
        }
        let late = verify(&cache, 9, 3 * USES_FOR_A_TABLE);
        assert!(cache.table(&late).is_none() && keys.iter().all(|key| cache.table(key).is_some()));
        verify(&cache, 0, 1);
    }

    #[test]
    fn a_key_without_many_verifications_takes_no_table() {
        let cache = TableCache::new();
        (0..200).for_each(|number| {
            verify(&cache, number, 1);
        });
        assert!(cache.tables.read().unwrap().is_empty());
    }

    #[test]
    fn nobody_waits_for_a_lock_that_is_never_released() {
        let cache = TableCache::new();
        let key = {
            let _locked = cache.tables.read().unwrap();
            verify(&cache, 1, USES_FOR_A_TABLE)
        };
        assert!(cache.table(&key).is_none());
        verify(&cache, 1, USES_FOR_A_TABLE);
        assert!(cache.table(&key).is_some());
        // A forked child finds the lock in this state if a thread of its parent was making a table.
        let _locked = cache.tables.write().unwrap();
        verify(&cache, 1, USES_FOR_A_TABLE);
        verify(&cache, 2, USES_FOR_A_TABLE);
    }
}
