"""Checks README.md, docs/ and the READMEs of the packages. Every fenced block is run, or is equal to a file that a test runs. Every
relative link of any page has a target.

    python3 tests/docs [PART]…    the parts are those of PARTS; all of them unless named
    python3 tests/docs write      copies the files' texts into the pages

A block has one of these forms; any other form is a failure:
- A line `<!-- guide -->` is before the block: a program of its language in tests/docs/guides runs the code, which stands on this page alone.
- A line `<!-- from FILE -->` or `<!-- from FILE#SECTION -->` is before the block. The block's text is the file's text, or the text between
  the marks [SECTION] and [/SECTION] in the file. The file is in examples/, in docs/deploy/ or among a package's tests, and a test runs it:
  `examples` or `deploy` here, or the tests of its language. A file in examples/ that no test names is a failure.
- A line `<!-- checked by TEST -->` is before the block: that test reads the page, as tools/release/test-packages reads how to install.
- A line `<!-- not run -->` is before the block, because nothing here can run it; the page says so.
- The block's language is `sh`. All such commands of a page run in one shell, with a sandbox. Programs that would change the machine (make,
  systemctl …) are replaced by programs that only check their arguments.
- The block's language is `mermaid`. The diagram is of a known kind, and a state diagram has each status of the contract,
  or each standing of an attempt.

A guide in Russian has the blocks of the English one, but for their comments and labels (translations.py).
"""

import sys

from common import ROOT, failures, run
from deploy import check_deploy
from examples import check_examples
from go_workspace import check_go
from page import write
from pages import check_blocks, check_links, check_names
from registries import check_registries
from services import check_services
from shell import check_commands
from translations import check_translations

PARTS = {
    "names": check_names,
    "links": check_links,
    "registries": check_registries,
    "blocks": check_blocks,
    "examples": check_examples,
    "commands": check_commands,
    "go": check_go,
    "deploy": check_deploy,
    "services": check_services,
    "translations": check_translations,
}


def main():
    if sys.argv[1:] == ["write"]:
        return write()
    wanted = sys.argv[1:] or list(PARTS)
    if not set(wanted) <= set(PARTS):
        sys.exit(f"usage: python3 tests/docs [{'] ['.join(PARTS)}]")
    if {"examples", "commands", "go", "deploy", "services"} & set(wanted):
        run([ROOT / "tools/help/built", "merchantpay"])
    if {"examples", "commands", "go"} & set(wanted):
        run([ROOT / "tools/help/installed"])
    for part in wanted:
        print(f"{part}: {PARTS[part]()}", flush=True)
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
