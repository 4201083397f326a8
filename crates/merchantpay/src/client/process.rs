//! State and locks of a client that is used before and after a `fork`. A child inherits the memory, but not the
//! threads: a lock that one of them held stays locked for ever.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A value for each process that uses a client. A forked child first finds the value of its parent, and adds its
/// own behind it.
#[derive(Debug)]
pub(super) struct PerProcess<T> {
    pid: u32,
    value: T,
    child: OnceLock<Box<PerProcess<T>>>,
}

impl<T: Default> PerProcess<T> {
    pub(super) fn new() -> PerProcess<T> {
        PerProcess::of(std::process::id())
    }

    fn of(pid: u32) -> PerProcess<T> {
        PerProcess { pid, value: T::default(), child: OnceLock::new() }
    }

    /// The value of the process `pid`, which must be this one. `inherited` is called with the value of each
    /// ancestor.
    pub(super) fn get(&self, pid: u32, inherited: impl Fn(&T)) -> &T {
        let mut found = self;
        while found.pid != pid {
            inherited(&found.value);
            match found.child.get() {
                Some(child) => found = child,
                // Not `get_or_init`, which waits for the thread that initializes: in a fork's child for ever.
                None => drop(found.child.set(Box::new(PerProcess::of(pid)))),
            }
        }
        &found.value
    }
}

/// Takes a lock. Poisoning is ignored: nothing that can panic runs under these locks.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn each_process_has_its_own_value() {
        let (own, child) = (std::process::id(), std::process::id() + 1);
        let value: PerProcess<Mutex<u32>> = PerProcess::new();
        let inherited = Cell::new(0);
        let get = |pid| value.get(pid, |_| inherited.set(inherited.get() + 1));
        *get(own).lock().unwrap() = 1;
        assert_eq!((*get(own).lock().unwrap(), inherited.get()), (1, 0));
        assert_eq!((*get(child).lock().unwrap(), inherited.get()), (0, 2), "before and after it was added");
        *get(child).lock().unwrap() = 2;
        let values = [own, child, child + 1].map(|pid| *get(pid).lock().unwrap());
        assert_eq!(values, [1, 2, 0]);
    }
}
