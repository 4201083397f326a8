"""The places of a journal: a file, and the databases that with-databases has started. Each place is empty and belongs to
one case."""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import subprocess
import tempfile

SERVERS = {
    "postgresql": "postgresql:///{name}?user=shop&host={server}",
    "pgbouncer": "postgresql:///{name}?user=shop&host={server}",
    "mariadb": "mysql:///{name}?user=root&socket={server}",
}


def servers():
    """The sockets of the servers that run."""
    found = {name: os.environ.get(f"MERCHANTPAY_{name.upper()}") for name in SERVERS}
    return {name: value for name, value in found.items() if value}


def kinds():
    return ["file", *servers()]


class Place:
    """A place as text, and what a case does there without the library."""

    def __init__(self, kind, folder):
        self.kind = kind
        self.copy = f"{folder}/copy.db"
        self.name = f"contract_{secrets.token_hex(8)}"
        if kind == "file":
            self.text = f"{folder}/payments.db"
        else:
            self.text = SERVERS[kind].format(name=self.name, server=servers()[kind])
            # Not the default template, which other tests copy at the same time.
            how = "CHARACTER SET utf8mb4" if kind == "mariadb" else "TEMPLATE template0"
            self._server(f"CREATE DATABASE {self.name} {how}")

    def sql(self, text):
        """Returns the number of changed rows."""
        if self.kind != "file":
            return int(self._server(text, self.name).split()[-1])
        with contextlib.closing(sqlite3.connect(self.text, timeout=30)) as connection, connection:
            return connection.execute(text).rowcount

    def drop(self):
        if self.kind != "file":
            self._server(f"DROP DATABASE {self.name}" + ("" if self.kind == "mariadb" else " WITH (FORCE)"))

    def _server(self, text, database=None):
        if self.kind == "mariadb":
            words = ["mariadb", f"--socket={servers()['mariadb']}", "--user=root", "--skip-column-names", database or "mysql"]
            words += ["--execute", f"{text}; SELECT ROW_COUNT()"]
        else:
            words = ["psql", "--no-psqlrc", f"--host={servers()['postgresql']}", "--username=shop", f"--dbname={database or 'postgres'}"]
            words += ["--command", text]
        return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


@contextlib.contextmanager
def made(kind):
    with tempfile.TemporaryDirectory(prefix="contract-") as folder:
        place = Place(kind, folder)
        yield place
        place.drop()
