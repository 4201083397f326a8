"""The sandbox of one scenario, the same in every run: `merchantpay sandbox` with a seed, controlled through
its control API."""

from __future__ import annotations

import http.client
import json
import subprocess

from .files import SERVER_KEY_FILE
from .service import MERCHANT, MERCHANT_ID

# The paths of the operations; the sandbox counts requests by operation.
PATHS = {
    "getAvailableAmounts": "available", "newPayment": "new", "newPaymentAsync": "new-async", "confirm": "confirm", "cancel": "cancel",
    "getStatus": "status", "attachReceipt": "receipt/attach",
}  # fmt: skip


class Sandbox:
    """A sandbox that holds all payments: no check starts automatically, so that no scenario depends on speed."""

    def __init__(self, program: str) -> None:
        command = [program, "sandbox", "--port", "0", "--seed", "1", "--pace", "1ms", "--hold", "--format", "json"]
        keys = ["--key-id", MERCHANT_ID, "--public-key", MERCHANT.public, "--server-private-key-file", str(SERVER_KEY_FILE)]
        self._process = subprocess.Popen([*command, *keys], stdout=subprocess.PIPE)
        settings = json.loads(self._process.stdout.readline())
        self.url, self.server_id = settings["baseUrl"], settings["serverKeyId"]
        self._address = self.url.removeprefix("http://")

    def control(self, method: str, path: str, body: dict | None = None) -> dict:
        connection = http.client.HTTPConnection(self._address, timeout=60)
        try:
            connection.request(
                method, "/sandbox" + path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json"}
            )
            reply = connection.getresponse()
            value = json.loads(reply.read())
        finally:
            connection.close()
        if reply.status >= 300:
            raise AssertionError(f"the sandbox says {value}")
        return value

    def requests(self) -> dict[str, int]:
        return {PATHS[name]: count for name, count in self.control("GET", "")["requests"].items() if count}

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()
