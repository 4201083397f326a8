//! A value for each process. After a `fork` the child makes its own value. It does not wait for a lock that a
//! thread of its parent held.

use std::sync::OnceLock;

/// A list with a value for each process. A forked child first finds its parent's value, and adds its own
/// value after it.
#[derive(Debug)]
pub(super) struct PerProcess<T> {
    pid: u32,
    value: T,
    child: OnceLock<Box<PerProcess<T>>>,
}

impl<T: Default> PerProcess<T> {
    /// Makes a value for this process.
    pub(super) fn new() -> PerProcess<T> {
        PerProcess { pid: std::process::id(), value: T::default(), child: OnceLock::new() }
    }

    /// The value of the process `pid`; the caller must run in this process. `inherited` is called with the
    /// value of each ancestor process.
    pub(super) fn get(&self, pid: u32, inherited: impl Fn(&T)) -> &T {
        let mut found = self;
        while found.pid != pid {
            inherited(&found.value);
            // `get_or_init` can deadlock after a fork: the child would wait for a thread that exists only in
            // the parent. So the value is first made and then set.
            match found.child.get() {
                Some(child) => found = child,
                None => drop(found.child.set(Box::new(PerProcess {
                    pid,
                    value: T::default(),
                    child: OnceLock::new(),
                }))),
            }
        }
        &found.value
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn each_process_has_a_value_of_its_own() {
        let (own, child) = (std::process::id(), std::process::id() + 1);
        let value: PerProcess<Mutex<u32>> = PerProcess::new();
        let inherited = Cell::new(0);
        let get = |pid| value.get(pid, |_| inherited.set(inherited.get() + 1));
        *get(own).lock().unwrap() = 1;
        assert_eq!((*get(own).lock().unwrap(), inherited.get()), (1, 0));
        assert_eq!(
            (*get(child).lock().unwrap(), inherited.get()),
            (0, 2),
            "asked for before and after the child's was made"
        );
        *get(child).lock().unwrap() = 2;
        assert_eq!(
            (*get(own).lock().unwrap(), *get(child).lock().unwrap(), *get(child + 1).lock().unwrap()),
            (1, 2, 0)
        );
    }
}
