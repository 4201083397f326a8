"""Compares a journal of many rows with a journal of a thousand rows, in PostgreSQL."""

import os
import pathlib
import statistics

from .databases import Postgresql, Servers, over
from .measure import SHORT, Figure, cpu, unless_short, wall
from .report import Table, spread, times

TABLE = "merchantpay_attempts"
FEW, MANY = 1000, int(os.environ.get("BENCH_ROWS") or unless_short(1_000_000, 5000))
# The number of open and due rows; they are the newest rows.
OPEN = 400
# The largest ratio to the CPU time with few rows.
GROWTH = 1.2
# For each task: the calls to warm up, the calls of each round, and the number of rounds. `settle` uses the open rows, and makes news.
TASKS = {"pay": (100, 80, 16), "settle": (10, 10, 14), "news": (20, 20, 14), "attention": (100, 50, 14)}
RELOAD = "DO 'BEGIN PERFORM pg_reload_conf(); END'"


def tables(bench):
    servers = Servers(bench.release / "with-databases")
    try:
        yield growth(bench, servers)
    finally:
        servers.close()


def growth(bench, servers):
    table = Table(
        f"PostgreSQL: a journal of {MANY} rows beside one of {FEW}",
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
        note=f"{OPEN} rows of each, the newest, are open and due; all others are final and acknowledged. In turns, and means, so that a "
        "database's checkpoints are in them. CPU is the program's and that of the server for its connection.",
    )
    settings = bench.server.orders_settings()
    places = {rows: servers.create(Postgresql, f"rows_{rows}") for rows in (FEW, MANY)}
    programs = {over(place, bench.journal_program): place for place in places.values()}
    for (rows, place), program in zip(places.items(), programs):
        fill(settings, place, program, rows)
    try:
        with bench.on_one_processor():
            for program in programs:
                program.start(settings)
            samples = {task: in_turn(programs, task, *numbers) for task, numbers in TASKS.items()}
    finally:
        for program in programs:
            program.close()
    for task, (few, many) in samples.items():
        figure, clocked = share_of_sums(cpu(many), cpu(few)), share_of_sums(wall(many), wall(few))
        reach = bench.reaches.at_most(f"{task} with {MANY} rows against {FEW}", figure, GROWTH)
        cells = [f"{statistics.mean(kind(mine)):.1f}" for mine in (few, many) for kind in (cpu, wall)]
        table.row(task, *cells, times(figure), spread(figure), times(clocked), spread(clocked), reach)
    return table


def fill(settings, place, program, rows):
    """Makes `rows` rows: copies of the two rows that the program makes by payments. Meanwhile the server does not wait for the disk."""
    program.start(settings)
    program.run("templates", 1)
    program.close()
    values = {
        "reference": "'order-' || n",
        "success_of": "CASE WHEN success_of IS NOT NULL THEN 'order-' || n END",
        # Not sorted, like random texts.
        "token": "md5('token' || n)",
        "order_id": "'sb-' || md5('order' || n)",
        # Each row is a second older than the next one.
        **{column: f"{column} - ({rows} - n) * 1000" for column in ("created_at", "updated_at", "due_at")},
    }
    columns = [name for (name,) in place.ask(f"SELECT column_name FROM information_schema.columns WHERE table_name = '{TABLE}'")]
    row = ", ".join(values.get(column, column) for column in columns)
    place.ask("ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET full_page_writes = off", RELOAD)
    for template, first, last in (("template-final", 0, rows - OPEN - 1), ("template-open", rows - OPEN, rows - 1)):
        place.ask(
            f"INSERT INTO {TABLE} ({', '.join(columns)}) SELECT {row} FROM {TABLE}, "
            f"generate_series(CAST({first} AS BIGINT), {last}) AS numbers(n) WHERE reference = '{template}'"
        )
    place.ask(f"DELETE FROM {TABLE} WHERE reference LIKE 'template-%'")
    # Completes the work for the new rows, so that the server does not do it during a measurement.
    place.ask(f"VACUUM ANALYZE {TABLE}", "ALTER SYSTEM RESET ALL", RELOAD, "CHECKPOINT")
    os.sync()


def in_turn(places, task, warm_up, calls, rounds):
    """Returns, for each program and round, a call's CPU time and elapsed time in microseconds. The CPU time includes the program and the
    process of its connection in the server."""
    programs, processes = list(places), {}
    samples = {program: [] for program in programs}
    if SHORT:
        warm_up, calls, rounds = 5, 5, 2
    for number in range(-1, rounds):
        count = calls if number >= 0 else warm_up
        for program in programs if number % 2 == 0 else reversed(programs):
            before = cpu_of(processes.get(program, ()))
            used, took = program.run(task, count)
            if number < 0:
                # After the warm-up the program is connected.
                found = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                processes[program] = [int(process) for (process,) in places[program].ask(found)]
                continue
            used += cpu_of(processes[program]) - before
            samples[program].append((used / count * 1e6, took / count * 1e6))
    return [samples[program] for program in programs]


def cpu_of(processes):
    """Returns the CPU seconds of these processes."""
    return sum(int(pathlib.Path(f"/proc/{process}/schedstat").read_text().split()[0]) for process in processes) / 1e9


def share_of_sums(above, below):
    return Figure(sum(above) / sum(below), [a / b for a, b in zip(above, below)])
