"""What one language saw against what another did, and the table of it all."""

from __future__ import annotations

from collections import Counter

from .run import Run, shown
from .scenario import Scenario

Runs = dict[str, Run]  # by language


def differences(scenario: Scenario, runs: Runs) -> list[str]:
    """Where a language saw something else than the first one did."""
    (first, reference), *others = runs.items()
    found = []
    for language, run in others:
        if len(run.results) != len(reference.results):
            found.append(f"{language} has {len(run.results)} results, {first} has {len(reference.results)}")
            continue
        parts = zip(reference.seen(), run.seen(), strict=True)
        differ = []
        for (part, one), (_, its) in parts:
            if common(scenario, one, its) != common(scenario, its, one):
                differ.append(f"{part}: {language} {shown(its)} | {first} {shown(one)}")
        found += differ[:3]
        if len(differ) > 3:
            found.append(f"{language} differs from {first} in {len(differ) - 3} more")
    return found


def common(scenario: Scenario, result: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    """What both can say. The command line does not say whether a status is final."""
    left_out = {*scenario.unlike, *(() if "final" in other else ("final",))}
    return {name: value for name, value in result.items() if name not in left_out}


def summary(run: Run) -> str:
    """What came of a scenario, in a few words."""
    words = Counter(
        "ok" if result.get("ok") == "1" else f"{result.get('code', 'crash')}/{result.get('outcome', '')}" for result in run.results
    )
    return ", ".join(word if count == 1 else f"{count} × {word}" for word, count in words.items())


class Table:
    """Scenario × language, printed row by row."""

    def __init__(self, languages: list[str], width: int) -> None:
        self._languages, self._width = languages, width
        self.failures: list[str] = []

    def head(self) -> None:
        self._row("scenario", self._languages, "what came of it")

    def add(self, scenario: Scenario, runs: Runs) -> None:
        differ = differences(scenario, runs) if len(runs) > 1 else []
        # A difference to the first language is told of the other one; which of them is right, the expected result says.
        marks = []
        for language in self._languages:
            if language not in runs:
                marks.append("·")
            elif runs[language].problems:
                marks.append("FAIL")
            else:
                marks.append("DIFF" if differ else "ok")
        self._row(scenario.name, marks, summary(next(iter(runs.values()))) if runs else "")
        problems = [f"{language}: {problem}" for language, run in runs.items() for problem in run.problems[:3]]
        for line in problems + differ:
            self.failures.append(f"{scenario.name}: {line}")

    def _row(self, name: str, cells: list[str], end: str) -> None:
        print(f"{name:{self._width}} " + " ".join(f"{cell:6}" for cell in cells) + " " + end, flush=True)
