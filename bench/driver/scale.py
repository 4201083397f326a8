"""Compares a journal of many rows with a journal of a thousand rows, in SQLite, PostgreSQL and MariaDB. Compares eight workers of `settle`
with one worker."""

import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from .measure import SHORT, Figure, alone, cpu, ratio, unless_short, wall
from .program import Broken
from .report import Table, spread, times
from .stores import TABLE, Mariadb, Postgresql, Servers, Sqlite

FEW, MANY = 1000, int(os.environ.get("BENCH_ROWS") or unless_short(1_000_000, 5000))
# The number of open and due rows; they are the newest rows. bench/rust/src/bin/journal.rs has the same constant.
OPEN = 400
# One of ten rows is purged: the purged rows are the oldest.
PURGED = 10
# The largest ratios to the time and the memory with few rows, and the largest number of additional pages for each search of an index.
GROWTH, MEMORY, PAGES = 1.2, 1.2, 3
# For each task: the calls to warm up, the calls of each round, and the number of rounds. `receive` and `settle` use the open rows.
TASKS = {
    "pay": (100, 80, 16),
    "receive": (10, 10, 14),
    "settle": (10, 10, 14),
    "news": (20, 20, 14),
    "attention": (100, 50, 14),
    "purge": (20, 10, 14),
    "stats": (100, 50, 14),
    "find": (1000, 300, 40),
    "find-any": (1000, 300, 40),
}
# The number of calls of each task for which a separate process counts the pages.
COUNTED = unless_short(20, 5)
# This task shows the cost of reading pages that are not in the database's memory, so it has no limit.
NOT_JUDGED = "find-any"
DUE, WORKERS_ROUNDS = 100, unless_short(20, 2)
# The smallest ratio of the journal's payments per second to pgbench's, and the number of processes.
OF_PGBENCH, PROCESSES = 0.85, 8
PGBENCH_ROUNDS, PAYMENTS = unless_short(10, 2), unless_short(1000, 10)


def tables(bench, release):
    with tempfile.TemporaryDirectory(dir=bench.built) as folder:
        yield growth(bench, "SQLite", lambda rows: Sqlite(f"{folder}/{rows}.db"))
    servers = Servers(release / "with-databases")
    try:
        for kind in (Postgresql, Mariadb):
            yield growth(bench, kind.label, lambda rows, kind=kind: servers.create(kind, f"rows_{rows}"))
        yield workers(bench, [servers.create(kind, "workers") for kind in (Postgresql, Mariadb)])
        yield beside_pgbench(bench, servers.create(Postgresql, "pgbench"))
    finally:
        servers.close()


def growth(bench, label, create):
    table = Table(
        f"{label}: a journal of {MANY} rows beside one of {FEW}",
        "task",
        f"{FEW} rows: CPU µs",
        "time µs",
        f"{MANY} rows: CPU µs",
        "time µs ",
        "many ÷ few, CPU",
        "quartiles",
        "many ÷ few, time",
        "quartiles ",
        "reach",
        "pages",
        "pages ",
        "most more a search",
        "reach ",
        "HOT",
        note=f"{OPEN} rows of each, the newest, are open and due; all others are final and acknowledged, and a tenth, the oldest, is purged. "
        "`receive` takes the webhook of an open one, `settle` one that is due, `purge` the oldest that is not purged, `find` one of the newest "
        "and `find-any` any row. In turns, and means, so "
        "that a database's checkpoints are in them. CPU is the program's, of which SQLite is a part, and that of the server for its "
        "connection. Pages are those that one call reads, and how many more a search of an index reads.",
    )
    settings, places = bench.server.orders_settings(), []
    for rows in (FEW, MANY):
        places.append(create(rows))
        fill(bench, settings, places[-1], rows)
    counted = {task: [pages(bench, settings, place, rows, task) for place, rows in zip(places, (FEW, MANY))] for task in TASKS}
    programs = [of(bench, place, rows, used=COUNTED) for place, rows in zip(places, (FEW, MANY))]
    try:
        with bench.on_one_processor():
            for program in programs:
                program.start(settings)
            samples = {task: in_turn(dict(zip(programs, places)), task, *numbers) for task, numbers in TASKS.items()}
            memory = [program.memory("VmHWM") for program in programs]
    finally:
        for program in programs:
            program.close()
    for task, (few, many) in samples.items():
        figure, clocked = share_of_sums(cpu(many), cpu(few)), share_of_sums(wall(many), wall(few))
        reach = ""
        if task != NOT_JUDGED:
            reach = bench.reaches.at_most(f"{label}: {task} with {MANY} rows against {FEW}", figure, GROWTH)
        cells = [f"{statistics.mean(kind(mine)):.1f}" for mine in (few, many) for kind in (cpu, wall)]
        row = [*cells, times(figure), spread(figure), times(clocked), spread(clocked), reach]
        table.row(task, *row, *page_cells(bench, f"{label}: pages of {task}", *counted[task]))
    figure = alone([memory[1] / memory[0]])
    reach = bench.reaches.at_most(f"{label}: memory with {MANY} rows against {FEW}", figure, MEMORY)
    table.row(
        "memory at most", *(cell for bytes_ in memory for cell in (f"{bytes_ / 2**20:.2f} MiB", "")), times(figure), "", "", "", reach
    )
    sizes = [[size(part, rows) for part in place.sizes()] for place, rows in zip(places, (FEW, MANY))]
    table.row("bytes a row: table, indexes", *(cell for pair in sizes for cell in pair))
    for place in places:
        place.drop()
    return table


def size(part, rows):
    return "" if part is None else f"{part / rows:.0f}"


def of(bench, place, rows, used=0):
    """Returns the program with a journal of `rows` rows. `used` webhooks were received and `used` rows were purged before."""
    program = bench.journal_program.another()
    program.environment = {**place.environment, "BENCH_JOURNAL_ROWS": str(rows), "BENCH_JOURNAL_USED": str(used)}
    return program


def fill(bench, settings, place, rows):
    """Makes `rows` rows: copies of the two rows that the program makes by payments."""
    program = of(bench, place, rows)
    program.start(settings)
    program.run("templates", 1)
    program.close()
    # Spreads the numbers, so that they are not sorted, like the service's random ids.
    scattered = "('' || (1000000000 + (((n + 1) * 2654435761) & 4294967295)) || (1000000000000000000 + n))"
    names = {
        "reference": "('order-' || n)",
        "token": f"({scattered} || 'abc')",
        "order_id": f"('sb-' || {scattered})",
        "record": f"replace(record, order_id, 'sb-' || {scattered})",
        "purged": f"(CASE WHEN n < {rows // PURGED} THEN 1 ELSE 0 END)",
        # Each row is a second older than the next one.
        **{column: f"{column} - ({rows} - n) * 1000" for column in ("created_at", "updated_at", "due_at")},
    }
    place.ready()
    for template, first, end in (("template-final", 0, rows - OPEN), ("template-open", rows - OPEN, rows)):
        place.copy(template, first, end, names)
    place.ask(f"DELETE FROM {TABLE} WHERE reference LIKE 'template-%'")
    place.tidy()


def pages(bench, settings, place, rows, task):
    """Returns the number of pages that a call reads, by index, and two numbers: the updates of all calls, and the HOT updates of these."""
    program = of(bench, place, rows)
    read, updates = place.pages(), place.updates()
    program.start(settings)
    if task == "receive":
        program.run("sign", COUNTED)
    program.run(task, COUNTED)
    # A database server counts the pages that a connection has read when the connection ends.
    program.close()
    read = {name: (count - read[name]) / COUNTED for name, count in place.pages().items()}
    return read, [now - before for before, now in zip(updates, place.updates())]


def page_cells(bench, what, few, many):
    (few, _), (many, updates) = few, many
    if not few:
        return []
    # With few rows, a search of an index reads two pages: the index's root and a leaf.
    more = {name: (many[name] - few[name]) / max(few[name] / 2, 1) for name in few if name != TABLE}
    most, name = max((more[name], name) for name in more)
    hot = f"{updates[1]} of {updates[0]}" if updates and updates[0] else ""
    reach = bench.reaches.no_more_than(what, round(most, 1), PAGES)
    return [f"{sum(few.values()):.1f}", f"{sum(many.values()):.1f}", f"{most:.1f} ({name})", reach, hot]


def in_turn(places, task, warm_up, calls, rounds):
    """Returns, for each program and round, a call's CPU time and elapsed time in microseconds. The CPU time includes the program and the
    threads of its database server."""
    programs, threads = list(places), {}
    samples = {program: [] for program in programs}
    if SHORT:
        warm_up, calls, rounds = 5, 5, 2
    for number in range(-1, rounds):
        count = calls if number >= 0 else warm_up
        for program in programs if number % 2 == 0 else reversed(programs):
            if task == "receive":
                program.run("sign", count)
            before = cpu_of(threads.get(program, ()))
            used, took = program.run(task, count)
            if number < 0:
                # After the warm-up the program is connected, so its threads in the server exist.
                threads[program] = places[program].threads()
                continue
            used += cpu_of(threads[program]) - before
            samples[program].append((used / count * 1e6, took / count * 1e6))
    return [samples[program] for program in programs]


def cpu_of(threads):
    """Returns the CPU seconds of these threads."""
    return sum(int(pathlib.Path(f"/proc/{thread}/schedstat").read_text().split()[0]) for thread in threads) / 1e9


def share_of_sums(above, below):
    return Figure(sum(above) / sum(below), [a / b for a, b in zip(above, below)])


def workers(bench, places):
    table = Table(
        f"{DUE} due rows, settled by eight workers and by one",
        "store",
        "one: ms",
        "eight: ms",
        "eight ÷ one, time",
        "quartiles",
        "reach",
        note="All workers are threads of one process with a journal and a claim of their own. The service answers at once.",
    )
    settings = bench.server.orders_settings()
    for place in places:
        program = of(bench, place, 0)
        program.start(settings)
        took = {"one-worker": [], "eight-workers": []}
        for number in range(WORKERS_ROUNDS):
            for task in took if number % 2 == 0 else reversed(took):
                program.run("pay", DUE)
                place.ask(f"UPDATE {TABLE} SET due_at = 0 WHERE standing = 'open'")
                took[task].append(program.run(task, DUE)[1] * 1000)
        program.close()
        figure = ratio(took["eight-workers"], took["one-worker"])
        reach = bench.reaches.at_most(f"eight workers against one, {place.label}", figure, 1)
        table.row(place.label, *(f"{statistics.median(took[task]):.1f}" for task in took), times(figure), spread(figure), reach)
    return table


def beside_pgbench(bench, place):
    table = Table(
        f"{PROCESSES} processes pay at a time, in PostgreSQL",
        "program",
        "payments a second",
        "journal ÷ this",
        "quartiles",
        "reach",
        note="The client cannot sign, so that a payment is its statements alone: look, INSERT, read back, UPDATE. pgbench runs the same "
        "statements with the same parameters, unprepared as the journal's are. In turns.",
    )
    settings = bench.server.orders_settings()
    with tempfile.TemporaryDirectory(dir=bench.built) as folder:
        program = of(bench, place, 0)
        program.environment["BENCH_STATEMENTS"] = f"{folder}/statements"
        program.start(settings)
        program.run("statements", 1)
        program.close()
        command = pgbench(place, folder)
        programs = [of(bench, place, 0) for _ in range(PROCESSES)]
        rates = {"the journal": [], "pgbench": []}
        for program in programs:
            program.start(settings)
            program.run("pay-unsent", 10)
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
    [(other,)] = place.ask(f"SELECT COUNT(*) FROM {TABLE} WHERE standing <> 'refused'")
    if int(other):
        raise Broken(f"{other} payments have no second write")
    figure = ratio(*rates.values())
    reach = bench.reaches.at_least("payments a second against pgbench", figure, OF_PGBENCH)
    table.row("the journal", f"{statistics.median(rates['the journal']):.0f}")
    table.row("pgbench", f"{statistics.median(rates['pgbench']):.0f}", times(figure), spread(figure), reach)
    return table


def pgbench(place, folder):
    """Returns the command with which pgbench runs the recorded statements, with new references and tokens."""
    with open(f"{folder}/statements") as file:
        statements = [line.rstrip("\n").split("\x1f") for line in file]
    # The first statement searches for the reference. Only the INSERT has a token, which has 32 hexadecimal digits.
    reference, script = statements[0][1], ["\\set reference random(1, 9000000000000000000)", "\\set token random(1, 9000000000000000000)"]
    given = []
    for number, (sql, *parameters) in enumerate(statements):
        words = []
        for nth, text in enumerate(parameters, 1):
            name = f"p{number}_{nth}"
            if text == "\0":
                words.append("NULL")
            elif text == reference:
                words.append(":reference")
            elif sql.startswith("INSERT") and re.fullmatch("[0-9a-f]{32}", text):
                words.append(":token")
            else:
                given.extend(["-D", f"{name}={text}"])
                words.append(":" + name)
        script.append(re.sub(r"\$(\d+)", lambda match, words=words: words[int(match[1]) - 1], sql) + ";")
    with open(f"{folder}/script", "w") as file:
        file.write("\n".join(script) + "\n")
    many = ["-c", str(PROCESSES), "-j", str(PROCESSES), "-t", str(PAYMENTS)]
    return ["pgbench", "-n", "-M", "extended", *many, "-f", f"{folder}/script", *given, "-h", place.socket, "-U", "shop", place.database]
