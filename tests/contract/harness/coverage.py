"""That every word of the library's lists was seen. The lists are the core's own, as the Python package shows them."""

from __future__ import annotations

import re
from pathlib import Path

from merchantpay._merchantpay import _words

from .run import Run
from .scenario import Call, Scenario

HEADER = Path(__file__).parents[3] / "include/merchantpay.h"
# A bug of the library's own: no input causes one. A signer of the host's, an interruption and a journal are not commands of the
# programs. The bindings' own tests have them.
BEYOND_REACH = {"cancelled", "conflict", "internal", "signer", "storage"}
LEAST = 120


def missing(scenarios: list[Scenario], runs: list[Run]) -> list[str]:
    """What no run has seen."""
    words = _words()
    results = [result for run in runs for result in run.results]
    seen = lambda name: {result[name] for result in results if name in result}  # noqa: E731
    succeeded, failed = operations(scenarios, "1"), operations(scenarios, "0")
    names = {snake(name) for name, _ in words["operations"]}
    kinds = {kind.lower() for kind in re.findall(r"^#define MPAY_EVENT_(\w+) ", HEADER.read_text(), re.MULTILINE)}
    wanted = {
        "code": (set(words["codes"]) - BEYOND_REACH, seen("code")),
        "outcome": (set(words["outcomes"]), seen("outcome")),
        "reason": (set(words["reasons"]), seen("reason")),
        "status": (set(words["statuses"]), seen("status")),
        "event": (kinds, seen("kind")),
        "field of a payment": ({snake(name) for name in words["payment_fields"]}, {name for result in results for name in result}),
        "operation that succeeds": (names, succeeded),
        "operation that fails": (names, failed),
    }
    found = [f"coverage: no scenario has the {what} {word}" for what, (all_, some) in wanted.items() for word in sorted(all_ - some)]
    if len(scenarios) < LEAST:
        found.append(f"coverage: {len(scenarios)} scenarios, {LEAST} are wanted")
    return found


def operations(scenarios: list[Scenario], ok: str) -> set[str]:
    """The commands of which a scenario expects it; that it came so is the comparison's business."""
    calls = [step for scenario in scenarios for step in scenario.steps if isinstance(step, Call)]
    expected = [(step.command, one) for step in calls for one in (step.expect if isinstance(step.expect, list) else [step.expect])]
    return {command for command, one in expected if one["ok"] == ok}


def snake(name: str) -> str:
    return re.sub("[A-Z]", lambda capital: "_" + capital.group().lower(), name)
