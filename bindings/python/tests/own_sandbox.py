"""A sandbox for one test, with its control API. Its steps take no time."""

import base64
import contextlib
import json
import time
import urllib.parse
import urllib.request

from conftest import client_of, run_sandbox

PATIENCE = 30
CALLBACK = "http://127.0.0.1:9/callback"
SETTINGS = {"callback_url": CALLBACK, "timeout": 15}


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
    """Calls `look` again and again until it returns a true value, and returns this value."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


@contextlib.contextmanager
def merchant():
    """The control API of a sandbox with steps that take no time, and a client of it."""
    with run_sandbox("--pace", "0") as settings, client_of(settings, timeout=5) as client:
        yield Control(settings), client
