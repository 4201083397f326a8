#!/usr/bin/env python3
"""Writes the programs that run the code of the pages: tests/docs/guides.py FOLDER

A block with the mark `<!-- guide -->` is code that stands on its page alone. The program of its language is in tests/docs/guides: where a
comment of this file is the name of a page, the program has all such blocks of the page in its language.
"""

import pathlib
import re
import sys

from common import ROOT
from page import blocks

KINDS = {"c": "c", "cpp": "cpp", "cs": "csharp", "go": "go", "mjs": "js", "pas": "pascal", "php": "php", "py": "python", "rs": "rust"}
PROGRAMS = sorted((ROOT / "tests/docs/guides").iterdir())
PAGE = re.compile(r"^( *)(?://|#|/\*|\{) (\S+\.md)(?: \*/| \})?$", re.MULTILINE)


def kind(program):
    """The language of a program, as the blocks of a page name it."""
    return KINDS[program.suffix[1:]]


def pages_of(program):
    return {(ROOT / name, kind(program)) for _, name in PAGE.findall(program.read_text())}


def with_code(program):
    """The program with the code of the pages that it names."""
    between = "\n\n\n" if program.suffix == ".py" else "\n\n"

    def code(match):
        indent, name = match.groups()
        texts = [block.text for block in blocks(ROOT / name) if block.mark == ("guide", None) and block.kind == kind(program)]
        return "\n".join(indent + line if line else "" for line in between.join(texts).split("\n"))

    return PAGE.sub(code, program.read_text())


def write_guides(folder):
    for program in PROGRAMS:
        (folder / program.name).write_text(with_code(program))


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write_guides(target)
