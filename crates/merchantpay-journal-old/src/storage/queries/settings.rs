//! The journal's own settings: the pause, and the accepted database server.

use super::{Queries, no_row};
use crate::model::json::{self, Fields, Reader};
use crate::storage::columns::text;
use crate::storage::statements;
use crate::storage::store::StoreError;

const PAUSE: &str = "pause";
const SERVER: &str = "server";

/// A pause of the journal by an operator, or the end of a pause.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pause {
    /// The operator's note.
    pub note: String,
    /// The time of the pause or of its end, in milliseconds since 1970 by the database's clock.
    pub at: i64,
}

impl Pause {
    /// Reads a stored value; `None` if the journal is not paused. A value that this version cannot read is
    /// also a pause, because to pay during a pause does more harm than not to pay.
    pub(crate) fn of(value: Option<String>) -> Option<Pause> {
        let value = value?;
        let Some(fields) = json::read(&value) else { return Some(Pause { note: value, at: 0 }) };
        let mut reader = Reader(fields);
        if reader.flag("resumed") {
            return None;
        }
        Some(Pause {
            note: reader.text("note").unwrap_or_default(),
            at: reader.number("at").unwrap_or_default(),
        })
    }

    /// The value that is stored for a pause, or for its end.
    pub(crate) fn value(&self, is_resumed: bool) -> String {
        let fields: Fields = [
            ("note".to_owned(), json::quoted(&self.note)),
            ("at".to_owned(), self.at.to_string()),
            ("resumed".to_owned(), is_resumed.to_string()),
        ]
        .into();
        json::write(&fields)
    }
}

impl Queries {
    /// Reads the database's clock, and whether the journal is paused.
    pub(crate) fn pause(&self) -> Result<(i64, Option<Pause>), StoreError> {
        let (now, value) = self.setting(PAUSE)?;
        Ok((now, Pause::of(value)))
    }

    /// Stores a pause. If `is_resumed` is `true`, stores the end of the pause.
    pub(crate) fn set_pause(&self, pause: &Pause, is_resumed: bool) -> Result<(), StoreError> {
        self.set(PAUSE, &pause.value(is_resumed))
    }

    /// Marks every attempt as restored.
    pub(crate) fn set_restored(&self) -> Result<(), StoreError> {
        self.run(statements::SET_RESTORED, &vec![]).map(drop)
    }

    /// The server that an operator has accepted.
    pub(crate) fn known_server(&self) -> Result<Option<String>, StoreError> {
        Ok(self.setting(SERVER)?.1)
    }

    pub(crate) fn set_known_server(&self, server: &str) -> Result<(), StoreError> {
        self.set(SERVER, server)
    }

    /// The server that answers now; `None` if this server does not report its identity.
    pub(crate) fn server(&self) -> Option<String> {
        let statements = statements::server(self.store.dialect()).iter();
        statements.filter_map(|statement| self.value(statement, &vec![]).ok().flatten()).next()
    }

    fn setting(&self, name: &str) -> Result<(i64, Option<String>), StoreError> {
        let row = self.run(statements::SETTING, &vec![text!(name)])?.rows.into_iter().next();
        let (now, mut rest) = crate::storage::columns::split(row.ok_or_else(no_row)?)?;
        Ok((now, rest.pop().flatten()))
    }

    fn set(&self, name: &str, value: &str) -> Result<(), StoreError> {
        self.run(&statements::set(self.store.dialect()), &vec![text!(name), text!(value)]).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_this_version_cannot_read_is_a_pause() {
        assert_eq!(Pause::of(None), None);
        let pause = Pause { note: "moved \"by\" Иван".to_owned(), at: 7 };
        assert_eq!(Pause::of(Some(pause.value(false))), Some(pause.clone()));
        assert_eq!(Pause::of(Some(pause.value(true))), None);
        for unreadable in ["", "yes", "{}"] {
            assert!(Pause::of(Some(unreadable.to_owned())).is_some(), "{unreadable}");
        }
    }
}
