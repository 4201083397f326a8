"""The programs of examples/python, compared with examples/README.md, and the code of the README, as a merchant runs them."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[4]
EXAMPLES = ROOT / "examples" / "python"
PAGE = (ROOT / "examples" / "README.md").read_text()
README = ROOT / "bindings" / "python" / "README.md"
PATIENCE = 60
INVALID = "error invalid_argument not_sent: "


def blocks(page, language):
    """The texts of a page's code blocks in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def promised(name, run=0):
    """The lines that the page says a program prints."""
    return blocks(PAGE.split(f"\n### {name}\n")[1], "text")[run].splitlines()


def assert_prints(lines, promised):
    """A word in capitals stands for any value, the same one wherever it stands again."""
    values = {}
    assert len(lines) == len(promised), lines
    for line, promise in zip(lines, promised):
        wanted = promise.split(" ")
        # The last value of a line may have spaces in it.
        words = line.split(" ", len(wanted) - 1)
        assert len(words) == len(wanted), f"{line} in place of {promise}"
        expected = [
            values.setdefault(want, word) if re.fullmatch("[A-Z]{3,}", want) and want != "RUB" else want
            for want, word in zip(wanted, words)
        ]
        assert words == expected and all(words), f"{line} in place of {promise}"


def environment(settings):
    """These settings and no others, and a text encoding that does not hang on where the test runs."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MERCHANTPAY_")}
    return {**inherited, "PYTHONIOENCODING": "utf-8", **settings}


def run(settings, program, *arguments, folder=None):
    command = [sys.executable, program, *arguments]
    return subprocess.run(command, cwd=folder, env=environment(settings), capture_output=True, encoding="utf-8", timeout=PATIENCE)


@pytest.fixture(scope="session")
def receipt(tmp_path_factory):
    path = tmp_path_factory.mktemp("receipt") / "receipt.pdf"
    path.write_bytes(b"%PDF-1.4\n%%EOF\n")
    return str(path)


def test_every_example_is_run_by_a_test():
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    shared, frameworks = {"example"}, {"webhook_django", "webhook_fastapi", "webhook_flask"}
    # The code of README and docs/, which tools/dev/test-docs runs.
    pages = {"first", "guide"}
    # Over PostgreSQL: tests/databases runs it.
    databases = {"shop"}
    # A point of sale is in C and C++ only.
    assert names - shared - frameworks - pages - databases == set(re.findall(r"^### (\w+)$", PAGE, re.MULTILINE)) - {"till"}
    assert shared | frameworks | pages | databases <= names


@pytest.mark.parametrize("name", ["accept", "arbitrate", "outcomes"])
def test_an_example_prints_what_is_promised(sandbox, receipt, name):
    ran = run(sandbox, EXAMPLES / f"{name}.py", *[receipt] * (name == "arbitrate"))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert_prints(ran.stdout.splitlines(), promised(name))


@pytest.mark.parametrize(
    "lines",
    [
        ["order 1", "status 1 done now", "more"],
        ["order 1", "status 2 done now"],
        ["order ", "status  done now"],
        ["order 1", "status 1 failed now"],
        ["order 1", "status 1 done"],
    ],
)
def test_other_lines_than_the_promised_are_told(lines):
    assert_prints(["order 1", "status 1 done right now"], ["order ORDER", "status ORDER done WORDS"])
    with pytest.raises(AssertionError):
        assert_prints(lines, ["order ORDER", "status ORDER done WORDS"])


@pytest.mark.parametrize(
    "account, end",
    [
        ("pays-less", ["status doneSuccess", "paid 1350.50"]),
        ("payment-fails", ["confirmed", "status doneFail"]),
        ("bare-credentials", ["confirmed", "status doneSuccess", "paid 1500.55"]),
    ],
)
def test_accept_tells_how_the_payment_ended(sandbox, account, end):
    ran = run(sandbox, EXAMPLES / "accept.py", account)
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert lines[-len(end) :] == end
    # A field that is absent or empty has no line, and none of Python's words for nothing.
    assert all(re.fullmatch(r"\S+( (?!None\b)\S+)*", line) for line in lines)


@pytest.mark.parametrize(
    "name, arguments, unset, begin",
    [
        ("accept", [], "MERCHANTPAY_BASE_URL", INVALID),
        ("accept", [], "MERCHANTPAY_PRIVATE_KEY", INVALID),
        ("arbitrate", ["RECEIPT"], "MERCHANTPAY_KEY_ID", INVALID),
        ("outcomes", [], "MERCHANTPAY_SERVER_PUBLIC_KEY", INVALID),
        ("webhook", ["1"], "MERCHANTPAY_SERVER_PUBLIC_KEY", INVALID),
        ("accept", ["no-credentials"], None, "error rejected rejected: "),
        ("arbitrate", ["/nowhere/receipt.pdf"], None, INVALID),
    ],
)
def test_an_example_that_fails_says_why_and_after_a_refusal_the_services_words(sandbox, receipt, name, arguments, unset, begin):
    settings = {key: value for key, value in sandbox.items() if key != unset}
    arguments = [receipt if argument == "RECEIPT" else argument for argument in arguments]
    ran = run(settings, EXAMPLES / f"{name}.py", *arguments)
    assert ran.returncode == 1
    words = r"the service says: .+\n" if "rejected" in begin else ""
    assert re.fullmatch(re.escape(begin) + r".+\n" + words, ran.stderr)


@pytest.mark.parametrize(
    "name, arguments, usage",
    [
        ("accept", ["79001234567", "more"], "accept [CUSTOMER_ACCOUNT]"),
        ("arbitrate", [], "arbitrate FILE"),
        ("arbitrate", ["receipt.pdf", "more"], "arbitrate FILE"),
        ("outcomes", ["more"], "outcomes"),
        ("webhook", ["1", "more"], "webhook [COUNT]"),
        ("webhook", ["many"], "webhook [COUNT]"),
        ("webhook", ["-1"], "webhook [COUNT]"),
        ("recover", [], "recover FILE [PORT]"),
        ("recover", ["orders", "many"], "recover FILE [PORT]"),
    ],
)
def test_wrong_arguments_are_told(sandbox, name, arguments, usage):
    ran = run(sandbox, EXAMPLES / f"{name}.py", *arguments)
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"usage: {usage}\n")


def webhook(settings, *arguments):
    return receiver(settings, "webhook", *arguments)


@contextlib.contextmanager
def receiver(settings, name, *arguments):
    """The receiver, its port, and a way to its next line; ended with the test."""
    process = subprocess.Popen(
        [sys.executable, EXAMPLES / f"{name}.py", *arguments],
        env=environment(settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    # A line that does not come ends the program, and so the wait for the line.
    patience = threading.Timer(PATIENCE, process.kill)
    patience.start()
    try:
        first = process.stdout.readline().rstrip("\n")
        yield process, first, lambda: process.stdout.readline().rstrip("\n")
    finally:
        patience.cancel()
        process.kill()
        process.communicate()


def answer_to(first, method, body=None, headers=None, path="/hook"):
    """The status that the receiver answers, and its headers."""
    connection = http.client.HTTPConnection("127.0.0.1", int(first[len("listening ") :]), timeout=PATIENCE)
    try:
        connection.request(method, path, body, headers or {})
        reply = connection.getresponse()
        reply.read()
        return reply.status, reply.headers
    finally:
        connection.close()


@pytest.mark.parametrize("only", [None, "MERCHANTPAY_SERVER_PUBLIC_KEY"])
def test_the_receiver_takes_what_the_service_sends_and_refuses_the_rest(sandbox, client, only):
    settings = {name: value for name, value in sandbox.items() if only in (None, name)}
    with webhook(settings, "2") as (process, first, line):
        lines = [first]
        # Signed by nobody, and larger than any webhook.
        for body in (b'{"success":false,"orderId":"o-1"}', b" " * 70_000):
            assert answer_to(first, "POST", body, {"X-Signature": "AAAA"})[0] == 400
            lines.append(line())

        url = f"http://127.0.0.1:{first[len('listening ') :]}/hook"
        new = {"sum": "1500.55", "payment_method": "sbp", "customer_account": "79001234567"}
        order_id = client.new_payment_async(**new, credentials_webhook_url=url, status_webhook_url=url).order_id
        lines.append(line())
        client.confirm(order_id)
        lines.append(line())
        assert_prints(lines, promised("webhook"))
        assert order_id in lines[-1]
        # Two were taken, and what was refused was not counted.
        assert process.communicate(timeout=PATIENCE) == ("", "")
        assert process.returncode == 0


def control(settings, method, path, body=None):
    """What the sandbox's control API replies."""
    connection = http.client.HTTPConnection(settings["MERCHANTPAY_BASE_URL"][len("http://") :], timeout=PATIENCE)
    try:
        connection.request(method, f"/sandbox{path}", body and json.dumps(body), {"Content-Type": "application/json"})
        reply = connection.getresponse()
        assert reply.status < 300
        return json.loads(reply.read())
    finally:
        connection.close()


def test_a_payment_whose_reply_was_lost_is_found_by_its_webhook_also_after_a_crash(sandbox, tmp_path):
    file = tmp_path / "payments.db"
    subprocess.run([sys.executable, "-m", "merchantpay", "journal", "init", "--journal", file], check=True)
    control(sandbox, "POST", "/faults", {"kind": "dropAfterCommit", "operation": "newPayment"})
    with receiver(sandbox, "recover", str(file)) as (process, first, line):
        assert_prints([first, line()], promised("recover"))
        assert answer_to(first, "POST", b"{}", {"X-Signature": "AAAA"}, "/hooks/x")[0] == 400
        process.kill()
    with receiver(sandbox, "recover", str(file), first[len("listening ") :]) as (process, again, line):
        lines = [again, line()]
        order_id = control(sandbox, "GET", "/payments?limit=1")["payments"][0]["orderId"]
        control(sandbox, "POST", f"/payments/{order_id}/operator", {"action": "approve"})
        lines.append(line())
        assert_prints(lines, promised("recover", 1))
        assert process.communicate(timeout=PATIENCE) == ("", "")
        assert process.returncode == 0
    # Said once more, nothing is left to do.
    with receiver(sandbox, "recover", str(file)) as (process, _, line):
        assert line() == "order-1017 final" and process.wait(PATIENCE) == 0
    assert len(control(sandbox, "GET", "/payments?merchantId=order-1017")["payments"]) == 1


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
def test_the_receiver_knows_one_method(sandbox, method):
    with webhook(sandbox) as (process, first, _):
        status, headers = answer_to(first, method)
        assert (status, headers["Allow"]) == (405, "POST")
        process.kill()
        assert process.communicate(timeout=PATIENCE) == ("", "")


@pytest.mark.parametrize("length", ["many", "-1", "", "0", "9" * 5000])
def test_the_receiver_refuses_a_length_that_is_none(sandbox, length):
    with webhook(sandbox) as (_, first, line):
        assert answer_to(first, "POST", None, {"Content-Length": length})[0] == 400
        assert line() == "refused unverified"


BLOCKS = blocks(README.read_text(), "python")


def test_the_readme_has_code():
    assert len(BLOCKS) >= 5 and README.read_text().count("```python") == len(BLOCKS)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_readmes_code_runs(sandbox, tmp_path, number):
    program = tmp_path / "block.py"
    program.write_text(BLOCKS[number])
    journal = tmp_path / "payments.db"
    subprocess.run([sys.executable, "-m", "merchantpay", "journal", "init", "--journal", journal], check=True)
    ran = run({**sandbox, "MERCHANTPAY_JOURNAL": str(journal)}, program, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
