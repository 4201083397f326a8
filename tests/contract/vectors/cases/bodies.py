"""Bodies of replies for the cases: each is not one JSON object of the contract, or the service has not signed it."""

import json

from .common import ARGUMENTS, MERCHANT, OTHER, SERVICE_ID, failure, reply, signed
from .failures import malformed, own, rejected, unverified
from .forms import unreadable


def not_json():
    bodies = unreadable('"success":true,"orderId":"o-1"')
    return [reply(f"signed, but {what}", "confirm", body, malformed()) for what, body in bodies]


def pages():
    """Bodies that are unsigned or signed by another key."""
    made = []
    html = b"<html><h1>502 Bad Gateway</h1></html>"
    ok = '{"success":true,"orderId":"o-1"}'
    for status in (200, 401, 403, 404, 429, 500, 502, 503):
        made.append(reply(f"a page with {status}", "confirm", html, unverified(), status=status, headers=[["Content-Type", "text/html"]]))
    for status, value, retry_after_ms in (
        (429, "7", 7000), (503, "120", 120_000), (503, "0", None), (503, "soon", None), (200, "7", None), (502, "7", None),
        (429, "9999999999999999999", 100 * 365 * 86400 * 1000), (429, "Fri, 27 Nov 2026 12:00:00 GMT", None),
        (503, "Thu, 31 Dec 2099 23:59:59 GMT", "Thu, 31 Dec 2099 23:59:59 GMT"),
    ):  # fmt: skip
        pause = {} if retry_after_ms is None else {"retry_after_ms": retry_after_ms}
        headers = [["Content-Type", "text/html"], ["Retry-After", value]]
        expected = failure("unverified", "unknown", order_id="o-1", **pause)
        made.append(reply(f"a page with {status} and Retry-After: {value}", "confirm", html, expected, status=status, headers=headers))
    refusal = '{"success":false,"orderId":"o-1","errorDescription":"order not found"}'
    headers = [*signed(refusal), ["Retry-After", "7"]]
    expected = rejected("order not found")
    expected["error"]["retry_after_ms"] = 7000
    made.append(reply("a refusal with 429 and Retry-After", "confirm", refusal, expected, status=429, headers=headers))
    for operation in ARGUMENTS:
        refusal = '{"success":false,"orderId":"o-1","errorDescription":"order not found"}'
        made.append(
            reply(f"{operation}: a refusal that nobody signed", operation, refusal, unverified(own(operation)), status=401, headers=[])
        )
        body = json.dumps({"success": True, "orderId": "o-1", "availableAmounts": [], "otherAmountsPossible": True})
        made.append(
            reply(f"{operation}: a success signed by another key", operation, body, unverified(own(operation)), headers=signed(body, OTHER))
        )
    asked = '{"orderId":"o-1"}'
    made += [
        reply("our own request sent back", "getStatus", asked, unverified(), headers=signed(asked, MERCHANT, "merchant-1")),
        reply("our own request under the service's id", "getStatus", asked, unverified(), headers=signed(asked, MERCHANT, SERVICE_ID)),
        reply("a changed letter", "confirm", ok.replace("o-1", "o-2"), unverified(), headers=signed(ok)),
        reply("a blank more", "confirm", ok + " ", unverified(), headers=signed(ok)),
        reply("a line end more", "confirm", ok + "\n", unverified(), headers=signed(ok)),
        reply("a byte less", "confirm", ok[:-1], unverified(), headers=signed(ok)),
        reply("another order of the fields", "confirm", '{"orderId":"o-1","success":true}', unverified(), headers=signed(ok)),
        reply("no body", "confirm", b"", unverified(), headers=signed(ok)),
        reply("bytes that are no text", "confirm", bytes(range(256)), unverified(), headers=[]),
    ]
    return made
