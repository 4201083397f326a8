"""The keys that sign in these vectors, and the functions that make a case."""

import base64

from foreign import Key

MERCHANT, SERVICE, NEXT, OTHER = (Key(name) for name in ("merchant", "service", "the service's next", "another"))

MERCHANT_ID, SERVICE_ID, NEXT_ID = "merchant-1", "service-1", "service-2"

PATHS = {
    "getAvailableAmounts": "/available",
    "newPayment": "/new",
    "newPaymentAsync": "/new-async",
    "confirm": "/confirm",
    "cancel": "/cancel",
    "getStatus": "/status",
    "attachReceipt": "/receipt/attach",
}
PREFIX = "/api/v1/merchant/pay"

SETTINGS = {
    "base_url": "https://pay.example",
    "key_id": MERCHANT_ID,
    "private_key": MERCHANT.private,
    "public_key": MERCHANT.public,
    "server_public_keys": [SERVICE.public],
    "server_key_ids": [],
}

ONE = {"server_key_ids": [SERVICE_ID]}
ROTATING = {"server_public_keys": [SERVICE.public, NEXT.public], "server_key_ids": [SERVICE_ID, NEXT_ID]}

# Valid arguments, for cases about something else.
RECEIPT = [{"name": "r.pdf", "content_type": "application/pdf", "data": "%PDF-1.4"}]
ORDER = {"orderId": "o-1"}
NEW = {"sum": "1500.50", "paymentMethod": "sbp", "customerAccount": "79001234567"}
ARGUMENTS = {
    "getAvailableAmounts": {"sum": "1500.50", "paymentMethod": "sbp"},
    "newPayment": NEW,
    "newPaymentAsync": {**NEW, "credentialsWebhookUrl": "https://shop.example/credentials"},
    "confirm": ORDER,
    "cancel": ORDER,
    "getStatus": ORDER,
    "attachReceipt": {**ORDER, "files": RECEIPT},
}


def data(content):
    """Text if the bytes are UTF-8, otherwise base64."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def paired(left, right):
    """Pairs of two lists of the same length: `zip` lacks `strict` before Python 3.10."""
    left, right = tuple(left), tuple(right)
    if len(left) != len(right):
        raise ValueError(f"{len(left)} beside {len(right)}")
    return zip(left, right)


def raw(body):
    return body if isinstance(body, bytes) else body.encode()


def signed(body, key=SERVICE, key_id=SERVICE_ID):
    """The headers of a reply that the service has signed."""
    return [["Content-Type", "application/json"], ["X-KeyId", key_id], ["X-Signature", key.sign(raw(body))]]


def failure(code, outcome, **others):
    return {"error": {"code": code, "outcome": outcome, **others}}


def not_sent(code="invalid_argument"):
    return failure(code, "not_sent")


def with_settings(entry, settings):
    return {**entry, "settings": settings} if settings else entry


def reply(name, operation, body, expected, *, status=200, headers=None, settings=None, arguments=None):
    """The expected result of opening a reply. An error of a reply always has its HTTP status."""
    if "error" in expected:
        expected = {"error": {**expected["error"], "http_status": status}}
    entry = {
        "kind": "reply",
        "name": name,
        "operation": operation,
        "arguments": arguments or ARGUMENTS[operation],
        "reply": {"status": status, "headers": signed(body) if headers is None else headers, "body": data(raw(body))},
        "expected": expected,
    }
    return with_settings(entry, settings)


def webhook(name, body, expected, *, signature=None, key_id=SERVICE_ID, settings=None):
    entry = {
        "kind": "webhook",
        "name": name,
        "webhook": {"body": data(raw(body)), "signature": SERVICE.sign(raw(body)) if signature is None else signature, "key_id": key_id},
        "expected": expected,
    }
    return with_settings(entry, settings)
