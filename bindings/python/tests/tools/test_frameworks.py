"""Tests the webhook receivers of examples/python on real servers. The sandbox sends the webhooks."""

import contextlib
import http.client
import os
import pathlib
import queue
import re
import subprocess
import sys
import threading

import merchantpay
import pytest
import trio

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples" / "python"
NEW = {"sum": "1500.50", "payment_method": "sbp", "customer_account": "79001234567"}
GUNICORN = ["gunicorn", "--preload", "--workers", "2", "--bind", "127.0.0.1:0"]
SERVERS = {
    "flask": ([*GUNICORN, "webhook_flask:app"], "Listening at: (http://[^ ]+)", "Booting worker", 2),
    "django": ([*GUNICORN, "webhook_django:application"], "Listening at: (http://[^ ]+)", "Booting worker", 2),
    "fastapi": (["uvicorn", "--port", "0", "webhook_fastapi:app"], "running on (http://[^ ]+)", "startup complete", 1),
}


@contextlib.contextmanager
def serve(command, address, ready, times, settings):
    """Runs a server, and returns its URL, a queue of the lines that the example prints, and the server's log.
    The log is complete when the server has ended."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=EXAMPLES,
        env={**os.environ, **settings, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    urls, lines, log = queue.Queue(), queue.Queue(), []

    def watch():
        url, seen = None, 0
        for line in process.stderr:
            log.append(line)
            found = re.search(address, line)
            url = found.group(1) if found else url
            seen += ready in line
            if url and seen == times:
                urls.put(url)
                url = None
        urls.put(None)

    def listen():
        for line in process.stdout:
            print(line, end="")
            if line.startswith(("credentials ", "status ")):
                lines.put(line.split())

    threads = [threading.Thread(target=target, daemon=True) for target in (watch, listen)]
    for thread in threads:
        thread.start()
    try:
        url = urls.get(timeout=60)
        assert url, "".join(log)
        yield url, lines, log
    finally:
        process.terminate()
        try:
            process.wait(20)
        finally:
            process.kill()
            process.wait()
            for thread in threads:
                thread.join(20)
            process.stdout.close()
            process.stderr.close()


def post(url, body, headers):
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)
    connection.putrequest("POST", "/hook")
    for name, value in [("Content-Length", str(len(body))), *headers]:
        connection.putheader(name, value)
    connection.endheaders(body)
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("framework", SERVERS)
def test_a_framework_receives_the_webhooks_of_the_service_and_no_others(sandbox, client, framework):
    command, address, ready, times = SERVERS[framework]
    with serve(command, address, ready, times, sandbox) as (url, lines, log):
        hook = url + "/hook"
        orders = {client.new_payment_async(**NEW, credentials_webhook_url=hook, status_webhook_url=hook).order_id for _ in range(8)}
        issued = [lines.get(timeout=20) for _ in orders]
        assert {(kind, order) for kind, order, _ in issued} == {("credentials", order) for order in orders}
        for order in orders:
            client.confirm(order)
        changed = [lines.get(timeout=20) for _ in orders]
        assert {tuple(line) for line in changed} == {("status", order, "doneSuccess") for order in orders}

        body = b'{"success":true,"orderId":"o-1","status":"doneSuccess"}'
        forged = [("X-Signature", "A" * 86 + "=="), ("X-KeyId", sandbox["MERCHANTPAY_SERVER_KEY_ID"])]
        assert post(url, body, []) == post(url, body, forged) == post(url, body, forged + forged) == 400
        assert lines.empty()
    assert "cause='missing_signature'" in "".join(log)


@pytest.mark.parametrize("framework", ["fastapi", "django"])
def test_the_shop_of_a_framework_passes_its_own_tests(tmp_path, framework):
    test = EXAMPLES / "frameworks" / f"test_{framework}_shop.py"
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(test)]
    run = subprocess.run(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert run.returncode == 0 and "4 passed" in run.stdout, run.stdout


def test_trio_gets_a_clear_error(merchant, service):
    client = merchantpay.AsyncClient("http://127.0.0.1:1", "m", merchant.private_key, service.public_key)
    with pytest.raises(merchantpay.InvalidArgumentError, match="trio is not supported"):
        trio.run(client.confirm, "o-1")
