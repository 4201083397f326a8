"""Runs the mutants of one part that have no result yet, and evaluates all results of the part: mutants.py
PART CARGO_MUTANTS WORK TREE SHARD/OF

tools/dev/mutants starts this program. The parts are the core, the journal's model, and the faults of rules.txt. A mutant's key names the function and the change, not the line, so that the list of survivors stays valid
after other changes in the file.

The program fails in three cases: a mutant survives and survivors.txt does not name it; survivors.txt names a mutant that does not survive;
less than 90 % of the viable mutants are caught.
"""

import collections
import hashlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
SURVIVORS = HERE / "survivors.txt"
FAULTS = HERE / "rules.txt"
RESULTS = HERE / "RESULTS.md"

LEAST_CAUGHT = 90
BATCH = 50
RULE_TIMEOUT = 600


class Part(NamedTuple):
    title: str
    sources: str
    files: tuple[str, ...]
    # For a mutant the quick tests run first, unless its group needs slow tests. The other tests run only if the mutant survives.
    quick: tuple[str, ...]
    whole: tuple[str, ...]
    group: str
    other_group: str
    other_is_slow: bool


PARTS = {
    "core": Part(
        "The core",
        "crates/merchantpay/src/",
        ("**/*.rs",),
        ("--lib", "--test=vectors"),
        ("--lib", "--test=protocol", "--test=vectors"),
        "modules without I/O",
        "client/",
        True,
    ),
    "journal": Part(
        "The journal's model",
        "crates/merchantpay-journal/src/",
        ("model/*.rs",),
        ("--lib",),
        ("--lib", "--test=model", "--test=journal"),
        "model/",
        "store/",
        False,
    ),
    "rules": Part(
        "The journal's rules",
        "crates/merchantpay-journal/src/",
        (),
        (),
        (),
        "rules",
        "others",
        False,
    ),
}
SURVIVED_QUICK = "survived the quick tests"

# The exit statuses of cargo-mutants if it has tested all mutants: it caught all, it missed some, or the tests of some timed out.
TESTED = (0, 2, 3)
OUTCOMES = ["caught", "timeout", "missed", "unviable"]


class Mutant(NamedTuple):
    key: str
    module: str
    name: str  # The name from cargo-mutants, with line and column.
    code: str  # The hash of the file's code, without its tests.


class Fault(NamedTuple):
    """A replacement from rules.txt."""

    name: str
    path: str
    replacements: tuple[tuple[str, str], ...]
    test: list[str]  # The arguments of `cargo test`. With the fault this test must fail.


class Tool:
    def __init__(self, part, program, tree):
        self.part = part
        self.command = [program, "mutants", "--dir", tree, "--colors", "never"]
        self.tree = Path(tree)
        self.out = Path(f"{tree}-out")

    def mutants(self):
        command = [*self.command, "--list", *(f"--file={self.part.sources}{files}" for files in self.part.files)]
        listed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        count = collections.Counter()
        for name in listed:
            path, change = re.fullmatch(r"([^:]+):\d+:\d+: (.+)", name).groups()
            module = path.removeprefix(self.part.sources)
            key = f"{module}: {change}"
            count[key] += 1
            if count[key] > 1:
                key = f"{key} ({count[key]})"
            yield Mutant(key, module, name, code_hash(self.tree / path))

    def run(self, mutants, tests):
        arguments = [f"--cargo-arg={test}" for test in tests]
        # The command also names the files, because cargo-mutants does not apply the names to every kind of mutant.
        files = [f"--file={self.part.sources}{module}" for module in sorted({mutant.module for mutant in mutants})]
        names = [f"--re=^{re.escape(mutant.name)}$" for mutant in mutants]
        package = Path(self.part.sources).parts[1]
        command = [*self.command, "--in-place", "--output", self.out, f"--test-package={package}", *arguments, *files, *names]
        returned = subprocess.run(command, check=False).returncode
        if returned not in TESTED:
            sys.exit(f"cargo-mutants ended with {returned}: see {self.out}/mutants.out/log")

    def outcomes(self, mutants):
        """The results of the last run, even if it was interrupted."""
        by_name = {mutant.name: mutant for mutant in mutants}
        for outcome in OUTCOMES:
            for name in (self.out / "mutants.out" / f"{outcome}.txt").read_text().splitlines():
                if name in by_name:
                    yield by_name[name], outcome


def run_group(command, **settings):
    """Runs a command in a process group, and ends the group after RULE_TIMEOUT seconds. If only cargo ended, its tests would go on."""
    with subprocess.Popen(command, start_new_session=True, **settings) as process:
        try:
            return process.wait(RULE_TIMEOUT)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


class RuleTool:
    """Applies each fault of rules.txt to the tree and reverts it, with the interface of Tool."""

    def __init__(self, part, _program, tree):
        self.part, self.tree, self.found = part, Path(tree), {}
        self.faults = {fault.name: fault for fault in read_faults()}

    def mutants(self):
        for fault in self.faults.values():
            code = hashlib.sha256(
                "\0".join([fault.path, *sum(fault.replacements, ()), *fault.test, code_hash(self.tree / fault.path)]).encode()
            )
            yield Mutant(
                f"rules.txt: {fault.name}", f"rules in {fault.path.removeprefix(self.part.sources)}", fault.name, code.hexdigest()[:16]
            )

    def run(self, mutants, _tests):
        self.found = {}
        for mutant in mutants:
            self.found[mutant.name] = self.outcome(self.faults[mutant.name])
            print(f"{mutant.name}: {self.found[mutant.name]}", flush=True)

    def outcome(self, fault):
        file = self.tree / fault.path
        text = file.read_text()
        faulty = text
        for old, new in fault.replacements:
            if text.count(old) != 1:
                sys.exit(f"{fault.name}: {fault.path} does not have once: {old}")
            faulty = faulty.replace(old, new)
        file.write_text(faulty)
        try:
            test = ["cargo", "test", "--quiet", "--locked", "--package=merchantpay-journal", *fault.test]
            build = [*test[:6], "--no-run"]
            environment = {**os.environ, "RUSTFLAGS": "--cap-lints=warn"}
            quiet = {"cwd": self.tree, "env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            if subprocess.run(build, check=False, **quiet).returncode:
                return "unviable"
            return "caught" if run_group(test, **quiet) else "missed"
        except subprocess.TimeoutExpired:
            return "timeout"
        finally:
            file.write_text(text)

    def outcomes(self, mutants):
        for mutant in mutants:
            if mutant.name in self.found:
                yield mutant, self.found[mutant.name]


def read_faults():
    """Reads rules.txt. The test with the name of the fault must catch it: for a transition one of the model, for a statement one of the
    store over a file."""
    folder = HERE.parents[1] / "crates/merchantpay-journal/tests"
    files = {file.stem: file.read_text() for file in sorted((folder / "model").glob("*.rs"))}
    of_store = (folder / "store/main.rs").read_text()
    faults = re.findall(r"^(\w.*): (\S+)((?:\n- .+\n\+ .+)+)", FAULTS.read_text(), re.MULTILINE)
    for name, path, replacements in faults:
        rule = re.sub(r" \(\d+\)$", "", name)
        if path.startswith("store/"):
            if f'("{rule}", ' not in of_store:
                sys.exit(f"{name}: the store has no test of this name")
            test = ["--test=store", "--", f"sqlite: {rule}"]
        else:
            # A function, or a line of a table.
            module = next(module for module, text in files.items() if re.search(rf"^ +{rule}: |^fn {rule}\(\)", text, re.MULTILINE))
            test = ["--test=model", "--", "--exact", f"{module}::{rule}"]
        yield Fault(name, PARTS["rules"].sources + path, tuple(re.findall(r"- (.+)\n\+ (.+)", replacements)), test)


class Results:
    """The last outcome of each mutant. New outcomes are appended to a file, because shards may run concurrently."""

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
    """The hash of the code without tests, comments, layout and error texts, because none of them changes a
    mutant's effect."""
    code = path.read_text().split("\n#[cfg(test)]\nmod tests {")[0]
    lines = [line for line in code.splitlines() if not line.lstrip().startswith("//")]
    code = re.sub(r'"[^"\n]* [^"\n]*"', '""', "\n".join(lines))
    code = re.sub(r",(?=[)\]}])", "", re.sub(r"\s+", "", code))
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def named_survivors():
    """The keys in survivors.txt: the lines without indentation. The indented lines after a key are the reason."""
    lines = SURVIVORS.read_text().splitlines() if SURVIVORS.exists() else []
    return [line for line in lines if line and line[0] not in " #"]


def is_other(part, mutant):
    return mutant.module.startswith(part.other_group)


def is_slow(part, mutant):
    return part.other_is_slow and is_other(part, mutant)


def run(tool, results, mutants, expected):
    part = tool.part
    missed = [mutant for mutant in mutants if results.of(mutant) == "missed" and mutant.key not in expected]
    quick = [mutant for mutant in mutants if part.quick and not is_slow(part, mutant) and results.of(mutant) is None]
    run_in_batches(tool, results, quick, part.quick, SURVIVED_QUICK)
    survivors = [mutant for mutant in mutants if results.of(mutant) == SURVIVED_QUICK]
    run_in_batches(tool, results, survivors, tuple(test for test in part.whole if test not in part.quick))
    whole = missed + [mutant for mutant in mutants if results.of(mutant) is None]
    run_in_batches(tool, results, whole, part.whole)


def run_in_batches(tool, results, mutants, tests, missed="missed"):
    for start in range(0, len(mutants), BATCH):
        batch = mutants[start : start + BATCH]
        print(f"{start} of {len(mutants)} mutants are tested by {' '.join(tests)}", flush=True)
        try:
            tool.run(batch, tests)
        finally:
            for mutant, outcome in tool.outcomes(batch):
                results.add(mutant, missed if outcome == "missed" else outcome)


def share(count):
    viable = sum(count[outcome] for outcome in OUTCOMES) - count["unviable"]
    return 100 * (count["caught"] + count["timeout"]) / viable if viable else 100


def row(module, count):
    total = sum(count[outcome] for outcome in OUTCOMES)
    return f"| {module} | {total} | " + " | ".join(str(count[outcome]) for outcome in OUTCOMES) + f" | {share(count):.1f} % |"


def table(part, mutants, results):
    modules = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        for name in (mutant.module, f"**{part.other_group if is_other(part, mutant) else part.group}**", "**all**"):
            modules[name][results.of(mutant)] += 1
    sums = [name for name in modules if name.startswith("**")]
    rows = [row(name, modules[name]) for name in sorted(modules.keys() - sums) + sorted(sums, reverse=True)]
    head = f"| module | mutants | {' | '.join(OUTCOMES)} | caught of viable |"
    return "\n".join([head, "|---|" + "--:|" * (len(OUTCOMES) + 2), *rows]), share(modules["**all**"])


def judge(part, mutants, results, expected):
    missed = {mutant.key for mutant in mutants if results.of(mutant) == "missed"}
    known = {mutant.key for mutant in mutants}
    faults = [f"it survives and survivors.txt does not name it: {key}" for key in sorted(missed - set(expected))]
    faults += [f"survivors.txt names it and it does not survive: {key}" for key in sorted(known & set(expected) - missed)]
    written, caught = table(part, mutants, results)
    if caught < LEAST_CAUGHT:
        faults.append(f"only {caught:.1f} % are caught; {LEAST_CAUGHT} % have to be")
    write_results(part, written)
    print(written)
    return faults


def write_results(part, written):
    """Writes the part's section of RESULTS.md, and keeps the other sections."""
    sections = dict(re.findall(r"^## (.+)\n\n((?:.+\n)+)", RESULTS.read_text(), re.MULTILINE)) | {part.title: f"{written}\n"}
    titles = [part.title for part in PARTS.values() if part.title in sections]
    RESULTS.write_text(
        "# Mutants\n\n"
        "`make mutants` writes this page, one part at a time. A mutant is the code changed in one place. A mutant is caught if a test fails or does\n"
        "not end, and unviable if it does not compile. `survivors.txt` has the reason for each missed mutant.\n\n"
        + "\n".join(f"## {title}\n\n{sections[title]}" for title in titles)
    )


def main(name, program, work, tree, shard):
    place, of = map(int, shard.split("/"))
    # On SIGTERM the program ends with an exception, so that completed results are written.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    part = PARTS[name]
    tool = (Tool if part.files else RuleTool)(part, program, tree)
    results = Results(Path(work) / f"results-{name}.tsv")
    mutants = sorted(tool.mutants())
    expected = named_survivors()
    run(tool, results, mutants[place::of], expected)
    left = sum(results.of(mutant) in (None, SURVIVED_QUICK) for mutant in mutants)
    if left:
        print(f"{left} of {len(mutants)} mutants are left to the other shards")
        return
    faults = judge(part, mutants, results, expected)
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main(*sys.argv[1:])
