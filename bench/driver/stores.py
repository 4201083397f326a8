"""The places of a journal: the settings with which a program finds a place, and the SQL with which the driver queries and changes the
place."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys

from .program import end

TABLE = "merchantpay_journal"
# The number of rows that one statement makes.
CHUNK = 500_000


class Place:
    """A journal's place, a file or a database. `environment` has the variables with which a program finds the place."""

    def columns(self):
        """The columns that a statement can write."""
        return [name for (name,) in self.ask(self.COLUMNS)]

    def copy(self, template, first, end, values):
        """Copies the row of a reference once for each number n from `first` to `end`. `values` has the SQL of the columns that differ."""
        columns = self.columns()
        row = ", ".join(values.get(column, column) for column in columns)
        for chunk in range(first, end, CHUNK):
            last = min(chunk + CHUNK, end) - 1
            self.ask(
                # Copies the row to a separate table, so that the statement does not read the table that it writes.
                f"CREATE TEMPORARY TABLE template AS SELECT * FROM {TABLE} WHERE reference = '{template}'",
                f"INSERT INTO {TABLE} ({', '.join(columns)}) WITH RECURSIVE numbers (n) AS (SELECT CAST({chunk} AS {self.BIGINT}) "
                f"UNION ALL SELECT n + 1 FROM numbers WHERE n < {last}) SELECT {row} FROM template, numbers",
            )

    def pages(self):
        """The number of pages that were read until now, by index or table; an empty dict if the database does not count them."""
        return {}

    def updates(self):
        """The number of updates, and the number of HOT updates among them; empty if the database has no HOT updates."""
        return ()

    def threads(self):
        """Returns the server's threads that work for a program: the threads of the connections to this database."""
        return []

    def sizes(self):
        """Returns the bytes of the table and of its indexes; None if the table's bytes include the indexes."""
        [sizes] = self.ask(self.SIZES)
        return [None if size is None else int(size) for size in sizes]

    def ready(self):
        """Prepares the place for many new rows, so that the server does not wait for the disk."""
        self.ask(*self.READIES)

    def tidy(self):
        """Completes the work for the new rows, so that the server does not do it during a measurement."""
        self.ask(*self.TIDIES)
        os.sync()

    def drop(self):
        """Frees the disk space of the place."""


class Sqlite(Place):
    label, BIGINT = "SQLite", "INTEGER"
    COLUMNS = f"SELECT name FROM pragma_table_info('{TABLE}')"
    SIZES = "SELECT page_count * page_size, NULL FROM pragma_page_count, pragma_page_size"
    # This place never runs ANALYZE, because users do not run it either: so SQLite makes the same plans as for users.
    READIES = TIDIES = ()

    def __init__(self, file):
        self.file, self.environment = file, {"BENCH_JOURNAL": file}

    def ask(self, *statements):
        with contextlib.closing(sqlite3.connect(self.file, isolation_level=None)) as connection:
            for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -1000000"):
                connection.execute(f"PRAGMA {setting}")
            return [row for statement in statements for row in connection.execute(statement)]


class OfServer(Place):
    """A database of a server. The driver uses the server's own client program."""

    def __init__(self, socket, database):
        self.socket, self.database = socket, database
        self.client("CREATE DATABASE " + database, self.FIRST)
        self.environment = {"BENCH_STORE": self.STORE, "BENCH_SOCKET": socket, "BENCH_DATABASE": database}

    def ask(self, *statements):
        printed = self.client(";\n".join([*self.PREPARES, *statements]), self.database)
        return [line.split("\t") for line in printed.splitlines()]

    def drop(self):
        self.client("DROP DATABASE " + self.database, self.FIRST)

    def threads(self):
        return [int(number) for (number,) in self.ask(self.THREADS.format(database=self.database))]

    def client(self, statements, database):
        command = [word.format(socket=self.socket, database=database) for word in self.CLIENT]
        return subprocess.run(command, input=statements, check=True, stdout=subprocess.PIPE, text=True).stdout


class Postgresql(OfServer):
    label, STORE, FIRST, BIGINT = "PostgreSQL", "postgresql", "postgres", "BIGINT"
    CLIENT = "psql -qAtX -F \t -v ON_ERROR_STOP=1 -h {socket} -U shop -d {database}".split(" ")
    PREPARES = ()
    READIES = (
        *(f"ALTER SYSTEM SET {setting}" for setting in ("fsync = off", "full_page_writes = off", "maintenance_work_mem = '512MB'")),
        f"ALTER TABLE {TABLE} SET (autovacuum_enabled = false)",
        "DO 'BEGIN PERFORM pg_reload_conf(); END'",
    )
    TIDIES = (f"VACUUM ANALYZE {TABLE}", "ALTER SYSTEM RESET ALL", "DO 'BEGIN PERFORM pg_reload_conf(); END'", "CHECKPOINT")
    # Selects the definitions of the indexes with random keys. These indexes are made after the rows: otherwise each new row would change a
    # different page.
    SCATTERED = f"SELECT indexdef FROM pg_indexes WHERE indexname IN ('{TABLE}_order_id', '{TABLE}_token')"
    COLUMNS = f"SELECT column_name FROM information_schema.columns WHERE table_name = '{TABLE}' ORDER BY ordinal_position"
    # In PostgreSQL each connection has its own process of the server; in MariaDB each connection has its own thread.
    THREADS = "SELECT pid FROM pg_stat_activity WHERE datname = '{database}' AND pid <> pg_backend_pid()"
    SIZES = f"SELECT pg_table_size(oid), pg_indexes_size(oid) FROM pg_class WHERE relname = '{TABLE}'"

    def ready(self):
        super().ready()
        self.scattered = [definition for (definition,) in self.ask(self.SCATTERED)]
        self.ask(f"DROP INDEX {TABLE}_order_id, {TABLE}_token")

    def tidy(self):
        self.ask(*self.scattered)
        super().tidy()

    def pages(self):
        rows = self.ask(
            f"SELECT indexrelname, idx_blks_read + idx_blks_hit FROM pg_statio_user_indexes WHERE relname = '{TABLE}' "
            f"UNION ALL SELECT relname, heap_blks_read + heap_blks_hit FROM pg_statio_user_tables WHERE relname = '{TABLE}'"
        )
        return {name.removeprefix(f"{TABLE}_"): int(count) for name, count in rows}

    def updates(self):
        [(all_, hot)] = self.ask(f"SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = '{TABLE}'")
        return int(all_), int(hot)


class Mariadb(OfServer):
    label, STORE, FIRST, BIGINT = "MariaDB", "mariadb", "mysql", "SIGNED"
    CLIENT = "mariadb --no-defaults --batch --skip-column-names --user=root --socket={socket} {database}".split(" ")
    PREPARES = ("SET sql_mode = 'PIPES_AS_CONCAT', sql_log_bin = 0, max_recursive_iterations = 4294967295, unique_checks = 0",)
    READIES = tuple(f"SET GLOBAL {setting}" for setting in ("innodb_buffer_pool_size = 2147483648", "innodb_log_file_size = 1073741824"))
    TIDIES = (
        # Otherwise MariaDB could update the table's statistics while pages are counted.
        f"ALTER TABLE {TABLE} STATS_AUTO_RECALC = 0",
        f"ANALYZE TABLE {TABLE}",
        *(f"SET GLOBAL {setting}" for setting in ("innodb_log_file_size = 16777216", "innodb_buffer_pool_size = 33554432")),
    )
    COLUMNS = (
        "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND is_generated = 'NEVER' "
        f"AND table_name = '{TABLE}' ORDER BY ordinal_position"
    )
    THREADS = "SELECT tid FROM information_schema.processlist WHERE db = '{database}' AND id <> connection_id()"
    SIZES = f"SELECT data_length, index_length FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '{TABLE}'"

    def pages(self):
        # MariaDB counts the pages of all indexes only together.
        [(_, count)] = self.ask("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_read_requests'")
        return {"all": int(count)}


class Servers:
    """Runs PostgreSQL and MariaDB until `close` is called."""

    def __init__(self, path):
        waits = "import json, os, sys; print(json.dumps(dict(os.environ)), flush=True); sys.stdin.read()"
        command = [path, sys.executable, "-c", waits]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.environment = json.loads(self.process.stdout.readline())

    def create(self, kind, database):
        """Creates an empty database."""
        return kind(self.environment[f"MERCHANTPAY_{kind.STORE.upper()}"], database)

    def close(self):
        end(self.process)
