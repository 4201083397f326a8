"""The small programs of examples/python, and the code of the README, as a merchant runs them."""

import os
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[4]
EXAMPLES = ROOT / "examples" / "python"
README = ROOT / "bindings" / "python" / "README.md"


def run(settings, *arguments):
    env = {**os.environ, **settings}
    ran = subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_every_example_is_run_by_a_test():
    names = {path.name for path in EXAMPLES.glob("*.py")}
    assert names == {"accept.py", "arbitrate.py", "outcomes.py", "webhook.py", "webhook_django.py", "webhook_fastapi.py", "webhook_flask.py"}


def test_a_payment_is_accepted(sandbox):
    shown = run(sandbox, EXAMPLES / "accept.py")
    assert re.search(r"pay 1500\.50 RUB to .+\n.+: doneSuccess, 1500\.50 paid, \d+\.\d\d RUB to the balance\n$", shown)


@pytest.mark.parametrize("files", [0, 1])
def test_arbitration_is_gone_through(sandbox, tmp_path, files):
    receipt = tmp_path / "receipt.png"
    receipt.write_bytes(b"\x89PNG\r\n\x1a\n")
    shown = run(sandbox, EXAMPLES / "arbitrate.py", *[receipt][:files])
    assert re.fullmatch(r"(sb-\w+): receiptRequired\n\1: doneSuccess\n", shown)


def test_each_outcome_is_met(sandbox):
    lines = run(sandbox, EXAMPLES / "outcomes.py").splitlines()
    assert [line.split(":")[0].strip() for line in lines] == ["unknown", "get_status says pending", "not_sent", "done", "rejected"]
    assert "payment_could_not_be_canceled" in lines[-1]


def test_webhooks_are_received(sandbox, client):
    receiver = subprocess.Popen(
        [sys.executable, EXAMPLES / "webhook.py"], env={**os.environ, **sandbox}, stdout=subprocess.PIPE, text=True
    )
    try:
        url = receiver.stdout.readline().split()[-1]
        new = {"sum": 100, "payment_method": "card", "customer_account": "79001234567"}
        order = client.new_payment_async(**new, credentials_webhook_url=url, status_webhook_url=url).order_id
        assert receiver.stdout.readline() == f"{order}: show the customer the link\n"
        client.confirm(order)
        assert receiver.stdout.readline() == f"{order}: doneSuccess\n"
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(url, data=b"{}", timeout=20)
        assert receiver.stdout.readline().startswith("refused: unverified")
    finally:
        receiver.kill()
        receiver.wait()
        receiver.stdout.close()


BLOCKS = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)


def test_the_readme_has_code():
    assert len(BLOCKS) >= 5 and README.read_text().count("```python") == len(BLOCKS)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_readmes_code_runs(sandbox, tmp_path, number):
    program = tmp_path / "block.py"
    program.write_text(BLOCKS[number])
    run(sandbox, program)
