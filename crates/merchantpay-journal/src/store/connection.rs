//! What the journal needs of a database: connections that run one statement at a time.

use std::fmt;
use std::time::Duration;

use super::dialect::Dialect;
use super::failure::Failure;

/// A parameter of a statement, or a value of a row. `Debug` shows no text: it can be a person's account.
#[derive(Clone, PartialEq, Eq)]
pub enum Value {
    /// SQL's NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// A text.
    Text(String),
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("Null"),
            Value::Integer(number) => write!(f, "Integer({number})"),
            Value::Text(text) => write!(f, "Text({} bytes)", text.len()),
        }
    }
}

macro_rules! values {
    ($( $type:ty: |$from:ident| $value:expr; )+) => { $(
        impl From<$type> for Value {
            fn from($from: $type) -> Value {
                $value
            }
        }
    )+ };
}

values! {
    i64: |number| Value::Integer(number);
    u32: |number| Value::Integer(number.into());
    bool: |flag| Value::Integer(flag.into());
    &str: |text| Value::Text(text.to_owned());
    &String: |text| Value::Text(text.clone());
    &Option<String>: |text| text.as_ref().map_or(Value::Null, Value::from);
}

impl Value {
    /// The integer; a text is read as a decimal number, because some drivers return every value as text.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Value::Integer(number) => Some(*number),
            Value::Text(text) => text.parse().ok(),
            Value::Null => None,
        }
    }

    /// The text; an integer is written as a decimal number.
    pub fn into_text(self) -> Option<String> {
        match self {
            Value::Null => None,
            Value::Integer(number) => Some(number.to_string()),
            Value::Text(text) => Some(text),
        }
    }
}

/// The result of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rows {
    /// The rows of a SELECT.
    pub rows: Vec<Vec<Value>>,
    /// The rows that an INSERT or UPDATE wrote. Whether an UPDATE counts rows that it found or rows that it
    /// changed is the same to the journal.
    pub affected: u64,
}

/// A database that can hold a journal. The journal pools the connections, repeats lost reads and reads back
/// lost writes, so a store only connects and runs statements.
///
/// The default places (a path, `postgresql://…`, `mysql://…`) are stores of this crate; a Rust program can
/// bring its own.
pub trait Store: Send + Sync {
    /// The SQL that the store understands. Parameters are `?`; for PostgreSQL `$1`, `$2`, ….
    fn dialect(&self) -> Dialect;

    /// The place in messages, without user and password.
    fn place(&self) -> String;

    /// Opens a connection in autocommit, which nobody else uses.
    ///
    /// # Errors
    ///
    /// [`Failure::Failed`]: nothing was written.
    fn connect(&self) -> Result<Box<dyn Connection>, Failure>;

    /// How long a statement may run that began before another one ended: whoever pauses a journal waits for it.
    /// 0 if writes never run side by side.
    fn statement_limit(&self) -> Duration {
        Duration::ZERO
    }

    /// Whether a new connection may take the place of one whose statement failed.
    fn reconnects(&self) -> bool {
        true
    }
}

/// One connection of a [`Store`].
pub trait Connection: Send {
    /// Runs one statement. Its effect is durable and visible to other connections when this returns.
    ///
    /// # Errors
    ///
    /// [`Failure`]; [`Failure::of_code`] classifies a server's error code. An error that is not the server's
    /// own answer is [`Failure::Unclear`] if the statement may have been sent.
    fn run(&mut self, sql: &str, parameters: &[Value]) -> Result<Rows, Failure>;

    /// Ends the use of a connection that a forked child has inherited from its parent, which still uses it.
    ///
    /// By default the connection is leaked. Closing it in order would end the parent's session: a driver
    /// writes a farewell to the common socket, or unregisters the socket from the common epoll instance.
    fn leave(self: Box<Self>) {
        std::mem::forget(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_of_rows_shows_no_text() {
        let rows = Rows { rows: vec![vec![Value::from("2202209988776655"), Value::Null]], affected: 3 };
        assert_eq!(format!("{rows:?}"), "Rows { rows: [[Text(16 bytes), Null]], affected: 3 }");
    }
}
