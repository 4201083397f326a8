"""The common code of all parts: the paths, the failures, and a sandbox."""

import contextlib
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/help"))
from package_user import ROOT, TARGET, run  # noqa: E402
from servers import Sandbox  # noqa: E402

__all__ = ["BUILT", "INSTALLED", "PAGES", "RECEIPT", "ROOT", "TARGET", "fail", "failures", "library", "run", "sandbox"]
PACKAGES = ("bindings/*/README.md", "bindings/python/program/README.md", "crates/*/README.md")
PAGES = [page for place in ("README.md", "README.ru.md", "docs/*.md", "docs/ru/*.md", *PACKAGES) for page in sorted(ROOT.glob(place))]
BUILT = TARGET / "built"
# tools/help/installed fills it.
INSTALLED = TARGET / "installed"
failures = []


def library(installed=INSTALLED):
    """The variables by which programs are built with the library, and find it."""
    return {
        "MERCHANTPAY_LIBRARY": f"{installed}/lib/libmerchantpay.so.0",
        "PKG_CONFIG_PATH": f"{installed}/lib/pkgconfig",
        "LD_LIBRARY_PATH": f"{installed}/lib",
        "CGO_LDFLAGS": f"-L{installed}/lib",
    }


def fail(where, what):
    failures.append(f"{where}: {what}")


@contextlib.contextmanager
def sandbox(folder, program=BUILT / "merchantpay"):
    """The environment of programs whose service is a new sandbox, which signs with the key in service.key of the folder."""
    with Sandbox([program], "--pace", "5ms", "--server-private-key-file", pathlib.Path(folder, "service.key")) as started:
        others = {name: value for name, value in os.environ.items() if not name.startswith("MERCHANTPAY_")}
        yield {**others, **started.settings, "MERCHANTPAY_SANDBOX_URL": started.url}


RECEIPT = b"%PDF-1.4\n%%EOF\n"
