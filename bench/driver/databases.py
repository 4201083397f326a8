"""Compares a payment through the journal in a database, from C, with the call alone and with a hand-written program. Measures `settle` when
no attempt is due."""

import tempfile

from .measure import alone, cpu, ratio, unless_short, wall
from .program import Program
from .report import Table, micro, spread, times
from .scale import GROWTH, of
from .stores import TABLE, Mariadb, Postgresql, Servers, Sqlite

# The largest ratio of the journal's CPU time to that of the hand-written program.
BY_HAND = 1
ROUNDS, BATCH_SECONDS = 40, 0.15
STORES = {Postgresql: "PostgreSQL, libpq", Mariadb: "MariaDB, libmariadb"}
# The two numbers of open rows with which `settle` is measured when no attempt is due.
FEW, MANY = 1000, unless_short(100_000, 2000)
DAY = 86_400_000


def tables(bench, release):
    # The databases run on the programs' processor too. Otherwise a third of a statement's time depends on the processor on which the
    # connection's process happens to run.
    with bench.on_one_processor():
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
        place = servers.create(store, "bench")
        ours, peer = (of_c(bench, place, kind) for kind in ("ours", "peer"))
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
        stores = {"SQLite": [], STORES[Postgresql]: []}
        for rows in (FEW, MANY):
            file, database = Sqlite(f"{folder}/{rows}.db"), servers.create(Postgresql, f"bench_{rows}")
            for place, program in ((file, of(bench, file, 0)), (database, of_c(bench, database, "ours"))):
                due_tomorrow(place, program, settings, rows)
                stores["SQLite" if place is file else STORES[Postgresql]].append(program)
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


def of_c(bench, place, kind):
    environment = {**place.environment, "LD_LIBRARY_PATH": str(bench.library.parent)}
    return Program("c", kind, f"C, {STORES[type(place)]}", [bench.built / f"c/journal_{kind}"], environment)


def due_tomorrow(place, program, settings, rows):
    """Makes one payment with the program, and copies the payment's row to make `rows` open rows, each with its own names."""
    program.start(settings)
    program.run("pay", 1)
    program.close()
    place.ask(f"UPDATE {TABLE} SET reference = 'first', due_at = due_at + {DAY}")
    place.ready()
    place.copy("first", 1, rows, {name: "'copy-' || n" for name in ("reference", "token", "order_id")})
    place.tidy()
