"""Measures one client that two threads share: whether each thread costs the other CPU time, and whether the threads wait for each other."""

import statistics

from .measure import cpu, interleave, least_ratio, ratio, wall
from .program import DelayProxy
from .report import Table, spread, times

ONE, TWO = "threads1", "threads2"
CALLS_A_COMMAND = 100
# The largest ratio of the CPU time per call with two threads to the CPU time per call with one thread.
COST = 1.25
# The smallest ratio of the calls per second with two threads to the calls per second with one thread, with a server at this round-trip
# time in milliseconds.
GAIN, ROUND_TRIP = 1.8, 5


def tables(bench):
    programs = [p for p in bench.of("ours", "floor", "roomy") if p.language in ("rust", "python", "go", "c")]
    yield cost(bench, programs)
    yield gain(bench, [p.another() for p in programs if p.kind == "ours"])


def both(programs, **rounds):
    """The samples of one thread and of two threads, by program."""
    samples = interleave([(p, task) for p in programs for task in (ONE, TWO)], warm_up=1, **rounds)
    return {p: (samples[p, ONE], samples[p, TWO]) for p in programs}


def rates(typical, *samples):
    """Returns the calls per second."""
    return [f"{CALLS_A_COMMAND * 1e6 / typical(wall(rounds)):.0f}" for rounds in samples]


def cost(bench, programs):
    table = Table(
        "One client, two threads: what a call costs",
        "program",
        "1 thread, calls a second",
        "2 threads",
        "gain",
        "CPU a call, 2 threads ÷ 1",
        "quartiles",
        "reach",
        note="On loopback, where calls follow each other at once. Calls a second and the gain are by the clock: the server works on the same "
        "processors, and what else the machine does is in them; the floor's gain, with a connection a thread and nothing shared, is "
        "what there was to be had.",
    )
    for program, (one, two) in both(programs, rounds=25, batch=0.1).items():
        figure = ratio(cpu(two), cpu(one))
        reach = bench.reaches.at_most(f"CPU a call by two threads, {program}", figure, COST) if program.kind == "ours" else ""
        table.row(program, *rates(statistics.median, one, two), times(ratio(wall(one), wall(two))), times(figure), spread(figure), reach)
    return table


def gain(bench, programs):
    table = Table(
        f"One client, two threads: a server {ROUND_TRIP} ms away",
        "program",
        "1 thread, calls a second",
        "2 threads",
        "gain",
        "quartiles",
        "reach",
        note="Wall-clock time, the minimum of the rounds. A call mostly waits, so two threads make twice as many calls unless one waits for the other.",
    )
    proxy = DelayProxy(bench.delay_proxy, bench.server.tls_address, [ROUND_TRIP])
    try:
        for program in programs:
            program.start(bench.server.tls_settings(proxy.ports[ROUND_TRIP]))
        for program, (one, two) in both(programs, rounds=5, batch=0.25).items():
            figure = least_ratio(wall(one), wall(two))
            reach = bench.reaches.at_least(f"calls by two threads, {program}", figure, GAIN)
            table.row(program, *rates(min, one, two), times(figure), spread(figure), reach)
    finally:
        for program in programs:
            program.close()
        proxy.close()
    return table
