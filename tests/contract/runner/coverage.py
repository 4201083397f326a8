"""Checks that the cases cover every item of the library's lists in include/merchantpay.json."""

from __future__ import annotations

import json
from collections.abc import Iterable

from harness.scenario import Call, Scenario

from .entry import DESCRIPTION, camel
from .vectors import KINDS, Vector, snake

# Codes that no scenario can produce: nothing returns `conflict` any more, no input causes an internal error, and a scenario has no
# journal.
BEYOND_REACH = {"conflict", "internal", "storage"}


class Words:
    def __init__(self) -> None:
        description = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
        enums = {one["name"]: [value["name"] for value in one["values"]] for one in description["enums"]}
        functions = {one["name"]: one for one in description["functions"]}
        named = lambda enum, prefix: {name.removeprefix(prefix).lower() for name in enums[enum]}  # noqa: E731
        self.codes = named("code", "MPAY_") - {"ok"}
        self.outcomes, self.reasons = named("outcome", "MPAY_OUTCOME_"), named("reason", "MPAY_REASON_")
        self.kinds, self.statuses = named("event", "MPAY_EVENT_"), {camel(word) for word in named("status", "MPAY_STATUS_")}
        self.operations = {name.removeprefix("mpay_prepare_") for name in functions if name.startswith("mpay_prepare_")}
        self.fields = {
            name.removeprefix("mpay_payment_")
            for name, one in functions.items()
            if name.startswith("mpay_payment_") and one["returns"] and one["returns"]["kind"] == "text" and name != "mpay_payment_json"
        }


def missing(scenarios: list[Scenario], seen: Iterable[dict[str, str]]) -> list[str]:
    """The items that are in the fields of no scenario's result."""
    words, results = Words(), list(seen)
    values = lambda name: {result[name] for result in results if name in result}  # noqa: E731
    wanted = {
        "code": (words.codes - BEYOND_REACH, values("code")),
        "outcome": (words.outcomes, values("outcome")),
        "reason": (words.reasons, values("reason")),
        "status": (words.statuses, values("status")),
        "event": (words.kinds, values("kind")),
        "field of a payment": (words.fields, {name for result in results for name in result}),
        "operation that succeeds": (words.operations, operations(scenarios, "1")),
        "operation that fails": (words.operations, operations(scenarios, "0")),
    }
    return [f"coverage: no scenario has the {what} {word}" for what, (all_, some) in wanted.items() for word in sorted(all_ - some)]


def operations(scenarios: list[Scenario], ok: str) -> set[str]:
    """The commands from which a scenario expects `ok`; the comparison checks the result itself."""
    calls = [step for scenario in scenarios for step in scenario.steps if isinstance(step, Call)]
    return {step.command for step in calls for one in step.expect if one["ok"] == ok}


def missing_vectors(vectors: list[Vector]) -> list[str]:
    """Kinds without vectors, and operations without cases of misdirected replies."""
    few = [f"coverage: no vector of the kind {kind}" for kind in sorted(KINDS.keys() - {vector.kind for vector in vectors})]
    misdirected = {vector.case.get("operation") for vector in vectors if vector.name.startswith("vectors/misdirected/")}
    columns = {snake(name) for name in misdirected if name}
    return few + [f"coverage: no misdirected reply to {name}" for name in sorted(Words().operations - columns)]
