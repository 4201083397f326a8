"""The differences between DB-API drivers: SQL dialect, autocommit, cursors and errors."""

from __future__ import annotations

import sys

from ._error_classes import InvalidArgumentError, StorageError
from ._merchantpay import _effect
from ._words import Dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The dialects by the package of a connection's class.
_DIALECTS = {
    "sqlite3": Dialect.SQLITE,
    "psycopg": Dialect.POSTGRESQL,
    "psycopg2": Dialect.POSTGRESQL,
    "pymysql": Dialect.MYSQL,
    "MySQLdb": Dialect.MYSQL,
}
_PLACEHOLDERS = {"qmark": "question", "format": "percent", "pyformat": "percent"}

# The effect of a statement, as the native half names it.
DUPLICATE, UNCLEAR, FAILED = "duplicate", "unclear", "failed"


class Driver:
    """The driver of a connection."""

    def __init__(self, connection: Any, dialect: Dialect | str | None = None) -> None:
        module = self._module_of(connection)
        self.package = module.__name__ if module is not None else ""
        if dialect is None and self.package not in _DIALECTS:
            raise InvalidArgumentError(
                f"the dialect of {type(connection).__module__}.{type(connection).__qualname__} is not known: give the argument dialect",
                outcome="not_sent",
            )
        try:
            self.dialect = _DIALECTS[self.package] if dialect is None else Dialect(dialect)
        except ValueError:
            names = ", ".join(Dialect)
            raise InvalidArgumentError(f"dialect must be one of {names}", outcome="not_sent") from None
        style = getattr(module, "paramstyle", None)
        # A driver with the style `pyformat`, such as psycopg, accepts %s too.
        if style not in _PLACEHOLDERS:
            raise InvalidArgumentError(f"the parameter style of {self.package or 'the driver'} is not supported", outcome="not_sent")
        self.placeholders = _PLACEHOLDERS[style]
        self.module = module

    @staticmethod
    def knows(connection: Any) -> bool:
        """True if a connection's module determines its SQL dialect."""
        return getattr(Driver._module_of(connection), "__name__", None) in _DIALECTS

    @staticmethod
    def _module_of(connection: Any) -> Any:
        """The DB-API module of a connection: the first package of its classes that has a `paramstyle`."""
        for kind in type(connection).__mro__:
            name = kind.__module__.partition(".")[0]
            # The classes of two drivers are defined in C modules with other names.
            name = {"_mysql": "MySQLdb", "_sqlite3": "sqlite3"}.get(name, name)
            module = sys.modules.get(name)
            if hasattr(module, "paramstyle"):
                return module
        return None

    @property
    def is_bound_to_its_thread(self) -> bool:
        """True if only the thread that made a connection may use it."""
        return self.package == "sqlite3"

    def prepare(self, connection: Any) -> None:
        """Prepares a new connection for the journal: each statement is its own transaction, no statement is
        prepared by name, and texts are Unicode."""
        if self.is_in_transaction(connection):
            # With some drivers, setting autocommit would commit an open transaction.
            why = "its connection is in a transaction: give the journal connections of its own, in autocommit"
            raise StorageError(f"the journal failed: {why}", outcome="not_sent")
        if self.package == "sqlite3":
            if hasattr(connection, "autocommit") and connection.autocommit in (True, False):
                connection.autocommit = True
            else:
                connection.isolation_level = None
        elif self.dialect == Dialect.MYSQL:
            if hasattr(connection, "set_character_set"):
                connection.set_character_set("utf8mb4")
            _set_autocommit(connection)
        else:
            connection.autocommit = True
        if self.package == "psycopg":
            # pgbouncer can use a different server connection for each transaction. That connection would not
            # have the prepared statements.
            connection.prepare_threshold = None

    def is_in_transaction(self, connection: Any) -> bool:
        if self.package == "sqlite3":
            return bool(connection.in_transaction)
        if self.package in ("psycopg", "psycopg2"):
            return int(connection.info.transaction_status) != 0
        if self.dialect == Dialect.MYSQL:
            with self.cursor(connection) as cursor:
                # MySQL lacks this variable; only MariaDB reads the comment.
                cursor.execute("SELECT 0 /*M! + @@in_transaction */")
                return int(cursor.fetchone()[0]) != 0
        return False

    def is_autocommit(self, connection: Any) -> bool:
        """True if the next statement is its own transaction."""
        if self.is_in_transaction(connection):
            return False
        if self.package == "sqlite3":
            explicit = getattr(connection, "autocommit", None)
            return explicit if isinstance(explicit, bool) else connection.isolation_level is None
        if self.dialect == Dialect.MYSQL:
            return bool(connection.get_autocommit() if hasattr(connection, "get_autocommit") else connection.autocommit)
        return bool(connection.autocommit)

    def cursor(self, connection: Any) -> Any:
        """A cursor that returns tuples, even if the connection has a different default."""
        if self.package == "psycopg":
            return connection.cursor(row_factory=self.module.rows.tuple_row)
        if self.package == "psycopg2":
            return connection.cursor(cursor_factory=self.module.extensions.cursor)
        if self.package in ("pymysql", "MySQLdb"):
            return connection.cursor(self.module.cursors.Cursor)
        cursor = connection.cursor()
        if self.package == "sqlite3":
            cursor.row_factory = None
        return _Closing(cursor) if not hasattr(cursor, "__exit__") else cursor

    def became(self, error: Exception) -> str:
        """The effect of a failed statement. An unknown error is unclear: the statement is then repeated until
        its effect is known."""
        if not isinstance(error, self.module.Error):
            # If the driver could not encode a text, the statement was not sent.
            return FAILED if isinstance(error, UnicodeError) else UNCLEAR
        if self.dialect == Dialect.POSTGRESQL:
            return self._of_postgresql(error)
        if self.dialect == Dialect.MYSQL:
            return self._of_mysql(error)
        return self._of_sqlite(error)

    def _of_postgresql(self, error: Exception) -> str:
        state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
        return self._of_the_client(error) if state is None else _effect(self.dialect, state)

    def _of_mysql(self, error: Exception) -> str:
        number = error.args[0] if error.args and isinstance(error.args[0], int) else None
        # Errors with numbers from 2000 to 2999 come from the client library.
        if number is None or number < 1000 or 2000 <= number < 3000:
            return self._of_the_client(error)
        return _effect(self.dialect, str(number))

    def _of_sqlite(self, error: Exception) -> str:
        code = getattr(error, "sqlite_errorcode", None)
        if code is None:
            # Python before 3.11 has no error code.
            text = str(error)
            if text.startswith("UNIQUE constraint failed"):
                return DUPLICATE
            return UNCLEAR if text.startswith("disk I/O error") else FAILED
        return _effect(self.dialect, str(code))

    def _of_the_client(self, error: Exception) -> str:
        """The effect of a statement after an error that does not come from the server. A statement that the
        driver refused was not sent."""
        refused = (self.module.ProgrammingError, self.module.DataError, self.module.NotSupportedError)
        return FAILED if isinstance(error, refused) else UNCLEAR


def _set_autocommit(connection: Any) -> None:
    if callable(connection.autocommit):
        connection.autocommit(True)
    else:
        connection.autocommit = True


class _Closing:
    """Closes a cursor at the end of a `with` block."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def __enter__(self) -> Any:
        return self._cursor

    def __exit__(self, *_: object) -> None:
        self._cursor.close()
