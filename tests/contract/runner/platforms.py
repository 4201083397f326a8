"""Limits of a platform for each scenario: fields of a result that may be missing, with the reason."""

from __future__ import annotations

from dataclasses import replace

from harness.scenario import ANY, Call, Expected, Scenario

PLATFORMS: dict[str, dict[str, dict[str, str]]] = {
    "linux": {},
    "windows": {
        "connections/new: reset behind every byte of a reply": {
            "http_status": "Windows discards what has arrived and was not read when the connection is reset"
        },
    },
}


def on(platform: str, scenarios: list[Scenario]) -> list[Scenario]:
    """The scenarios with the results that the platform can show."""
    special = PLATFORMS[platform]
    assert special.keys() <= {one.name for one in scenarios}, "there is no such scenario"
    return [shown(one, special[one.name]) if one.name in special else one for one in scenarios]


def shown(scenario: Scenario, fields: dict[str, str]) -> Scenario:
    def some(expect: Expected) -> Expected:
        kept = {name: value for name, value in expect.items() if name not in fields}
        return {**kept, ...: ANY} if len(kept) < len(expect) else expect

    def step(one: object) -> object:
        if not isinstance(one, Call):
            return one
        return replace(one, expect=[some(expect) for expect in one.expect] if isinstance(one.expect, list) else some(one.expect))

    return replace(scenario, steps=tuple(map(step, scenario.steps)))
