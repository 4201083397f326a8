"""Runs the mutants of the core that have no result yet, and judges all results: mutants.py CARGO_MUTANTS WORK TREE SHARD/OF

Started by tools/dev/mutants. A key names the function and the change, not the line, so that the list of survivors outlasts changes
elsewhere in the file.

It fails if a mutant survives that survivors.txt does not name, if survivors.txt names one that does not survive, or if less than
90 % of the viable mutants are caught.
"""

import collections
import hashlib
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
SURVIVORS = HERE / "survivors.txt"
RESULTS = HERE / "RESULTS.md"

SOURCES = "crates/merchantpay/src/"
LEAST_CAUGHT = 90
BATCH = 100

# A mutant of a module without I/O meets first the tests that take a second, and only if it survives them all the others.
QUICK = ["--lib", "--test=vectors"]
WHOLE = ["--lib", "--test=environment", "--test=protocol", "--test=vectors"]
SURVIVED_QUICK = "survived the quick tests"

# cargo-mutants has tested all it was asked to: nothing missed, something missed, something timed out.
TESTED = (0, 2, 3)
OUTCOMES = ["caught", "timeout", "missed", "unviable"]


class Mutant(NamedTuple):
    key: str
    module: str
    name: str  # as cargo-mutants names it, with line and column
    code: str  # the hash of the file's code, without its tests


class Tool:
    def __init__(self, program, work, tree, shard):
        self.command = [program, "mutants", "--dir", tree, "--colors", "never"]
        self.tree = Path(tree)
        self.out = Path(work) / f"out-{shard.replace('/', '-of-')}"

    def mutants(self):
        command = [*self.command, "--list", f"--file={SOURCES}**/*.rs"]
        listed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        count = collections.Counter()
        for name in listed:
            path, change = re.fullmatch(r"([^:]+):\d+:\d+: (.+)", name).groups()
            module = path.removeprefix(SOURCES)
            key = f"{module}: {change}"
            count[key] += 1
            if count[key] > 1:
                key = f"{key} ({count[key]})"
            yield Mutant(key, module, name, code_hash(self.tree / path))

    def run(self, mutants, tests):
        arguments = [f"--cargo-arg={test}" for test in tests]
        # The files as well, because cargo-mutants does not compare every kind of mutant with the names.
        files = [f"--file={SOURCES}{module}" for module in sorted({mutant.module for mutant in mutants})]
        names = [f"--re=^{re.escape(mutant.name)}$" for mutant in mutants]
        command = [*self.command, "--in-place", "--output", self.out, *arguments, *files, *names]
        returned = subprocess.run(command, check=False).returncode
        if returned not in TESTED:
            sys.exit(f"cargo-mutants ended with {returned}: see {self.out}/mutants.out/log")

    def outcomes(self, mutants):
        """The results of the last run, also if it was interrupted."""
        by_name = {mutant.name: mutant for mutant in mutants}
        for outcome in OUTCOMES:
            for name in (self.out / "mutants.out" / f"{outcome}.txt").read_text().splitlines():
                if name in by_name:
                    yield by_name[name], outcome


class Results:
    """The last outcome of each mutant, in a file that is only appended to: shards may run side by side."""

    def __init__(self, path):
        self.path = path
        self.known = {}
        if path.exists():
            for line in path.read_text().splitlines():
                key, code, outcome = line.split("\t")
                self.known[key, code] = outcome

    def of(self, mutant):
        return self.known.get((mutant.key, mutant.code))

    def add(self, mutant, outcome):
        self.known[mutant.key, mutant.code] = outcome
        with self.path.open("a") as file:
            file.write(f"{mutant.key}\t{mutant.code}\t{outcome}\n")


def code_hash(path):
    """Of the code without its tests, comments, layout and the sentences of its errors: none of them changes what a mutant does."""
    code = path.read_text().split("\n#[cfg(test)]\nmod tests {")[0]
    lines = [line for line in code.splitlines() if not line.lstrip().startswith("//")]
    code = re.sub(r'"[^"\n]* [^"\n]*"', '""', "\n".join(lines))
    code = re.sub(r",(?=[)\]}])", "", re.sub(r"\s+", "", code))
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def is_client(mutant):
    return mutant.module.startswith("client/")


def named_survivors():
    """Lines without indentation; what follows each, indented, is the reason."""
    lines = SURVIVORS.read_text().splitlines() if SURVIVORS.exists() else []
    return [line for line in lines if line and line[0] not in " #"]


def run(tool, results, mutants, expected):
    quick = [mutant for mutant in mutants if not is_client(mutant) and results.of(mutant) is None]
    run_in_batches(tool, results, quick, QUICK)
    untested = (None, SURVIVED_QUICK)
    whole = [m for m in mutants if results.of(m) in untested or (results.of(m) == "missed" and m.key not in expected)]
    run_in_batches(tool, results, whole, WHOLE)


def run_in_batches(tool, results, mutants, tests):
    for start in range(0, len(mutants), BATCH):
        batch = mutants[start : start + BATCH]
        print(f"{start} of {len(mutants)} mutants are tested by {' '.join(tests)}", flush=True)
        try:
            tool.run(batch, tests)
        finally:
            for mutant, outcome in tool.outcomes(batch):
                results.add(mutant, SURVIVED_QUICK if outcome == "missed" and tests is QUICK else outcome)


def share(count):
    viable = sum(count[outcome] for outcome in OUTCOMES) - count["unviable"]
    return 100 * (count["caught"] + count["timeout"]) / viable if viable else 100


def row(module, count):
    total = sum(count[outcome] for outcome in OUTCOMES)
    return f"| {module} | {total} | " + " | ".join(str(count[outcome]) for outcome in OUTCOMES) + f" | {share(count):.1f} % |"


def table(mutants, results):
    modules = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        for name in (mutant.module, "**client/**" if is_client(mutant) else "**modules without I/O**", "**all**"):
            modules[name][results.of(mutant)] += 1
    sums = [name for name in modules if name.startswith("**")]
    rows = [row(name, modules[name]) for name in sorted(modules.keys() - sums) + sorted(sums, reverse=True)]
    head = f"| module | mutants | {' | '.join(OUTCOMES)} | caught of viable |"
    return "\n".join([head, "|---|" + "--:|" * (len(OUTCOMES) + 2), *rows]), share(modules["**all**"])


def judge(mutants, results, expected):
    missed = {mutant.key for mutant in mutants if results.of(mutant) == "missed"}
    faults = [f"it survives and survivors.txt does not name it: {key}" for key in sorted(missed - set(expected))]
    faults += [f"survivors.txt names it and it does not survive: {key}" for key in sorted(set(expected) - missed)]
    written, caught = table(mutants, results)
    if caught < LEAST_CAUGHT:
        faults.append(f"only {caught:.1f} % are caught; {LEAST_CAUGHT} % have to be")
    RESULTS.write_text(
        "# Mutants of the core\n\n"
        "Written by `make mutants`. A mutant is the code changed in one place. It is caught if a test fails, counted as caught if the\n"
        "tests do not end, and unviable if it does not compile. The reason of each that is missed is in `survivors.txt`.\n\n"
        f"{written}\n"
    )
    print(written)
    return faults


def main(program, work, tree, shard):
    place, of = map(int, shard.split("/"))
    # So that what was tested is written down.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    tool = Tool(program, work, tree, shard)
    results = Results(Path(work) / "results.tsv")
    mutants = sorted(tool.mutants())
    expected = named_survivors()
    run(tool, results, mutants[place::of], expected)
    left = sum(results.of(mutant) in (None, SURVIVED_QUICK) for mutant in mutants)
    if left:
        print(f"{left} of {len(mutants)} mutants are left to the other shards")
        return
    faults = judge(mutants, results, expected)
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main(*sys.argv[1:])
