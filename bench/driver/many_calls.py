"""200 concurrent payments in one asyncio program: AsyncClient compared with httpx."""

import json
import pathlib
import subprocess

from .measure import alone, ratio, unless_short
from .report import Table, micro, spread, times

PROGRAM = pathlib.Path(__file__).parents[1] / "python/many_calls.py"
# The largest ratios to httpx: the first for the elapsed time, the second for the CPU time.
TIME, CPU = 1.1, 1


def tables(bench):
    command = [bench.built / "python/bin/python", PROGRAM, str(unless_short(9, 1))]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    samples = {(connections, task): list(zip(*rounds)) for connections, task, rounds in map(json.loads, printed.splitlines())}
    table = Table(
        "200 payments at once in one asyncio program",
        "connections",
        "program",
        "time µs",
        "CPU µs",
        "ours ÷ httpx, time",
        "quartiles",
        "ours ÷ httpx, CPU",
        "reach, time",
        "reach, CPU",
        note="The service answers after 500 ms. Both clients may have 200 connections; both sign each request and verify each response.",
    )
    for connections in ("new", "open"):
        for task in ("httpx", "ours"):
            wall, used = samples[connections, task]
            cells = ["", "", "", "", ""]
            if task == "ours":
                of_time, of_cpu = (ratio(mine, peers) for mine, peers in zip((wall, used), samples[connections, "httpx"]))
                what = f"200 payments at once, {connections} connections"
                reaches = [bench.reaches.at_most(f"{what}, time", of_time, TIME), bench.reaches.at_most(f"{what}, CPU", of_cpu, CPU)]
                cells = [times(of_time), spread(of_time), times(of_cpu), *reaches]
            table.row(connections, task, micro(alone([one * 1e6 for one in wall])), micro(alone([one * 1e6 for one in used])), *cells)
    yield table
