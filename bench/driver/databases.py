"""A payment through the journal in a database, from C, beside the call alone and beside what a merchant writes by hand; and what `settle`
costs where nothing is due."""

import contextlib
import json
import sqlite3
import subprocess
import sys
import tempfile

from .journal import GROWTH, using
from .measure import alone, cpu, ratio, unless_short, wall
from .program import Program, end
from .report import Table, micro, spread, times
from .rows import TABLE, copies

# At most so much of the hand-written one's CPU time.
BY_HAND = 1
ROUNDS, BATCH_SECONDS = 40, 0.15
STORES = {"postgresql": "PostgreSQL, libpq", "mariadb": "MariaDB, libmariadb"}
# Open rows of which nothing is due.
FEW, MANY = 1000, unless_short(100_000, 2000)
DAY = 86_400_000


class Servers:
    """PostgreSQL and MariaDB, which are there until it is closed."""

    def __init__(self, path):
        waits = "import json, os, sys; print(json.dumps(dict(os.environ)), flush=True); sys.stdin.read()"
        command = [path, sys.executable, "-c", waits]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        environment = json.loads(self.process.stdout.readline())
        self.sockets = {store: environment[f"MERCHANTPAY_{store.upper()}"] for store in STORES}

    def create(self, store, database):
        """An empty database. Gives what a program needs to find it."""
        socket = self.sockets[store]
        if store == "postgresql":
            command = ["psql", "-qh", socket, "-U", "shop", "-d", "postgres", "-c", f"CREATE DATABASE {database}"]
        else:
            command = ["mariadb", "--no-defaults", "--user=root", f"--socket={socket}", "-e", f"CREATE DATABASE {database}"]
        subprocess.run(command, check=True)
        return {"BENCH_STORE": store, "BENCH_SOCKET": socket, "BENCH_DATABASE": database}

    def close(self):
        end(self.process)


def tables(bench, release):
    servers = Servers(release / "with-databases")
    try:
        yield cost(bench, servers)
        yield nothing_due(bench, servers)
    finally:
        servers.close()


def cost(bench, servers):
    table = Table(
        "A payment through the journal in a database, from C",
        "program",
        "CPU µs",
        "time µs",
        "journal ÷ this, CPU",
        "quartiles",
        "journal ÷ this, time",
        "quartiles ",
        "reach",
        note="`mpay_journal_pay` beside `mpay_new_payment` without a journal, and beside libpq or libmariadb, libcurl, libsodium and cJSON by "
        "hand with the same statements: look, INSERT, read back as others see it, call, UPDATE. Both run their statements by the same "
        "function. Both databases wait for the disk. The CPU time is the program's alone; the time has the database's and the "
        "service's share in it.",
    )
    settings = bench.server.orders_settings()
    for store, label in STORES.items():
        place = {**servers.create(store, "bench"), "LD_LIBRARY_PATH": str(bench.library.parent)}
        ours, peer = (Program("c", kind, f"C, {label}", [bench.built / f"c/journal_{kind}"], place) for kind in ("ours", "peer"))
        jobs = {f"{label}: pay": (ours, "pay"), f"{label}: by hand": (peer, "pay"), "the call alone": (ours, "new")}
        try:
            samples = bench.calls(list(jobs.values()), settings, rounds=ROUNDS, batch=BATCH_SECONDS, warm_up=100)
        finally:
            ours.close()
            peer.close()
        for name, job in jobs.items():
            mine, cells = samples[job], []
            if job != (ours, "pay"):
                figure, clocked = ratio(cpu(samples[ours, "pay"]), cpu(mine)), ratio(wall(samples[ours, "pay"]), wall(mine))
                cells = [times(figure), spread(figure), times(clocked), spread(clocked)]
            if job[0] is peer:
                cells.append(bench.reaches.at_most(f"pay against {name}", figure, BY_HAND))
            table.row(name, micro(alone(cpu(mine))), micro(alone(wall(mine))), *cells)
    return table


def nothing_due(bench, servers):
    table = Table(
        f"settle with nothing due, {MANY} open rows beside {FEW}",
        "store",
        f"{FEW} rows: CPU µs",
        "time µs",
        f"{MANY} rows: CPU µs",
        "time µs ",
        "many ÷ few, CPU",
        "quartiles",
        "many ÷ few, time",
        "quartiles ",
        "reach",
        note="`settle` of the Rust crate over SQLite, and of the C library over PostgreSQL. All rows are open and due tomorrow. PostgreSQL's "
        "share is in the time alone.",
    )
    settings = bench.server.orders_settings()
    with tempfile.TemporaryDirectory(dir=bench.built) as folder:
        stores = {
            "SQLite": [of_sqlite(bench, settings, f"{folder}/{rows}.db", rows) for rows in (FEW, MANY)],
            STORES["postgresql"]: [of_postgresql(bench, settings, servers, rows) for rows in (FEW, MANY)],
        }
        for label, programs in stores.items():
            try:
                samples = bench.calls([(program, "settle-nothing") for program in programs], settings, rounds=ROUNDS)
            finally:
                for program in programs:
                    program.close()
            few, many = (samples[program, "settle-nothing"] for program in programs)
            figure, clocked = ratio(cpu(many), cpu(few)), ratio(wall(many), wall(few))
            reach = bench.reaches.at_most(f"settle with nothing due of {MANY} rows against {FEW}, {label}", clocked, GROWTH)
            cells = [micro(alone(kind(mine))) for mine in (few, many) for kind in (cpu, wall)]
            table.row(label, *cells, times(figure), spread(figure), times(clocked), spread(clocked), reach)
    return table


def of_sqlite(bench, settings, file, rows):
    program = using(bench.journal_program, file)
    pay_once(program, settings)
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        columns = [row[0] for row in connection.execute("SELECT name FROM pragma_table_info('merchantpay_journal')")]
        for statement in due_tomorrow(columns, rows):
            connection.execute(statement)
    return program


def of_postgresql(bench, settings, servers, rows):
    place = servers.create("postgresql", f"bench_{rows}")
    program = Program("c", "ours", "C", [bench.built / "c/journal_ours"], {**place, "LD_LIBRARY_PATH": str(bench.library.parent)})
    pay_once(program, settings)

    def ask(*statements):
        command = ["psql", "-qAth", place["BENCH_SOCKET"], "-U", "shop", "-d", place["BENCH_DATABASE"], "-v", "ON_ERROR_STOP=1"]
        words = [word for statement in statements for word in ("-c", statement)]
        return subprocess.run([*command, *words], check=True, capture_output=True, text=True).stdout.split()

    columns = ask("SELECT column_name FROM information_schema.columns WHERE table_name = 'merchantpay_journal' ORDER BY ordinal_position")
    ask(*due_tomorrow(columns, rows), "VACUUM ANALYZE merchantpay_journal")
    return program


def pay_once(program, settings):
    program.start(settings)
    program.run("pay", 1)
    program.close()


def due_tomorrow(columns, rows):
    """What makes so many open rows of the one that is there, with names of their own."""
    yield f"UPDATE {TABLE} SET reference = 'first', due_at = due_at + {DAY}"
    yield from copies(columns, "first", 1, rows, {name: "'copy-' || n" for name in ("reference", "token", "order_id")})
