//! `stats`: the journal's counts and its state.

use merchantpay::Result;

use crate::api::journal::Journal;
use crate::api::note::check_note;
use crate::model::json::{self, Fields};
use crate::model::standing::Reason;
use crate::storage::queries::{Pause, not_sent};

/// A journal's counts and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The number of attempts by standing. Every standing except `final` is counted exactly.
    pub standings: Vec<(String, u64)>,
    /// `true` if the number of `final` attempts is the database's estimate, which is used above a thousand
    /// attempts.
    pub is_estimated: bool,
    /// The number of items about which an operator must decide: attempts, orphans and a changed server.
    pub attention: u64,
    /// The number of these items by reason. An orphan counts under the reason `orphan`.
    pub reasons: Vec<(String, u64)>,
    /// The number of due attempts.
    pub due: u64,
    /// The time since the oldest due attempt became due, in milliseconds; `None` if no attempt is due.
    pub overdue: Option<i64>,
    /// The database settings that the merchant accepts by `durability_vouched`, although they can lose a row.
    pub durability_vouched: Vec<String>,
    /// The operator's pause; `None` if the journal is not paused.
    pub pause: Option<Pause>,
    /// The identity of the database server; `None` for SQLite, or if the server does not report it.
    pub server: Option<String>,
    /// The server that an operator has accepted. Present only if a different server answers now, for example
    /// after a failover or a restore.
    pub server_before: Option<String>,
}

/// The database runs on a different server than the one that an operator has accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerChange {
    /// The server that an operator has accepted.
    pub before: String,
    /// The server that answers now.
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
    /// Counts the journal's attempts. Above a thousand attempts the number of final attempts is estimated, so that
    /// the cost does not grow.
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

    /// Compares the database's server with the server that an operator has accepted. The first server that
    /// the journal uses is accepted automatically.
    pub(crate) fn server(&self) -> Result<Server> {
        let Some(now) = self.queries.server() else { return Ok(Server::Known(None)) };
        match self.queries.known_server().map_err(not_sent)? {
            Some(before) if before != now => Ok(Server::Changed(ServerChange { before, now })),
            Some(_) => Ok(Server::Known(Some(now))),
            None => {
                // A database user without write permission cannot store the server. The next user with write
                // permission stores the server.
                let _ = self.queries.set_known_server(&now);
                Ok(Server::Known(Some(now)))
            }
        }
    }

    /// Accepts the new server that `change` names, and removes the change from the attention list. If a third
    /// server answers by now, the list then shows the change to the third server.
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
    /// The accepted server, or a server that does not report its identity.
    Known(Option<String>),
    Changed(ServerChange),
}

impl Stats {
    /// The statistics as one line of JSON.
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
