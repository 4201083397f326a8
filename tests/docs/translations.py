"""Compares README.ru.md and the guides in Russian with the English ones: the same blocks in the same order, but for comments and a diagram's labels."""

import re

from common import ROOT, fail
from page import blocks


def essence(block):
    """The text of a block without what a translation changes."""
    if block.mark and block.mark[0] == "from":
        return f"from {block.mark[1]}"
    if block.mark == ("guide", None):
        return f"{block.kind} {block.text}"
    lines = block.text.split("\n")
    if block.kind == "mermaid":
        # A label follows a colon, the name of a participant "as", and a condition its word.
        lines = [re.sub(r":.*| as .*|\b(alt|else|opt|loop) .*", r"\1", line) for line in lines]
    else:
        lines = [re.sub(r"(^| +)# .*", "", line) for line in lines]
    return "\n".join([block.kind, *lines])


def check_translations():
    count = 0
    pages = {page: ROOT / "docs" / page.name for page in sorted((ROOT / "docs/ru").glob("*.md"))}
    for translated, page in {ROOT / "README.ru.md": ROOT / "README.md", **pages}.items():
        here, there = blocks(translated), blocks(page)
        for block, original in zip(here, there):
            count += 1
            if essence(block) != essence(original):
                fail(block.where, f"differs from {original.where}")
                break
        if len(here) != len(there):
            fail(translated.relative_to(ROOT), f"has {len(here)} blocks, and the English page {len(there)}")
    return f"{count} blocks in Russian"
