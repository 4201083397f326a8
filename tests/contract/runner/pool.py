"""Runs cases in languages, with several processes of each."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from .case import Case, Outcome, Session
from .languages import Language
from .process import Broken

# Of each language at once: a scenario mostly waits.
WORKERS = 3

Futures = dict[tuple[str, str], Future[Outcome]]


def run_case(case: Case, session: Session) -> Outcome:
    try:
        return case.run(session)
    except Broken as error:
        return Outcome([str(error)])
    except Exception as error:
        return Outcome([f"{type(error).__name__}: {error}"])


class Pool:
    """Outcomes appear in `futures` when they are complete."""

    def __init__(self, languages: list[Language], cases: list[Case], workers: int = WORKERS) -> None:
        self.ends: list[tuple[str, str]] = []  # Processes that ended with a failure: the language, and the output of the process.
        self.futures: Futures = {}
        self._executor = ThreadPoolExecutor(max_workers=max(1, len(languages) * workers))
        for language in languages:
            todo = [case for case in cases if language.name not in case.without and all(map(language.has, case.commands))]
            self.futures.update({(case.name, language.name): Future() for case in todo})
            for _ in range(workers):
                self._executor.submit(self._work, language, todo)

    def _work(self, language: Language, todo: list[Case]) -> None:
        session = Session(language)
        while True:
            try:
                case = todo.pop(0)
            except IndexError:
                break
            self.futures[case.name, language.name].set_result(run_case(case, session))
        try:
            session.close()
        except Broken as error:
            self.ends.append((language.name, str(error)))

    def outcomes(self, case: Case, languages: list[Language]) -> dict[str, Outcome]:
        futures = {language.name: self.futures.get((case.name, language.name)) for language in languages}
        return {name: future.result() for name, future in futures.items() if future is not None}

    def close(self) -> None:
        self._executor.shutdown()
