"""The parts of the bench: what is run, and the table that comes of it."""

import contextlib
import os
import statistics

from . import databases, distance, journal, payments, threads
from .measure import Figure, alone, cpu, interleave, ratio, wall
from .program import Program, move
from .report import Table, micro, spread, times

# At least so many times less CPU than the peer of the same language.
WEBHOOK = {"python": 3, "php": 2.2, "go": 2.5, "c": 2.2}
STATUS = {"python": 8, "php": 1.5, "go": 1.8, "c": 1.3}
# At most so much of the floor.
FLOOR = 1.35
# At most so much of what the core takes for the same task. What crossing into C costs depends on the language's runtime.
OVERHEAD = {"c": 1.1, "python": 1.15, "go": 1.5, "php": 1.5}
RECEIPT = 1.3
START = 4
# Runtimes with threads of their own beside the call's, for which one processor is another world.
OWN_THREADS = ("go", "node")
# Seconds that a call may take, and how much of that an interrupted one does, at most.
DEADLINE, INTERRUPTION = 30, 0.001
# Bytes of the stripped library.
SIZE = 2_500_000


class Bench:
    """The programs that take part, by language. `release` is the folder of the programs in Rust, `built` that of everything else."""

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
        """The server, the programs and what is started meanwhile take turns on one processor. Where the server runs decides a third of
        the CPU time of a call: to wake up another processor costs the one that does it, and how much depends on what runs there."""
        everywhere = os.sched_getaffinity(0)
        move({max(everywhere)}, self._processes())
        try:
            yield
        finally:
            move(everywhere, self._processes())

    def _processes(self):
        return [self.server.process, *(program.process for program in self.programs if program.process)]

    def calls(self, jobs, settings=None, **rounds):
        """Samples of programs that take turns with the server on one processor."""
        with self.on_one_processor():
            return interleave(jobs, settings or self.server.settings, **rounds)

    def calls_by_all(self, jobs):
        """The same, but for programs whose runtime has threads of its own: those run beside the server."""
        turns = [job for job in jobs if job[0].language not in OWN_THREADS]
        beside = [job for job in jobs if job[0].language in OWN_THREADS]
        return {**self.calls(turns), **interleave(beside, self.server.settings)}

    def beside_peers(self, title, samples, wanted):
        """Ours beside every peer of its language."""
        programs = self.of("ours", "peer")
        samples = {program: rounds for (program, _), rounds in samples.items()}
        table = Table(title, "program", "CPU µs", "time µs", "peer ÷ ours, CPU", "quartiles", "peer ÷ ours, time", "reach")
        for program in programs:
            mine = samples[program]
            cells = [program, micro(alone(cpu(mine))), micro(alone(wall(mine)))]
            ours = self.of("ours", language=program.language)
            if program.kind == "ours" or not ours:
                table.row(*cells, "", "", "", "")
                continue
            ours = samples[ours[0]]
            figure = ratio(cpu(mine), cpu(ours))
            reach = self.reaches.at_least(f"{title}, {program}", figure, wanted[program.language]) if program.language in wanted else ""
            table.row(*cells, times(figure), spread(figure), times(ratio(wall(mine), wall(ours))), reach)
        return table

    def over_core(self, table, what, samples):
        core = cpu(samples[self.core])
        for program in self.bindings():
            mine = cpu(samples[program])
            figure = ratio(mine, core)
            reach = self.reaches.at_most(f"{what}, {program} over the core", figure, OVERHEAD[program.language])
            table.row(what, program, micro(alone(core)), micro(alone(mine)), times(figure), spread(figure), reach)

    def webhook(self):
        samples = interleave([(p, "webhook") for p in self.of("ours", "peer")], self.server.settings)
        yield self.beside_peers("Verify and parse a webhook", samples, WEBHOOK)

    def status(self):
        samples = self.calls_by_all([(p, "status") for p in self.of("ours", "peer")])
        yield self.beside_peers("A signed /status call, kept-alive loopback", samples, STATUS)

    def floor(self):
        floor, ours = self.of("floor")[0], self.of("ours")
        turns = [p for p in ours if p.language not in OWN_THREADS]
        beside = [p for p in ours if p.language in OWN_THREADS]
        samples = self.calls([(floor, "status"), *((p, "status") for p in turns), *((floor, part) for part in ("sign", "verify", "trip"))])
        rows = [(floor.label, samples[floor, "status"], None), *((p, samples[p, "status"], samples[floor, "status"]) for p in turns)]
        if beside:
            others = interleave([(p, "status") for p in (floor, *beside)], self.server.settings)
            rows += [("the floor, on all processors", others[floor, "status"], None)]
            rows += [(p, others[p, "status"], others[floor, "status"]) for p in beside]
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
        for label, mine, base in rows:
            cells = ["", "", ""]
            if base:
                figure = ratio(cpu(mine), cpu(base))
                cells = [times(figure), spread(figure), self.reaches.at_most(f"/status, {label} against the floor", figure, FLOOR)]
            table.row(label, micro(alone(cpu(mine))), *cells[:2], micro(alone(wall(mine))), cells[2])
        for part, label in (
            ("sign", "the floor's signature alone"),
            ("verify", "its verification alone"),
            ("trip", "its round trip alone"),
        ):
            mine = samples[floor, part]
            table.row(label, micro(alone(cpu(mine))), "", "", micro(alone(wall(mine))), "")
        yield table

    def overhead(self):
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
        programs = [self.core, *self.bindings()]
        for task, what in (("webhook", "verify a webhook"), ("prepare", "prepare a payment")):
            rounds = interleave([(program, task) for program in programs], self.server.settings, rounds=96, lives=8, batch=0.01)
            self.over_core(table, what, {program: mine for (program, _), mine in rounds.items()})
        yield table

    def start(self):
        programs = [p for p in self.of("ours", "peer") if p.language == "python"]
        rounds = {program: [] for program in programs}
        for number in range(12):
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

    def receipt(self):
        ours, peer = self.of("ours", language="c")[0], self.of("peer", language="c")[0]
        samples = interleave([(ours, "receipt"), (peer, "receipt")], rounds=45, batch=0.03, warm_up=1)
        counts = {program: program.instructions(self.server.settings, "receipt") for program in (ours, peer)}
        table = Table(
            "Build and sign the request of a 10 MB receipt, from a file",
            "program",
            "instructions, millions",
            "peer ÷ ours, instructions",
            "reach",
            "CPU ms",
            "peer ÷ ours, CPU",
            "quartiles",
            "memory, in sizes of the file",
            "reach ",
            note="Instructions are counted by callgrind. Which of two implementations of SHA-512 takes less time, and by how much, also "
            "depends on the processor.",
        )
        for program in (ours, peer):
            copies = self._copies(program)
            cells = ["", "", f"{statistics.median(cpu(samples[program, 'receipt'])) / 1000:.1f}", "", "", f"{copies:.2f}", ""]
            if program is ours:
                cells[6] = self.reaches.at_most("a 10 MB receipt, memory in sizes of the file", alone([copies]), 1.1)
            else:
                more = alone([counts[peer] / counts[ours]])
                cells[:2] = [times(more), self.reaches.at_least("a 10 MB receipt against libsodium, instructions", more, RECEIPT)]
                figure = ratio(cpu(samples[peer, "receipt"]), cpu(samples[ours, "receipt"]))
                cells[3:5] = [times(figure), spread(figure)]
            table.row(program, f"{counts[program] / 1e6:.0f}", *cells)
        yield table

    def _copies(self, program):
        """The memory that a receipt takes at most, in sizes of its file."""
        # In a process of its own: what an earlier run has left to the allocator would hide it.
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
                each = statistics.median(cpu(samples[job]))
                cells += [f"{each:.1f}", f"{each / size * 1e6:.0f}"]
            table.row(label, *cells)
        self.core.run("size", 1000)
        yield table

    def distance(self):
        yield from distance.tables(self)

    def payments(self):
        yield payments.by_number(self)
        yield payments.sustained(self)

    def interruption(self):
        took = [wall / 20 for _, wall in (self.core.run("interrupt", 20) for _ in range(21))]
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
        yield from databases.tables(self, self.release)

    def size(self):
        bytes_ = self.library.stat().st_size
        share = bytes_ / SIZE
        table = Table("Size of the stripped C library", "file", "bytes", f"÷ {SIZE}", "reach")
        reach = self.reaches.at_most("size of the C library", Figure(share, [share]), 1)
        table.row("libmerchantpay.so", bytes_, f"{share:.3f}×", reach)
        yield table


PARTS = (
    "webhook",
    "status",
    "floor",
    "overhead",
    "distance",
    "receipt",
    "start",
    "threads",
    "growth",
    "payments",
    "interruption",
    "journal",
    "databases",
    "size",
)
