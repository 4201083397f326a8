"""Runs the cases of tests/contract in every language. `tests/contract/run` builds the requirements and calls
this program."""

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
from .pool import Pool
from .report import Report
from .visit import ScenarioCase

UNDERS = ("valgrind", "asan", "race")
PLATFORMS = ("linux", "windows")


def collect_scenarios() -> list[Scenario]:
    themes = sorted(module.name for module in pkgutil.iter_modules(scenarios.__path__))
    return [one for theme in themes for one in importlib.import_module(f"scenarios.{theme}").suite.scenarios]


def chosen(cases: list[Case], parts: list[str]) -> list[Case]:
    """A text that is no case's name chooses the cases whose names contain it."""
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


def check_cannot(report: Report, each: list[Language], whole: bool) -> None:
    """Checks that a language's entry lists each text of `cannot`, with the reason and the number of its vectors."""
    for language in each:
        counts = {text: count for (name, text), count in report.cannot.items() if name == language.name}
        for text in sorted(counts.keys() - language.cannot.keys()):
            report.fail(f"{language.name}: cannot", [f"its adapter.json does not name: {text}"])
        for text, entry in language.cannot.items():
            if whole and counts.get(text, 0) != entry["vectors"]:
                report.fail(f"{language.name}: cannot", [f"{text}: {counts.get(text, 0)} vectors, adapter.json has {entry['vectors']}"])


def build(each: list[Language]) -> float:
    """Returns the time in seconds."""
    started = time.monotonic()
    with ThreadPoolExecutor() as builders:
        list(builders.map(Language.build, each))
    return time.monotonic() - started


def run(cases: list[Case], each: list[Language], report: Report, results: bool) -> None:
    pool = Pool(each, cases)
    for case in cases:
        outcomes = pool.outcomes(case, each)
        report.add(case, outcomes)
        for language, outcome in outcomes.items() if results else ():
            for part, fields in outcome.seen:
                print(f"{case.name}: {language}: {part}:", *(f"{field}={value!r}" for field, value in fields.items()))
    pool.close()
    for language, what in pool.ends:
        report.fail(f"{language}: the end of a process", [what])


def main() -> int:
    given = arguments()
    each = [Language(name, given.under) for name in given.language or languages.all_names()]
    each = [language for language in each if given.under is None or given.under in language.unders]
    found = collect_scenarios()
    # The scenarios start first: they mostly wait, and meanwhile the vectors use the processors.
    program = os.environ["MERCHANTPAY_PROGRAM"]
    journals = journal.cases(program) if given.platform == "linux" else []
    all_cases: list[Case] = [*(ScenarioCase(one, program, given.platform) for one in found), *journals, *vectors.cases(given.platform)]
    cases = chosen(all_cases, given.case)
    if given.list:
        print(*(case.name for case in cases), sep="\n")
        return 0
    twice = [name for name, count in Counter(case.name for case in all_cases).items() if count > 1]
    unknown = {language for case in all_cases for language in case.without} - set(languages.all_names())
    assert not twice and not unknown, f"cases of one name: {twice}, languages that do not exist: {unknown}"
    built = build(each)
    files.make()

    options = ["--under", given.under] if given.under else []
    options += ["--platform", given.platform] if given.platform != "linux" else []
    report = Report([language.name for language in each], {language.name: set(language.silent) for language in each}, options)
    started = time.monotonic()
    run(cases, each, report, given.results)
    whole = not given.case and not options
    check_cannot(report, each, whole)
    if whole:
        lines = coverage.missing(found, report.fields) + coverage.missing_vectors([one for one in cases if isinstance(one, vectors.Vector)])
        if lines:
            report.fail("coverage", lines)
    report.table()
    print(f"\n{len(cases)} cases, {report.runs} runs, built in {built:.0f} s, run in {time.monotonic() - started:.0f} s")
    print(f"{len(report.failures)} failures" if report.failures else "all passed")
    return 1 if report.failures or not report.runs else 0


if __name__ == "__main__":
    sys.exit(main())
