"""The cases that every suite has for the runner, and their outcomes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from .languages import Language
from .process import Adapter

Fields = dict[str, str]


@dataclass
class Outcome:
    problems: list[str] = field(default_factory=list)
    # The results that must be equal in all languages: the name of each part, and its fields.
    seen: list[tuple[str, Fields]] = field(default_factory=list)
    # A command that the language cannot express. The language's entry has the reason.
    cannot: str | None = None


class Session:
    """The processes of one worker: an adapter answers one command at a time, so a command during a call needs
    a second process."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._adapter, self._beside = language.adapter(), language.adapter()

    def ask(self, command: dict, beside: bool = False, interrupt: Callable[[], None] | None = None) -> dict:
        if "environment" not in command:
            return self.process(beside).ask(command, interrupt)
        given = {name: part for name, part in command.items() if name != "environment"}
        apart = self.language.adapter({name: os.fsdecode(value) for name, value in command["environment"].items()})
        try:
            return apart.ask({**given, "from_environment": True}, interrupt)
        finally:
            apart.close()

    def process(self, beside: bool = False) -> Adapter:
        return self._beside if beside else self._adapter

    def close(self) -> None:
        self._adapter.close()
        self._beside.close()


class Case(Protocol):
    name: str
    # The commands that the language's adapter must have.
    commands: set[str]
    # Languages that cannot express the case, with the reasons.
    without: dict[str, str]

    def run(self, session: Session) -> Outcome: ...
