//! Opens a journal's place by text: a path, `postgresql://…` or `mysql://…`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use merchantpay::{Error, Outcome, Result};

use super::connection::Store;
use super::database::{Database, Shared};
use super::durability::VOUCHABLE;
use super::opening::Opening;
use super::pool::{Limits, Pools};
use super::sqlite::SqliteStore;
use super::statements::Statements;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// Creates a journal's file, or the tables in a database, if they are missing.
    pub create: bool,
    /// The connections to a database. A file has one.
    pub limits: Limits,
    /// A file whose first line is the database's password. It is read again for each connection.
    pub password_file: Option<PathBuf>,
    /// Settings that the journal refuses and the merchant vouches for: names of [`VOUCHABLE`].
    pub durability_vouched: Vec<String>,
}

impl Database {
    /// Opens a place. A file is opened, and created if the options say so; a database is connected to by the
    /// first statement, or by [`check`](Database::check).
    ///
    /// The journals of a process over one database, with the same options, share their connections; these
    /// outlive the journals, so that a worker which opens a journal for each request keeps its connection.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a place or options that cannot be used; `storage` with the outcome `not_sent` for
    /// a file that cannot be used, or if the tables cannot be created.
    pub fn open(place: &str, options: &Options) -> Result<Database> {
        refuse_unknown(options)?;
        let database = match place.split_once("://") {
            Some((scheme, _)) => server(scheme, place, options)?,
            None => return file(place, options),
        };
        // Whoever may only use the tables gets no error for not being allowed to create them.
        if options.create && database.check().is_err() {
            let created = database.create_tables().and_then(|()| database.check());
            created.map_err(|failure| database.error(&failure, Outcome::NotSent))?;
        }
        Ok(database)
    }

    /// A journal in a program's own store. `create` and `password_file` have no meaning here: call
    /// [`create_tables`](Database::create_tables).
    ///
    /// # Errors
    ///
    /// `invalid_argument` for an unknown name in `durability_vouched`.
    pub fn over(store: Arc<dyn Store>, options: &Options) -> Result<Database> {
        refuse_unknown(options)?;
        Ok(Database(shared(store, options)))
    }
}

fn shared(store: Arc<dyn Store>, options: &Options) -> Arc<Shared> {
    let statements = Statements::new(store.dialect());
    let opening = Opening::new(options.durability_vouched.clone());
    Arc::new(Shared::new(Pools::new(store, opening, options.limits), statements))
}

fn refuse_unknown(options: &Options) -> Result<()> {
    let is_unknown = |name: &&String| !VOUCHABLE.contains(&name.as_str());
    match options.durability_vouched.iter().find(is_unknown) {
        None => Ok(()),
        Some(name) => {
            let fault = format!("has the unknown name {name:?}: it accepts {}", VOUCHABLE.join(", "));
            Err(Error::about("durability_vouched", fault))
        }
    }
}

/// A misspelt URL may have a password in it.
fn shown(place: &str) -> String {
    let is_path = !place.contains(['@', '=', '?']) && !place.contains(":/");
    if is_path { format!("{place:?}") } else { "a text that is not shown".to_owned() }
}

fn file(place: &str, options: &Options) -> Result<Database> {
    let path = Path::new(place);
    if !path.is_absolute() {
        let place = shown(place);
        return Err(Error::invalid_argument(format!(
            "the journal's place must be an absolute path, postgresql://… or mysql://…, but {place} is not"
        )));
    }
    let store = SqliteStore::open(path, options.create, &options.durability_vouched)
        .map_err(|failure| failure.error(place, Outcome::NotSent))?;
    // A file has no pool that outlives its journal: the last process that closes it writes its -wal back.
    let limits = Limits { connections: 1, idle: std::time::Duration::MAX };
    let database = Database(shared(Arc::new(store), &Options { limits, ..options.clone() }));
    database.check().map_err(|failure| database.error(&failure, Outcome::NotSent))?;
    Ok(database)
}

#[cfg(not(feature = "databases"))]
fn server(scheme: &str, _: &str, _: &Options) -> Result<Database> {
    Err(Error::invalid_argument(match scheme {
        "postgresql" | "postgres" | "mysql" | "mariadb" => {
            "this build has no drivers for databases: build it with the feature `databases`".to_owned()
        }
        _ => unknown_scheme(),
    }))
}

fn unknown_scheme() -> String {
    "the journal's URL must begin with postgresql:// or mysql://; a file is named by its absolute path"
        .to_owned()
}

#[cfg(feature = "databases")]
fn server(scheme: &str, place: &str, options: &Options) -> Result<Database> {
    let store = super::servers::store(scheme, place, options.password_file.as_deref())?;
    let store = store.ok_or_else(|| Error::invalid_argument(unknown_scheme()))?;
    Ok(Database(known::find_or_add(place, options, || shared(store, options))))
}

/// The databases of this process. A forked child finds its parent's, whose connections it leaves alone.
#[cfg(feature = "databases")]
mod known {
    use std::sync::Arc;

    use arc_swap::ArcSwapOption;
    use zeroize::Zeroizing;

    use super::{Options, Shared};

    /// Beyond this number, databases that no journal uses are forgotten.
    const MOST: usize = 16;

    struct Known {
        place: Zeroizing<String>,
        options: Options,
        shared: Arc<Shared>,
    }

    static KNOWN: ArcSwapOption<Vec<Arc<Known>>> = ArcSwapOption::const_empty();

    pub(super) fn find_or_add(
        place: &str,
        options: &Options,
        make: impl FnOnce() -> Arc<Shared>,
    ) -> Arc<Shared> {
        // A database that is found was created or checked before.
        let options = Options { create: false, ..options.clone() };
        let find = |all: &Vec<Arc<Known>>| {
            let is_same = |known: &&Arc<Known>| *known.place == place && known.options == options;
            all.iter().find(is_same).map(|known| known.shared.clone())
        };
        if let Some(found) = KNOWN.load().as_deref().and_then(find) {
            return found;
        }
        let new = Arc::new(Known {
            place: Zeroizing::new(place.to_owned()),
            options: options.clone(),
            shared: make(),
        });
        KNOWN.rcu(|all| {
            let mut all = all.as_deref().cloned().unwrap_or_default();
            if find(&all).is_none() {
                if all.len() >= MOST {
                    all.retain(|known| Arc::strong_count(&known.shared) > 1);
                }
                all.push(new.clone());
            }
            Some(Arc::new(all))
        });
        KNOWN.load().as_deref().and_then(find).unwrap_or_else(|| new.shared.clone())
    }
}
