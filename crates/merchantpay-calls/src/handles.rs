//! The objects that a host holds, behind numbers. A wrong or closed number is an error and never a crash.
//!
//! The table has no locks: a child of `fork` would wait for ever for one that a thread of its parent held. It
//! is a fixed array of zeroes, of which the system backs only the pages that were used.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use arc_swap::ArcSwapOption;
use merchantpay::{Error, Result};

use crate::object::Object;

/// A host that needs more at once does not close them.
const MOST_OBJECTS: usize = 1 << 17;

/// The generation has 31 bits, so that a handle is positive where a host has only signed numbers.
const GENERATIONS: u32 = (1 << 31) - 1;

struct Slot {
    /// Odd while the slot holds an object. A handle is valid only with its own generation.
    generation: AtomicU32,
    /// While the slot is free: the next free slot plus 1.
    next: AtomicU32,
    object: ArcSwapOption<Object>,
}

static SLOTS: [Slot; MOST_OBJECTS] = [const {
    Slot { generation: AtomicU32::new(0), next: AtomicU32::new(0), object: ArcSwapOption::const_empty() }
}; MOST_OBJECTS];
/// How many slots were ever used.
static USED: AtomicU32 = AtomicU32::new(0);
/// The lower half is the first free slot plus 1. The upper half counts the changes, so that a thread which was
/// preempted between reading `next` and swapping notices that the list is another one.
static FREE: AtomicU64 = AtomicU64::new(0);

fn first_of(free: u64) -> u32 {
    (free & u64::from(u32::MAX)) as u32
}

fn with_first(free: u64, first: u32) -> u64 {
    ((free >> 32).wrapping_add(1) << 32) | u64::from(first)
}

pub(crate) fn hold(object: Arc<Object>) -> Result<u64> {
    let index = free_slot().or_else(unused_slot);
    let (index, slot) =
        index.and_then(|index| Some((index, SLOTS.get(index as usize)?))).ok_or_else(|| {
            Error::invalid_argument(format!("more than {MOST_OBJECTS} objects are open: close them"))
        })?;
    slot.object.store(Some(object));
    let generation = slot.generation.fetch_add(1, Ordering::AcqRel).wrapping_add(1) & GENERATIONS;
    Ok((u64::from(generation) << 32) | u64::from(index))
}

fn free_slot() -> Option<u32> {
    let take = |free| {
        let first = SLOTS.get(first_of(free).checked_sub(1)? as usize)?;
        Some(with_first(free, first.next.load(Ordering::Acquire)))
    };
    let taken = FREE.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).ok()?;
    first_of(taken).checked_sub(1)
}

fn unused_slot() -> Option<u32> {
    let next = |used| ((used as usize) < MOST_OBJECTS).then_some(used + 1);
    USED.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).ok()
}

/// The slot of a handle, and the generation that it had when it was looked at.
fn slot_of(handle: u64) -> Option<(&'static Slot, u32)> {
    let index = usize::try_from(handle & u64::from(u32::MAX)).ok()?;
    let slot = SLOTS.get(index)?;
    let generation = slot.generation.load(Ordering::Acquire);
    (generation % 2 == 1 && u64::from(generation & GENERATIONS) == handle >> 32).then_some((slot, generation))
}

/// The object of a handle. Whoever has it keeps it, also while the handle is closed.
pub(crate) fn find(handle: u64) -> Option<Arc<Object>> {
    let object = slot_of(handle)?.0.object.load_full()?;
    // The slot may have been given to another object between the two looks.
    slot_of(handle).map(|_| object)
}

/// Closes a handle. Running calls end normally, and the last of them drops the object. A handle that is closed
/// already, or never was one, does nothing.
pub fn close(handle: u64) {
    let Some((slot, generation)) = slot_of(handle) else { return };
    let closed = generation.wrapping_add(1);
    if slot.generation.compare_exchange(generation, closed, Ordering::AcqRel, Ordering::Acquire).is_err() {
        return;
    }
    let object = slot.object.swap(None);
    let place = (handle & u64::from(u32::MAX)) as u32 + 1;
    let put = |free| {
        slot.next.store(first_of(free), Ordering::Release);
        Some(with_first(free, place))
    };
    let _ = FREE.fetch_update(Ordering::AcqRel, Ordering::Acquire, put);
    // Code of the host may run here: the release of its callbacks.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(object)));
}

/// Ends the running calls of a client or a journal and of all that was derived from it, and lets no more start.
/// Returns whether the handle is open.
pub fn interrupt(handle: u64) -> bool {
    let interrupted = catch_unwind(|| find(handle).map(|object| object.interrupt()));
    matches!(interrupted, Ok(Some(())))
}

/// The number of open handles, for tests of leaks.
pub fn open_handles() -> usize {
    let used = USED.load(Ordering::Acquire) as usize;
    SLOTS.iter().take(used).filter(|slot| slot.generation.load(Ordering::Acquire) % 2 == 1).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Style;

    fn library() -> u64 {
        hold(Arc::new(Object::library(Style::Snake))).unwrap()
    }

    #[test]
    fn closed_handle_is_unknown_also_after_its_slot_has_another_object() {
        let first = library();
        assert!(find(first).is_some());
        close(first);
        close(first);
        assert!(find(first).is_none());
        assert!(!interrupt(first));
        for handle in [0, u64::MAX, 1, u64::from(u32::MAX), first ^ (1 << 32)] {
            close(handle);
        }
        // Slots are reused, last in first out: without other threads one of these has the slot of the first.
        let others: Vec<u64> = (0..64).map(|_| library()).collect();
        assert!(find(first).is_none());
        close(first);
        assert!(others.iter().all(|handle| find(*handle).is_some()));
        others.into_iter().for_each(close);
    }

    #[test]
    fn call_keeps_the_object_that_is_closed() {
        let handle = library();
        let held = find(handle).unwrap();
        close(handle);
        assert_eq!(held.style(), Style::Snake);
    }

    #[test]
    fn threads_never_get_the_same_handle() {
        let work = || {
            for _ in 0..2_000 {
                let handles: Vec<u64> = (0..8).map(|_| library()).collect();
                let mut sorted = handles.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), handles.len());
                assert!(handles.iter().all(|handle| find(*handle).is_some()));
                handles.iter().copied().for_each(close);
                assert!(handles.iter().all(|handle| find(*handle).is_none()));
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    }
}
