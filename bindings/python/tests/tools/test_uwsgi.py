"""Calls while uWSGI ends Python, which it does within C's exit()."""

import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import urllib.request

import pytest

UWSGI = pathlib.Path(sysconfig.get_path("scripts")) / "uwsgi"
APPLICATION = """
import atexit, merchantpay

client = merchantpay.Client.from_env()
ask = dict(sum=1, payment_method="sbp")

@atexit.register
def last():
    client.get_available_amounts(**ask)
    print("at exit:", client.new_payment(**ask, customer_account="1").order_id, flush=True)

def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json")])
    return [client.get_available_amounts(**ask).json.encode()]
"""


def printed_by_a_run(sandbox, folder, flags):
    """What uWSGI prints when it is ended after one request."""
    (folder / "application.py").write_text(APPLICATION)
    command = [UWSGI, "--http-socket", "127.0.0.1:0", "--master", "--processes", "1", "--die-on-term", *flags]
    server = subprocess.Popen(
        [*command, "--home", sys.prefix, "--wsgi-file", "application.py"],
        cwd=folder,
        env={**os.environ, **sandbox},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        log = []
        for line in server.stdout:
            log.append(line)
            if "spawned uWSGI worker" in line:
                break
        address = re.search(r"bound to TCP address (\S+)", "".join(log)).group(1)
        with urllib.request.urlopen(f"http://{address}/", timeout=20) as answer:
            assert b"availableAmounts" in answer.read()
        server.terminate()
        rest, _ = server.communicate(timeout=20)
        return rest
    finally:
        server.kill()
        server.communicate()


@pytest.mark.skipif(sys.platform != "linux", reason="there is a wheel of uWSGI for Linux alone")
@pytest.mark.parametrize("flags", [[], ["--enable-threads", "--threads", "2"], ["--lazy-apps"]])
def test_calls_work_while_uwsgi_ends_python(sandbox, tmp_path, flags):
    # A worker that is still busy with the end of its request runs no exit hook, and nothing says when it is idle.
    for _ in range(5):
        rest = printed_by_a_run(sandbox, tmp_path, flags)
        assert "Traceback" not in rest, rest
        if re.search(r"^at exit: [^ ]+$", rest, re.MULTILINE):
            return
    pytest.fail(rest)
