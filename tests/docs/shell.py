"""Runs the commands of the pages."""

import os
import pathlib
import subprocess
import tempfile

from common import BUILT, PAGES, RECEIPT, ROOT, fail, library, run, sandbox
from page import blocks

STAND_IN = """#!/usr/bin/env python3
import pathlib, re, sys
root, name, arguments = pathlib.Path({root!r}), pathlib.Path(sys.argv[0]).name, sys.argv[1:]
words = [word for word in arguments if not word.startswith("-") and "=" not in word]
def need(holds, what):
    if not holds:
        sys.exit(f"{{name}} {{' '.join(arguments)}}: {{what}}")
if name == "sudo":
    pass
elif name == "make":
    targets = re.findall(r"^([a-z][a-z-]*):", (root / "Makefile").read_text(), re.MULTILINE)
    need(words and set(words) <= set(targets), "no such target")
elif name == "systemctl":
    need(len(words) > 1, "no unit")
    for unit in words[1:]:
        unit = unit if "." in unit else unit + ".service"
        need((root / "docs/deploy" / unit).is_file() or unit in ("php8.2-fpm.service", "nginx.service"), f"{{unit}} is not in docs/deploy")
elif name == "pip":
    need(words[:1] == ["install"] and all((root / word / "pyproject.toml").is_file() for word in words[1:]), "no such package")
elif name == "cargo":
    packages = re.findall(r"--package (\\S+)", " ".join(arguments))
    need(packages and all(any((root / folder / package / "Cargo.toml").is_file() for folder in ("crates", "tools")) for package in packages), "no such package")
"""


def check_commands():
    """Runs `make demo`'s script, and all `sh` blocks of a page in one shell, in a separate folder and with a sandbox."""
    count = 0
    program = BUILT / "merchantpay"
    demo = [program, "sandbox", "--port", "0", "--", "sh", ROOT / "examples/demo.sh"]
    run(demo, env={**os.environ, "PATH": f"{BUILT}:{os.environ['PATH']}"})
    for page in PAGES:
        scripts = [block for block in blocks(page) if block.kind == "sh" and not block.mark]
        if not scripts:
            continue
        count += len(scripts)
        with tempfile.TemporaryDirectory() as folder, sandbox(folder) as settings:
            folder = pathlib.Path(folder)
            binaries = folder / "bin"
            binaries.mkdir()
            # With a free port, because other tests may run at the same time.
            (binaries / "merchantpay").write_text(
                f'#!/bin/sh\ncase "$1 $2" in "sandbox --"*) shift; exec {program} sandbox --port 0 "$@" ;; esac\nexec {program} "$@"\n'
            )
            (binaries / "merchantpay").chmod(0o755)
            for name in ("make", "systemctl", "pip", "cargo", "ldconfig", "sudo"):
                (binaries / name).write_text(STAND_IN.format(root=str(ROOT)))
                (binaries / name).chmod(0o755)
            work = folder / "work"
            work.mkdir()
            for name in ("examples", "bindings", "docs"):
                (work / name).symlink_to(ROOT / name)
            (work / "receipt.pdf").write_bytes(RECEIPT)
            # The pages of C and C++ compile the first program. Composer would put the PHP package into vendor.
            (work / "pay.c").write_bytes((ROOT / "examples/c/first.c").read_bytes())
            (work / "pay.cpp").write_bytes((ROOT / "examples/cpp/first.cpp").read_bytes())
            (work / "vendor").symlink_to(ROOT / "bindings/php")
            # A second sandbox of a page must sign with the same key as the first one, which the later commands use.
            (work / "service.key").symlink_to(folder / "service.key")
            # Without &&, because a command that fails before it would not end the script.
            commands = "\n".join(block.text for block in scripts).replace(" && ", "\n")
            script = f"set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n{commands}"
            environment = {**settings, **library(), "PATH": f"{binaries}:{os.environ['PATH']}", "HOME": str(folder)}
            ran = subprocess.run(
                ["bash", "-c", script],
                cwd=work,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=120,
            )
            if ran.returncode != 0:
                fail(page.relative_to(ROOT), f"its commands ended with {ran.returncode}:\n{ran.stdout}")
    return f"{count} blocks of commands"
