"""The blocks of a page, and the files from which their texts are copied."""

import re

from common import PAGES, ROOT

# The folders whose files a test runs.
SOURCES = r"(examples|docs/deploy|bindings/\w+/tests|bindings/go/merchantpaytest)/"


class Block:
    def __init__(self, page, line, kind, mark, text, indent):
        self.page, self.line, self.kind, self.mark, self.text, self.indent = page, line, kind, mark, text, indent
        self.where = f"{page.relative_to(ROOT)}:{line}"


def blocks(page):
    found, lines, number = [], page.read_text().split("\n"), 0
    while number < len(lines):
        opened = re.fullmatch(r"( *)```(\S*)( \S+)?", lines[number])
        number += 1
        if not opened:
            continue
        start, before = number, lines[number - 2].strip() if number > 1 else ""
        mark = re.fullmatch(r"<!-- (from|guide|checked by|not run)(?: (\S+))? -->", before)
        while number < len(lines) and lines[number].strip() != "```":
            number += 1
        indent = len(opened[1])
        text = "\n".join(line[indent:] for line in lines[start:number])
        found.append(Block(page, start, opened[2], mark and mark.groups(), text, indent))
        number += 1
    return found


def dedented(lines):
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines).strip("\n")


def source(name):
    """The text of a file, or of one section of the file."""
    name, _, section = name.partition("#")
    path = ROOT / name
    if not re.match(SOURCES, name) or not path.is_file():
        raise ValueError(f"no test runs a file {name}")
    lines = path.read_text().rstrip("\n").split("\n")
    if not section:
        return "\n".join(lines)
    marks = [number for number, line in enumerate(lines) if re.search(rf"\[/?{section}\]", line)]
    if len(marks) != 2:
        raise ValueError(f"{name} lacks the marks [{section}] and [/{section}]")
    return dedented(lines[marks[0] + 1 : marks[1]])


def write():
    """Copies, into each block that has a file, the text of this file, and the code of a guide into the guide in Russian."""
    for page in PAGES:
        lines, shift = page.read_text().split("\n"), 0
        english = blocks(ROOT / "docs" / page.name) if page.parent.name == "ru" else []
        guides = (block.text for block in english if block.mark == ("guide", None))
        for block in blocks(page):
            if block.mark and block.mark[0] == "from":
                text = source(block.mark[1])
            elif english and block.mark == ("guide", None):
                text = next(guides)
            else:
                continue
            old, new = block.text.split("\n") if block.text else [], text.split("\n")
            new = [" " * block.indent + line if line else "" for line in new]
            lines[block.line + shift : block.line + shift + len(old)] = new
            shift += len(new) - len(old)
        page.write_text("\n".join(lines))
