//! The connections of one process to one place.
//!
//! A forked child must not touch what it has inherited: a lock may be held by a thread that it does not have,
//! and a connection is still the parent's. So every process has pools of its own, found by its pid.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;

use super::connection::{Connection, Rows, Store, Value};
use super::dialect::Dialect;
use super::failure::Failure;
use super::opening::Opening;

/// How long a thread waits for a connection that other threads use.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a child waits for the lock of an inherited pool: another thread of the child may hold it and
/// release it, a thread of the parent never does.
const INHERITED_LOCK: Duration = Duration::from_secs(1);

/// The number of connections and their idle time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most connections of a process to the place.
    pub connections: usize,
    /// A connection that was idle for longer is not used again: a firewall or the server may have closed it.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { connections: 1, idle: Duration::from_secs(60) }
    }
}

/// What each statement of a transaction must do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    Rows,
    Nothing,
}

/// The pools of every process, which share one store.
pub(super) struct Pools {
    store: Arc<dyn Store>,
    opening: Opening,
    limits: Limits,
    own: ArcSwapOption<Pool>,
}

impl Pools {
    pub(super) fn new(store: Arc<dyn Store>, opening: Opening, limits: Limits) -> Pools {
        Pools { store, opening, limits, own: ArcSwapOption::empty() }
    }

    pub(super) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Runs one statement. A SELECT whose answer is lost is repeated once, on a new connection; it has no
    /// effect, so after that it has failed.
    pub(super) fn run(&self, sql: &str, parameters: &[Value]) -> Result<Rows, Failure> {
        let pool = self.pool();
        let reads = sql.starts_with("SELECT ");
        let mut result = self.lease(&pool)?.run(sql, parameters);
        if reads && matches!(result, Err(Failure::Unclear(_))) {
            result = self.lease(&pool)?.run(sql, parameters);
        }
        if reads { result.map_err(without_effect) } else { result }
    }

    /// Runs statements in one transaction. If one of them writes no row although it must, everything is rolled
    /// back, and the result is `false`.
    pub(super) fn run_all(&self, statements: &[(&str, Vec<Value>)], needs: Needs) -> Result<bool, Failure> {
        let pool = self.pool();
        let mut lease = self.lease(&pool)?;
        lease.run(begin(self.store.dialect()), &[]).map_err(without_effect)?;
        for (sql, parameters) in statements {
            let is_written = match lease.run(sql, parameters) {
                Ok(rows) => rows.affected > 0 || needs == Needs::Nothing,
                Err(failure) => {
                    lease.roll_back();
                    // The server rolls back what a lost connection has not committed.
                    return Err(without_effect(failure));
                }
            };
            if !is_written {
                lease.roll_back();
                return Ok(false);
            }
        }
        let committed = lease.run("COMMIT", &[]);
        if committed.is_err() {
            lease.roll_back();
        }
        committed.map(|_| true)
    }

    /// For what a checked connection would refuse, such as creating the tables.
    pub(super) fn with_unchecked<T>(
        &self,
        work: impl FnOnce(&mut dyn Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        work(&mut *self.store.connect()?)
    }

    fn pool(&self) -> Arc<Pool> {
        let pid = std::process::id();
        loop {
            match self.own.load_full() {
                Some(pool) if pool.pid == pid => return pool,
                inherited => {
                    if let Some(pool) = &inherited {
                        pool.leave();
                    }
                    let new = Arc::new(Pool::new(pid, self.limits));
                    self.own.compare_and_swap(&inherited, Some(new));
                }
            }
        }
    }

    fn lease<'a>(&'a self, pool: &'a Pool) -> Result<Lease<'a>, Failure> {
        pool.admit()?;
        let mut lease = Lease { pool, keeps: !self.store.reconnects(), connection: pool.idle() };
        if lease.connection.is_none() {
            // Checked before its first use: after a failover the name may lead to another server.
            let mut connection = self.store.connect()?;
            self.opening.check(&mut *connection, self.store.dialect())?;
            lease.connection = Some(connection);
        }
        Ok(lease)
    }
}

const fn begin(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "BEGIN IMMEDIATE",
        Dialect::Postgresql | Dialect::Mysql => "BEGIN",
    }
}

/// The failure of a statement that cannot have had an effect.
fn without_effect(failure: Failure) -> Failure {
    match failure {
        Failure::Unclear(why) => Failure::failed(why),
        failure => failure,
    }
}

/// The connections of one process.
struct Pool {
    pid: u32,
    limits: Limits,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<(Box<dyn Connection>, Instant)>,
    in_use: usize,
}

impl Pool {
    fn new(pid: u32, limits: Limits) -> Pool {
        Pool { pid, limits, state: Mutex::default(), returned: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until one more connection may be used.
    fn admit(&self) -> Result<(), Failure> {
        let is_full = |state: &mut State| state.in_use >= self.limits.connections.max(1);
        let waited = self.returned.wait_timeout_while(self.state(), PATIENCE, is_full);
        let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(Failure::failed("all connections to the database are in use"));
        }
        state.in_use += 1;
        Ok(())
    }

    /// Takes an idle connection, and closes those that were idle for too long.
    fn idle(&self) -> Option<Box<dyn Connection>> {
        let now = Instant::now();
        let (old, found) = {
            let mut state = self.state();
            let is_old = |since: &Instant| now.duration_since(*since) >= self.limits.idle;
            let old: Vec<_> = state.idle.extract_if(.., |(_, since)| is_old(since)).collect();
            (old, state.idle.pop())
        };
        drop(old);
        found.map(|(connection, _)| connection)
    }

    /// Leaves the connections of the parent, in a forked child.
    fn leave(&self) {
        let end = Instant::now() + INHERITED_LOCK;
        loop {
            match self.state.try_lock() {
                Ok(mut state) => {
                    state.idle.drain(..).for_each(|(connection, _)| connection.leave());
                    return;
                }
                Err(TryLockError::WouldBlock) if Instant::now() < end => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(_) => return,
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.pid != std::process::id() {
            let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(std::mem::take(&mut state.idle));
        }
    }
}

struct Lease<'a> {
    pool: &'a Pool,
    keeps: bool,
    connection: Option<Box<dyn Connection>>,
}

impl Lease<'_> {
    fn run(&mut self, sql: &str, parameters: &[Value]) -> Result<Rows, Failure> {
        let connection = self.connection.as_mut().ok_or_else(|| Failure::failed("the connection is lost"))?;
        let result = connection.run(sql, parameters);
        match &result {
            // What broke this connection has probably broken the idle ones too.
            Err(Failure::Unclear(_)) if !self.keeps => {
                let idle = std::mem::take(&mut self.pool.state().idle);
                drop((idle, self.connection.take()));
            }
            // After a failover the old primary refuses writes: a new connection may find the new one.
            Err(Failure::Failed { .. }) if !self.keeps => self.connection = None,
            _ => {}
        }
        result
    }

    fn roll_back(&mut self) {
        if let Some(mut connection) = self.connection.take()
            && (connection.run("ROLLBACK", &[]).is_ok() || self.keeps)
        {
            self.connection = Some(connection);
        }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let connection = self.connection.take();
        let mut state = self.pool.state();
        state.in_use -= 1;
        state.idle.extend(connection.map(|connection| (connection, Instant::now())));
        drop(state);
        self.pool.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A store whose connections lose the answers of the statements with these numbers.
    #[derive(Default)]
    struct Losing {
        lost: Vec<usize>,
        ran: AtomicUsize,
        opened: AtomicUsize,
        closed: AtomicUsize,
        left: AtomicUsize,
    }

    struct Line(Arc<Losing>);

    impl Store for Arc<Losing> {
        fn dialect(&self) -> Dialect {
            Dialect::Mysql
        }

        fn place(&self) -> String {
            "test".to_owned()
        }

        fn connect(&self) -> Result<Box<dyn Connection>, Failure> {
            self.opened.fetch_add(1, Ordering::SeqCst);
            Ok(Box::new(Line(self.clone())))
        }
    }

    impl Connection for Line {
        fn run(&mut self, sql: &str, _: &[Value]) -> Result<Rows, Failure> {
            let number = self.0.ran.fetch_add(1, Ordering::SeqCst);
            match sql {
                _ if self.0.lost.contains(&number) => Err(Failure::Unclear("lost".to_owned())),
                "refused" => Err(Failure::failed("no")),
                "nothing" => Ok(Rows::default()),
                _ => Ok(Rows { rows: Vec::new(), affected: 1 }),
            }
        }

        fn leave(self: Box<Self>) {
            self.0.left.fetch_add(1, Ordering::SeqCst);
            std::mem::forget(self);
        }
    }

    impl Drop for Line {
        fn drop(&mut self) {
            self.0.closed.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn pools(lost: &[usize], limits: Limits) -> (Arc<Losing>, Pools) {
        let store = Arc::new(Losing { lost: lost.to_vec(), ..Losing::default() });
        (store.clone(), Pools::new(Arc::new(store), Opening::unchecked(), limits))
    }

    fn counts(store: &Losing) -> (usize, usize, usize) {
        let of = |count: &AtomicUsize| count.load(Ordering::SeqCst);
        (of(&store.ran), of(&store.opened), of(&store.closed))
    }

    #[test]
    fn lost_read_is_repeated_once_and_then_failed() {
        for (sql, lost, expected, ran) in [
            ("SELECT 1", vec![0], Ok(1), 2),
            ("SELECT 1", vec![0, 1], Err(Failure::failed("lost")), 2),
            ("UPDATE t", vec![0], Err(Failure::Unclear("lost".to_owned())), 1),
        ] {
            let (store, pools) = pools(&lost, Limits::default());
            assert_eq!(pools.run(sql, &[]).map(|rows| rows.affected), expected);
            assert_eq!(counts(&store).0, ran, "{sql}");
            pools.run("UPDATE t", &[]).unwrap();
            assert_eq!(counts(&store), (ran + 1, lost.len() + 1, lost.len()));
        }
    }

    #[test]
    fn refused_statement_gets_a_new_connection_next() {
        let (store, pools) = pools(&[], Limits::default());
        pools.run("refused", &[]).unwrap_err();
        pools.run("UPDATE t", &[]).unwrap();
        pools.run("UPDATE t", &[]).unwrap();
        assert_eq!(counts(&store), (3, 2, 1));
    }

    #[test]
    fn transaction_is_unclear_only_at_its_commit() {
        for (statements, lost, expected, ran) in [
            (["UPDATE t", "INSERT t"], vec![], Ok(true), 4),
            (["UPDATE t", "nothing"], vec![], Ok(false), 4),
            (["nothing", "INSERT t"], vec![], Ok(false), 3),
            (["UPDATE t", "refused"], vec![], Err(Failure::failed("no")), 3),
            (["UPDATE t", "INSERT t"], vec![2], Err(Failure::failed("lost")), 3),
            (["UPDATE t", "INSERT t"], vec![0], Err(Failure::failed("lost")), 1),
            (["UPDATE t", "INSERT t"], vec![3], Err(Failure::Unclear("lost".to_owned())), 4),
        ] {
            let (store, pools) = pools(&lost, Limits::default());
            let statements = statements.map(|sql| (sql, Vec::new()));
            assert_eq!(pools.run_all(&statements, Needs::Rows), expected);
            assert_eq!(counts(&store).0, ran, "{statements:?} {lost:?}");
        }
    }

    #[test]
    fn idle_connection_is_closed_at_the_next_use() {
        let (store, pools) = pools(&[], Limits { idle: Duration::ZERO, ..Limits::default() });
        pools.run("UPDATE t", &[]).unwrap();
        pools.run("UPDATE t", &[]).unwrap();
        assert_eq!(counts(&store), (2, 2, 1));
    }

    #[test]
    fn child_leaves_its_parents_connections() {
        let (store, pools) = pools(&[], Limits::default());
        pools.run("UPDATE t", &[]).unwrap();
        // A pool of another pid is what a child finds.
        let parents = pools.own.load_full().unwrap();
        let inherited = Pool::new(parents.pid + 1, parents.limits);
        inherited.state().idle.append(&mut parents.state().idle);
        pools.own.store(Some(Arc::new(inherited)));
        pools.run("UPDATE t", &[]).unwrap();
        assert_eq!((counts(&store), store.left.load(Ordering::SeqCst)), ((2, 2, 0), 1));

        let unused = Pool::new(parents.pid + 1, parents.limits);
        unused.state().idle.push((Box::new(Line(store.clone())), Instant::now()));
        drop(unused);
        assert_eq!(counts(&store).2, 0, "an inherited pool that is dropped closes nothing");
    }

    #[test]
    fn threads_share_the_connections() {
        let (store, pools) = pools(&[], Limits::default());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..50).for_each(|_| drop(pools.run("UPDATE t", &[]).unwrap())));
            }
        });
        assert_eq!(counts(&store), (200, 1, 0));
    }
}
