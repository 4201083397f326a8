//! A pool of connections. No statement depends on the session of an earlier statement.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use merchantpay_journal::{Rows, StoreError};

/// The largest number of open connections.
const MOST: usize = 10;

/// A connection that was idle for this long is not used again: a firewall or the server may have closed it.
const LONGEST_IDLE: Duration = Duration::from_secs(60);

/// A thread waits this long for a connection.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Pool<C> {
    state: Mutex<State<C>>,
    returned: Condvar,
}

struct State<C> {
    idle: Vec<(C, Instant)>,
    in_use: usize,
}

impl<C> Pool<C> {
    pub(super) fn new() -> Pool<C> {
        Pool { state: Mutex::new(State { idle: Vec::new(), in_use: 0 }), returned: Condvar::new() }
    }

    /// Runs a statement. If a pooled connection is lost, a statement that only reads is repeated on a new
    /// connection.
    pub(super) fn run(
        &self,
        sql: &str,
        connect: impl Fn() -> Result<C, StoreError>,
        run: impl Fn(&mut C) -> Result<Rows, StoreError>,
    ) -> Result<Rows, StoreError> {
        let reads = sql.starts_with("SELECT ");
        let place = self.place()?;
        let (result, was_kept) = match place.idle() {
            Some(kept) => (place.run(kept, &run), true),
            None => (place.run(connect()?, &run), false),
        };
        let result = match result {
            Err(StoreError::Unclear(_)) if reads && was_kept => place.run(connect()?, &run),
            result => result,
        };
        match result {
            // A statement that only reads changes nothing, so its effect is never unclear: the statement has
            // failed.
            Err(StoreError::Unclear(why)) if reads => Err(StoreError::Failed(why)),
            result => result,
        }
    }

    fn state(&self) -> MutexGuard<'_, State<C>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the permission to use one connection.
    fn place(&self) -> Result<Place<'_, C>, StoreError> {
        let full = |state: &mut State<C>| state.in_use >= MOST;
        let waited = self.returned.wait_timeout_while(self.state(), PATIENCE, full);
        let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(StoreError::Failed("all connections to the database are in use".to_owned()));
        }
        state.in_use += 1;
        Ok(Place(self))
    }
}

/// The permission to use one connection. It ends when the value is dropped.
struct Place<'a, C>(&'a Pool<C>);

impl<C> Place<'_, C> {
    fn idle(&self) -> Option<C> {
        let mut state = self.0.state();
        let now = Instant::now();
        state.idle.retain(|(_, since)| now.duration_since(*since) < LONGEST_IDLE);
        state.idle.pop().map(|(connection, _)| connection)
    }

    /// Runs a statement on one connection. A failed statement closes the connection, unless the server only
    /// refused the statement.
    fn run(
        &self,
        mut connection: C,
        run: impl Fn(&mut C) -> Result<Rows, StoreError>,
    ) -> Result<Rows, StoreError> {
        let result = run(&mut connection);
        let mut state = self.0.state();
        match result {
            Ok(_) | Err(StoreError::Duplicate) => state.idle.push((connection, Instant::now())),
            // The cause that broke this connection has probably broken the idle connections too.
            Err(StoreError::Unclear(_)) => state.idle.clear(),
            Err(StoreError::Failed(_)) => {}
        }
        result
    }
}

impl<C> Drop for Place<'_, C> {
    fn drop(&mut self) {
        self.0.state().in_use -= 1;
        self.0.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn only_a_statement_that_reads_is_repeated_after_a_lost_connection() {
        for (sql, runs, expected) in [
            ("SELECT 1", 2, Ok(Rows::default())),
            ("UPDATE t SET a = 1", 1, Err(StoreError::Unclear("lost".to_owned()))),
        ] {
            let pool = Pool::new();
            let (opened, ran) = (Cell::new(0), Cell::new(0));
            let connect = || {
                opened.set(opened.get() + 1);
                Ok(opened.get())
            };
            // The first connection is lost after the pool has taken it back.
            let run = |connection: &mut i32| {
                ran.set(ran.get() + 1);
                match (*connection, ran.get()) {
                    (1, 2..) => Err(StoreError::Unclear("lost".to_owned())),
                    _ => Ok(Rows::default()),
                }
            };
            pool.run("SELECT 0", connect, run).unwrap();
            let before = ran.get();
            assert_eq!(pool.run(sql, connect, run), expected);
            assert_eq!(ran.get() - before, runs, "{sql}");
            assert_eq!(pool.state().in_use, 0);
        }
    }

    #[test]
    fn a_statement_that_reads_and_fails_twice_has_failed() {
        let pool: Pool<()> = Pool::new();
        let lost = |_: &mut ()| Err(StoreError::Unclear("lost".to_owned()));
        assert_eq!(pool.run("SELECT 1", || Ok(()), lost), Err(StoreError::Failed("lost".to_owned())));
    }

    #[test]
    fn a_connection_whose_statement_failed_is_not_used_again() {
        let pool = Pool::new();
        let opened = Cell::new(0);
        let connect = || {
            opened.set(opened.get() + 1);
            Ok(())
        };
        let ok = |_: &mut ()| Ok(Rows::default());
        pool.run("UPDATE t", connect, |_: &mut ()| Err(StoreError::Failed("no".to_owned()))).unwrap_err();
        pool.run("UPDATE t", connect, ok).unwrap();
        pool.run("UPDATE t", connect, ok).unwrap();
        assert_eq!(opened.get(), 2);
    }
}
