"""The tests run with the installed package, against sandboxes of `merchantpay.testing`."""

import base64
import os
import pathlib
import sys
import sysconfig
import time

import merchantpay
import pytest
from merchantpay._native import _sign
from merchantpay.testing import Sandbox

# The tests in `databases` need database servers: `bindings/python/tools/test databases` runs them.
collect_ignore = [] if "MERCHANTPAY_POSTGRESQL" in os.environ else ["databases"]
if sys.platform == "win32":
    collect_ignore.append("test_posix.py")

PROGRAM = pathlib.Path(sysconfig.get_path("scripts")) / f"merchantpay{sysconfig.get_config_var('EXE') or ''}"
# The longest time, in seconds, that a test waits for an event.
PATIENCE = 30
NEW = {"sum": "1500.50", "payment_method": "sbp", "customer_account": "79001234567"}
# The service does not answer such a payment before `Service.release`.
SLOW = {**NEW, "customer_account": "slow-credentials"}
OWN, SERVICE = merchantpay.generate_keypair(), merchantpay.generate_keypair()


class Interrupted(Exception):
    """The exception of a signal handler."""


def pytest_configure(config):
    root = pathlib.Path(__file__).resolve().parents[1]
    if root in pathlib.Path(merchantpay.__file__).resolve().parents:
        raise pytest.UsageError("merchantpay was imported from the source tree, not from the installed wheel")


def pytest_make_parametrize_id(val):
    """Shortens the names of tests, because some test values are too long for a name, or are not text."""
    return type(val).__name__ if isinstance(val, int) or callable(val) else ascii(val)[:40]


def until(look):
    """Calls `look` again and again until it returns a true value, and returns this value."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


class Service(Sandbox):
    """A sandbox whose clock only the test moves, so that it can look at a payment while its call waits."""

    def __init__(self, **settings):
        super().__init__(**{"clock": "manual", **settings})

    def request_count(self, operation="newPayment"):
        return self.control("GET", "")["requests"].get(operation, 0)

    def reached(self, count, operation="newPayment"):
        until(lambda: self.request_count(operation) >= count)

    def release(self):
        self.advance(8)


def raw(private_key, body):
    """The 64 bytes of a signature."""
    return base64.b64decode(_sign(private_key, body))


@pytest.fixture(scope="session")
def sandbox():
    with Service() as sandbox:
        yield sandbox


@pytest.fixture
def service():
    with Service() as service:
        yield service


@pytest.fixture
def client(sandbox):
    with sandbox.client() as client:
        yield client


def make(kind, **settings):
    """A client or a protocol of a service that does not exist."""
    given = {"base_url": "http://127.0.0.1:1", "key_id": "m", "private_key": OWN.private_key, "server_public_key": SERVICE.public_key}
    return kind(**{**given, **settings})


def signed(body):
    """The headers of a reply or a webhook with this body."""
    return {"X-Signature": _sign(SERVICE.private_key, body), "X-KeyId": "service-1"}


def opened(body, status=200, **headers):
    return make(merchantpay.Protocol).prepare_get_status("o-1").open(status, {**signed(body), **headers}, body)
