"""The common code of all parts: the paths, the failures, and a function that runs a command."""

import contextlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/help"))
from servers import Sandbox  # noqa: E402

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


@contextlib.contextmanager
def sandbox(folder, program=BUILT / "merchantpay"):
    """The environment of programs whose service is a new sandbox, which signs with the key in service.key of the folder."""
    with Sandbox([program], "--pace", "5ms", "--server-private-key-file", pathlib.Path(folder, "service.key")) as started:
        others = {name: value for name, value in os.environ.items() if not name.startswith("MERCHANTPAY_")}
        yield {**others, **started.settings, "MERCHANTPAY_SANDBOX_URL": started.url}


RECEIPT = b"%PDF-1.4\n%%EOF\n"
