"""Tests that each HTTP attempt is logged as one line, through the standard logging module."""

import logging
import subprocess
import sys

import merchantpay
import pytest
from conftest import Reply

OK = {"success": True, "orderId": "o-1", "status": "pending"}


def test_every_attempt_is_one_line(script, scripted, service, caplog):
    caplog.set_level(logging.INFO, "merchantpay")
    script.answer(Reply(b"<html>", status=502), Reply(OK, service), Reply({"success": False, "errorDescription": "secret words"}, service))
    scripted.get_status("o-1")
    with pytest.raises(merchantpay.RejectedError):
        scripted.confirm("o-1\n")
    lines = [(record.name, record.levelname, record.getMessage().rpartition(" HTTP")[0]) for record in caplog.records]
    assert lines == [
        ("merchantpay", "WARNING", "getStatus order 'o-1' attempt 1: unverified, outcome unknown,"),
        ("merchantpay", "INFO", "getStatus order 'o-1' attempt 2: ok,"),
        ("merchantpay", "WARNING", "confirm order 'o-1\\n' attempt 1: rejected, outcome rejected,"),
    ]
    assert "HTTP 502, " in caplog.text and caplog.text.rstrip().endswith(" ms") and "secret words" not in caplog.text


def test_a_record_names_the_line_of_the_caller(script, scripted, service, caplog):
    caplog.set_level(logging.INFO, "merchantpay")
    script.answer(Reply(OK, service))
    scripted.get_status("o-1")
    assert [(record.filename, record.funcName) for record in caplog.records] == [
        ("test_logging.py", "test_a_record_names_the_line_of_the_caller")
    ]


def test_a_level_that_is_off_costs_no_line(script, scripted, service, caplog):
    caplog.set_level(logging.WARNING, "merchantpay")
    script.answer(Reply(OK, service))
    scripted.get_status("o-1")
    assert caplog.records == []


class Raising(logging.Handler):
    def __init__(self, error):
        super().__init__()
        self.error = error

    def emit(self, record):
        raise self.error


def test_a_handler_that_raises_does_not_change_the_result_of_the_call(script, scripted, service):
    logger = logging.getLogger("merchantpay")
    logger.setLevel(logging.INFO)
    for error, expected in ((RuntimeError("disk full"), None), (KeyboardInterrupt(), KeyboardInterrupt)):
        handler = Raising(error)
        logger.addHandler(handler)
        script.answer(Reply(OK, service))
        try:
            if expected is None:
                assert scripted.get_status("o-1").status == "pending"
            else:
                with pytest.raises(expected):
                    scripted.get_status("o-1")
        finally:
            logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


def test_a_program_without_logging_hears_nothing(merchant, service):
    program = f"""
import merchantpay
client = merchantpay.Client("http://127.0.0.1:1", "m", {merchant.private_key!r}, {service.public_key!r})
try:
    client.confirm("o-1")
except merchantpay.TransportError:
    print("caught")
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "caught\n", "")


def test_logging_that_is_imported_late_hears_what_comes_then(merchant, service):
    program = f"""
import sys
import merchantpay
client = merchantpay.Client("http://127.0.0.1:1", "m", {merchant.private_key!r}, {service.public_key!r})

def confirm(order_id):
    try:
        client.confirm(order_id)
    except merchantpay.TransportError:
        pass

confirm("o-1")
assert "logging" not in sys.modules
import logging
logging.basicConfig(format="%(name)s %(message)s", stream=sys.stdout)
confirm("o-2")
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("merchantpay confirm order 'o-2' attempt 1: ") and "o-1" not in ran.stdout
