"""That the suite can fail: what it compares, and what it makes of a program that lies, crashes or says nothing."""

from __future__ import annotations

import http.client
import sys
import unittest

from harness import coverage
from harness.behaviours import answer
from harness.compare import differences
from harness.languages import Program
from harness.run import Run, Runner
from harness.scenario import ANY, Scenario, matches, new_payment, ok, ok_with
from harness.server import Server
from harness.service import ORDER, Reply, payment

HONEST = Reply(payment())
PAID = ok_with(order_id=ORDER, sum="1500.50")


def says(line: str) -> list[str]:
    """A program that answers every command alike, and sends nothing."""
    return [sys.executable, "-c", f"import sys\nfor _ in sys.stdin: print({line!r}, flush=True)"]


class Fake:
    """Languages of one program."""

    def __init__(self, command: list[str]) -> None:
        self._command = command

    def make(self, _: str) -> Program:
        return Program(self._command, {})


def run_with(command: list[str]) -> Run:
    runner = Runner("fake", Fake(command), "no-program")
    try:
        return runner.run(Scenario("a/b", (new_payment(PAID),), answer(HONEST), {"new": 1}))
    finally:
        runner.close()


class TheSuiteCanFail(unittest.TestCase):
    def test_a_result_is_all_of_its_fields(self) -> None:
        expected = ok(order_id="o", sum="1.50")
        self.assertTrue(matches(expected, {"ok": "1", "order_id": "o", "sum": "1.50"}))
        for result in (
            {"ok": "1", "order_id": "o", "sum": "1.5"},
            {"ok": "1", "order_id": "o"},
            {"ok": "0", "order_id": "o", "sum": "1.50"},
            {"ok": "1", "order_id": "o", "sum": "1.50", "status": "free"},
            {"crash": "exit status 1"},
        ):
            self.assertFalse(matches(expected, result), result)
        self.assertTrue(matches(ok_with(sum=ANY), {"ok": "1", "sum": "2", "status": "free"}))
        self.assertFalse(matches(ok_with(sum=ANY), {"ok": "1", "status": "free"}))

    def test_a_program_that_sends_nothing_is_found_by_what_the_server_counts(self) -> None:
        problems = run_with(says(f"ok=1 order_id={ORDER} sum=1500.50")).problems
        self.assertTrue(any("requests at the server: {}" in problem for problem in problems), problems)

    def test_a_program_that_crashes_or_lies_is_told(self) -> None:
        for command, expected in (
            ([sys.executable, "-c", "raise SystemExit(3)"], "crashed, exit status 3"),
            ([sys.executable, "-c", "import os; os.abort()"], "crashed, exit status -6"),
            (says(f"ok=1 order_id={ORDER} sum=1500.5"), "sum=1500.5,"),
        ):
            problems = run_with(command).problems
            self.assertTrue(any(expected in problem for problem in problems), problems)

    def test_languages_that_differ_where_anything_is_expected_are_told(self) -> None:
        scenario = Scenario("a/b", (), None, {})
        one, other = Run([{"ok": "1", "sum": "1.50"}], {"new": 1}), Run([{"ok": "1", "sum": "1.5"}], {"new": 1})
        self.assertEqual(differences(scenario, {"c": one, "go": one}), {})
        for run in (other, Run(one.results, {"new": 2}), Run(one.results, one.requests, sent=["new"]), Run([], {"new": 1})):
            self.assertEqual(list(differences(scenario, {"c": one, "go": run})), ["go"])
            self.assertEqual(list(differences(scenario, {"c": one, "go": one, "php": run})), ["php"])
        wrong = Run(other.results, other.requests, problems=["not what was expected"])
        self.assertEqual(list(differences(scenario, {"c": wrong, "go": one, "php": one})), ["c"])

    def test_a_word_that_nothing_has_seen_is_missed(self) -> None:
        missed = coverage.missing([], [])
        for word in ("code transport", "outcome unknown", "reason order_not_found", "event credentials_failed", "status free"):
            self.assertIn(f"coverage: no scenario has the {word}", missed)
        self.assertIn("coverage: no scenario has the operation that fails attach_receipt", missed)

    def test_a_request_that_is_not_signed_by_the_merchant_is_complained_of(self) -> None:
        server = Server(answer(HONEST))
        try:
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            connection.request("POST", "/api/v1/merchant/pay/new", b"{}", {"X-KeyId": "merchant-1", "X-Signature": "A" * 86 + "=="})
            with self.assertRaises(OSError):
                connection.getresponse()
            connection.close()
            server.settle()
            self.assertEqual(dict(server.requests), {"new": 1})
            self.assertEqual(len(server.complaints), 1)
        finally:
            server.close()


if __name__ == "__main__":
    unittest.main()
