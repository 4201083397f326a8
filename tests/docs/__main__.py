"""Checks README.md, docs/ and the READMEs of the packages: every fenced block is run, or equals a file that a test runs. Every relative
link of any page has a target, in the sources and in each package.

    tools/dev/test-docs [names] [links] [packages] [blocks] [commands] [go] [deploy]      all of them unless named
    tools/dev/test-docs write                                              copies the files' texts into the pages, and writes docs/code

A block is one of these, or the test fails:
- `<!-- from FILE -->` or `<!-- from FILE#SECTION -->` stands before it: its text is that of the file, or of what is between the
  marks [SECTION] and [/SECTION] there. The file is in examples/ or docs/deploy/; tests/contract, `deploy` here, or the tests of its
  language run it.
- `<!-- checked by TEST -->` stands before it, or `page.py` lists the test for this language of a package's README: that test reads the
  page.
- `sh`: its commands run, those of a page in one shell, against a sandbox. Programs of the host that would change it (make, systemctl …)
  are stand-ins that check their arguments.
- `mermaid`: its diagram is of a known kind, and a state diagram has each status of the contract.
"""

import sys

from common import INSTALLED, ROOT, failures, run
from deploy import check_deploy
from go_workspace import check_go
from guide_code import write_code
from page import write
from pages import check_blocks, check_links, check_names, check_packages
from shell import check_commands

PARTS = {
    "names": check_names,
    "links": check_links,
    "packages": check_packages,
    "blocks": check_blocks,
    "commands": check_commands,
    "go": check_go,
    "deploy": check_deploy,
}


def main():
    if sys.argv[1:] == ["write"]:
        write_code()
        return write()
    wanted = sys.argv[1:] or list(PARTS)
    if not set(wanted) <= set(PARTS):
        sys.exit(f"usage: test-docs [{'] ['.join(PARTS)}]")
    if {"commands", "go", "deploy"} & set(wanted):
        run([ROOT / "tools/help/built", "merchantpay-cli", "merchantpay"])
    if {"commands", "go"} & set(wanted):
        run([ROOT / "tools/release/install", INSTALLED])
    for part in wanted:
        print(f"{part}: {PARTS[part]()}", flush=True)
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
