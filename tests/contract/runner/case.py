"""The cases that every suite has for the runner, and their outcomes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from .languages import Language

Fields = dict[str, str]


@dataclass
class Outcome:
    problems: list[str] = field(default_factory=list)
    # The results that must be equal in all languages: the name of each part, and its fields.
    seen: list[tuple[str, Fields]] = field(default_factory=list)
    # A command that the language cannot express. The language's entry has the reason.
    cannot: str | None = None


class Session:
    def __init__(self, language: Language) -> None:
        self.language, self.adapter = language, language.adapter()

    def ask(self, command: dict, beside: bool = False, interrupt: Callable[[], None] | None = None) -> dict:
        """A command with an environment, or beside the one that runs, has a process of its own."""
        if "environment" not in command and not beside:
            return self.adapter.ask(command, interrupt)
        variables, given = {}, dict(command)
        if "environment" in command:
            variables = {name: os.fsdecode(value) for name, value in given.pop("environment").items()}
            given["from_environment"] = True
        with contextlib.closing(self.language.adapter(variables)) as apart:
            return apart.ask(given, interrupt)

    def close(self) -> None:
        self.adapter.close()


class Case(Protocol):
    name: str
    # The commands that the language's adapter must have.
    commands: set[str]
    # Languages that cannot express the case, with the reasons.
    without: dict[str, str]

    def run(self, session: Session) -> Outcome: ...
