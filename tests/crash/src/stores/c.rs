//! A store with the callbacks of the C examples, which run in a process for each connection.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use merchantpay_journal::{Dialect, Rows, Store, StoreError};

use super::Pool;

/// A database through libpq or libmariadb.
pub struct CStore {
    dialect: Dialect,
    command: Vec<OsString>,
    pool: Pool<Connection>,
}

impl CStore {
    /// Makes a store with the built `c/store.c`, for a database of the server with this socket, or with this
    /// folder of its socket.
    pub fn new(dialect: Dialect, program: &Path, socket: &Path, database: &str) -> CStore {
        let driver = if dialect == Dialect::Mysql { "mariadb" } else { "postgresql" };
        let command = vec![program.into(), driver.into(), socket.into(), database.into()];
        CStore { dialect, command, pool: Pool::new() }
    }
}

impl Store for CStore {
    fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        let connect =
            || Connection::start(&self.command).map_err(|error| StoreError::Failed(error.to_string()));
        self.pool.with(connect, |connection| {
            connection
                .run(self.dialect, sql, parameters)
                .unwrap_or_else(|error| Err(StoreError::Unclear(format!("the program in C: {error}"))))
        })
    }
}

/// A process with its own connection.
struct Connection {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Connection {
    fn start(command: &[OsString]) -> io::Result<Connection> {
        let missing = || io::Error::other("no pipe");
        let (program, arguments) = command.split_first().ok_or_else(missing)?;
        let mut child =
            Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Connection { child, input, output })
    }

    fn run(
        &mut self,
        dialect: Dialect,
        sql: &str,
        parameters: &[Option<&str>],
    ) -> io::Result<Result<Rows, StoreError>> {
        let mut request = format!("{}\n{sql}{}\n", sql.len(), parameters.len());
        for parameter in parameters {
            match parameter {
                Some(text) => request.push_str(&format!("{}\n{text}", text.len())),
                None => request.push_str("-1\n"),
            }
        }
        self.input.write_all(request.as_bytes())?;
        let (code, affected) = (self.number()?, self.number()?);
        let (message, failure) = (self.text()?.unwrap_or_default(), self.text()?.unwrap_or_default());
        let mut rows = Vec::new();
        for _ in 0..self.number()? {
            let columns = self.number()?;
            rows.push((0..columns).map(|_| self.text()).collect::<io::Result<Vec<_>>>()?);
        }
        Ok(match code {
            0 => Ok(Rows { rows, affected: affected.unsigned_abs() }),
            3 => Err(StoreError::Failed(message)),
            _ => Err(StoreError::of_code(dialect, &failure, message)),
        })
    }

    fn number(&mut self) -> io::Result<i64> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        line.trim_end().parse().map_err(io::Error::other)
    }

    fn text(&mut self) -> io::Result<Option<String>> {
        let Ok(length) = usize::try_from(self.number()?) else { return Ok(None) };
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes)?;
        String::from_utf8(bytes).map(Some).map_err(io::Error::other)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
