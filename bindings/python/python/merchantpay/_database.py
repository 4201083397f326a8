"""The merchant's own database: runs statements on the journal's own connections, or in the merchant's own
transaction."""

from __future__ import annotations

import os
import re
import threading
import types

from ._drivers import FAILED, UNCLEAR, Driver
from ._error_classes import InvalidArgumentError
from ._errors import Error
from ._merchantpay import _forget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    # The effect of a statement, its rows, the number of written rows, the error text, and the raised
    # exception.
    _Answer = tuple[str, list[list["str | None"]], int, str, "Exception | None"]

# Matches the passwords of connection settings. A driver's error message can contain these settings.
_SECRETS = re.compile(r"(//[^\s/@:]*:)[^\s@]*(@)|(?i:(\bpass(?:word|wd)?\s*[=:]\s*))(?:'[^']*'|\"[^\"]*\"|\S+)")
_LONGEST_TEXT = 300
_MOST_CONNECTIONS = 20
_PATIENCE = 30.0


class Database:
    """Runs statements, each on a connection that no other thread uses meanwhile. The connection is kept for
    later statements. At most `max_connections` connections are open. A statement waits up to `patience` seconds
    for a free connection."""

    def __init__(
        self, connect: Callable[[], Any], dialect: str | None = None, max_connections: int | None = None, patience: float | None = None
    ) -> None:
        self._connect = connect
        self._most = _MOST_CONNECTIONS if max_connections is None else max_connections
        self._patience = _PATIENCE if patience is None else patience
        if self._most < 1:
            raise InvalidArgumentError("max_connections must be greater than 0", outcome="not_sent")
        self._closed = False
        self._process = os.getpid()
        connection = _driver_connection(connect(), take=True)
        try:
            self._driver = Driver(connection, dialect)
            self._driver.prepare(connection)
        except BaseException:
            _close(connection)
            raise
        self.dialect = str(self._driver.dialect)
        self.placeholders = self._driver.placeholders
        self._make_pool()
        self._give_back(connection)

    def run(self, sql: str, parameters: Sequence[str | None]) -> _Answer:
        """Runs a statement. When `run` returns, the effect of the statement is durable."""
        if self._process != os.getpid():
            self._after_fork()
        places = self._places
        if places is None:
            return self._run_on_one(sql, parameters)
        if not places.acquire(timeout=self._patience):
            return FAILED, [], 0, f"none of the {self._most} connections was free within {self._patience:g} s", None
        try:
            return self._run_on_one(sql, parameters)
        finally:
            places.release()

    def _run_on_one(self, sql: str, parameters: Sequence[str | None]) -> _Answer:
        try:
            kept = self._take()
            connection = self._new() if kept is None else kept
        except Exception as error:
            # Without a connection nothing was sent.
            return FAILED, [], 0, text_of(error), error
        try:
            answer = _run(self._driver, connection, sql, parameters)
        except Exception as error:
            became = self._driver.became(error)
            if became != UNCLEAR:
                self._give_back(connection)
                return became, [], 0, text_of(error), error
            _close(connection)
            # The event that ended this connection has probably ended the idle connections too. Repeating a
            # query is safe.
            self._close_idle()
            if kept is not None and sql.startswith("SELECT"):
                return self._run_on_one(sql, parameters)
            return became, [], 0, text_of(error), error
        except BaseException:
            _close(connection)
            raise
        self._give_back(connection)
        return answer

    def close(self) -> None:
        """Closes the idle connections; a connection in use is closed when it is returned."""
        self._closed = True
        self._close_idle()

    def __del__(self) -> None:
        # The garbage collector finalizes the objects of a cycle in the order of their creation, so it finalizes
        # this object before its connections. Closes them here, because sqlite3 warns about open connections.
        if "_pool" in self.__dict__:
            self.close()

    def _close_idle(self) -> None:
        while self._process == os.getpid():
            connection = self._take()
            if connection is None:
                return
            _close(connection)

    def _make_pool(self) -> None:
        # There is one list for all threads, or one list for each thread if a connection is bound to its thread.
        # Only the common list has a limit: a thread could otherwise wait for ever for another thread's
        # connection.
        is_bound = self._driver.is_bound_to_its_thread
        self._pool = threading.local() if is_bound else types.SimpleNamespace()
        self._places = None if is_bound else threading.BoundedSemaphore(self._most)

    def _after_fork(self) -> None:
        # A forked child opens its own connections.
        # Other threads look at `_process` first, so it is set last: they must not take a connection of the parent.
        self._make_pool()
        self._process = os.getpid()

    def _idle(self) -> list[Any]:
        # `setdefault` is atomic, so all threads get the same list.
        idle: list[Any] = self._pool.__dict__.setdefault("idle", _Idle())
        return idle

    def _take(self) -> Any:
        """An idle connection, or None."""
        if self._process != os.getpid():
            self._after_fork()
        try:
            return self._idle().pop()
        except IndexError:
            return None

    def _new(self) -> Any:
        connection = _driver_connection(self._connect(), take=True)
        try:
            self._driver.prepare(connection)
        except BaseException:
            _close(connection)
            raise
        return connection

    def _give_back(self, connection: Any) -> None:
        if self._closed:
            _close(connection)
        else:
            self._idle().append(connection)


class Transaction:
    """Runs statements in the merchant's own transaction, on the merchant's own connection."""

    def __init__(self, connection: Any, dialect: str) -> None:
        self._connection = _driver_connection(connection, take=False)
        self._driver = Driver(self._connection, None if Driver.knows(self._connection) else dialect)
        if self._driver.dialect != dialect:
            raise InvalidArgumentError(
                f"the connection belongs to a {self._driver.dialect} database, but the journal is in a {dialect} database",
                outcome="not_sent",
            )
        if self._driver.is_autocommit(self._connection):
            raise InvalidArgumentError("the connection is in autocommit: begin a transaction first", outcome="not_sent")
        self.dialect = str(self._driver.dialect)
        self.placeholders = self._driver.placeholders

    def run(self, sql: str, parameters: Sequence[str | None]) -> _Answer:
        try:
            return _run(self._driver, self._connection, sql, parameters)
        except Exception as error:
            return self._driver.became(error), [], 0, text_of(error), error


class _Idle(list):  # type: ignore[type-arg]
    """A list of idle connections. When the list is freed, it closes its connections. If connections are bound to
    a thread, their list is freed at the end of that thread."""

    def __init__(self) -> None:
        super().__init__()
        self._process = os.getpid()

    def __del__(self) -> None:
        while self:
            if self._process == os.getpid():
                _close(self.pop())
            else:
                # Closing or freeing a parent's connections would end them on the server.
                _forget(self.pop())


def _run(driver: Driver, connection: Any, sql: str, parameters: Sequence[str | None]) -> _Answer:
    with driver.cursor(connection) as cursor:
        if parameters:
            cursor.execute(sql, parameters)
        else:
            # If no parameters are passed, a driver leaves `%` in a statement unchanged.
            cursor.execute(sql)
        if cursor.description is None:
            return "ok", [], max(cursor.rowcount, 0), "", None
        return "ok", [[_text(value) for value in row] for row in cursor.fetchall()], 0, "", None


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode()
    return str(value)


def _driver_connection(connection: Any, *, take: bool) -> Any:
    """The driver's own connection inside a connection of SQLAlchemy or Django. With `take`, a connection of
    SQLAlchemy then no longer belongs to its pool."""
    if hasattr(connection, "driver_connection"):
        own = connection.driver_connection
        if take:
            connection.detach()
        return own
    if hasattr(connection, "ensure_connection"):
        if take and connection.connection is None:
            # Turns off Django's own pool, because the pool would never get this connection back.
            settings = connection.settings_dict
            options = {name: value for name, value in settings.get("OPTIONS", {}).items() if name != "pool"}
            connection.settings_dict = {**settings, "OPTIONS": options}
        connection.ensure_connection()
        return connection.connection
    return connection


def _close(connection: Any) -> None:
    try:
        connection.close()
    except Exception:
        pass  # Any error is ignored: the connection is not used again.


def text_of(error: BaseException) -> str:
    """An exception as one line, without later lines (a driver's DETAIL contains values of the row) and
    without secrets."""
    if isinstance(error, Error):
        return error.message
    lines = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    text = _SECRETS.sub(lambda found: f"{found[1] or found[3]}***{found[2] or ''}", text)
    return "".join(letter if letter.isprintable() else " " for letter in text)[:_LONGEST_TEXT]
