//! The store over every database: a SQLite file, PostgreSQL, pgbouncer in transaction mode, and MariaDB.
//!
//! Without the feature `databases` only the file is tested.

mod files;
mod forks;
mod protection;
mod rows;
mod servers;
mod statements;
mod upkeep;

use std::process::ExitCode;

use merchantpay_databases::{Kind, Test, run};

const EVERYWHERE: fn(Kind) -> bool = |_| true;
const FILE: fn(Kind) -> bool = |kind| kind == Kind::Sqlite;
/// Only Linux lists the locks of files.
const FILE_ON_LINUX: fn(Kind) -> bool = |kind| cfg!(target_os = "linux") && kind == Kind::Sqlite;
/// A server to which the journal connects itself.
const DIRECT: fn(Kind) -> bool = |kind| [Kind::Postgresql, Kind::Mariadb].contains(&kind);
const POSTGRESQL: fn(Kind) -> bool = |kind| kind == Kind::Postgresql;

const TESTS: &[Test] = &[
    ("look finds the last attempt, the clock and the pause", EVERYWHERE, statements::look),
    ("keys are compared byte for byte", EVERYWHERE, statements::keys),
    ("new attempt is stored once, unless paused or paid", EVERYWHERE, statements::guards),
    ("stale write changes nothing", EVERYWHERE, statements::stamps),
    ("order belongs to one attempt, and a reference has one success", EVERYWHERE, statements::uniqueness),
    ("whole-row write leaves acknowledgement and lease alone", EVERYWHERE, statements::news),
    ("entry of the news is leased to one reader", EVERYWHERE, statements::lease),
    ("replacing writes both attempts or none", EVERYWHERE, statements::replace),
    ("due attempts come by time, and a time too far ahead is due", EVERYWHERE, statements::due),
    ("attention and unknown calls are listed", EVERYWHERE, statements::attention),
    ("list pages through the last attempts", EVERYWHERE, statements::list),
    ("message is stored once, and its hints count the tokens", EVERYWHERE, upkeep::messages),
    ("orphans are listed by order, and kept until they are seen", EVERYWHERE, upkeep::orphans),
    ("message at unknown tokens is stored a few times", EVERYWHERE, upkeep::copies),
    ("purge empties a seen message of no attempt", EVERYWHERE, upkeep::strangers),
    ("due row in an unknown state is only unreadable", EVERYWHERE, statements::other_state),
    ("setting is set once", EVERYWHERE, upkeep::settings),
    ("restored journal is marked and paused", EVERYWHERE, upkeep::restored),
    ("purge finds what is finished", EVERYWHERE, upkeep::purge),
    ("export is imported as it was", EVERYWHERE, upkeep::export),
    ("journal without tables names the remedy", EVERYWHERE, upkeep::without_tables),
    ("child goes on when its parent has closed the journal", EVERYWHERE, forks::outlives_its_parent),
    ("sixteen processes store each reference once", EVERYWHERE, forks::sixteen_processes),
    ("missing file is not created unless asked", FILE, files::missing),
    ("foreign files are left as they are", FILE, files::foreign),
    ("second hard link is refused", FILE, files::links),
    ("mode is the owner's alone", FILE, files::mode),
    ("replaced files are noticed for good", FILE, files::replaced),
    ("-wal of another state is refused", FILE, files::foreign_wal),
    ("any -wal beside a backup is refused", FILE, files::wal_beside_backup),
    ("killed process leaves a -wal that is its own", FILE, files::own_wal),
    ("second journal keeps the first one's locks", FILE_ON_LINUX, files::locks),
    ("restart between statements does not end the host", DIRECT, servers::restarted),
    ("held lock ends a statement in time", DIRECT, servers::held_lock),
    ("journals of one place share one connection", DIRECT, servers::shared_connection),
    ("what may lose a commit is refused", DIRECT, servers::not_durable),
    ("clock ignores the session's time zone", DIRECT, servers::clock),
    ("statements of a payment read by their indexes", POSTGRESQL, servers::plans),
    ("TLS is what the URL asks for", DIRECT, protection::modes),
    ("client certificate logs in", POSTGRESQL, protection::client_certificate),
    ("no password goes to an unverified server", DIRECT, protection::unverified),
    ("password file is read for each connection", DIRECT, protection::password_file),
    ("role without the right to create uses the tables", POSTGRESQL, protection::without_create_right),
    ("login needs no password where the server asks for none", DIRECT, protection::without_password),
    ("password comes from ~/.pgpass", POSTGRESQL, protection::pgpass),
];

fn main() -> ExitCode {
    // The program that a test starts again in another role.
    match std::env::var("STORE_ROLE").as_deref() {
        Ok("shop") => files::play_shop(),
        Ok("host") => servers::play_host(),
        Ok("connect") => protection::play_connect(),
        _ if cfg!(feature = "databases") => return run(&Kind::ALL, TESTS),
        _ => return run(&[Kind::Sqlite], TESTS),
    }
    ExitCode::SUCCESS
}
