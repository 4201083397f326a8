//! What real servers do to a journal: restarts, locks, settings. Cut connections, killed processes and failovers are
//! in tests/crash.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use merchantpay_databases::{Kind, Place, Servers, wait_until};
use merchantpay_journal::store::{Database, Failure, Limits, Options, Written};

use crate::rows::{attempt, change, edited, insert, journal, last, open, opened};

/// Makes a user who logs in with a password over TCP, and returns the beginning of his URL.
pub fn with_password(place: &Place, user: &str) -> String {
    if place.kind() == Kind::Postgresql {
        // Also the tables that another role has made are his.
        place.sql(&format!("CREATE ROLE {user} LOGIN PASSWORD 'secret'; GRANT shop TO {user}"));
        return format!("postgresql://{user}:secret@");
    }
    let name = place.name();
    place.sql(&format!("CREATE USER {user} IDENTIFIED BY 'secret'; GRANT ALL ON {name}.* TO {user}"));
    format!("mysql://{user}:secret@")
}

pub fn over_tcp(place: &Place, begin: &str, host: &str, protection: &str) -> String {
    let mode = if place.kind() == Kind::Postgresql { "sslmode" } else { "ssl-mode" };
    format!("{begin}{host}:{}/{}?{mode}={protection}", place.port(), place.name())
}

fn sessions(place: &Place) -> Vec<String> {
    let (name, found) = (
        place.name(),
        match place.kind() {
            Kind::Postgresql => "pid FROM pg_stat_activity WHERE datname",
            _ => "id FROM information_schema.processlist WHERE db",
        },
    );
    place.admin(&format!("SELECT {found} = '{name}'")).lines().map(str::to_owned).collect()
}

pub fn kill_sessions(place: &Place) {
    for session in sessions(place) {
        place.admin(&match place.kind() {
            Kind::Postgresql => format!("SELECT pg_terminate_backend({session}, 5000)"),
            _ => format!("KILL {session}"),
        });
    }
    wait_until("sessions go on", || sessions(place).is_empty());
}

/// Starts a process whose action for SIGPIPE is the default, and which uses a journal when it gets a line.
struct Host(Child, BufReader<std::process::ChildStdout>);

impl Host {
    fn start(url: &str) -> Host {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env("STORE_ROLE", "host").env("PLACE", url);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Host(child, output)
    }

    fn turn(&mut self) -> String {
        self.0.stdin.as_mut().unwrap().write_all(b"go\n").unwrap();
        let mut line = String::new();
        self.1.read_line(&mut line).unwrap();
        line
    }
}

pub fn play_host() {
    sigpipe::reset();
    let database = Database::open(&std::env::var("PLACE").unwrap(), &Options::default());
    for (number, _) in std::io::stdin().lines().enumerate() {
        let row = match &database {
            Ok(database) => database
                .look("order")
                .map_err(|failure| database.error(&failure, merchantpay::Outcome::NotSent)),
            Err(error) => Err(error.clone()),
        };
        // Writes twice to what may be a dead connection, and reads back.
        let stored = database.as_ref().map(|database| {
            let new = attempt(database, &format!("order-{}-{number}", std::process::id()), 1);
            (database.insert(&new), database.insert(&new))
        });
        println!("{:?} {stored:?}", row.map(|_| ()));
    }
}

pub fn restarted(servers: &Servers) {
    let (place, _) = journal(servers);
    let begin = with_password(&place, "restarted");
    let verified = format!("verify-full&ca_file={}", place.ca().display());
    let urls = [
        place.url(),
        over_tcp(&place, &begin, "127.0.0.1", "disable"),
        over_tcp(&place, &begin, "localhost", &verified),
    ];
    let mut hosts: Vec<(String, Host)> = urls.iter().map(|url| (url.clone(), Host::start(url))).collect();
    for round in 0..3 {
        for (url, host) in &mut hosts {
            let line = host.turn();
            assert!(line.starts_with("Ok(()) Ok("), "{url}, round {round}: {line:?}");
            assert!(line.contains("Reported"), "{url}, round {round}: {line:?}");
        }
        servers.restart();
    }
    for (url, mut host) in hosts {
        drop(host.0.stdin.take());
        assert!(host.0.wait().unwrap().success(), "{url}");
    }
}

pub fn held_lock(servers: &Servers) {
    let (place, database) = journal(servers);
    let row = insert(&database, "order");
    let select = "SELECT reference FROM merchantpay_attempts WHERE reference = 'order' FOR UPDATE";
    let (shorten, hold, holds) = match place.kind() {
        Kind::Postgresql => (
            format!("ALTER DATABASE {} SET lock_timeout = '1s'", place.name()),
            format!("BEGIN; {select}; SELECT pg_sleep(4); COMMIT"),
            "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
        ),
        _ => (
            "SET GLOBAL innodb_lock_wait_timeout = 1".to_owned(),
            format!("BEGIN; {select}; SELECT SLEEP(4); COMMIT"),
            "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User sleep'",
        ),
    };
    place.sql(&shorten);
    let options = Options { limits: Limits { connections: 2, ..Limits::default() }, ..Options::default() };
    let database = Database::open(&place.url(), &options).unwrap();
    database.check().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| place.sql(&hold));
        while place.sql(holds) == "0" {
            std::thread::yield_now();
        }
        let begun = Instant::now();
        let stored = database.store(&edited(&row, opened), &row.stamp);
        assert!(matches!(&stored, Err(Failure::Failed { lasting: false, .. })), "{stored:?}");
        assert!(begun.elapsed() < Duration::from_secs(3));
        assert_eq!(last(&database, "order"), row, "a lock stops no reader");
    });
    assert_eq!(database.store(&edited(&row, opened), &row.stamp), Ok(Written::Reported));
    if place.kind() == Kind::Mariadb {
        place.admin("SET GLOBAL innodb_lock_wait_timeout = 50");
    }
}

pub fn shared_connection(servers: &Servers) {
    let (place, database) = journal(servers);
    insert(&database, "order");
    for _ in 0..3 {
        let again = open(&place);
        assert!(again.look("order").unwrap().attempt.is_some());
    }
    drop(database);
    assert_eq!(sessions(&place).len(), 1, "the connection outlives its journals");
    let limits = Limits { connections: 3, idle: Duration::from_millis(200) };
    let many = Database::open(&place.url(), &Options { limits, ..Options::default() }).unwrap();
    let barrier = std::sync::Barrier::new(3);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                barrier.wait();
                (0..20).for_each(|_| drop(many.look("order").unwrap()));
            });
        }
    });
    assert!((1..=4).contains(&sessions(&place).len()));
    std::thread::sleep(Duration::from_millis(300));
    many.look("order").unwrap();
    wait_until("idle connections stay open", || sessions(&place).len() <= 2);
}

pub fn not_durable(servers: &Servers) {
    let (place, _) = journal(servers);
    let (name, set, reset) = match place.kind() {
        Kind::Postgresql => {
            let set = format!("ALTER DATABASE {} SET synchronous_commit = off", place.name());
            ("synchronous_commit", set, String::new())
        }
        _ => {
            let name = "innodb_flush_log_at_trx_commit";
            (name, format!("SET GLOBAL {name} = 2"), format!("SET GLOBAL {name} = 1"))
        }
    };
    place.sql(&set);
    // A new connection is checked, also one of a journal that was opened before.
    kill_sessions(&place);
    let database = open(&place);
    let Err(Failure::Failed { why, lasting: true }) = database.look("order") else { panic!("it is used") };
    assert!(why.contains(&format!("durability_vouched={name} ")), "{why}");
    let vouched = Options { durability_vouched: vec![name.to_owned()], ..Options::default() };
    insert(&Database::open(&place.url(), &vouched).unwrap(), "order");
    if !reset.is_empty() {
        place.admin(&reset);
    }
}

pub fn clock(servers: &Servers) {
    let (place, _) = journal(servers);
    let set = match place.kind() {
        Kind::Postgresql => format!("ALTER DATABASE {} SET timezone = 'Asia/Vladivostok'", place.name()),
        _ => "SET GLOBAL time_zone = '+10:00'".to_owned(),
    };
    place.sql(&set);
    kill_sessions(&place);
    let now = open(&place).look("order").unwrap().now;
    let own = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    assert!((own as i64 - now).abs() < 5_000, "{}", own as i64 - now);
    if place.kind() == Kind::Mariadb {
        place.admin("SET GLOBAL time_zone = 'SYSTEM'");
    }
}

/// PostgreSQL counts whole reads of a table. With many rows, none of a payment's statements makes one.
pub fn plans(servers: &Servers) {
    let (place, database) = journal(servers);
    change(&database, &insert(&database, "order"), opened);
    let row = insert(&database, "other");
    place.sql("INSERT INTO merchantpay_attempts (created_at, updated_at, call_until, due_at, asking_since, news, acked, news_due, \
         attempt, tries, intent_calls, attention, seen, refusals, replaced, restored, not_sent, asynchronous, receipt_given, reference, \
         token, stamp, state, order_id, status, success_of, sum_asked, sum_paid, intent, intent_state, asked, details, error) \
         SELECT n, n, NULL, CASE WHEN n % 10 = 0 THEN 9000000000000 END, NULL, n, n, NULL, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'r-' || n, \
         't-' || n, 's', 'final', 'o-' || n, 'doneSuccess', 'r-' || n, '1', '1', NULL, NULL, 'h', '{}', NULL \
         FROM generate_series(1, 30000) AS n; \
         INSERT INTO merchantpay_messages (received_at, seen, token, digest, order_id, kind, body) \
         SELECT n, 1, 't-' || n, 'd', 'o-' || n, 'status', '' FROM generate_series(1, 30000) AS n; \
         ANALYZE merchantpay_attempts; ANALYZE merchantpay_messages",
    );
    let counted = || -> Vec<i64> {
        let sql = "SELECT seq_scan, idx_scan FROM pg_stat_user_tables \
            WHERE relname IN ('merchantpay_attempts', 'merchantpay_messages') ORDER BY relname";
        place.sql(sql).split(['|', '\n']).map(|number| number.parse().unwrap()).collect()
    };
    kill_sessions(&place);
    let before = counted();
    for number in 0..5 {
        insert(&database, &format!("new-{number}"));
        database.look("order").unwrap();
        database.news(10).unwrap();
        database.due(10).unwrap();
        database.next_due().unwrap();
        database.attention(10).unwrap();
        database.unknown(10).unwrap();
        database.hints(&row.token).unwrap();
        database.orphans(10).unwrap();
        database.by_token("t-7").unwrap();
        database.by_order("o-7").unwrap();
        database.list(None, None, 10).unwrap();
        database.insert_message(&crate::rows::message("t-7", "o-7")).unwrap();
    }
    change(&database, &row, opened);
    drop(database);
    // A session reports its counts when it ends.
    kill_sessions(&place);
    wait_until("nothing is counted", || counted()[1] > before[1]);
    let after = counted();
    assert_eq!([after[0], after[2]], [before[0], before[2]], "a table was read whole");
}
