"""The journal: what a payment costs through it, beside the call alone and beside what a merchant writes by hand, and what a million rows
cost beside a thousand."""

import contextlib
import sqlite3
import statistics
import tempfile

from .measure import SHORT, Figure, alone, cpu, ratio, unless_short, wall
from .report import Table, micro, spread, times
from .rows import SCATTERED, TABLE, copies

# At most so much of the hand-written one's CPU time.
BY_HAND = 1
# Durable writes a payment: two, and what SQLite's checkpoints add, one each thousand pages.
DURABLE, COUNTED = 2.1, unless_short(300, 10)
# Long enough for some checkpoints in each batch.
ROUNDS, BATCH_SECONDS = 20, 0.15

FEW, MANY = 1000, unless_short(1_000_000, 5000)
# So many of the rows, the newest, are open and due; the program knows it, too.
OPEN = 600
# At most so much of what it costs with few rows.
GROWTH, MEMORY = 1.2, 1.2
# Calls before the first that counts, in each round, and rounds. What is received and settled are the 600 open rows.
TASKS = {"pay": (100, 80, 16), "receive": (20, 20, 14), "settle": (20, 20, 14), "find": (1000, 300, 40), "find-any": (1000, 300, 40)}
# Shows what it costs to read pages that are not in SQLite's memory.
NOT_JUDGED = "find-any"


def tables(bench):
    with tempfile.TemporaryDirectory(dir=bench.built) as folder:
        yield cost(bench, folder)
        yield growth(bench, folder)


def using(program, file, rows=0):
    """The same program, for a process with a journal of its own."""
    copy = program.another()
    copy.environment = {**copy.environment, "BENCH_JOURNAL": file, "BENCH_JOURNAL_ROWS": str(rows)}
    return copy


def cost(bench, folder):
    table = Table(
        "A payment through the journal",
        "program",
        "CPU µs",
        "time µs",
        "journal ÷ this, CPU",
        "quartiles",
        "journal ÷ this, time",
        "reach",
        "durable writes",
        "system calls",
        "reach ",
        note="`pay` of the Rust crate beside `new_payment` of the same request without a journal, and beside Python with sqlite3 by hand. "
        "Both store the payment durably before it is sent, and its reply before it is shown. Durable writes (fsync, fdatasync) and "
        "system calls are of one payment, counted by strace; SQLite's checkpoints are in them.",
    )
    program = bench.journal_program
    jobs = {"Rust: pay": (using(program, f"{folder}/ours.db"), "pay"), "Rust: new_payment": (using(program, f"{folder}/unused.db"), "new")}
    for peer in bench.of("peer", language="python"):
        jobs[f"{peer} + sqlite3, by hand"] = (using(peer, f"{folder}/by-hand-{len(jobs)}.db"), "pay")
    settings = bench.server.orders_settings()
    try:
        samples = bench.calls(list(jobs.values()), settings, rounds=ROUNDS, batch=BATCH_SECONDS, warm_up=100)
    finally:
        for program, _ in jobs.values():
            program.close()
    ours = samples[jobs["Rust: pay"]]
    for label, (program, task) in jobs.items():
        mine, cells = samples[program, task], [""] * 4
        if mine is not ours:
            figure = ratio(cpu(ours), cpu(mine))
            reach = bench.reaches.at_most(f"pay against {label}", figure, BY_HAND) if program.kind == "peer" else ""
            cells = [times(figure), spread(figure), times(ratio(wall(ours), wall(mine))), reach]
        counts = program.system_calls(settings, task, COUNTED)
        durable = sum(counts.get(name, 0) for name in ("fsync", "fdatasync"))
        reach = bench.reaches.at_most("durable writes of pay", alone([durable]), DURABLE) if mine is ours else ""
        table.row(label, micro(alone(cpu(mine))), micro(alone(wall(mine))), *cells, f"{durable:.2f}", f"{sum(counts.values()):.1f}", reach)
    return table


def growth(bench, folder):
    table = Table(
        f"A journal of {MANY} rows beside one of {FEW}",
        "what",
        f"{FEW} rows: CPU µs",
        "time µs",
        f"{MANY} rows: CPU µs",
        "time µs ",
        "many ÷ few, CPU",
        "quartiles",
        "many ÷ few, time",
        "quartiles ",
        "reach",
        note="600 rows of each, the newest, are open and due; all others are final and acknowledged. `receive` takes the webhook of an open "
        "one, `settle` one that is due, `find` one of those 600 and `find-any` any row, which SQLite then reads from the file. In turns, and "
        "means, so that SQLite's checkpoints are in them.",
    )
    settings = bench.server.orders_settings()
    programs = [journal_of(bench, folder, rows) for rows in (FEW, MANY)]
    try:
        with bench.on_one_processor():
            for program in programs:
                program.start(settings)
            samples = {task: in_turn(programs, task, *numbers) for task, numbers in TASKS.items()}
            memory = [program.memory("VmHWM") for program in programs]
    finally:
        for program in programs:
            program.close()
    for task, (few, many) in samples.items():
        figure, clocked = share_of_sums(cpu(many), cpu(few)), share_of_sums(wall(many), wall(few))
        reach = bench.reaches.at_most(f"{task} with {MANY} rows against {FEW}", figure, GROWTH) if task != NOT_JUDGED else ""
        cells = [f"{statistics.mean(kind(mine)):.1f}" for mine in (few, many) for kind in (cpu, wall)]
        table.row(task, *cells, times(figure), spread(figure), times(clocked), spread(clocked), reach)
    figure = alone([memory[1] / memory[0]])
    reach = bench.reaches.at_most(f"memory with {MANY} rows against {FEW}", figure, MEMORY)
    few, many = (f"{bytes_ / 2**20:.2f} MiB" for bytes_ in memory)
    table.row("memory at most", few, "", many, "", times(figure), "", "", "", reach)
    return table


def journal_of(bench, folder, rows):
    """The program with a journal of so many rows, of which it has paid two."""
    program = using(bench.journal_program, f"{folder}/{rows}.db", rows)
    program.start(bench.server.orders_settings())
    program.run("templates", 1)
    program.close()
    names = {
        "reference": "printf('order-%07d', n)",
        "token": f"printf('%08x%024x', {SCATTERED}, n)",
        "order_id": f"printf('sb-%08x%016x', {SCATTERED}, n)",
        "record": f"replace(record, order_id, printf('sb-%08x%016x', {SCATTERED}, n))",
        # A second older for each row that follows.
        **{column: f"{column} - ({rows} - n) * 1000" for column in ("created_at", "updated_at", "due_at")},
    }
    with contextlib.closing(sqlite3.connect(program.environment["BENCH_JOURNAL"], isolation_level=None)) as connection:
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -1000000"):
            connection.execute(f"PRAGMA {setting}")
        columns = [row[0] for row in connection.execute(f"SELECT name FROM pragma_table_info('{TABLE}')")]
        for template, first, end in (("template-final", 0, rows - OPEN), ("template-open", rows - OPEN, rows)):
            for statement in copies(columns, template, first, end, names):
                connection.execute(statement)
        connection.execute(f"DELETE FROM {TABLE} WHERE reference LIKE 'template-%'")
    return program


def in_turn(programs, task, warm_up, calls, rounds):
    """Microseconds of CPU and of time a call, for each program, one pair a round."""
    samples = {program: [] for program in programs}
    if SHORT:
        warm_up, calls, rounds = 5, 5, 2
    for number in range(-1, rounds):
        count = calls if number >= 0 else warm_up
        for program in programs if number % 2 == 0 else reversed(programs):
            if task == "receive":
                program.run("sign", count)
            used = program.run(task, count)
            if number >= 0:
                samples[program].append(tuple(seconds / count * 1e6 for seconds in used))
    return [samples[program] for program in programs]


def share_of_sums(above, below):
    return Figure(sum(above) / sum(below), [a / b for a, b in zip(above, below)])
