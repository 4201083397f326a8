"""Measures the library beside hand-written code: see README.md. tools/dev/bench builds the programs and runs this file."""

import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
BUILT, RELEASE = pathlib.Path(os.environ["BENCH_BUILT"]), pathlib.Path(os.environ["BENCH_RELEASE"])
SHORT = "--short" in sys.argv
CPU, TIME = 0, 1

PHP, PYTHON, CORECLR = ["php", "-d", "opcache.enable_cli=1"], [BUILT / "python/bin/python"], [BUILT / "dotnet/host", "exec"]
# The programs of a language: ours comes first, then its peers.
PROGRAMS = {
    "rust": [("Rust core", [RELEASE / "ours"])],
    "c": [("C: ours", [BUILT / "c/ours"]), ("C: libcurl + libsodium + cJSON", [BUILT / "c/peer"])],
    "go": [("Go: ours", [BUILT / "go/bench", "ours"]), ("Go: net/http + crypto/ed25519", [BUILT / "go/bench", "peer"])],
    "php": [("PHP: ours", [*PHP, HERE / "php/ours.php"]), ("PHP: curl + sodium", [*PHP, HERE / "php/peer.php"])],
    "python": [
        ("Python: ours", [*PYTHON, HERE / "python/ours.py"]),
        ("Python: httpx + PyNaCl", [*PYTHON, HERE / "python/peer.py"]),
    ],
    "node": [
        ("Node.js: ours", ["node", HERE / "node/ours.js"]),
        ("Node.js: fetch + node:crypto", ["node", HERE / "node/fetch.js"]),
        ("Node.js: axios + tweetnacl", ["node", HERE / "node/axios.js"]),
    ],
    "dotnet": [
        ("C# on Mono: ours", ["mono", BUILT / "dotnet/ours.exe"]),
        ("C# on Mono: HttpClient + libsodium", ["mono", BUILT / "dotnet/peer.exe"]),
    ],
    "coreclr": [
        ("C# on CoreCLR: ours", [*CORECLR, BUILT / "dotnet/ours.exe"]),
        ("C# on CoreCLR: HttpClient + libsodium", [*CORECLR, BUILT / "dotnet/peer.exe"]),
    ],
}
LIBRARY = {
    "LD_LIBRARY_PATH": str(BUILT / "installed/lib"),
    "MERCHANTPAY_LIBRARY": str(BUILT / "installed/lib/libmerchantpay.so.0"),
    "NODE_PATH": str(BUILT / "node/node_modules"),
}
# The reach of each part: the largest ours ÷ peer.
WEBHOOK = {"c": 0.45, "go": 0.4, "php": 0.45, "python": 0.33, "node": 1, "dotnet": 0.77, "coreclr": 0.77}
STATUS = {"c": 0.65, "go": 0.56, "php": 0.67, "python": 0.125, "node": 1, "dotnet": 0.77, "coreclr": 0.77}
DISTANCE = dict.fromkeys(("c", "go", "php", "python"), 1.05)
PAY = 1

ROUND_TRIP_MS = 30
# Where the journal of `pay` is: a name, the server's variable, its client's command, the journal's URL, PDO's, and PDO's user.
STORES = [
    ("SQLite", None, None, "{}", "sqlite:{}", ""),
    (
        "PostgreSQL",
        "MERCHANTPAY_POSTGRESQL",
        ["psql", "-qX", "-U", "shop", "-d", "postgres", "-c", "CREATE DATABASE bench", "-h"],
        "postgresql:///bench?host={}&user=shop",
        "pgsql:host={};dbname=bench",
        "shop",
    ),
    (
        "MariaDB",
        "MERCHANTPAY_MARIADB",
        ["mariadb", "--no-defaults", "--user=root", "--execute=CREATE DATABASE bench", "--socket"],
        "mysql:///bench?socket={}&user=root",
        "mysql:unix_socket={};dbname=bench",
        "root",
    ),
]


class Program:
    """A child process that takes commands. The kernel keeps one clock of a process's user and system time, over all its threads, so no
    language's runtime measures itself."""

    def __init__(self, label, command, environment=LIBRARY):
        self.label, self.command, self.environment, self.process = label, [str(word) for word in command], environment, None

    def restart(self, settings):
        self.close()
        environment = {**os.environ, **self.environment, **settings}
        self.process = subprocess.Popen(self.command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        # The id of the process's clock, as clock_getcpuclockid computes it.
        self.clock = (~self.process.pid << 3) | 2

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        return self.process.stdout.readline()

    def run(self, task, count):
        """Returns the processor time and the elapsed time in µs per call."""
        wall, cpu = time.perf_counter(), time.clock_gettime(self.clock)
        answer = self.ask(f"{task} {count}")
        cpu, wall = time.clock_gettime(self.clock) - cpu, time.perf_counter() - wall
        if answer != "ok\n":
            sys.exit(f"{self.label}: {task} {count}: {answer.strip() or 'it has ended'}")
        # Some kernels move this clock only in ticks, which a short batch may miss.
        return max(cpu, 1e-9) / count * 1e6, wall / count * 1e6

    def close(self):
        if self.process:
            self.process.communicate()
            self.process = None


def refuse_if_busy(when):
    """Ends the bench if other programs use more than 5 % of the processors; its own do nothing meanwhile."""

    def ticks():
        user, nice, system, _, _, _, _, stolen = map(int, pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9])
        return user + nice + system + stolen

    before, seconds = ticks(), 5
    time.sleep(seconds)
    used = (ticks() - before) / os.sysconf("SC_CLK_TCK") / seconds
    if used > 0.05 * os.cpu_count():
        sys.exit(
            f"{when} other programs use {used:.2f} processors: RESULTS.md is written on an idle machine only (--print measures all the same)"
        )


@contextlib.contextmanager
def on_one_processor(server):
    """Limits this process, its new children and the server to one processor. A third of a call's CPU time is the price of waking another
    processor, which depends on that processor's other work."""
    everywhere = os.sched_getaffinity(0)

    def move(processors):
        for process in (os.getpid(), server.process.pid):
            for thread in os.listdir(f"/proc/{process}/task"):
                os.sched_setaffinity(int(thread), processors)

    move({max(everywhere)})
    try:
        yield
    finally:
        move(everywhere)


def interleave(jobs, settings, rounds=40, lives=4, batch=20_000, warm_up=300):
    """Runs each job (a program and a task) once per round, in every second round in the reverse order. The place of a process in memory
    changes its speed as long as it runs, so each program lives several times. A batch, in µs, is so long that the command costs nothing,
    and so short that other load affects neighbours equally. Returns the rounds of each job."""
    if SHORT:
        rounds, lives, batch, warm_up = 2, 1, 1000, min(warm_up, 5)
    samples, programs = {job: [] for job in jobs}, {program for program, _ in jobs}
    for _ in range(lives):
        for program in programs:
            program.restart(settings)
        counts = {}
        for program, task in jobs:
            program.run(task, warm_up)
            counts[program, task] = max(1, round(batch / program.run(task, warm_up)[TIME]))
        for number in range(rounds // lives):
            for program, task in jobs if number % 2 == 0 else reversed(jobs):
                samples[program, task].append(program.run(task, counts[program, task]))
    for program in programs:
        program.close()
    return samples


class Report:
    def __init__(self):
        self.tables, self.missed, self.met = [], [], 0

    def table(self, title, note, groups, judged=CPU):
        """A group is the largest ratio, and a label with its rounds for each program: ours and its peers."""
        rows = [("program", "CPU µs", "time µs", "ours ÷ this, CPU", "quartiles", "ours ÷ this, time", "quartiles", "reach")]
        for most, (label, ours), *peers in groups:
            rows.append((label, *self._medians(ours), "", "", "", "", ""))
            for peer, theirs in peers:
                ratios = [statistics.quantiles([a[kind] / b[kind] for a, b in zip(ours, theirs)], n=4) for kind in (CPU, TIME)]
                cells = [cell for low, middle, high in ratios for cell in (f"{middle:.2f}×", f"{low:.2f}–{high:.2f}")]
                if met := ratios[judged][1] <= most:
                    self.met += 1
                else:
                    self.missed.append(f"{title}: {label} ÷ {peer}: {ratios[judged][1]:.3f}×, the reach is ≤ {most}×")
                rows.append((peer, *self._medians(theirs), *cells, f"≤ {most}×: {'met' if met else '**missed**'}"))
        widths = [max(map(len, column)) for column in zip(*rows)]
        rows.insert(1, ["-" * width for width in widths])
        lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
        self.tables.append("\n".join([f"## {title}\n", f"{note}\n", *lines, ""]))
        print(self.tables[-1], flush=True)

    @staticmethod
    def _medians(rounds):
        return [f"{statistics.median(each):.1f}" for each in zip(*rounds)]

    def __str__(self):
        missed = "".join(f"\n- {line}" for line in self.missed)
        return f"{self.met} of {self.met + len(self.missed)} reaches are met." + (f" Missed:\n{missed}" if missed else "") + "\n"


class Bench:
    def __init__(self, languages):
        self.report = Report()
        self.programs = {language: [Program(*program) for program in PROGRAMS[language]] for language in PROGRAMS if language in languages}
        webhook, authority = HERE / "webhook.json", BUILT / "authority.pem"
        self.server = Program("the server", [RELEASE / "server", webhook, authority, ROUND_TRIP_MS])
        self.server.restart({})
        self.settings = {**json.loads(self.server.process.stdout.readline()), "BENCH_WEBHOOK": webhook.read_text()}
        self.far = {"BENCH_URL": self.settings.pop("far"), "BENCH_CA": str(authority)}

    def jobs(self, task, languages=PROGRAMS):
        return [(program, task) for language in languages for program in self.programs.get(language, [])]

    def groups(self, samples, task, reach):
        for language, programs in self.programs.items():
            if (programs[0], task) in samples:
                yield reach.get(language), *((program.label, samples[program, task]) for program in programs)

    def webhook(self):
        samples = interleave(self.jobs("webhook"), self.settings, rounds=96, lives=8, batch=10_000)
        note = "The signature of a status webhook is verified, and its fields are read."
        self.report.table("A webhook", note, self.groups(samples, "webhook", WEBHOOK))

    def status(self):
        # Go's runtime has threads of its own, which one processor would slow.
        samples = interleave(self.jobs("status", ["go"]), self.settings)
        with on_one_processor(self.server):
            samples.update(interleave(self.jobs("status", [language for language in PROGRAMS if language != "go"]), self.settings))
        note = (
            "One signed call on a kept connection over loopback. Programs and server share one processor; Go's programs have all of them."
        )
        self.report.table("A /status call", note, self.groups(samples, "status", STATUS))

    def distance(self):
        tasks = ("first call", "following call")
        jobs = self.jobs("new", ["rust", *DISTANCE])
        samples, rounds = {(program, task): [] for program, _ in jobs for task in tasks}, 2 if SHORT else 30
        for _ in range(rounds):
            for program, new in jobs:
                program.restart({**self.settings, **self.far})
                program.run("webhook", 1)  # The process has started.
                for task in tasks:
                    samples[program, task].append(program.run(new, 1))
                program.close()
        opened = int(self.server.ask("connections")) / rounds / len(jobs)
        groups = [
            (most, *((f"{label}, {task}", each) for label, each in programs))
            for task in tasks
            for most, *programs in self.groups(samples, task, DISTANCE)
        ]
        note = (
            f"`/new` over TLS 1.3 with a round trip of {ROUND_TRIP_MS} ms, judged by its time. A process's first call takes three round trips: "
            f"TCP, TLS and the request. The following call uses its connection. A process opened {opened:g} connections."
        )
        self.report.table("A payment at a distance", note, groups, TIME)
        if opened != 1:
            sys.exit("a process should open one connection")

    def pay(self):
        waits = "import json, os, sys; print(json.dumps(dict(os.environ)), flush=True); sys.stdin.read()"
        databases, groups = Program("the databases", [RELEASE / "with-databases", sys.executable, "-c", waits]), []
        with on_one_processor(self.server), tempfile.TemporaryDirectory(dir=BUILT) as folder:
            databases.restart({})
            servers = json.loads(databases.process.stdout.readline())
            for store, variable, create, url, pdo, user in STORES:
                place = servers[variable] if variable else f"{folder}/journal.db"
                if create:
                    subprocess.run([*create, place], check=True)
                environment = {"BENCH_JOURNAL": url.format(place), "BENCH_PDO": pdo.format(place), "BENCH_USER": user}
                journal = Program(f"{store}: the journal", PROGRAMS["rust"][0][1], environment)
                by_hand = Program(f"{store}: PDO, by hand", [*PHP, HERE / "php/statements.php"], environment)
                # This creates the tables.
                journal.restart(self.settings)
                journal.run("pay", 1)
                jobs = [(journal, "pay"), (journal, "order"), (by_hand, "pay")]
                whole, call, theirs = interleave(jobs, self.settings, batch=150_000, warm_up=100).values()
                # Both ran in the same round, so the rest are the statements.
                ours = [(pay[CPU] - order[CPU], pay[TIME] - order[TIME]) for pay, order in zip(whole, call)]
                groups.append((PAY, (journal.label, ours), (by_hand.label, theirs)))
            databases.close()
        note = (
            "`pay` of the Rust crate less the same call without a journal, beside hand-written statements over the same table. All wait for the "
            "disk. CPU is the program's alone; the time has the database's share in it."
        )
        self.report.table("The statements of a payment", note, groups)


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().split("\n")[0]


def results(report):
    packages = "import importlib.metadata as m, sys; print(sys.version.split()[0], *(f'{n} {m.version(n)}' for n in ('httpx', 'PyNaCl')))"
    model = [line.partition(": ")[2] for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n") if line.startswith("model name")]
    machine = [
        f"{model[0] if model else os.uname().machine}, {os.cpu_count()} processors, kernel {os.uname().release.split('-')[0]}",
        f"{said('rustc', '--version')}; {said('cc', '--version')}; {said('go', 'version')}; {said('php', '--version')}",
        f"libcurl {said('pkg-config', '--modversion', 'libcurl')}, libsodium {said('pkg-config', '--modversion', 'libsodium')}",
        f"Python {said(*PYTHON, '-c', packages)}",
    ]
    head = ["# Results\n", "Written by `make bench`; [README.md](README.md) says how to read it.\n", "## The machine\n"]
    return "\n".join([*head, *(f"- {line}" for line in machine), f"\n## What was reached\n\n{report}", *report.tables])


def main():
    words, parts = sys.argv[1:], {part.__name__: part for part in (Bench.webhook, Bench.status, Bench.distance, Bench.pay)}
    if set(words) - set(parts) - set(PROGRAMS) - {"--print", "--short"}:
        sys.exit(f"usage: tools/dev/bench [--print | --short] [{' | '.join(parts)}]… [{' | '.join(PROGRAMS)}]…")
    if not words:
        refuse_if_busy("Before the first part")
    bench = Bench([word for word in words if word in PROGRAMS] or PROGRAMS)
    for name in [word for word in words if word in parts] or parts:
        parts[name](bench)
        if not words:
            refuse_if_busy(f"After {name}")
    bench.server.close()
    print(bench.report)
    if not words:
        (HERE / "RESULTS.md").write_text(results(bench.report))


if __name__ == "__main__":
    main()
