"""An adapter: a process that answers one command per line, and serves many cases."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import subprocess
import tempfile
from collections.abc import Callable

# A command that takes longer hangs.
PATIENCE = 90


class Cannot(Exception):
    """The language cannot express a command; the text has the reason."""


class Broken(Exception):
    """The adapter crashed, hangs, or its answer is not a result."""


class Adapter:
    """A process that starts at its first command, and again after a crash."""

    def __init__(
        self, command: list[str], environment: dict[str, str], patience: float = PATIENCE, cannot: dict[str, str] | None = None
    ) -> None:
        self._command, self._environment, self._patience, self._cannot = command, environment, patience, cannot or {}
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()

    def ask(self, command: dict, interrupt: Callable[[], None] | None = None) -> dict:
        """A result: `{"ok": {…}}` or `{"error": {…}}`. When `interrupt` returns, the command is interrupted."""
        for reason, pattern in self._cannot.items():
            if re.search(pattern, json.dumps(command)):
                raise Cannot(reason)
        if self._process is None:
            # Only a command with an environment of its own has the library's variables.
            environment = {name: value for name, value in os.environ.items() if not name.startswith("MERCHANTPAY_")}
            pipe, environment = subprocess.PIPE, {**environment, **self._environment}
            self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=self._errors, env=environment)
        self._write(command)
        if interrupt is not None:
            interrupt()
            self._write({"do": "interrupt"})
        result = self._read()
        if result.keys() == {"cannot"}:
            raise Cannot(result["cannot"])
        if result.keys() not in ({"ok"}, {"error"}):
            raise Broken(str(result))
        return result

    def _write(self, command: dict) -> None:
        try:
            self._process.stdin.write(json.dumps(command, ensure_ascii=False).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._gone("crashed") from None

    def _read(self) -> dict:
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([self._process.stdout], [], [], self._patience)[0]:
                self._process.kill()
                raise self._gone("hangs")
            read = os.read(self._process.stdout.fileno(), 1 << 20)
            if not read:
                raise self._gone("crashed")
            line += read
        return json.loads(line)

    def _gone(self, what: str) -> Broken:
        return Broken(f"{what}, exit status {self._end()} {self._said()}".strip())

    def _said(self) -> str:
        """What the process has printed as errors. A later process begins with an empty file."""
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        self._errors.seek(0)
        self._errors.truncate()
        return said[-3000:]

    def _end(self) -> int:
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        status = self._process.wait(self._patience)
        self._process.stdout.close()
        self._process = None
        return status

    def stop(self) -> None:
        """Ends the process; the next command starts another one. Fails if it does not end successfully, for example if
        valgrind or a sanitizer has found an error."""
        status = self._end() if self._process is not None else 0
        if status != 0:
            raise Broken(f"exit status {status} at its end: {self._said()}")

    def close(self) -> None:
        with self._errors:
            self.stop()
