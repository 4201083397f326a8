"""The wheel carries the program `merchantpay`."""

import contextlib
import importlib.metadata
import json
import os
import signal
import subprocess
import sys

import merchantpay
import pytest
from conftest import PROGRAM


def run(*arguments, env=None, **others):
    env = {**os.environ, **(env or {})}
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, env=env, **others)


def test_the_program_is_the_one_of_the_command_line_crate():
    made = run("keygen")
    pair = json.loads(made.stdout)
    assert made.returncode == 0 and set(pair) == {"privateKey", "publicKey"}
    merchantpay.Protocol("https://pay.example", "m", pair["privateKey"], merchantpay.generate_keypair().public_key)
    assert run("--version").stdout.strip() == f"merchantpay {merchantpay.__version__}"
    assert subprocess.run([sys.executable, "-m", "merchantpay", "keygen"], capture_output=True, timeout=60).returncode == 0


def test_exit_statuses_come_through(sandbox):
    created = run("new", "--sum", "1500.50", "--payment-method", "sbp", "--customer-account", "1", env=sandbox)
    assert created.returncode == 0 and json.loads(created.stdout)["sum"] == 1500.5
    refused = run("cancel", "sb-000000000000000000000000", env=sandbox)
    assert (refused.returncode, json.loads(refused.stderr)["error"]["code"]) == (1, "rejected")
    for status, arguments in [(2, ("status",)), (2, ("nonsense",)), (3, ("status", "o-1", "--base-url", "http://127.0.0.1:1"))]:
        assert run(*arguments, env=sandbox).returncode == status
    body = run("webhook", "verify", "--signature", "x", env=sandbox, input="{}")
    assert body.returncode == 5


@contextlib.contextmanager
def sandbox_under(handling):
    """A sandbox that was started with this handling of Ctrl-C, whatever the tests themselves were started with."""
    process = subprocess.Popen(
        [PROGRAM, "sandbox", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, handling),
    )
    try:
        while "Ctrl-C" not in process.stdout.readline():
            pass
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_ctrl_c_ends_the_sandbox():
    with sandbox_under(signal.SIG_DFL) as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == -signal.SIGINT


def test_a_ctrl_c_that_is_ignored_stays_ignored():
    # As under nohup, or in the background of a shell without job control.
    with sandbox_under(signal.SIG_IGN) as process:
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)


def test_the_wheel_hands_on_the_licences_of_what_it_holds():
    texts = [file for file in importlib.metadata.files("merchantpay") if file.name == "LICENSE-THIRD-PARTY"]
    assert len(texts) == 1
    text = texts[0].read_text()
    for crate in ("ed25519-dalek", "pyo3", "ring", "rustls", "tokio", "ureq"):
        assert f"\n==== {crate} v" in text
    names = {file.name for file in importlib.metadata.files("merchantpay")}
    assert {"LICENSE-MIT", "LICENSE-APACHE"} <= names
