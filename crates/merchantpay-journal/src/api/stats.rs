//! `stats`: how the journal stands.

use merchantpay::Result;

use crate::api::journal::Journal;
use crate::api::note::check_note;
use crate::model::json::{self, Fields};
use crate::model::standing::Reason;
use crate::storage::queries::{Pause, not_sent};

/// How a journal stands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// How many attempts have each standing, by its name. All are counted but `final`.
    pub standings: Vec<(String, u64)>,
    /// Whether the number of `final` attempts is the database's estimate: of more than a thousand attempts.
    pub is_estimated: bool,
    /// How many attempts and messages, and a changed server, a person must look at.
    pub attention: u64,
    /// How many of them have each reason, by its name; of a message `orphan`.
    pub reasons: Vec<(String, u64)>,
    /// How many attempts are due.
    pub due: u64,
    /// How long the oldest due attempt has been due, in milliseconds; `None` if nothing is due.
    pub overdue: Option<i64>,
    /// The settings of the database that the merchant vouches for.
    pub durability_vouched: Vec<String>,
    /// Who paused the journal; `None` if it is not paused.
    pub pause: Option<Pause>,
    /// The database's server; `None` for SQLite, or if the server cannot be asked.
    pub server: Option<String>,
    /// The server that an operator knows, if another one answers now: after a failover or a restore.
    pub server_before: Option<String>,
}

/// Another server answers than the one that an operator knows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerChange {
    /// The server that an operator knows.
    pub before: String,
    /// The one that answers now.
    pub now: String,
}

impl ServerChange {
    /// The change as one line of JSON.
    pub fn to_json(&self) -> String {
        let [before, now] = [&self.before, &self.now].map(|server| json::quoted(server));
        format!("{{\"serverChange\":{{\"before\":{before},\"now\":{now}}}}}")
    }
}

impl Journal {
    /// How the journal stands. What is not final is counted; the number of all attempts is estimated if there are more
    /// than a thousand, so that it costs the same for any number.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn stats(&self) -> Result<Stats> {
        self.check()?;
        let counts = self.queries.counts().map_err(not_sent)?;
        let server = self.server()?;
        let (server_now, server_before) = match server {
            Server::Known(now) => (now, None),
            Server::Changed(change) => (Some(change.now), Some(change.before)),
        };
        let (mut reasons, changed) = (counts.reasons, u64::from(server_before.is_some()));
        if changed > 0 {
            reasons.push((Reason::ServerChanged.name().to_owned(), changed));
        }
        Ok(Stats {
            standings: counts.standings,
            is_estimated: counts.is_estimated,
            attention: counts.attention + counts.orphans + changed,
            reasons,
            due: counts.due,
            overdue: self.queries.next_due().map_err(not_sent)?.filter(|next| *next <= 0).map(|next| -next),
            durability_vouched: self.durability_vouched.clone(),
            pause: self.queries.pause().map_err(not_sent)?.1,
            server: server_now,
            server_before,
        })
    }

    /// The database's server, compared with the one that an operator knows. The first one that is seen is known.
    pub(crate) fn server(&self) -> Result<Server> {
        let Some(now) = self.queries.server() else { return Ok(Server::Known(None)) };
        match self.queries.known_server().map_err(not_sent)? {
            Some(before) if before != now => Ok(Server::Changed(ServerChange { before, now })),
            Some(_) => Ok(Server::Known(Some(now))),
            None => {
                // A user who may only read leaves it to the next one who may write.
                let _ = self.queries.set_known_server(&now);
                Ok(Server::Known(Some(now)))
            }
        }
    }

    /// Takes a change of the server off the list: an operator knows the server that `change` names. Another one that
    /// answers since stays on the list.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a note that is empty or longer than 500 characters; `storage` if the journal failed.
    pub fn resolve_server(&self, change: &ServerChange, note: &str) -> Result<()> {
        check_note(note)?;
        self.check()?;
        self.until_clear(|| self.queries.set_known_server(&change.now))
    }
}

/// The database's server.
pub(crate) enum Server {
    /// The one that an operator knows, or one that cannot be asked.
    Known(Option<String>),
    Changed(ServerChange),
}

impl Stats {
    /// All of it as one line of JSON.
    pub fn to_json(&self) -> String {
        let counts = |counts: &[(String, u64)]| {
            json::write(
                &counts.iter().map(|(name, count)| (name.clone(), count.to_string())).collect::<Fields>(),
            )
        };
        let text = |text: &Option<String>| text.as_deref().map_or("null".to_owned(), json::quoted);
        let overdue = self.overdue.map_or("null".to_owned(), |overdue| overdue.to_string());
        let vouched = json::list(self.durability_vouched.iter().map(String::as_str));
        let pause = self.pause.as_ref().map_or("null".to_owned(), |pause| {
            format!("{{\"note\":{},\"at\":{}}}", json::quoted(&pause.note), pause.at)
        });
        let fields = [
            ("standings", counts(&self.standings)),
            ("estimated", self.is_estimated.to_string()),
            ("attention", self.attention.to_string()),
            ("reasons", counts(&self.reasons)),
            ("due", self.due.to_string()),
            ("overdueMs", overdue),
            ("durabilityVouched", vouched),
            ("pause", pause),
            ("server", text(&self.server)),
            ("serverBefore", text(&self.server_before)),
        ];
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", fields.join(","))
    }
}
