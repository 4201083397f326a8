"""A sandbox for one test, whose steps take no time, with its control API."""

import base64
import contextlib
import json
import time
import urllib.parse
import urllib.request

from conftest import client_of, run_sandbox

PATIENCE = 30
CALLBACK = "http://127.0.0.1:9/callback"
SETTINGS = {"callback_url": CALLBACK, "timeout": 15, "calls_per_second": 1000}


class Control:
    """The sandbox's control API."""

    def __init__(self, settings):
        self.url = settings["MERCHANTPAY_BASE_URL"] + "/sandbox"

    def __call__(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            return json.load(reply)

    def webhook(self, merchant_id, kind):
        """The oldest webhook of this kind for a payment, with its body."""
        query = "/webhooks?" + urllib.parse.urlencode({"merchantId": merchant_id})
        found = until(lambda: [one for one in self("GET", query)["webhooks"] if one["kind"] == kind])
        one = self("GET", f"/webhooks/{found[-1]['id']}")
        return {**one, "body": base64.b64decode(one["request"]["body"]["base64"])}


def until(look):
    """Polls `look` until it returns a true value, and returns that."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


@contextlib.contextmanager
def merchant():
    """A sandbox whose steps take no time, its control API and a client."""
    with run_sandbox("--pace-ms", "0") as settings, client_of(settings, timeout=5) as client:
        yield Control(settings), client
