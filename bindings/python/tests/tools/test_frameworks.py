"""The webhook receivers and the shops of examples/python, by the test clients of their frameworks."""

import importlib
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import NEW

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples" / "python"
HOOK = "http://127.0.0.1:9/hook"


def post_with_flask(receiver, body, headers):
    return receiver.app.test_client().post("/hook", data=body, headers=headers).status_code


def post_with_django(receiver, body, headers):
    from django.test import Client

    return Client(SERVER_NAME="127.0.0.1").post("/hook", body, content_type="application/json", headers=headers).status_code


def post_with_fastapi(receiver, body, headers):
    from fastapi.testclient import TestClient

    return TestClient(receiver.app).post("/hook", content=body, headers=headers).status_code


@pytest.mark.filterwarnings("ignore:Using `httpx` with")  # TestClient prefers httpx2.
@pytest.mark.parametrize("framework, post", [("flask", post_with_flask), ("django", post_with_django), ("fastapi", post_with_fastapi)])
def test_a_framework_receives_the_webhooks_of_the_service_and_no_others(merchantpay_sandbox, monkeypatch, capsys, caplog, framework, post):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    receiver = importlib.import_module(f"webhook_{framework}")
    with merchantpay_sandbox.client() as client:
        order_id = client.new_payment_async(**NEW, credentials_webhook_url=HOOK, status_webhook_url=HOOK).order_id
        issued = merchantpay_sandbox.webhook(order_id, "credentials")
        client.confirm(order_id)
        changed = merchantpay_sandbox.webhook(order_id)
    assert [post(receiver, webhook.body, webhook.headers) for webhook in (issued, changed)] == [204, 204]
    # An old webhook has the present status.
    assert capsys.readouterr().out == f"credentials {order_id} doneSuccess\nstatus {order_id} doneSuccess\n"
    for headers in ({}, {**changed.headers, "X-Signature": "A" * 86 + "=="}):
        assert post(receiver, changed.body, headers) == 400
    assert capsys.readouterr().out == "" and "cause='missing_signature'" in caplog.text


@pytest.mark.parametrize("framework", ["fastapi", "django"])
def test_the_shop_of_a_framework_passes_its_own_tests(tmp_path, framework):
    test = EXAMPLES / "frameworks" / f"test_{framework}_shop.py"
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(test)]
    run = subprocess.run(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert run.returncode == 0 and "4 passed" in run.stdout, run.stdout
