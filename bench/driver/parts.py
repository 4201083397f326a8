"""The parts of the bench. Each part runs its programs and makes a table of the results."""

import contextlib
import os
import pathlib
import re
import subprocess

from . import databases, distance, journal, many_calls, payments, scale, threads
from .measure import alone, cpu, interleave, ratio, unless_short, wall
from .program import Program, move
from .report import Table, micro, spread, times

# The smallest ratio of a peer's CPU time to the library's CPU time, by language. A peer is a program without the library.
WEBHOOK = {"python": 3, "php": 2.2, "go": 2.5, "c": 2.2, "dotnet": 1.3, "coreclr": 1.3}
STATUS = {"python": 8, "php": 1.5, "go": 1.8, "c": 1.3, "dotnet": 1.3, "coreclr": 1.3}
# The largest ratio of a call's CPU time to the CPU time of the floor, a program that only makes the steps that every call needs. In C#
# another thread makes the call, so the threads switch twice.
FLOOR, FLOORS = 1.35, {"dotnet": 2.5, "coreclr": 2.5}
# The largest ratio to the core's CPU time for the same task. The cost of a call from the language into C depends on the language's runtime.
OVERHEAD = {"c": 1.1, "python": 1.15, "go": 1.5, "php": 1.5, "dotnet": 2, "coreclr": 2}
RECEIPT = 1.3
START = 4
# Runtimes that run threads of their own in addition to the call's thread. Limiting such a process to one processor changes its behaviour.
OWN_THREADS = ("go",)
# A call's deadline in seconds, and the largest share of it that an interrupted call may take.
DEADLINE, INTERRUPTION = 30, 0.001
TEST_SIZE = pathlib.Path(__file__).parents[2] / "tools/dev/test-size"


class Bench:
    """The programs that are measured, by language. `release` is the folder of the programs in Rust, `built` is the folder of all others."""

    def __init__(self, programs, server, reaches, release, built):
        self.programs, self.server, self.reaches = programs, server, reaches
        self.release, self.delay_proxy, self.built = release, release / "delay_proxy", built
        self.library = built / "installed/lib/libmerchantpay.so.0"
        self.journal_program = Program("rust", "journal", "Rust: the journal", [release / "journal"])
        for program in programs:
            program.start(server.settings)

    def close(self):
        for program in self.programs:
            program.close()

    def of(self, *kinds, language=None):
        return [p for p in self.programs if p.kind in kinds and language in (None, p.language)]

    @property
    def core(self):
        return self.of("ours", language="rust")[0]

    def bindings(self):
        return [p for p in self.of("ours") if p.language != "rust"]

    @contextlib.contextmanager
    def on_one_processor(self):
        """Runs the server, the programs and their new children on one processor only. A third of a call's CPU time depends on the server's
        processor: waking another processor costs CPU time, and the amount depends on the other work of that processor."""
        everywhere = os.sched_getaffinity(0)
        move({max(everywhere)}, self._processes())
        try:
            yield
        finally:
            move(everywhere, self._processes())

    def _processes(self):
        return [self.server.process, *(program.process for program in self.programs if program.process)]

    def calls(self, jobs, settings=None, **rounds):
        """Returns samples of programs that take turns with the server on one processor."""
        with self.on_one_processor():
            return interleave(jobs, settings or self.server.settings, **rounds)

    def beside_peers(self, title, samples, wanted):
        """Makes the table that compares each package with every peer of its language, a program without the package."""
        samples = {program: rounds for (program, _), rounds in samples.items()}
        table = Table(title, "program", "CPU µs", "time µs", "peer ÷ ours, CPU", "quartiles", "peer ÷ ours, time", "reach")
        for program in self.of("ours", "peer"):
            mine = samples[program]
            cells = [program, micro(alone(cpu(mine))), micro(alone(wall(mine)))]
            ours = self.of("ours", language=program.language)
            if program.kind == "ours":
                table.row(*cells, "", "", "", "")
                continue
            ours = samples[ours[0]]
            figure = ratio(cpu(mine), cpu(ours))
            reach = self.reaches.at_least(f"{title}, {program}", figure, wanted[program.language])
            table.row(*cells, times(figure), spread(figure), times(ratio(wall(mine), wall(ours))), reach)
        return table

    def beside_core(self, samples):
        """Makes the table that compares each package with the core. Both do the same task."""
        table = Table(
            "What a binding costs over the core, a call",
            "what",
            "program",
            "core, CPU µs",
            "binding, CPU µs",
            "binding ÷ core, CPU",
            "quartiles",
            "reach",
        )
        for task, what in (("webhook", "verify a webhook"), ("prepare", "prepare a payment")):
            core = cpu(samples[self.core, task])
            for program in self.bindings():
                mine = cpu(samples[program, task])
                figure = ratio(mine, core)
                reach = self.reaches.at_most(f"{what}, {program} over the core", figure, OVERHEAD[program.language])
                table.row(what, program, micro(alone(core)), micro(alone(mine)), times(figure), spread(figure), reach)
        return table

    def webhook(self):
        programs = self.of("ours", "peer")
        short = {"rounds": 96, "lives": 8, "batch": 0.01}
        samples = interleave([(program, "webhook") for program in programs], self.server.settings, **short)
        yield self.beside_peers("Verify and parse a webhook", samples, WEBHOOK)
        samples.update(interleave([(p, "prepare") for p in (self.core, *self.bindings())], self.server.settings, **short))
        yield self.beside_core(samples)

    def status(self):
        floor, programs = self.of("floor")[0], self.of("ours", "peer")
        beside = [p for p in programs if p.language in OWN_THREADS]
        turns = [p for p in programs if p not in beside]
        samples = self.calls([(p, "status") for p in (floor, *turns)])
        everywhere = interleave([(p, "status") for p in (floor, *beside)], self.server.settings) if beside else {}
        yield self.beside_peers("A signed /status call, kept-alive loopback", {**everywhere, **samples}, STATUS)
        yield self.beside_floor(floor, {"the floor": samples, "the floor, on all processors": everywhere})

    def beside_floor(self, floor, by_label):
        table = Table(
            "A signed /status call against the floor",
            "program",
            "CPU µs",
            "ours ÷ floor, CPU",
            "quartiles",
            "time µs",
            "reach",
            note="The floor, in Rust, is one signature made, one write and one read of a raw socket, and one signature verified, by the "
            "core's own functions for both. Programs and server take turns on one processor; Go, whose runtime has threads of its own, "
            "has all of them, and so has the floor beside it.",
        )
        for label, samples in by_label.items():
            for (program, _), mine in samples.items():
                cells = ["", "", ""]
                if program.kind == "ours":
                    figure = ratio(cpu(mine), cpu(samples[floor, "status"]))
                    most = FLOORS.get(program.language, FLOOR)
                    cells = [times(figure), spread(figure), self.reaches.at_most(f"/status, {program} against the floor", figure, most)]
                elif program is not floor:
                    continue
                name = label if program is floor else program
                table.row(name, micro(alone(cpu(mine))), *cells[:2], micro(alone(wall(mine))), cells[2])
        return table

    def start(self):
        programs = [p for p in self.of("ours", "peer") if p.language == "python"]
        rounds = {program: [] for program in programs}
        for number in range(unless_short(12, 2)):
            for program in programs if number % 2 == 0 else reversed(programs):
                rounds[program].append(program.first(self.server.settings) * 1000)
        table = Table(
            "From the start of the process to the first verified reply", "program", "CPU ms", "peer ÷ ours, CPU", "quartiles", "reach"
        )
        for program in programs:
            cells = ["", "", ""]
            if program.kind == "peer":
                figure = ratio(rounds[program], rounds[programs[0]])
                cells = [times(figure), spread(figure), self.reaches.at_least(f"first reply, {program}", figure, START)]
            table.row(program, micro(alone(rounds[program])), *cells)
        yield table

    def threads(self):
        yield from threads.tables(self)

    def asyncio(self):
        yield from many_calls.tables(self)

    def receipt(self):
        ours, peer = self.of("ours", language="c")[0], self.of("peer", language="c")[0]
        table = Table(
            "Build and sign the request of a 10 MB receipt, from a file",
            "program",
            "instructions, millions",
            "peer ÷ ours, instructions",
            "reach",
            "memory, in sizes of the file",
            "reach ",
            note="Instructions are counted by callgrind. Which of two implementations of SHA-512 takes less time, and by how much, depends "
            "on the processor.",
        )
        counts = {program: program.instructions(self.server.settings, "receipt") for program in (ours, peer)}
        copies = {program: self._copies(program) for program in counts}
        more = alone([counts[peer] / counts[ours]])
        reach = self.reaches.at_most("a 10 MB receipt, memory in sizes of the file", alone([copies[ours]]), 1.1)
        table.row(ours, f"{counts[ours] / 1e6:.0f}", "", "", f"{copies[ours]:.2f}", reach)
        reach = self.reaches.at_least("a 10 MB receipt against libsodium, instructions", more, RECEIPT)
        table.row(peer, f"{counts[peer] / 1e6:.0f}", times(more), reach, f"{copies[peer]:.2f}")
        yield table

    def _copies(self, program):
        """Returns the peak memory for a receipt, as a multiple of the receipt's file size."""
        # Measures a new process, because memory that an earlier run left to the allocator would hide the result.
        fresh = program.another()
        fresh.start(self.server.settings)
        fresh.run("webhook", 1)
        before = fresh.memory("VmHWM")
        fresh.run("receipt", 1)
        copies = (fresh.memory("VmHWM") - before) / 10e6
        fresh.close()
        return copies

    def growth(self):
        table = Table(
            "Cost by size",
            "body",
            "webhook: CPU µs",
            "µs a MB",
            "receipt: CPU µs",
            "µs a MB ",
            note="The core, in memory: a webhook verified and read, a receipt's request signed.",
        )
        for size, label in ((1000, "1 kB"), (10_000, "10 kB"), (100_000, "100 kB"), (1_000_000, "1 MB"), (10_000_000, "10 MB")):
            self.core.run("size", size)
            jobs = [(self.core, task) for task in ("sized-webhook", "sized-receipt")]
            samples = interleave(jobs, rounds=9, batch=0.03, warm_up=max(1, min(100, 1_000_000 // size)))
            cells = []
            for job in jobs:
                each = alone(cpu(samples[job])).median
                cells += [f"{each:.1f}", f"{each / size * 1e6:.0f}"]
            table.row(label, *cells)
        self.core.run("size", 1000)
        yield table

    def distance(self):
        yield from distance.tables(self)

    def payments(self):
        yield payments.sustained(self)

    def interruption(self):
        took = [wall / 20 for _, wall in (self.core.run("interrupt", 20) for _ in range(unless_short(21, 2)))]
        each, share = alone(took), alone([seconds / DEADLINE for seconds in took])
        table = Table(
            "An interrupted call",
            "program",
            "ms",
            "quartiles",
            "÷ its deadline",
            "reach",
            note="By the clock: a client is made, connects, sends a request that is never answered, and is interrupted by another thread "
            f"when the request has come; its deadline is {DEADLINE} s. All of that is in the time.",
        )
        reach = self.reaches.at_most("an interrupted call against its deadline", share, INTERRUPTION)
        table.row(self.core, f"{each.median * 1000:.2f}", f"{each.low * 1000:.2f}–{each.high * 1000:.2f}", f"{share.median:.5f}×", reach)
        yield table

    def journal(self):
        yield from journal.tables(self)

    def databases(self):
        yield from databases.tables(self)

    def scale(self):
        yield from scale.tables(self)

    def size(self):
        table = Table("Size of the stripped C library", "library", "bytes", "reach")
        # The limits come from tools/dev/test-size.
        printed = subprocess.run([TEST_SIZE], stdout=subprocess.PIPE, text=True).stdout
        for label, bytes_, most in re.findall(r"^(.*?) +(\d+) bytes, at most (\d+)$", printed, re.MULTILINE):
            table.row(label, bytes_, self.reaches.no_more_than(f"size of the C library {label}", int(bytes_), int(most)))
        yield table


PARTS = (
    "webhook",
    "status",
    "distance",
    "receipt",
    "start",
    "threads",
    "asyncio",
    "growth",
    "payments",
    "interruption",
    "journal",
    "databases",
    "scale",
    "size",
)
