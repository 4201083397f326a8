"""What one language saw against what another did, and the table of it all."""

from __future__ import annotations

from collections import Counter

from .run import Run, shown
from .scenario import Scenario

Runs = dict[str, Run]  # by language
# Of a scenario in a language.
MOST_TOLD = 4


def differences(scenario: Scenario, runs: Runs) -> dict[str, list[str]]:
    """Where a language saw something else than the first one that saw what was expected, or the first at all."""
    first = next((language for language, run in runs.items() if not run.problems), next(iter(runs)))
    reference, found = runs[first], {}
    for language, run in runs.items():
        differ = []
        if len(run.results) != len(reference.results):
            differ.append(f"{len(run.results)} results, {first} has {len(reference.results)}")
        else:
            for (part, one), (_, its) in zip(reference.seen(), run.seen()):
                if common(scenario, one, its) != common(scenario, its, one):
                    differ.append(f"{part}: {shown(its)} | {first}: {shown(one)}")
        if differ:
            found[language] = differ
    return found


def common(scenario: Scenario, result: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    """What both can say. The command line does not say whether a status is final."""
    left_out = {*scenario.unlike, *(() if "final" in other else ("final",))}
    return {name: value for name, value in result.items() if name not in left_out}


def summary(run: Run) -> str:
    """The result of a scenario, in a few words."""
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
        self._row("scenario", self._languages, "result")

    def add(self, scenario: Scenario, runs: Runs) -> None:
        differ = differences(scenario, runs)
        marks = []
        for language in self._languages:
            if language not in runs:
                marks.append("·")
            elif runs[language].problems:
                marks.append("FAIL")
            else:
                marks.append("DIFF" if language in differ else "ok")
        self._row(scenario.name, marks, summary(next(iter(runs.values()))))
        for language, run in runs.items():
            # What was not expected says it all; the difference from the others adds nothing.
            lines = run.problems or differ.get(language, [])
            self.failures += [f"{scenario.name}: {language}: {line}" for line in lines[:MOST_TOLD]]
            if len(lines) > MOST_TOLD:
                self.failures.append(f"{scenario.name}: {language}: and {len(lines) - MOST_TOLD} more")

    def _row(self, name: str, cells: list[str], end: str) -> None:
        print(f"{name:{self._width}} " + " ".join(f"{cell:6}" for cell in cells) + " " + end, flush=True)
