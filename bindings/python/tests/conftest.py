"""The tests run with the installed package and a sandbox of merchantpay-program."""

import base64
import contextlib
import http.server
import json
import os
import pathlib
import queue
import subprocess
import sys
import sysconfig
import threading

import merchantpay
import nacl.signing
import pytest

# The tests in `databases` need database servers: `bindings/python/tools/test databases` runs them.
collect_ignore = [] if "MERCHANTPAY_POSTGRESQL" in os.environ else ["databases"]
if sys.platform == "win32":
    collect_ignore.append("test_posix.py")

PROGRAM = pathlib.Path(sysconfig.get_path("scripts")) / f"merchantpay{sysconfig.get_config_var('EXE') or ''}"
MODULE = [sys.executable, "-m", "merchantpay"]


class Interrupted(Exception):
    """The exception of a signal handler."""


def pytest_configure(config):
    root = pathlib.Path(__file__).resolve().parents[1]
    if root in pathlib.Path(merchantpay.__file__).resolve().parents:
        raise pytest.UsageError("merchantpay was imported from the source tree, not from the installed wheel")


def pytest_make_parametrize_id(val):
    """Shortens the names of tests, because some test values are too long for a name, or are not text."""
    return type(val).__name__ if isinstance(val, int) or callable(val) else ascii(val)[:40]


@contextlib.contextmanager
def run_sandbox(*flags):
    """Runs `merchantpay sandbox`, and returns its settings as environment variables."""
    process = subprocess.Popen([PROGRAM, "sandbox", "--port", "0", *flags], stdout=subprocess.PIPE, text=True)
    try:
        settings = {}
        for line in process.stdout:
            if line.startswith("export "):
                name, _, value = line[len("export ") :].strip().partition("=")
                settings[name] = value
            if "Ctrl-C" in line:
                break
        yield settings
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="session")
def sandbox():
    with run_sandbox() as settings:
        yield settings


def client_of(settings, **others):
    return merchantpay.Client(
        settings["MERCHANTPAY_BASE_URL"],
        settings["MERCHANTPAY_KEY_ID"],
        settings["MERCHANTPAY_PRIVATE_KEY"],
        settings["MERCHANTPAY_SERVER_PUBLIC_KEY"],
        server_key_id=settings["MERCHANTPAY_SERVER_KEY_ID"],
        **others,
    )


@pytest.fixture
def client(sandbox):
    with client_of(sandbox) as client:
        yield client


class Key:
    """A key pair of PyNaCl, an independent implementation of the same scheme."""

    def __init__(self):
        self._key = nacl.signing.SigningKey.generate()

    @property
    def public_key(self):
        return base64.b64encode(bytes(self._key.verify_key)).decode()

    @property
    def private_key(self):
        return base64.b64encode(bytes(self._key) + bytes(self._key.verify_key)).decode()

    def raw(self, body):
        return self._key.sign(body).signature

    def sign(self, body):
        return base64.b64encode(self.raw(body)).decode()

    def verifies(self, body, signature):
        self._key.verify_key.verify(body, base64.b64decode(signature))
        return True


@pytest.fixture(scope="session")
def merchant():
    return Key()


@pytest.fixture(scope="session")
def service():
    return Key()


class Reply:
    """A reply of a `Script`: `body` signed with `key`, unless `headers` replace the signature."""

    def __init__(self, body, key=None, *, status=200, headers=None, gate=None, arrived=None):
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status = status
        self.headers = dict(headers or {})
        self.gate, self.arrived = gate, arrived
        if key is not None:
            self.headers.update({"X-KeyId": "service-1", "X-Signature": key.sign(self.body)})


class QuietServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Ignores the errors of disconnected clients, because some tests disconnect on purpose."""


class Script:
    """A server that sends the given replies in order, and keeps the received requests."""

    def __init__(self):
        self.replies = queue.Queue()
        self.requests = []
        self.connections = 0
        self.connected = threading.Condition()
        script = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                with script.connected:
                    script.connections += 1
                    script.connected.notify_all()

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                script.requests.append((self.path, self.headers, body))
                reply = script.replies.get(timeout=20)
                if reply.arrived is not None:
                    reply.arrived.set()
                if reply.gate is not None:
                    reply.gate.wait(20)
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, *_):
                pass

        self.server = QuietServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def accepted(self, connections):
        """Waits until the server has accepted this number of connections."""
        with self.connected:
            return self.connected.wait_for(lambda: self.connections >= connections, 20)

    def answer(self, *replies):
        for reply in replies:
            self.replies.put(reply)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def script():
    script = Script()
    yield script
    script.close()


@pytest.fixture
def scripted(script, merchant, service):
    """A client that uses the script as its service."""
    with merchantpay.Client(script.url, "merchant-1", merchant.private_key, service.public_key, timeout=10) as client:
        yield client
