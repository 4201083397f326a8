#!/usr/bin/env python3
"""Adds a new request field and a new code to a copy of the sources, by hand only where EDITS says. The generator writes the rest, and a
scenario uses them in every language.

    tests/generate/fictitious.py [--keep]

The copy and its build are in target/fictitious; --keep does not delete the copy.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "fictitious"
TREE = TARGET / "tree"

# The edits: a product file, an existing line, and the text to insert before it.
EDITS = (
    (
        "crates/merchantpay/src/request.rs",
        "    /// The largest difference by which an amount may be above the sum; it must not be negative.\n",
        "    /// The number of the till that takes the payment.\n"
        '    terminal_id: String = "terminalId" Text, of [NEW, NEW_ASYNC], required by [], set on PaymentRequest, since "0.2.0";\n',
    ),
    (
        "crates/merchantpay/src/error/code.rs",
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
)

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


def copy():
    """Includes uncommitted sources."""
    shutil.rmtree(TREE, ignore_errors=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0"):
        if (ROOT / name).is_file():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, TREE / name)


def edit(name, line, added):
    text = (TREE / name).read_text()
    if text.count(line) != 1:
        sys.exit(f"{name} has no such line any more: {line!r}")
    (TREE / name).write_text(text.replace(line, added + line))


def run(*command):
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET / "build"), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(command, cwd=TREE, check=True, env=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="leave the copy")
    arguments = parser.parse_args()
    copy()
    for change in EDITS:
        edit(*change)
    run("make", "--no-print-directory", "generate-sources", "headers")
    (TREE / "tests/contract/scenarios/fictitious.py").write_text(SCENARIO)
    run("tests/contract/run", "--case", "fictitious/")
    if not arguments.keep:
        shutil.rmtree(TREE)


if __name__ == "__main__":
    main()
