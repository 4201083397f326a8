"""Runs the cases of tests/contract in every language: `tests/contract/run`, which builds what it needs, calls this."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import scenarios
from harness import files
from harness.scenario import Scenario

from . import coverage, journal, languages, vectors
from .case import Case
from .languages import Language
from .platforms import PLATFORMS, on
from .pool import Pool
from .report import Report
from .visit import ScenarioCase

UNDERS = ("valgrind", "asan", "race")


def collect_scenarios() -> list[Scenario]:
    themes = sorted(module.name for module in pkgutil.iter_modules(scenarios.__path__))
    return [one for theme in themes for one in importlib.import_module(f"scenarios.{theme}").suite.scenarios]


def chosen(cases: list[Case], parts: list[str]) -> list[Case]:
    """The cases of these names, or else those that have them in their names."""
    names = {case.name for case in cases}
    exact = [part for part in parts if part in names]
    others = [part for part in parts if part not in names]
    return [case for case in cases if not parts or case.name in exact or any(part in case.name for part in others)]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/contract/run", description=__doc__)
    parser.add_argument("--language", action="append", choices=languages.all_names(), help="all unless given; may be given again")
    parser.add_argument("--case", action="append", default=[], help="a name, or a part of names; all unless given; may be given again")
    parser.add_argument("--under", choices=UNDERS, help="the same adapters under a tool, in the languages that can be")
    parser.add_argument("--platform", choices=PLATFORMS, default="linux", help="what the adapters run on")
    parser.add_argument("--list", action="store_true", help="print the names and run nothing")
    parser.add_argument("--results", action="store_true", help="print what each language saw")
    return parser.parse_args()


def check_cannot(report: Report, each: list[Language], vector_outcomes: Counter[tuple[str, str]], whole: bool) -> None:
    """A language's entry names each text of `cannot` with its reason, and the number of vectors that end in it."""
    for language in each:
        counts = {text: count for (name, text), count in vector_outcomes.items() if name == language.name}
        for text in sorted(counts.keys() - language.cannot.keys()):
            report.fail(f"{language.name}: cannot", [f"its adapter.json does not name: {text}"])
        for text, entry in language.cannot.items():
            if whole and counts.get(text, 0) != entry["vectors"]:
                report.fail(f"{language.name}: cannot", [f"{text}: {counts.get(text, 0)} vectors, adapter.json has {entry['vectors']}"])


def main() -> int:
    given = arguments()
    each = [Language(name, given.under) for name in given.language or languages.all_names()]
    each = [language for language in each if given.under is None or given.under in language.unders]
    found = on(given.platform, collect_scenarios())
    # Scenarios come first: they wait, while the vectors keep the processors busy.
    program = os.environ["MERCHANTPAY_PROGRAM"]
    all_cases: list[Case] = [ScenarioCase(one, program) for one in found] + vectors.cases()
    if given.platform == "linux":
        all_cases += journal.cases(each, program)
    names = Counter(case.name for case in all_cases)
    assert max(names.values()) == 1, [name for name, count in names.items() if count > 1]
    cases = chosen(all_cases, given.case)
    if given.list:
        print(*(case.name for case in cases), sep="\n")
        return 0
    started = time.monotonic()
    with ThreadPoolExecutor() as builders:
        list(builders.map(Language.build, each))
    files.make()
    built = time.monotonic()

    options = [
        word
        for name in ("under", "platform")
        if getattr(given, name) != ("linux" if name == "platform" else None)
        for word in ("--" + name, getattr(given, name))
    ]
    report = Report([language.name for language in each], {language.name: set(language.silent) for language in each}, options)
    pool = Pool(each, cases)
    seen, cannot, runs = [], Counter(), 0
    for case in cases:
        outcomes = pool.outcomes(case, each)
        report.add(case, outcomes)
        runs += len(outcomes)
        for language, outcome in outcomes.items():
            seen += [fields for _, fields in outcome.seen]
            if outcome.cannot is not None:
                cannot[language, outcome.cannot] += 1
            if given.results:
                for part, fields in outcome.seen:
                    print(f"{case.name}: {language}: {part}:", *(f"{field}={value!r}" for field, value in fields.items()))
    pool.close()
    for language, what in pool.ends:
        report.fail(f"{language}: the end of a process", [what])
    whole = not given.case and given.under is None and given.platform == "linux"
    check_cannot(report, each, cannot, whole)
    if whole:
        lines = coverage.missing(found, seen) + coverage.missing_vectors([case for case in cases if isinstance(case, vectors.Vector)])
        if lines:
            report.fail("coverage", lines)
    report.table()
    print(f"\n{len(cases)} cases, {runs} runs, built in {built - started:.0f} s, run in {time.monotonic() - built:.0f} s")
    print(f"{len(report.failures)} failures" if report.failures else "all passed")
    return 1 if report.failures or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
