"""The languages: each is a folder in adapters/ with an adapter.json and a script `build`."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from string import Template

from .process import Adapter

ADAPTERS = Path(__file__).parent.parent / "adapters"
# Tools that start the adapter's process. A sanitizer is part of the build instead.
WRAPPERS = {"valgrind": ["valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite", "--error-exitcode=99"]}
PATIENCE = {"valgrind": 900}


class Language:
    """What adapter.json says, which ../README.md describes."""

    def __init__(self, name: str, under: str | None = None) -> None:
        self.name, self.under = name, under
        self._folder = ADAPTERS / name
        entry = json.loads((self._folder / "adapter.json").read_text(encoding="utf-8"))
        self._start: list[str] = entry["start"]
        self._environment: dict[str, str] = entry.get("environment", {})
        self.unders: list[str] = entry.get("under", [])
        self.commands: list[str] | None = entry.get("commands")
        self.style: str | None = entry.get("style")
        self.cannot: dict[str, dict] = entry.get("cannot", {})
        self.silent: dict[str, str] = entry.get("silent", {})
        self.order_id_only: dict[str, str] = entry.get("order_id_only", {})
        self.headers_differ: str | None = entry.get("headers_differ")

    def build(self) -> None:
        out = Path(os.environ["CONTRACT_WORK"]) / self._place
        out.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "OUT": str(out), "UNDER": self.under or ""}
        done = subprocess.run([str(self._folder / "build")], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name} is not built; `tools/dev/setup contract` gets what it needs:\n{done.stdout}{done.stderr}")

    @property
    def _place(self) -> str:
        return f"{self.name}-{self.under}" if self.under else self.name

    def has(self, command: str) -> bool:
        return self.commands is None or command in self.commands

    def adapter(self, variables: dict[str, str] | None = None) -> Adapter:
        """`variables` are the library's."""
        words = {"HERE": str(self._folder), "OUT": str(Path(os.environ["CONTRACT_WORK"]) / self._place), **os.environ}
        command = [*WRAPPERS.get(self.under or "", []), *(Template(word).substitute(words) for word in self._start)]
        environment = {name: Template(value).substitute(words) for name, value in self._environment.items()}
        environment = {**environment, **(variables or {})}
        unsent = {text: one["if"] for text, one in self.cannot.items() if "if" in one}
        return Adapter(command, environment, PATIENCE.get(self.under or "", 90), unsent)


def all_names() -> list[str]:
    return sorted(path.parent.name for path in ADAPTERS.glob("*/adapter.json"))
