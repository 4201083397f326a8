"""The programs, one a language: each a process that is asked a line at a time, except the command line, which is `cli.py`."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
from pathlib import Path

from . import cli, wire

PROGRAMS = Path(__file__).parents[2] / "conformance/programs"
# No scenario takes as long; one that does hangs.
PATIENCE = 90

Result = dict[str, str]
Fields = list[tuple[str, wire.Value]]


class Program:
    """A process that lives as long as it does not crash."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._command, self._environment = command, environment
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, fields: Fields) -> Result:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **self._environment}
            )
        try:
            self._process.stdin.write(wire.encode(fields))
            self._process.stdin.flush()
        except BrokenPipeError:
            return self._gone("crashed")
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([self._process.stdout], [], [], PATIENCE)[0]:
                self._process.kill()
                return self._gone("hangs")
            read = os.read(self._process.stdout.fileno(), 65536)
            if not read:
                return self._gone("crashed")
            line += read
        return wire.decode(line)

    def _gone(self, what: str) -> Result:
        status = self._end()
        return {"crash": f"{what}, exit status {status}"}

    def close(self) -> None:
        if self._process is not None:
            self._end()

    def _end(self) -> int:
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        status = self._process.wait()
        self._process.stdout.close()
        self._process = None
        return status


class CommandLine:
    """The program merchantpay: a process a command."""

    def __init__(self, program: str) -> None:
        self._program = program

    def ask(self, fields: Fields) -> Result:
        return cli.run(self._program, fields, PATIENCE)

    def close(self) -> None:
        pass


# In the order of the table.
LANGUAGES = ("cli", "c", "cpp", "python", "php", "go")


class Languages:
    """What is built is where tools/dev/test-conformance puts it."""

    def __init__(self, work: Path, program: str) -> None:
        library = {"LD_LIBRARY_PATH": str(work / "installed/lib"), "MERCHANTPAY_LIBRARY": str(work / "installed/lib/libmerchantpay.so.0")}
        self._make = {
            "cli": lambda: CommandLine(program),
            "c": lambda: Program([str(work / "bin/c")], library),
            "cpp": lambda: Program([str(work / "bin/cpp")], library),
            "python": lambda: Program([sys.executable, str(PROGRAMS / "python/program.py")], {"PYTHONPATH": str(work / "python")}),
            "php": lambda: Program(["php", "-d", "ffi.enable=1", str(PROGRAMS / "php/program.php")], library),
            "go": lambda: Program([str(work / "bin/go")], library),
        }

    def make(self, name: str) -> Program | CommandLine:
        return self._make[name]()
