"""Checks names, links and blocks of pages."""

import json
import os
import pathlib
import re

from common import PAGES, ROOT, fail, run
from guides import PROGRAMS, pages_of
from page import blocks, source

HOME = re.search(r'^repository = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1] + "/blob/main/"
STATUSES = {"free", "pending", "receiptRequired", "doneSuccess", "doneFail", "arbitrageCancelledByMerchant"}
STANDINGS = {"sending", "unknown", "open", "refused", "final"}


def check_mermaid(block):
    lines = [line.strip() for line in block.text.split("\n") if line.strip()]
    kind, lines = lines[0], lines[1:]
    rules = {
        "stateDiagram-v2": r"(\[\*\]|\w+) --> (\[\*\]|\w+)(: [^:;#]+)?|direction (TB|LR)|note (right|left) of \w+: [^:;#]+",
        "sequenceDiagram": r"participant \w+( as [^:;#]+)?|\w+(->>|-->>|--x|-x)\w+: [^;#]+|Note (over|right of|left of) [\w,]+: [^;#]+|(alt|else|opt|loop) [^:;#]+|end",
        "flowchart LR": r"\w+(\[[^][]+\])? -->(\|[^|]+\|)? \w+(\[[^][]+\])?",
    }
    if kind not in rules:
        return fail(block.where, f"{kind} is no kind of diagram that is known here")
    for line in lines:
        if not re.fullmatch(rules[kind], line):
            fail(block.where, f"cannot be read as {kind}: {line}")
    if kind == "stateDiagram-v2":
        states = set(re.findall(r"\w+", " ".join(line.split(":")[0] for line in lines if "-->" in line)))
        if states not in (STATUSES, STANDINGS):
            fail(block.where, f"neither the contract's statuses nor the journal's standings: {sorted(states)}")


# The tests that run files of examples/, in addition to examples.py.
RUN_BY = (
    "Makefile",
    "bindings/*/tools/test",
    "bindings/*/phpunit.xml",
    "bindings/python/tests",
    "bindings/php/tests",
    "bindings/go/internal",
)


def check_run():
    """Checks that a test runs each program of examples/: examples.py, or a test that names the file or its folder."""
    tests = [path for pattern in RUN_BY for place in ROOT.glob(pattern) for path in ([place] if place.is_file() else place.rglob("*.*"))]
    texts = "".join(path.read_text(errors="ignore") for path in tests if path.is_file())
    for path in run(["git", "ls-files", "examples"], cwd=ROOT).split():
        path = pathlib.Path(path)
        if path.suffix not in (".py", ".php", ".go", ".c", ".cpp", ".cs", ".pas", ".rs", ".sh") or path.name == "autoload.php":
            continue
        name = path.parent.name if path.stem == "main" else path.stem
        if name not in ("first", "till") and not re.search(rf"\b({re.escape(name)}|examples/\w+/{path.parent.name})\b", texts):
            fail(path, "no test runs it")


def check_blocks():
    check_run()
    count, guided = 0, set().union(*map(pages_of, PROGRAMS))
    for block in (block for page in PAGES for block in blocks(page)):
        count += 1
        how, name = block.mark or (None, None)
        if how == "from":
            try:
                if source(name) != block.text.strip("\n"):
                    fail(block.where, f"differs from {name}")
            except ValueError as error:
                fail(block.where, error)
        elif how == "guide":
            # translations.py compares a guide in Russian with the English one.
            if (block.page, block.kind) not in guided and block.page.parent.name != "ru":
                fail(block.where, f"no program of tests/docs/guides has the page's code in {block.kind}")
        elif how == "checked by":
            test = ROOT / name
            if not test.is_file() or block.page.name not in test.read_text():
                fail(block.where, f"{name} does not read {block.page.name}")
        elif how == "not run":
            if "**Not run.**" not in block.page.read_text():
                fail(block.where, "the page does not say that its code is not run")
        elif block.kind == "mermaid":
            check_mermaid(block)
        elif block.kind != "sh":
            fail(block.where, f"a block of the kind {block.kind!r} that nothing runs or checks")
    return f"{count} blocks"


def anchors(page):
    """The anchors of a page's headings, as the hosting site makes them."""
    text = re.sub(r"^( *)```.*?^\1```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.replace("`", "").lower()).strip().replace(" ", "-") for head in heads}


def check_names():
    """Checks that the first section of docs/releasing.md has every name that must be registered before publishing."""
    names = []
    for manifest in sorted((ROOT / "bindings").glob("python/**/pyproject.toml")):
        names.append(re.search(r'^name = "(.*)"$', manifest.read_text(), re.MULTILINE)[1])
    for manifest in sorted((ROOT / "crates").glob("*/Cargo.toml")):
        if re.search(r"^publish = true$", manifest.read_text(), re.MULTILINE):
            names.append(manifest.parent.name)
    names.append(json.loads((ROOT / "bindings/php/composer.json").read_text())["name"])
    names.append(re.match(r"module (\S+)", (ROOT / "bindings/go/go.mod").read_text())[1])
    first = (ROOT / "docs/releasing.md").read_text().split("\n## ")[1]
    for name in names:
        if f"`{name}`" not in first:
            fail("docs/releasing.md", f"its first section does not name {name}")
    return f"{len(names)} names"


def check_links():
    count = 0
    for page in [ROOT / path for path in run(["git", "ls-files", "*.md"], cwd=ROOT).split()]:
        text = re.sub(r"^( *)```.*?^\1```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]+)\)|^\[[^\]]+\]: (http\S+)$", text, re.MULTILINE):
            link = "".join(link)
            # A package's page that its build tool copies unchanged links to the project's home.
            if link.startswith(HOME):
                link = os.path.relpath(ROOT / link[len(HOME) :], page.parent)
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            path, _, anchor = link.partition("#")
            there = (page.parent / path).resolve() if path else page
            if not there.exists():
                fail(page.relative_to(ROOT), f"the link {link} has no target")
            elif anchor and there.suffix == ".md" and anchor not in anchors(there):
                fail(page.relative_to(ROOT), f"the link {link} has no such heading")
    return f"{count} links"
