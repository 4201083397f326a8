"""Webhooks that arrive before the reply that names their order."""

import http.client
import json
from urllib.parse import urlsplit

from harness.behaviours import with_request
from harness.scenario import *
from harness.server import Connection
from harness.service import ORDER, Reply, Request, document, payment, status

suite = Suite("early")


def deliver(url: str, webhook: Reply) -> None:
    address = urlsplit(url)
    body = webhook.payload(None)
    connection = http.client.HTTPConnection(address.netloc, timeout=60)
    headers = {"Content-Type": "application/json", "X-KeyId": webhook.key_id, "X-Signature": webhook.key.sign(body)}
    connection.request("POST", address.path, body, headers)
    connection.getresponse().read()
    connection.close()


def early(field: str, webhook: Reply, expect: Expected, reply: bytes | None = None):
    """Answers after the webhook was verified, while the call still waits; without a reply, disconnects."""

    def act(connection: Connection, request: Request) -> None:
        deliver(json.loads(request.body)[field], webhook)
        connection.server.scenario.verify_next(expect, beside=True)
        if reply is not None:
            connection.send(reply)
        connection.end()

    return with_request(act)


DONE = Reply(document(success=True, orderId=ORDER)).bytes(None)
ISSUED = ok_with(kind="credentials", order_id=ORDER, sum="1500.50")
FAILED = ok(kind="credentials_failed", order_id=ORDER)
CHANGED = ok_with(kind="status", order_id=ORDER, status="doneFail")

suite.add("credentials before the reply to new-async", new_payment_async(ok(order_id=ORDER), credentials_webhook_url=HOOK),
          server=early("credentialsWebhookUrl", Reply(payment()), ISSUED, DONE))  # fmt: skip
suite.add("no credentials before the reply to new-async", new_payment_async(ok(order_id=ORDER), credentials_webhook_url=HOOK),
          server=early("credentialsWebhookUrl", Reply(document(success=False, orderId=ORDER)), FAILED, DONE))  # fmt: skip
suite.add("the end before the reply to new", new_payment(ok_with(order_id=ORDER), status_webhook_url=HOOK),
          server=early("statusWebhookUrl", Reply(status("doneFail")), CHANGED, Reply(payment()).bytes(None)))  # fmt: skip
suite.add("credentials, and the reply to new-async is lost", new_payment_async(transport(), credentials_webhook_url=HOOK),
          server=early("credentialsWebhookUrl", Reply(payment()), ISSUED))  # fmt: skip
