"""Measures the elapsed time of calls over a simulated distance: the programs use TLS through a proxy that delays all bytes."""

import time
from concurrent.futures import ThreadPoolExecutor

from .measure import Figure, least_ratio, unless_short
from .program import DelayProxy, Program
from .report import Table, spread, times

# The number of rounds for each round-trip time in milliseconds.
ROUNDS = unless_short({0: 21, 5: 15, 30: 40, 100: 15}, {0: 2, 5: 2, 30: 2, 100: 2})
# The programs of these languages have no tasks for this part.
NEAR = ("dotnet", "coreclr")
# The order matters: each task uses the connection that the previous task left open.
TASKS = (("cold", "first call"), ("new", "following call"), ("sale", "available + new + confirm"))
# The largest ratio to the time of the fastest program without the library. The ratio is judged at these round-trip times, which are most
# of a call's time.
REACH, JUDGED = 1.05, (30, 100)

# For connections that are opened before the call: the languages, the round trip in milliseconds, the seconds that a connection waits, the
# rounds, and the processes of each program.
CONNECTING, AHEAD_AT, AHEAD_SECONDS, AHEAD_ROUNDS, AHEAD_PROCESSES = ("rust", "c", "go", "python"), 30, 5, unless_short(3, 1), 6

NOTE = (
    "TLS 1.3, by the clock, the least of the rounds. The first call is a new client's: it is made, connects (one round trip), does TLS's handshake (one) and calls "
    "`/new` (one). The following call is `/new` right after it, then come `/available`, `/new` and `/confirm` in a row. Peers keep their "
    "connection. Under php-fpm each request makes its own client, so that nothing is pooled between requests there: the first call is "
    "what a request pays, the others what it pays for more calls."
)


def tables(bench):
    programs = [p.another() for p in bench.of("ours", "peer") if p.language not in NEAR]
    proxy = DelayProxy(bench.delay_proxy, bench.server.tls_address, ROUNDS)
    try:
        for round_trip, rounds in ROUNDS.items():
            settings = bench.server.tls_settings(proxy.ports[round_trip])
            for program in programs:
                program.restart(settings)
            warm_up(programs)
            before = bench.server.connections()
            samples = (measure_at_once if round_trip in JUDGED else measure_in_turn)(programs, rounds)
            opened = (bench.server.connections() - before) / (rounds * len(programs))
            yield calls(bench, round_trip, programs, samples, opened)
            if round_trip == AHEAD_AT:
                yield ahead(bench, programs, settings, proxy.urls[round_trip])
    finally:
        for program in programs:
            program.close()
        proxy.close()


def warm_up(programs):
    with ThreadPoolExecutor(len(programs)) as pool:
        list(pool.map(lambda program: [program.run(task, 1) for task, _ in TASKS], programs))


def clocked(program, task):
    """Returns the elapsed time of one call of a task, in milliseconds."""
    _, wall = program.run(task, 1)
    return wall * 1000


def one_round(program):
    return [clocked(program, task) for task, _ in TASKS]


def measure_in_turn(programs, rounds):
    times_ = {program: [] for program in programs}
    for number in range(rounds):
        for program in programs if number % 2 == 0 else reversed(programs):
            times_[program].append(one_round(program))
    return by_task(times_)


def measure_at_once(programs, rounds):
    """Runs all programs at the same time, because they wait for most of the time. This allows more rounds."""
    with ThreadPoolExecutor(len(programs)) as pool:
        times_ = list(pool.map(lambda program: [one_round(program) for _ in range(rounds)], programs))
    return by_task(dict(zip(programs, times_)))


def by_task(times_):
    return {(program, task): [one[at] for one in rounds] for program, rounds in times_.items() for at, (task, _) in enumerate(TASKS)}


def best(peers, samples):
    """Returns the samples of the fastest peer, a program without the library."""
    return min((samples[peer] for peer in peers), key=min, default=None)


def calls(bench, round_trip, programs, samples, opened):
    columns = [column for _, what in TASKS for column in (f"{what}, ms", "÷ best peer")]
    table = Table(f"Over a distance: {round_trip} ms of round trip", "program", *columns, note=NOTE if round_trip == min(ROUNDS) else "")
    peers = [p for p in programs if p.kind == "peer"]
    least = {task: best(peers, {p: samples[p, task] for p in peers}) for task, _ in TASKS}
    for program in programs:
        judged = program.kind == "ours" and round_trip in JUDGED
        cells = []
        for task, what in TASKS:
            mine = samples[program, task]
            cells += [f"{min(mine):.1f}", ""]
            if least[task]:
                figure = least_ratio(mine, least[task])
                reach = (
                    bench.reaches.at_most(f"{what} at {round_trip} ms, {program} against the best peer", figure, REACH) if judged else ""
                )
                cells[-1] = times(figure) + (f", {reach}" if reach else "")
        table.row(program, *cells)
    reach = bench.reaches.at_most(f"connections at {round_trip} ms, for each first call", Figure(opened, [opened]), 1)
    table.row("connections for each first call", f"{opened:g}", reach)
    return table


def ahead(bench, programs, settings, proxy_url):
    """Measures a call after `connect()` and a pause: directly, and through an http proxy."""
    direct = [p for p in programs if p.kind == "ours" and p.language in CONNECTING]
    proxied = [Program(p.language, p.kind, f"{p}, through a proxy", p.command, {**p.environment, "BENCH_PROXY": proxy_url}) for p in direct]
    ours, peers = [*direct, *proxied], [p for p in programs if p.kind == "peer"]
    samples = {program: [] for program in [*ours, *peers]}
    # Several processes of each program wait at the same time. The programs take turns, so that each time a different program finds the
    # machine idle.
    waiting = [(program, program.another()) for _ in range(AHEAD_PROCESSES) for program in ours]
    try:
        for _, process in waiting:
            process.start(settings)
        for _ in range(AHEAD_ROUNDS):
            with ThreadPoolExecutor(len(waiting)) as pool:
                list(pool.map(lambda pair: pair[1].run("connect", 1), waiting))
            time.sleep(AHEAD_SECONDS)
            for program, process in waiting:
                samples[program].append(clocked(process, "new"))
            for program in peers:
                program.run("new", 1)
                samples[program] += [clocked(program, "new") for _ in range(AHEAD_PROCESSES)]
    finally:
        for _, process in waiting:
            process.close()
    table = Table(
        f"A connection opened ahead: {AHEAD_AT} ms of round trip",
        "program",
        "/new, ms",
        "÷ best peer",
        "quartiles",
        "reach",
        note=f"A new client's `connect()`, {AHEAD_SECONDS} s of waiting, and `/new`, which alone is timed: directly, and through an http "
        "proxy that stands beside the server. Of the peers `/new` right after another call, directly.",
    )
    least = best(peers, samples)
    for program in samples:
        cells = ["", "", ""]
        if least:
            figure = least_ratio(samples[program], least)
            what = f"/new after connect() at {AHEAD_AT} ms, {program} against the best peer"
            cells = [times(figure), spread(figure), bench.reaches.at_most(what, figure, REACH) if program in ours else ""]
        table.row(program, f"{min(samples[program]):.1f}", *cells)
    return table
