"""Runs the sandbox of the program `merchantpay` in a process that ends when this process ends."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

from .. import _program
from .._client import Client
from .._generated.error_classes import InvalidArgumentError
from ._webhooks import SignedWebhook

# The longest time, in seconds, for the sandbox to answer or to send a webhook.
_PATIENCE = 30.0
# These variables belong to the installation, and are the same for every sandbox.
_OF_THE_INSTALLATION = ("MERCHANTPAY_LIBRARY", "MERCHANTPAY_PROGRAM")


class Sandbox:
    """A sandbox on its own port. It ends with `stop`, at the end of a `with` block, and when this process
    ends or is killed.

    - program: the path of the program `merchantpay`. Unless given, the program is searched in the variable
      `MERCHANTPAY_PROGRAM`, then in the package merchantpay-program, then on the `PATH`.
    - clock: "real" or "manual". A manual clock moves only when `advance` is called.
    - step: the duration of a simulated step in seconds.
    - hold: if true, every payment waits until `operate` decides about it.
    - seed: all runs with the same seed make the same ids.
    """

    def __init__(
        self,
        *,
        program: str | os.PathLike[str] | None = None,
        clock: str = "real",
        step: float = 0.0,
        hold: bool = False,
        seed: int | None = None,
    ) -> None:
        command = [_find(program), "sandbox", "--port", "0", "--format", "json", "--exit-with-stdin", "--clock", clock]
        command += ["--pace", f"{round(step * 1000)}ms"] + ["--hold"] * hold + ([] if seed is None else ["--seed", str(seed)])
        pipe = subprocess.PIPE
        # When this process ends in any way, the system closes the pipe to the sandbox's standard input, and
        # so the sandbox ends too.
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        assert self._process.stdout is not None and self._process.stderr is not None
        line = self._process.stdout.readline()
        if not line:
            why = self._process.stderr.read().strip()
            self.stop()
            raise InvalidArgumentError(f"the sandbox did not start: {why}", outcome="not_sent")
        self.environment: dict[str, str] = json.loads(line)["environment"]
        self.url: str = self.environment["MERCHANTPAY_BASE_URL"]

    def stop(self) -> None:
        """Ends the sandbox. `stop` can be called more than once."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def set_environment(self, monkeypatch: Any) -> None:
        """Sets the `MERCHANTPAY_…` variables for this sandbox with pytest's `monkeypatch`, and removes all other
        `MERCHANTPAY_…` variables except those of the installation."""
        for name in os.environ:
            if name.startswith("MERCHANTPAY_") and name not in _OF_THE_INSTALLATION:
                monkeypatch.delenv(name)
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)

    def client(self, **settings: Any) -> Client:
        """A `Client` of this sandbox, with further settings."""
        names = ("base_url", "key_id", "private_key", "server_public_key", "server_key_id")
        own: dict[str, Any] = {name: self.environment[f"MERCHANTPAY_{name.upper()}"] for name in names}
        return Client(**{**own, **settings})

    def control(self, method: str, path: str, body: object = None) -> Any:
        """Calls the sandbox's control API: `control("GET", "/payments")`. In a shell, use `merchantpay
        sandbox api`."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/sandbox{path}", data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=_PATIENCE) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                text = error.read().decode(errors="replace")
            raise InvalidArgumentError(f"the sandbox refused {method} {path}: {text}", outcome="not_sent") from None

    @property
    def accounts(self) -> dict[str, str]:
        """The values of `customer_account` that have a special effect, with their effects."""
        return {one["account"]: one["effect"] for one in self.control("GET", "")["testAccounts"]}

    def payments(self, **filters: str) -> list[dict[str, Any]]:
        """The payments, newest first; `status`, `merchantId` and `search` filter them."""
        found: list[dict[str, Any]] = self.control("GET", "/payments?" + urllib.parse.urlencode(filters))["payments"]
        return found

    def pay(self, order_id: str, pays: str = "exactly") -> None:
        """Plays the customer, who pays "exactly", "less", "more" or "nothing"."""
        self.control("POST", f"/payments/{order_id}/customer", {"pays": pays})

    def operate(self, order_id: str, action: str) -> None:
        """Plays the service's operator: "approve", "fail", "arbitration", "requireReceipt", "hold" or "release"."""
        self.control("POST", f"/payments/{order_id}/operator", {"action": action})

    def fault(self, kind: str, *, operation: str | None = None, times: int = 1, **more: int) -> None:
        """Makes the next `times` calls fail. For example, with "dropAfterCommit" the payment exists and its
        response is lost.

        `operation` is a contract name, such as "newPayment"; without it, calls of any operation fail. The kind
        "latency" needs `latencyMs`, and the kind "oversized" needs `bytes`."""
        chosen = {"kind": kind, "times": times, **more}
        self.control("POST", "/faults", chosen if operation is None else {**chosen, "operation": operation})

    def clear_faults(self) -> None:
        """Removes the planned faults."""
        self.control("DELETE", "/faults")

    def advance(self, seconds: float) -> None:
        """Advances a manual clock. Events that become due happen in their order."""
        self.control("POST", "/clock", {"advanceMs": round(seconds * 1000)})

    def webhook(self, order_id: str, kind: str = "status") -> SignedWebhook:
        """Waits for a payment's newest webhook of a kind ("credentials", "credentials_failed" or "status"),
        and returns it as a handler receives it."""
        end = time.monotonic() + _PATIENCE
        query = "/webhooks?" + urllib.parse.urlencode({"orderId": order_id})
        while not (found := [one for one in self.control("GET", query)["webhooks"] if one["kind"] == kind]):
            if time.monotonic() > end:
                raise InvalidArgumentError(f"the payment has no webhook of the kind {kind!r}", outcome="not_sent")
            time.sleep(0.01)
        sent = self.control("GET", f"/webhooks/{found[0]['id']}")
        request, key = sent["request"], self.environment["MERCHANTPAY_SERVER_PUBLIC_KEY"]
        body, path = base64.b64decode(request["body"]["base64"]), urllib.parse.urlsplit(sent["url"]).path
        return SignedWebhook(body, request["signature"], request["keyId"], key, path)


def _find(program: str | os.PathLike[str] | None) -> str:
    named = program or os.environ.get("MERCHANTPAY_PROGRAM")
    found = shutil.which(named) if named else _program.find() or shutil.which("merchantpay")
    if found is None:
        where = f"{os.fspath(named)!r} is not a program:" if named else f"{_program.MISSING}, or"
        raise InvalidArgumentError(f"{where} set MERCHANTPAY_PROGRAM or program=… to the program's path", outcome="not_sent")
    return str(pathlib.Path(found))
