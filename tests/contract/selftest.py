"""Tests that the runner can fail: its comparisons, and its handling of adapters that lie, crash or stay
silent."""

from __future__ import annotations

import http.client
import json
import os
import sys
import unittest
import unittest.mock
from types import SimpleNamespace

from harness.behaviours import answer
from harness.scenario import ANY, Scenario, matches, new_payment, ok, ok_with
from harness.server import Server
from harness.service import ORDER, Reply, payment
from runner import coverage, entry, names, vectors
from runner.case import Outcome, Session
from runner.pool import run_case
from runner.process import Adapter, Broken
from runner.report import differences
from runner.visit import ScenarioCase

HONEST = Reply(payment())
PAID = ok_with(order_id=ORDER, sum="1500.50")
SCENARIO = Scenario("a/b", (new_payment(PAID),), answer(HONEST), {"new": 1})


def says(result: dict) -> list[str]:
    """An adapter that always gives this answer and sends nothing."""
    return [sys.executable, "-c", f"for _ in open(0): print({json.dumps(result)!r}, flush=True)"]


def session(command: list[str]) -> Session:
    language = SimpleNamespace(
        adapter=lambda: Adapter(command, {}, 10), silent={}, order_id_only={}, headers_differ=None, style=None, has=lambda _: True
    )
    return Session(language)


def problems_of(case: ScenarioCase | vectors.Vector, command: list[str]) -> list[str]:
    asked = session(command)
    try:
        return run_case(case, asked).problems
    finally:
        asked.close()


class TheRunnerCanFail(unittest.TestCase):
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

    def test_an_adapter_that_sends_nothing_is_found_by_what_the_server_counts(self) -> None:
        result = {"ok": {"payment": {"order_id": ORDER, "sum": "1500.50"}, "final": False}}
        problems = problems_of(ScenarioCase(SCENARIO, "no-program"), says(result))
        self.assertTrue(any("requests at the server: {}" in problem for problem in problems), problems)

    def test_an_adapter_that_crashes_or_lies_fails_its_case(self) -> None:
        lie = says({"ok": {"payment": {"order_id": ORDER, "sum": "1500.5"}, "final": False}})
        for command, expected in (
            ([sys.executable, "-c", "raise SystemExit(3)"], "crashed, exit status 3"),
            ([sys.executable, "-c", "import os; os.abort()"], "crashed, exit status -6"),
            (says({"crash": "a bug"}), "a bug"),
            (lie, "sum=1500.5,"),
        ):
            problems = problems_of(ScenarioCase(SCENARIO, "no-program"), command)
            self.assertTrue(any(expected in problem for problem in problems), problems)

    def test_a_command_with_an_environment_has_a_process_with_these_variables_alone(self) -> None:
        shows = "import json, os\nnames = lambda: {n: v for n, v in os.environ.items() if n.startswith('MERCHANTPAY_')}\n"
        shows += "for line in open(0): print(json.dumps({'ok': {**json.loads(line), 'has': names(), 'pid': os.getpid()}}), flush=True)"
        adapter = lambda variables=None: Adapter([sys.executable, "-c", shows], variables or {}, 10)  # noqa: E731
        asked = Session(SimpleNamespace(adapter=adapter))
        with unittest.mock.patch.dict(os.environ, {"MERCHANTPAY_PROGRAM": "x", "MERCHANTPAY_KEY_ID": "of the developer"}):
            apart = asked.ask({"do": "settings", "environment": {"MERCHANTPAY_USER_AGENT": b"\xff"}})["ok"]
            shared = asked.ask({"do": "settings"})["ok"]
        self.assertEqual(apart["has"], {"MERCHANTPAY_USER_AGENT": "\udcff"})
        self.assertEqual((shared["has"], apart["from_environment"], "from_environment" in shared), ({}, True, False))
        self.assertNotEqual(apart["pid"], shared["pid"])
        asked.close()

    def test_a_name_in_a_message_is_a_word(self) -> None:
        language = SimpleNamespace(style="snake", has=lambda _: True)
        self.assertEqual(names.missing(language, ["sum", "MERCHANTPAY_SUM"], "sum and MERCHANTPAY_SUM"), [])
        for message in ("sums", "", "checksum", "sum_minor", "MERCHANTPAY_SUM"):
            self.assertTrue(names.missing(language, "sum", message), message)

    def test_a_process_that_does_not_end_well_is_a_failure(self) -> None:
        leaks = "for _ in open(0): print('{\"ok\": {}}', flush=True)\nraise SystemExit('leaked 8 bytes')"
        asked = session([sys.executable, "-c", leaks])
        asked.ask({})
        with self.assertRaisesRegex(Broken, "exit status 1 at its end: leaked 8 bytes"):
            asked.close()

    def test_no_vector_accepts_an_empty_success_or_another_error(self) -> None:
        error = {"code": "internal", "outcome": "unknown"}
        for answered in ({"ok": {}}, {"error": error}):
            asked = session(says(answered))
            for vector in vectors.cases():
                # Accepted settings have no further result, and an operation that returns nothing has no result.
                expected = vector.case.get("expected")
                nothing = expected == {} or vector.case.get("operation") in ("confirm", "cancel", "attachReceipt")
                if "ok" not in answered or not nothing or "error" in expected:
                    self.assertTrue(run_case(vector, asked).problems, vector.name)
            asked.close()

    def test_an_entry_whose_getters_differ_from_its_json_fails(self) -> None:
        fields = {"reference": "r", "attempt": 1, "standing": "open", "sum_asked": "10.50", "succeeded": False, "news": 7}
        fields |= {"acknowledged": True, "attention": [], "created_at": 1, "updated_at": 2}
        printed = json.dumps({**dict.fromkeys(entry.FIELDS), **{entry.camel(name): value for name, value in fields.items()}})
        printed = printed.replace('"10.50"', "10.50")
        self.assertEqual(entry.read({"fields": fields, "json": printed})["sumAsked"], "10.50")
        for wrong in ({"sum_asked": "10.5"}, {"news": 8}, {"succeeded": True}, {"standing": None}, {"order_id": "o"}):
            with self.assertRaises(entry.Differs):
                entry.read({"fields": {**fields, **wrong}, "json": printed})
        with self.assertRaises(entry.Differs):
            entry.read({"fields": {**fields, "details": ["a reason"]}, "json": printed})

    def test_languages_that_differ_are_reported(self) -> None:
        case = SimpleNamespace(name="a/b", unlike={})
        one = Outcome([], [("result 1", {"ok": "1", "sum": "1.50"})])
        self.assertEqual(differences(case, {"c": one, "go": one}, {}), {})
        for other in (Outcome([], [("result 1", {"ok": "1", "sum": "1.5"})]), Outcome([], [])):
            self.assertEqual(list(differences(case, {"c": one, "go": other}, {})), ["go"])
            self.assertEqual(list(differences(case, {"c": one, "go": one, "php": other}, {})), ["php"])
            wrong = Outcome(["not what was expected"], other.seen)
            self.assertEqual(list(differences(case, {"c": wrong, "go": one, "php": one}, {})), ["c"])

    def test_a_word_that_nothing_has_seen_is_missed(self) -> None:
        missed = coverage.missing([], [])
        for word in ("code transport", "outcome unknown", "reason order_not_found", "event credentials_failed", "status free"):
            self.assertIn(f"coverage: no scenario has the {word}", missed)
        self.assertIn("coverage: no scenario has the operation that fails attach_receipt", missed)
        self.assertIn("coverage: no misdirected reply to confirm", coverage.missing_vectors([]))

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
