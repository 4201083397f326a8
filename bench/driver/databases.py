"""Compares the statements of a payment in PostgreSQL and MariaDB with hand-written statements, and with the same statements in pgbench."""

import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from .measure import alone, cpu, ratio, unless_short, wall
from .program import Broken, Program, end
from .report import Table, micro, spread, times

HERE = pathlib.Path(__file__).parents[1]
# The largest ratio of the journal's CPU time to that of the hand-written program.
BY_HAND = 1
ROUNDS, BATCH_SECONDS = 40, 0.15
# The smallest ratio of the journal's payments per second to pgbench's, and the number of processes.
OF_PGBENCH, PROCESSES = 0.85, 8
PGBENCH_ROUNDS, PAYMENTS = unless_short(10, 2), unless_short(1000, 10)


class Database:
    """A database of its own. The driver uses the server's own client program."""

    def __init__(self, socket, name):
        self.socket, self.name = socket, name
        self.client("CREATE DATABASE " + name, self.FIRST)
        url, pdo = (text.format(socket=socket, name=name) for text in (self.URL, self.PDO))
        self.environment = {"BENCH_JOURNAL": url, "BENCH_PDO": pdo, "BENCH_USER": self.USER}

    def ask(self, *statements):
        return [line.split("\t") for line in self.client(";\n".join(statements), self.name).splitlines()]

    def client(self, statements, name):
        command = [word.format(socket=self.socket, name=name) for word in self.CLIENT]
        return subprocess.run(command, input=statements, check=True, stdout=subprocess.PIPE, text=True).stdout


class Postgresql(Database):
    label, SERVER, FIRST, USER = "PostgreSQL", "MERCHANTPAY_POSTGRESQL", "postgres", "shop"
    CLIENT = "psql -qAtX -F \t -v ON_ERROR_STOP=1 -h {socket} -U shop -d {name}".split(" ")
    URL, PDO = "postgresql:///{name}?host={socket}&user=shop", "pgsql:host={socket};dbname={name}"


class Mariadb(Database):
    label, SERVER, FIRST, USER = "MariaDB", "MERCHANTPAY_MARIADB", "mysql", "root"
    CLIENT = "mariadb --no-defaults --batch --skip-column-names --user=root --socket={socket} {name}".split(" ")
    URL, PDO = "mysql:///{name}?socket={socket}&user=root", "mysql:unix_socket={socket};dbname={name}"


class Servers:
    """Runs PostgreSQL and MariaDB until `close` is called."""

    def __init__(self, path):
        waits = "import json, os, sys; print(json.dumps(dict(os.environ)), flush=True); sys.stdin.read()"
        command = [path, sys.executable, "-c", waits]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.environment = json.loads(self.process.stdout.readline())

    def create(self, kind, name):
        return kind(self.environment[kind.SERVER], name)

    def close(self):
        end(self.process)


def over(place, program):
    """Returns the same program, for a process that uses this database."""
    copy = program.another()
    copy.environment = {**copy.environment, **place.environment}
    return copy


def tables(bench):
    # The databases run on the programs' processor too. Otherwise a third of a statement's time depends on the processor on which the
    # connection's process happens to run.
    with bench.on_one_processor():
        servers = Servers(bench.release / "with-databases")
    try:
        yield cost(bench, servers)
    finally:
        servers.close()
    servers = Servers(bench.release / "with-databases")
    try:
        yield beside_pgbench(bench, servers.create(Postgresql, "pgbench"))
    finally:
        servers.close()


def cost(bench, servers):
    table = Table(
        "The statements of a payment in a database",
        "program",
        "CPU µs",
        "time µs",
        "journal ÷ this, CPU",
        "quartiles",
        "journal ÷ this, time",
        "quartiles ",
        "reach",
        note="`pay` of the Rust crate less `new_payment` of the same request, beside hand-written code over the same table and indexes: look, "
        "INSERT, UPDATE. The packages of all languages run the statements of the Rust crate. Both databases wait for the disk. The CPU time "
        "is the program's alone; the time has the database's share in it.",
    )
    pdo = Program("php", "peer", "PDO", ["php", "-d", "opcache.enable_cli=1", HERE / "php/statements.php"])
    peers = {
        Postgresql: [
            Program("python", "peer", "psycopg", [bench.built / "python/bin/python", HERE / "python/statements.py"]),
            pdo,
            Program("go", "peer", "pgx", [bench.built / "go/statements"]),
        ],
        Mariadb: [pdo],
    }
    settings = bench.server.orders_settings()
    for kind, others in peers.items():
        place = servers.create(kind, "bench")
        ours, others = over(place, bench.journal_program), [over(place, peer) for peer in others]
        ours.start(settings)  # This creates the tables.
        ours.run("pay", 1)
        try:
            jobs = [(ours, "pay"), (ours, "new"), *((peer, "pay") for peer in others)]
            samples = bench.calls(jobs, settings, rounds=ROUNDS, batch=BATCH_SECONDS, warm_up=100)
        finally:
            for program in (ours, *others):
                program.close()
        # Both ran in the same round, so the rest are the statements.
        mine = [tuple(a - b for a, b in zip(*pair)) for pair in zip(samples[ours, "pay"], samples[ours, "new"])]
        table.row(f"{kind.label}: the journal", micro(alone(cpu(mine))), micro(alone(wall(mine))))
        for peer in others:
            by_hand = samples[peer, "pay"]
            figure, clocked = ratio(cpu(mine), cpu(by_hand)), ratio(wall(mine), wall(by_hand))
            reach = bench.reaches.at_most(f"statements of pay against {kind.label}: {peer}", figure, BY_HAND)
            cells = [
                micro(alone(cpu(by_hand))),
                micro(alone(wall(by_hand))),
                times(figure),
                spread(figure),
                times(clocked),
                spread(clocked),
            ]
            table.row(f"{kind.label}: {peer}, by hand", *cells, reach)
    return table


def beside_pgbench(bench, place):
    table = Table(
        f"{PROCESSES} processes pay at a time, in PostgreSQL",
        "program",
        "payments a second",
        "journal ÷ this",
        "quartiles",
        "reach",
        note="The client cannot sign, so that a payment is its statements alone: look, INSERT, UPDATE, and a look at the refused payment. pgbench "
        "runs the same statements with the same parameters, unprepared as the journal's are. In turns.",
    )
    settings, programs = bench.server.orders_settings(), [over(place, bench.journal_program) for _ in range(PROCESSES)]
    rates = {"the journal": [], "pgbench": []}
    with tempfile.TemporaryDirectory(dir=bench.built) as folder:
        for program in programs:
            program.start(settings)
            program.run("pay-unsent", 10)
        command = pgbench(place, statements(place, programs[0]), folder)
        for _ in range(PGBENCH_ROUNDS):
            began = time.perf_counter()
            with ThreadPoolExecutor(PROCESSES) as threads:
                list(threads.map(lambda program: program.run("pay-unsent", PAYMENTS), programs))
            rates["the journal"].append(PROCESSES * PAYMENTS / (time.perf_counter() - began))
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            rates["pgbench"].append(float(re.search(r"^tps = ([\d.]+)", printed, re.MULTILINE)[1]))
        for program in programs:
            program.close()
    # Checks that every UPDATE of pgbench and of the journal found the row of its INSERT.
    [(other,)] = place.ask("SELECT COUNT(*) FROM merchantpay_attempts WHERE state <> 'refused'")
    if int(other):
        raise Broken(f"{other} payments have no second write")
    figure = ratio(*rates.values())
    reach = bench.reaches.at_least("payments a second against pgbench", figure, OF_PGBENCH)
    table.row("the journal", f"{statistics.median(rates['the journal']):.0f}")
    table.row("pgbench", f"{statistics.median(rates['pgbench']):.0f}", times(figure), spread(figure), reach)
    return table


def statements(place, program):
    """Returns the statements of one payment, each with its parameters, from the server's log."""
    log = pathlib.Path(place.socket, "log")
    logged = "DO 'BEGIN PERFORM pg_reload_conf(); END'"
    place.ask("ALTER SYSTEM SET log_statement = 'all'", logged)
    # A process of the server reads its settings between two statements.
    program.run("pay-unsent", 1)
    before = log.stat().st_size
    program.run("pay-unsent", 1)
    place.ask("ALTER SYSTEM RESET ALL", logged)
    found = re.findall(r"execute <unnamed>: (.*)\n.*DETAIL:  [Pp]arameters: (.*)", log.read_text()[before:])
    program.run("pay-unsent", 1)
    if [sql.split(" ")[0] for sql, _ in found] != ["SELECT", "INSERT", "UPDATE", "SELECT"]:
        raise Broken(f"a payment has other statements: {found}")
    return [(sql, re.findall(r"\$\d+ = (?:(NULL)|'((?:[^']|'')*)')", parameters)) for sql, parameters in found]


def pgbench(place, statements, folder):
    """Returns the command with which pgbench runs the recorded statements, with new references and tokens."""
    # The look has the reference alone. Of the INSERT's texts the token and the stamp have 32 hexadecimal digits, the token first.
    reference = statements[0][1][0][1]
    token = next(text for _, text in statements[1][1] if re.fullmatch("[0-9a-f]{32}", text))
    script, given = [f"\\set {name} random(1, 9000000000000000000)" for name in ("reference", "token")], []
    own = {reference: ":reference", token: ":token"}
    for number, (sql, parameters) in enumerate(statements):
        words = []
        for nth, (null, text) in enumerate(parameters, 1):
            if not null and text not in own:
                given.extend(["-D", f"p{number}_{nth}={text}"])
            words.append(null or own.get(text, f":p{number}_{nth}"))
        script.append(re.sub(r"\$(\d+)", lambda match, words=words: words[int(match[1]) - 1], sql) + ";")
    pathlib.Path(folder, "script").write_text("\n".join(script) + "\n")
    many = ["-c", str(PROCESSES), "-j", str(PROCESSES), "-t", str(PAYMENTS)]
    return ["pgbench", "-n", "-M", "extended", *many, "-f", f"{folder}/script", *given, "-h", place.socket, "-U", "shop", place.name]
