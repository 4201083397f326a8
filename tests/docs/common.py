"""The common code of all parts: the paths, the failures, and a function that runs a command."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ("bindings/*/README.md", "bindings/python/program/README.md", "crates/*/README.md")
PAGES = [page for place in ("README.md", "README.ru.md", "docs/*.md", "docs/ru/*.md", *PACKAGES) for page in sorted(ROOT.glob(place))]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
BUILT = TARGET / "built"
# tools/help/installed fills it.
INSTALLED = TARGET / "installed"
failures = []


def fail(where, what):
    failures.append(f"{where}: {what}")


def run(command, **options):
    """Runs a command that must succeed, and returns its output."""
    ran = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, **options
    )
    if ran.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))[:200]} ended with {ran.returncode}:\n{ran.stdout}")
    return ran.stdout


RECEIPT = b"%PDF-1.4\n%%EOF\n"
