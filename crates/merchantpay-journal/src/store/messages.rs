//! Messages: what webhooks and replies said, and who wrote what.

use serde::{Deserialize, Serialize};

use super::connection::Value;
use super::database::{Database, decoded};
use super::failure::Failure;
use super::statements;
use crate::model::hint::Hint;

/// A stored message, and by serde its line of an export. `Debug` leaves the body out.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The token of the URL that received it.
    pub token: String,
    /// A digest of the body as it came: the same message again is not stored twice.
    pub digest: String,
    pub order_id: String,
    pub kind: String,
    /// The body; empty after a purge.
    pub body: String,
    /// The database's clock when it was stored.
    pub received_at: i64,
    /// A person has read it, or its order was bound when it came.
    pub seen: bool,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Message");
        shown.field("order_id", &self.order_id).field("kind", &self.kind).field("seen", &self.seen);
        shown.finish_non_exhaustive()
    }
}

/// An order that no attempt has, and about which a message came that nobody has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrphanOrder {
    pub order_id: String,
    /// When the first message that nobody has seen was stored.
    pub received_at: i64,
    /// The token of an attempt at which one of them came.
    pub token: Option<String>,
}

impl Database {
    /// Stores a message; `received_at` and `seen` are the database's. Returns whether it is new.
    pub fn insert_message(&self, message: &Message) -> Result<bool, Failure> {
        let Message { token, digest, order_id, kind, body, .. } = message;
        let parameters =
            [order_id, token, digest, order_id, kind, body, token, order_id, digest].map(Value::from);
        match self.run(&self.0.statements.insert_message, &parameters) {
            Ok(rows) => Ok(rows.affected > 0),
            Err(Failure::Duplicate) => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    /// Stores a person's note as a message of the kind `note`. The caller draws the digest.
    pub fn insert_note(&self, token: &str, digest: &str, order_id: &str, text: &str) -> Result<(), Failure> {
        let parameters = [token, digest, order_id, text].map(Value::from);
        match self.template(statements::INSERT_NOTE, &parameters) {
            // An earlier try, whose answer was lost, has stored it.
            Ok(_) | Err(Failure::Duplicate) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// The hints of a token, at most 20.
    pub fn hints(&self, token: &str) -> Result<Vec<Hint>, Failure> {
        let rows = self.run(&self.0.statements.hints, &[token.into(), token.into()])?;
        decoded(rows, |[order_id, tokens, is_taken]: [Value; 3]| {
            Some(Hint {
                order_id: order_id.into_text()?,
                tokens: tokens.integer()?.try_into().ok()?,
                is_taken: is_taken.integer()? != 0,
            })
        })
    }

    /// Orders that no attempt has, with messages that nobody has seen, the oldest first.
    pub fn orphans(&self, limit: u32) -> Result<Vec<OrphanOrder>, Failure> {
        let rows = self.template(&statements::orphans(limit), &[])?;
        decoded(rows, |[order_id, received_at, token]: [Value; 3]| {
            Some(OrphanOrder {
                order_id: order_id.into_text()?,
                received_at: received_at.integer()?,
                token: token.into_text(),
            })
        })
    }

    pub fn messages_of_order(&self, order_id: &str) -> Result<Vec<Message>, Failure> {
        self.read_messages(&statements::messages_of_order(), &[order_id.into()])
    }

    /// Marks messages that a person has read, and no others.
    pub fn see(&self, messages: &[Message]) -> Result<(), Failure> {
        for Message { token, digest, .. } in messages {
            self.template(statements::SEE, &[token.into(), digest.into()])?;
        }
        Ok(())
    }

    pub fn export_messages(&self, after: (&str, &str), limit: u32) -> Result<Vec<Message>, Failure> {
        let (token, digest) = after;
        self.read_messages(&statements::export_messages(limit), &[token.into(), token.into(), digest.into()])
    }

    fn read_messages(&self, template: &str, parameters: &[Value]) -> Result<Vec<Message>, Failure> {
        decoded(self.template(template, parameters)?, |row: [Value; 7]| {
            let [token, digest, order_id, kind, body, received_at, seen] = row;
            Some(Message {
                token: token.into_text()?,
                digest: digest.into_text()?,
                order_id: order_id.into_text()?,
                kind: kind.into_text()?,
                body: body.into_text()?,
                received_at: received_at.integer()?,
                seen: seen.integer()? != 0,
            })
        })
    }
}

pub(super) fn values(message: &Message) -> Vec<Value> {
    let Message { token, digest, order_id, kind, body, received_at, seen } = message;
    let mut values: Vec<Value> = [token, digest, order_id, kind, body].map(Value::from).into();
    values.extend([(*received_at).into(), (*seen).into()]);
    values
}
