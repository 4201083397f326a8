"""Each claim of the threat model has a footnote, and each footnote names tests that exist."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = "docs/threat-model.md"
KEYWORDS = {".rs": "fn", ".go": "func", ".php": "function", ".py": "def"}


def section(page, title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)[1]


def claims(page):
    for title in ("Assets", "Attackers"):
        rows = re.findall(r"^\| (.*) \|$", section(page, title), re.MULTILINE)[1:]
        # What an attacker can do needs no proof.
        yield from (row.split(" | ")[1] for row in rows)
    yield from section(page, "Measures in the library").split("\n- **")[1:]
    yield from section(page, "What HTTP the library does not read").strip().split("\n\n")


def exists(test):
    path, _, name = test.rpartition("::")
    file = ROOT / path
    return file.is_file() and f"{KEYWORDS.get(file.suffix)} {name}(" in file.read_text()


def faults():
    page, *rest = re.split(r"^\[\^([\w-]+)\]: ", (ROOT / PAGE).read_text(), flags=re.MULTILINE)
    notes = dict(zip(rest[::2], rest[1::2]))
    used = set(re.findall(r"\[\^([\w-]+)\]", page))
    yield from (f"{PAGE}: [^{name}] is used and not defined, or defined and not used" for name in sorted(used ^ notes.keys()))
    for name, note in notes.items():
        tests = re.findall(r"`([^`]+)`", note)
        yield from ([] if tests else [f"{PAGE}: [^{name}] names no test"])
        yield from (f"{PAGE}: [^{name}]: there is no test {test}" for test in tests if not exists(test))
    for claim in claims(page):
        if "[^" not in claim and claim != "nothing holds":
            yield f"{PAGE}: a claim without a test: {claim}"
