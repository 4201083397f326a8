"""The table of cases and languages, and every failure with the command that repeats it."""

from __future__ import annotations

import shlex
from collections import Counter

from .case import Case, Fields, Outcome
from .visit import shown

OutcomeByLanguage = dict[str, Outcome]
LINES_PER_FAILURE = 4


def differences(case: Case, outcomes: OutcomeByLanguage, silent: dict[str, set[str]]) -> dict[str, list[str]]:
    """By language, how its results differ from those of the first language without problems, or else of the very first.
    `silent` has the fields that a language never reports."""
    outcomes = {language: outcome for language, outcome in outcomes.items() if outcome.cannot is None}
    if not outcomes:
        return {}
    first = next((language for language, outcome in outcomes.items() if not outcome.problems), next(iter(outcomes)))
    reference, found = outcomes[first].seen, {}
    for language, outcome in outcomes.items():
        left_out = {*getattr(case, "unlike", {}), *silent.get(first, set()), *silent.get(language, set())}
        differ = []
        if len(outcome.seen) != len(reference):
            differ.append(f"{len(outcome.seen)} results, {first} has {len(reference)}")
        else:
            for (part, one), (_, its) in zip(reference, outcome.seen):
                if without(one, left_out) != without(its, left_out):
                    differ.append(f"{part}: {shown(its)} | {first}: {shown(one)}")
        if differ:
            found[language] = differ
    return found


def without(fields: Fields, names: set[str]) -> Fields:
    return {name: value for name, value in fields.items() if name not in names}


class Report:
    """Prints a line for each failed case, and at the end a table by suite and language."""

    def __init__(self, languages: list[str], silent: dict[str, set[str]], options: list[str]) -> None:
        self._languages, self._silent, self._options = languages, silent, options
        self._counts: dict[str, dict[str, Counter[str]]] = {}
        self.failures: list[str] = []
        # Of the whole run, for coverage.py: all fields, and how often each (language, reason) was `cannot`.
        self.runs, self.fields, self.cannot = 0, [], Counter()

    def add(self, case: Case, outcomes: OutcomeByLanguage) -> None:
        differ = differences(case, outcomes, self._silent)
        counts = self._counts.setdefault(case.name.partition("/")[0], {})
        for language, outcome in outcomes.items():
            self.runs += 1
            self.fields += [fields for _, fields in outcome.seen]
            self.cannot.update([(language, outcome.cannot)] if outcome.cannot is not None else [])
            # Of an unexpected result the difference from other languages says nothing more.
            lines = outcome.problems or differ.get(language, [])
            mark = "cannot" if outcome.cannot is not None else "FAILED" if lines else "ok"
            counts.setdefault(language, Counter())[mark] += 1
            if lines:
                self.fail(f"{case.name}: {language}", lines, ["--language", language, "--case", case.name])

    def fail(self, what: str, lines: list[str], repeat: list[str] | None = None) -> None:
        printed = [f"  {line}" for line in lines[:LINES_PER_FAILURE]]
        if len(lines) > LINES_PER_FAILURE:
            printed.append(f"  and {len(lines) - LINES_PER_FAILURE} more")
        if repeat is not None:
            printed.append("  again: tests/contract/run " + shlex.join([*self._options, *repeat]))
        self.failures.append("\n".join([f"FAILED {what}", *printed]))
        print(self.failures[-1], flush=True)

    def table(self) -> None:
        """· marks cases that the language cannot express."""
        width = max((len(suite) for suite in self._counts), default=0)
        print(f"\n{'':{width}} " + " ".join(f"{language:>14}" for language in self._languages))
        for suite, counts in self._counts.items():
            cells = [summary(counts[language]) if language in counts else "" for language in self._languages]
            print(f"{suite:{width}} " + " ".join(f"{cell:>14}" for cell in cells))


def summary(counts: Counter[str]) -> str:
    cell = f"{counts['ok']} ok"
    if counts["cannot"]:
        cell += f" {counts['cannot']} ·"
    return f"{counts['FAILED']} FAILED, {cell}" if counts["FAILED"] else cell
