"""Puts each fault of rules.txt into a copy of the journal: the test with the fault's name must fail. rules.py TREE [FAULT…]

The rule of a transition has a test in the model, that of a statement one in the store over a file.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

TIMEOUT = 600


class Fault(NamedTuple):
    name: str
    file: str
    replacements: list[tuple[str, str]]
    # The arguments of `cargo test` for the test that must fail.
    test: list[str]


class Unusable(Exception):
    pass


def test_of(name, file, tests):
    rule = re.sub(r" \(\d+\)$", "", name)
    if file.startswith("store/"):
        if f'("{rule}", ' in (tests / "store/main.rs").read_text():
            return ["--test=store", "--", f"sqlite: {rule}"]
    for module in (tests / "model").glob("*.rs"):
        # A function, or a row of the table of scenarios.
        if re.search(rf"^ +{rule}: \w+ {{|^fn {rule}\(\)", module.read_text(), re.MULTILINE):
            return ["--test=model", "--", "--exact", f"{module.stem}::{rule}"]
    raise Unusable(f"{name}: there is no test of this name")


def read(crate):
    text = Path(__file__).with_name("rules.txt").read_text()
    for name, file, lines in re.findall(r"^(\w.*): (\S+)((?:\n- .+\n\+ .+)+)$", text, re.MULTILINE):
        yield Fault(name, file, re.findall(r"^- (.+)\n\+ (.+)$", lines, re.MULTILINE), test_of(name, file, crate / "tests"))


def faulty(fault, source):
    for old, new in fault.replacements:
        if source.count(old) != 1:
            raise Unusable(f"{fault.name}: {fault.file} does not have once: {old}")
        source = source.replace(old, new)
    return source


def without_fault(crate, faults):
    """The rules of the transitions that no fault takes away."""
    table = (crate / "tests/model/rules.rs").read_text()
    rules = re.findall(r"^    (\w+): \w+ \{.*\}$", table, re.MULTILINE)
    assert len(rules) > 20, rules
    return set(rules) - {fault.name.split()[0] for fault in faults}


def ended(command, **settings):
    """The exit status. After a timeout it ends the whole group, because cargo's tests would go on without cargo."""
    with subprocess.Popen(command, start_new_session=True, **settings) as process:
        try:
            return process.wait(TIMEOUT)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def outcome(tree, file, text, test):
    command = ["cargo", "test", "--quiet", "--locked", "--package=merchantpay-journal", test[0]]
    settings = {
        "cwd": tree,
        "env": {**os.environ, "RUSTFLAGS": "--cap-lints=warn"},
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    original = file.read_text()
    file.write_text(text)
    try:
        if subprocess.run([*command, "--no-run"], check=False, **settings).returncode:
            return "does not compile"
        return "caught" if ended([*command, *test[1:]], **settings) else "missed"
    except subprocess.TimeoutExpired:
        return "caught: the test does not end"
    finally:
        file.write_text(original)


def main(tree, *names):
    # As an exception, so that the source is restored.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    crate = Path(tree) / "crates/merchantpay-journal"
    try:
        faults = [(fault, faulty(fault, (crate / "src" / fault.file).read_text())) for fault in read(crate)]
    except Unusable as fault:
        sys.exit(str(fault))
    if rules := without_fault(crate, [fault for fault, _ in faults]):
        sys.exit(f"rules without a fault: {', '.join(sorted(rules))}")
    if names:
        faults = [(fault, text) for fault, text in faults if fault.name in names]
    missed = []
    for fault, text in faults:
        found = outcome(tree, crate / "src" / fault.file, text, fault.test)
        print(f"{fault.name}: {found}", flush=True)
        if not found.startswith("caught"):
            missed.append(fault.name)
    print(f"{len(faults)} faults, {len(missed)} not caught")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
