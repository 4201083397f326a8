"""Makes webhooks that are signed as the service signs them, without a service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._client import generate_keypair
from .._native import _sign
from .._results import Keypair
from .._webhooks import WebhookVerifier
from . import _json

_pairs: list[Keypair] = []


@dataclass(frozen=True)
class SignedWebhook:
    """A webhook as a handler receives it, and the key that verifies it."""

    body: bytes
    """The signed bytes of the body."""
    signature: str
    """The value of the header `X-Signature`."""
    key_id: str
    """The value of the header `X-KeyId`."""
    server_public_key: str
    """The public key that verifies the signature."""
    path: str = "/"
    """The path of the webhook's URL."""

    @property
    def headers(self) -> dict[str, str]:
        """The headers, for a test client of any framework."""
        return {"Content-Type": "application/json", "X-Signature": self.signature, "X-KeyId": self.key_id}

    def verifier(self) -> WebhookVerifier:
        """A verifier that trusts the key of this webhook."""
        return WebhookVerifier(self.server_public_key, server_key_id=self.key_id)


def signed_webhook(
    order_id: str = "order-1",
    status: str | None = None,
    *,
    success: bool = True,
    keys: Keypair | None = None,
    key_id: str = "sandbox-server",
    path: str = "/",
    **fields: Any,
) -> SignedWebhook:
    """Makes a webhook that is signed as the service signs it. It needs no sandbox.

    - order_id: the payment's order id.
    - status: the payment's new status. Without a status, the webhook has credentials; if `success` is false, it
      reports that no credentials were found.
    - keys: the service's key pair; unless given, one new pair for the whole process.
    - fields: other fields of `Payment`, such as `sum="1500.50"` or `deeplink="…"`.
    """
    if keys is None:
        if not _pairs:
            _pairs.append(generate_keypair())
        keys = _pairs[0]
    written = {"success": "true" if success else "false", **_json.fields({"order_id": order_id, "status": status, **fields})}
    body = _json.body(written).encode()
    return SignedWebhook(body, _sign(keys.private_key, body), key_id, keys.public_key, path)
