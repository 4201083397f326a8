"""A payment through the journal in a database, from C, beside the call alone and beside what a merchant writes by hand."""

import json
import subprocess
import sys

from .measure import alone, cpu, ratio, wall
from .program import Program, end
from .report import Table, micro, spread, times

# At most so much of the hand-written one's CPU time.
BY_HAND = 1
ROUNDS, BATCH_SECONDS = 40, 0.15
STORES = {"postgresql": "PostgreSQL, libpq", "mariadb": "MariaDB, libmariadb"}


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
        "function. PostgreSQL does not wait for the disk here, MariaDB does. The CPU time is the program's alone; the time has the database's and the "
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
            if job[1] == "pay" and job[0] is peer:
                figure, clocked = ratio(cpu(samples[ours, "pay"]), cpu(mine)), ratio(wall(samples[ours, "pay"]), wall(mine))
                reach = bench.reaches.at_most(f"pay against {name}", figure, BY_HAND)
                cells = [times(figure), spread(figure), times(clocked), spread(clocked), reach]
            elif job[1] == "new":
                figure, clocked = ratio(cpu(samples[ours, "pay"]), cpu(mine)), ratio(wall(samples[ours, "pay"]), wall(mine))
                cells = [times(figure), spread(figure), times(clocked), spread(clocked)]
            table.row(name, micro(alone(cpu(mine))), micro(alone(wall(mine))), *cells)
    return table
