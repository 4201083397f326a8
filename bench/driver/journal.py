"""Measures the cost of a payment through the journal, compared with the call alone and with a merchant's own code
that stores the payment."""

import tempfile

from .measure import alone, cpu, ratio, unless_short, wall
from .report import Table, micro, spread, times

# The largest ratio of the journal's CPU time to that of the merchant's own code.
BY_HAND = 1
# The largest number of durable writes per payment. A payment needs two; SQLite adds a checkpoint for each thousand pages.
DURABLE, COUNTED = 2.1, unless_short(300, 10)
# A batch is long enough to contain some of SQLite's checkpoints.
ROUNDS, BATCH_SECONDS = 20, 0.15


def tables(bench):
    with tempfile.TemporaryDirectory(dir=bench.built) as folder:
        yield cost(bench, folder)


def using(program, file):
    """Returns the same program, for a process with its own journal."""
    copy = program.another()
    copy.environment = {**copy.environment, "BENCH_JOURNAL": file}
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
