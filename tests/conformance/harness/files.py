"""The files that receipts are made of."""

from __future__ import annotations

from .scenario import FILES

CONTENTS = {
    "r.pdf": b"%PDF-1.7", "r.txt": b"text", "empty.pdf": b"", "scan": b"\x89PNG\r\n\x1a\n", "r.jpeg": b"\xff\xd8\xff\xe0",
}  # fmt: skip


def make() -> None:
    FILES.mkdir(parents=True, exist_ok=True)
    for name, content in CONTENTS.items():
        (FILES / name).write_bytes(content)
