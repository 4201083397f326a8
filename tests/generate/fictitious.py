#!/usr/bin/env python3
"""Measures the cost of a new request field and a new code. Both are added manually to a copy of the sources,
only in the definition. The generator writes the rest, and a scenario uses them in every language.

    tests/generate/fictitious.py [--keep]

The copy and its build are in target/fictitious; --keep does not delete the copy.
"""

import argparse
import difflib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "fictitious"
TREE = TARGET / "tree"

# The largest number of hand-edited product files.
MOST = {"field": 4, "code": 3}

# The edits: a product file, an existing line, and the text to insert before it.
EDITS = {
    "field": [
        (
            "crates/merchantpay/src/request.rs",
            "    /// The largest difference by which an amount may be above the sum; it must not be negative.\n",
            "    /// The number of the till that takes the payment.\n"
            '    terminal_id: String = "terminalId", Text, of [NEW, NEW_ASYNC], required by [], set on PaymentRequest, since "0.2.0";\n',
        )
    ],
    "code": [
        (
            "crates/merchantpay/src/error.rs",
            "        /// The journal could not be read or written.\n",
            '        /// The service refused the till, provably.\n        TillRefused = "till_refused", 41, since "0.2.0";\n',
        ),
        (
            "crates/merchantpay/src/error.rs",
            "        error.0.description = description;\n        error\n",
            '        if description.as_deref() == Some("the till is locked") {\n            error.0.code = Code::TillRefused;\n        }\n',
        ),
        # The advice for docs/errors.md. Programs do not need this advice.
        (
            "tools/generate/templates/docs/errors.md.j2",
            '    "storage": (',
            '    "till_refused": ("The till is locked.", "Have it unlocked.", "no"),\n',
        ),
    ],
}

SCENARIO = '''"""The fictitious field and code."""

from harness.behaviours import answer
from harness.scenario import *
from harness.service import Reply, document, refusal

suite = Suite("fictitious")

suite.add(
    "the field is sent and the code is seen",
    new_payment(error("till_refused", "rejected", description="the till is locked", http_status=400), terminal_id="till 7"),
    server=answer(Reply(refusal("the till is locked"), status=400)),
    requests={"new": 1},
    sends="new application/json "
    + repr(document(sum="@1500.50", currency="RUB", paymentMethod="sbp", customerAccount="79001234567", terminalId="till 7").encode()),
)
'''


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def copy():
    """Copies the current sources, including uncommitted ones."""
    shutil.rmtree(TREE, ignore_errors=True)
    names = [name for name in git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0") if (ROOT / name).is_file()]
    for name in names:
        (TREE / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, TREE / name)
    return names


def edit(what):
    for name, line, added in EDITS[what]:
        path = TREE / name
        text = path.read_text()
        if text.count(line) != 1:
            sys.exit(f"{name} has no such line any more: {line!r}")
        path.write_text(text.replace(line, added + line))
    edited = sorted({name for name, _, _ in EDITS[what]})
    if len(edited) > MOST[what]:
        sys.exit(f"a {what} costs {len(edited)} files: {edited}")
    print(f"a {what}, by hand: {len(edited)} file: {', '.join(edited)}", flush=True)


def run(*command):
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET / "build"), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(command, cwd=TREE, check=True, env=environment)


def generated(names):
    """The files that the generator has changed or made, with the number of added lines."""
    by_hand = {name for edits in EDITS.values() for name, _, _ in edits}
    unchanged = {"Cargo.lock"} | by_hand
    folders = [path for path in TREE.rglob("*") if path.is_file()]
    for path in sorted(folders):
        name = str(path.relative_to(TREE))
        if name in unchanged or name.startswith("target/"):
            continue
        before = (ROOT / name).read_text(errors="replace").splitlines() if name in names else []
        after = path.read_text(errors="replace").splitlines()
        if before != after:
            added = sum(line.startswith("+ ") for line in difflib.ndiff(before, after)) if len(after) < 4000 else len(after) - len(before)
            yield name, added


def described():
    """Fails unless the machine-readable description has the field's setter and the code."""
    description = json.loads((TREE / "include/merchantpay.json").read_text())
    names = {row["name"] for row in description["functions"]}
    codes = {value["name"]: value["value"] for row in description["enums"] if row["name"] == "code" for value in row["values"]}
    if "mpay_payment_request_set_terminal_id" not in names or codes.get("MPAY_TILL_REFUSED") != 41:
        sys.exit("merchantpay.json lacks the field or the code")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="leave the copy")
    arguments = parser.parse_args()
    names = set(copy())
    for what in EDITS:
        edit(what)
    run("make", "--no-print-directory", "generate-sources", "headers")
    for name, added in generated(names):
        print(f"    generated: {name} (+{added})", flush=True)
    described()
    (TREE / "tests/contract/scenarios/fictitious.py").write_text(SCENARIO)
    run("tests/contract/run", "--case", "fictitious/")
    if not arguments.keep:
        shutil.rmtree(TREE)


if __name__ == "__main__":
    main()
