"""Files that must exist before anything runs: receipts, and the sandboxes' key."""

from __future__ import annotations

from .scenario import FILES
from .service import SERVER

SERVER_KEY_FILE = FILES / "server.key"
CONTENTS = {
    "r.pdf": b"%PDF-1.7", "r.txt": b"text", "empty.pdf": b"", "scan": b"\x89PNG\r\n\x1a\n", "r.jpeg": b"\xff\xd8\xff\xe0",
    "photo.jpg": b"%PDF-1.4", "heic.jpg": b"\0\0\0\x18ftypheic\0\0\0\0mif1heic",
    "large.pdf": b"%PDF" + bytes(6 << 20),
}  # fmt: skip


def make() -> None:
    for name, content in CONTENTS.items():
        (FILES / name).write_bytes(content)
    SERVER_KEY_FILE.write_text(SERVER.private)
