"""Runs every scenario in every language and prints one table; see README.md. tools/dev/test-conformance builds what it needs."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import scenarios
from harness import files
from harness.compare import Runs, Table
from harness.languages import LANGUAGES, Languages
from harness.platforms import PLATFORMS, on
from harness.run import Run, Runner
from harness.scenario import Scenario

WORKERS = 3


def collect() -> list[Scenario]:
    themes = sorted(module.name for module in pkgutil.iter_modules(scenarios.__path__))
    found = [one for theme in themes for one in importlib.import_module(f"scenarios.{theme}").suite.scenarios]
    names = [one.name for one in found]
    assert len(names) == len(set(names)), "two scenarios have the same name"
    without = {language for one in found for language in one.without}
    assert without <= set(LANGUAGES), f"there is no such language: {without - set(LANGUAGES)}"
    return found


def in_turn(runner: Runner, todo: list[Scenario], futures: dict[tuple[str, str], Future[Run]]) -> None:
    """One worker: takes what is left of a language's scenarios."""
    while True:
        try:
            scenario = todo.pop(0)
        except IndexError:
            runner.close()
            return
        future = futures[scenario.name, runner.language]
        try:
            future.set_result(runner.run(scenario))
        except BaseException as error:
            future.set_exception(error)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", nargs="*", help="names, or parts of them; all unless given")
    parser.add_argument("--language", action="append", choices=LANGUAGES, help="all unless given; may be given again")
    parser.add_argument("--platform", choices=PLATFORMS, default="linux", help="what the programs run on")
    parser.add_argument("--list", action="store_true", help="print the names and run nothing")
    parser.add_argument("--results", action="store_true", help="print what each language saw")
    arguments = parser.parse_args()

    chosen = [
        one for one in on(arguments.platform, collect()) if not arguments.scenario or any(part in one.name for part in arguments.scenario)
    ]
    if arguments.list:
        print(*(one.name for one in chosen), sep="\n")
        return 0
    work, program = Path(os.environ["CONFORMANCE_WORK"]), os.environ["MERCHANTPAY_PROGRAM"]
    files.make()
    languages = Languages(work, program)
    names = arguments.language or list(LANGUAGES)
    started = time.monotonic()

    futures: dict[tuple[str, str], Future[Run]] = {
        (one.name, name): Future() for one in chosen for name in names if name not in one.without
    }
    table = Table(names, max((len(one.name) for one in chosen), default=0))
    seen: list[Run] = []
    with ThreadPoolExecutor(max_workers=len(names) * WORKERS) as workers:
        for name in names:
            todo = [one for one in chosen if name not in one.without]
            # Several of each language, because most of a scenario's time is waiting.
            for _ in range(WORKERS):
                workers.submit(in_turn, Runner(name, languages, program), todo, futures)
        table.head()
        for one in chosen:
            runs: Runs = {name: futures[one.name, name].result() for name in names if name not in one.without}
            if runs:
                table.add(one, runs)
            seen += runs.values()
            if arguments.results:
                for name, run in runs.items():
                    for part, result in run.seen():
                        print(f"    {name}: {part}:", *(f"{field}={value!r}" for field, value in result.items()))
    whole = not arguments.scenario and not arguments.language
    if whole:
        # It asks the Python package for the core's lists, which only a run of all languages has built.
        from harness import coverage

        table.failures += coverage.missing(chosen, seen)
    without = sum(len(one.without) for one in chosen)
    print(f"\n{len(chosen)} scenarios, {len(seen)} runs, {time.monotonic() - started:.0f} s; · {without} that a language cannot say")
    for failure in table.failures:
        print("FAILED", failure)
    return 1 if table.failures or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
