"""The service's messages, made from the contract without the library: keys, signatures, replies."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from http import HTTPStatus

from vectors.foreign import Key

BASE_PATH = "/api/v1/merchant/pay"


MERCHANT, SERVER, NEXT_SERVER, OTHER = (Key(name) for name in ("merchant", "server", "next server", "another"))
MERCHANT_ID, SERVER_ID, NEXT_SERVER_ID = "merchant-1", "server-1", "server-2"


@dataclass(frozen=True)
class Request:
    operation: str  # The path after the base path, such as "new".
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)

    def text(self) -> str:
        """What must be equal in every language: without a form's random boundary."""
        kind, _, boundary = (self.header("content-type") or "").partition("; boundary=")
        body = self.body.replace(boundary.encode(), b"BOUNDARY") if boundary else self.body
        return f"{self.operation} {kind} {body!r}"


Body = bytes | str | dict | Callable[[Request], bytes]


@dataclass(frozen=True)
class Reply:
    """Correct unless a field says otherwise. `None` leaves a header out."""

    body: Body
    status: int = 200
    key: Key = SERVER
    key_id: str | None = SERVER_ID
    signature: str | Callable[[Request], str] | None = ""  # With "", `key` signs the body.
    content_type: str | None = "application/json"
    length: int | str | None = -1  # With -1, the header has the length of the body.
    extra: tuple[tuple[str, str], ...] = ()
    sent: Callable[[bytes], bytes] = bytes  # A change of the body after it was signed.

    def but(self, **changes: object) -> Reply:
        return replace(self, **changes)

    def payload(self, request: Request) -> bytes:
        body = self.body(request) if callable(self.body) else self.body
        if isinstance(body, dict):
            body = json.dumps(body, ensure_ascii=False)
        return body.encode() if isinstance(body, str) else body

    def head(self, request: Request) -> bytes:
        """The head without the empty line after it."""
        payload = self.payload(request)
        signature = self.signature(request) if callable(self.signature) else self.signature
        length = len(self.sent(payload)) if self.length == -1 else self.length
        headers = [
            ("Content-Type", self.content_type),
            ("Content-Length", length),
            ("X-KeyId", self.key_id),
            ("X-Signature", self.key.sign(payload) if signature == "" else signature),
            *self.extra,
        ]
        lines = [f"HTTP/1.1 {self.status} {phrase(self.status)}"]
        lines += [f"{name}: {value}" for name, value in headers if value is not None]
        return "".join(line + "\r\n" for line in lines).encode("latin-1")

    def bytes(self, request: Request) -> bytes:
        return self.head(request) + b"\r\n" + self.sent(self.payload(request))


def phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in list(HTTPStatus) else "Status"


ORDER = "o-1"
CREDENTIALS = {
    "payeeAccount": "2200000000000001", "payeeAccountBank": "Банк", "payeeName": "Иван И.", "dealSum": "@1455.49",
    "dealCurrency": "USDT", "dealRate": "@92.50", "deeplink": "https://pay.example/o-1",
}  # fmt: skip


def document(**fields: object) -> str:
    """A JSON object; a text that begins with @ is inserted literally, so that a number keeps its digits."""
    values = ((name, value[1:] if str(value).startswith("@") else json.dumps(value, ensure_ascii=False)) for name, value in fields.items())
    return "{" + ",".join(f'"{name}":{value}' for name, value in values) + "}"


def payment(**changes: object) -> str:
    """The body of a reply to /new, without the fields whose value is `...`."""
    fields = {"success": True, "orderId": ORDER, "sum": "@1500.50", "currency": "RUB", **CREDENTIALS, **changes}
    return document(**{name: value for name, value in fields.items() if value is not ...})


def status(of: str = "pending", **changes: object) -> str:
    """The body of a reply to /status, or of a status webhook."""
    return payment(**{"currency": ..., "status": of, **changes})


def refusal(description: str, **changes: object) -> str:
    return document(success=False, errorDescription=description, **changes)
