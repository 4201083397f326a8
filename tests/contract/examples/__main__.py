"""Runs the programs of examples/<language> with the cases in this folder, in all languages concurrently: see
README.md.

Each failure is printed with the command that repeats only this case.
"""

import argparse
import concurrent.futures
import json
import os
import sys

from case import UNDER, Case, Failure, check_matches
from programs import FOLDER, LANGUAGES, ROOT, Programs, filled

TABLE = json.loads((FOLDER / "cases.json").read_text())


def cases(language, names, under):
    """The cases of a language, each with its values."""
    for case in TABLE["cases"]:
        if language not in case.get("languages", LANGUAGES) or (under != "nothing" and not case.get("memory")):
            continue
        ((name, several),) = case.get("for", {"": [""]}).items()
        for value in several:
            one = filled(case, {name: value})
            if not names or one["name"] in names:
                yield one


def check_table():
    """Checks that each program of each language has a case, or a listed reason for having no case."""
    run = {(language, program) for language in LANGUAGES for case in cases(language, [], "nothing") for program in programs_of(case)}
    for language, entry in LANGUAGES.items():
        for path in ROOT.glob(entry["sources"]):
            name = path.parent.name if path.stem == "main" else path.stem
            if (language, name) not in run and name not in TABLE["not_run"]:
                raise Failure(f"examples: no case runs {name} in {language}")


def programs_of(case):
    return {step[how] for step in case["steps"] for how in ("run", "start") if how in step}


def attempt(language, case, under, programs):
    try:
        Case(language, case, programs, under).run()
        return None
    except Failure as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", action="append", choices=LANGUAGES)
    parser.add_argument("--case", action="append")
    parser.add_argument("--under", choices=("nothing", *UNDER), help="alone, or under this tool; both unless given")
    options = parser.parse_args()
    check_matches()
    check_table()
    wanted = [
        (language, case, under)
        for language in options.language or LANGUAGES
        for under in ("nothing", *LANGUAGES[language].get("under", []))
        if options.under in (None, under)
        for case in cases(language, options.case, under)
    ]
    if not wanted:
        sys.exit("there is no such case")
    languages = list(dict.fromkeys(language for language, *_ in wanted))
    programs = Programs(languages)
    needed = {language: {name for of, case, _ in wanted if of == language for name in programs_of(case)} for language in languages}
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max(4, 2 * (os.cpu_count() or 1))) as pool:
        list(pool.map(lambda language: programs.build(language, needed[language]), languages))
        errors = pool.map(lambda one: attempt(*one, programs), wanted)
        for (language, case, under), error in zip(wanted, errors):
            if error is not None:
                failed += 1
                again = f"tests/contract/run examples --language {language} --case {case['name']} --under {under}"
                print(f"FAILED {language} {case['name']}: {error}\n  again: {again}", file=sys.stderr)
    print(f"examples: {len(wanted) - failed} of {len(wanted)} cases in {', '.join(languages)}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
