"""The program of the conformance suite in Python: a command a line on stdin, its result as a line on stdout. See ../../README.md."""

from __future__ import annotations

import sys
from decimal import Decimal
from urllib.parse import quote, unquote_to_bytes

import merchantpay
from names import PAYMENT_FIELDS, REQUEST_FIELDS


class Command:
    def __init__(self, line: bytes) -> None:
        words = (word.split(b"=", 1) for word in line.split())
        self.fields = [(name.decode(), unquote_to_bytes(value)) for name, value in words]

    def bytes(self, name: str) -> bytes | None:
        return next((value for key, value in self.fields if key == name), None)

    def get(self, name: str) -> str | None:
        value = self.bytes(name)
        return None if value is None else value.decode(errors="surrogateescape")

    def all(self, name: str) -> list[str]:
        return [value.decode() for key, value in self.fields if key == name]

    def some(self, *names: str) -> dict[str, str]:
        return {name: value for name in names if (value := self.get(name)) is not None}


def text(value: object) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def payment(of: merchantpay.Payment) -> dict[str, str]:
    values = {name: getattr(of, name) for name in PAYMENT_FIELDS}
    result = {name: text(value) for name, value in values.items() if value is not None}
    if of.status is not None:
        result["final"] = "1" if of.is_final else "0"
    return result


def client(command: Command) -> merchantpay.Client:
    options: dict[str, object] = dict(command.some("ca_file", "proxy"))
    for name, of in (("timeout", "timeout_ms"), ("connect_timeout", "connect_timeout_ms")):
        if (ms := command.get(of)) is not None:
            options[name] = int(ms) / 1000
    for name in ("max_retries", "max_reply_bytes"):
        if (number := command.get(name)) is not None:
            options[name] = int(number)
    return merchantpay.Client(
        command.get("base_url"),
        command.get("key_id"),
        command.get("private_key"),
        command.all("server_public_key"),
        server_key_id=command.all("server_key_id") or None,
        **options,
    )


def call(on: merchantpay.Client, command: Command, name: str) -> dict[str, str]:
    asked = command.some(*REQUEST_FIELDS)
    if name == "get_available_amounts":
        amounts = on.get_available_amounts(**asked)
        return {
            "amounts": ",".join(text(amount) for amount in amounts.available_amounts),
            "other": "1" if amounts.other_amounts_possible else "0",
        }
    if name == "new_payment":
        return payment(on.new_payment(**asked))
    if name == "new_payment_async":
        return {"order_id": on.new_payment_async(**asked).order_id}
    order_id = command.get("order_id")
    if name == "get_status":
        return payment(on.get_status(order_id))
    if name == "attach_receipt":
        files: list[object] = list(command.all("file"))
        if (data := command.bytes("file_data")) is not None:
            files.append((command.get("file_name"), data, command.get("file_type")))
        on.attach_receipt(order_id, files)
    else:
        getattr(on, name)(order_id)
    return {}


def verify(command: Command) -> dict[str, str]:
    verifier = merchantpay.WebhookVerifier(
        command.all("server_public_key"), server_key_id=command.all("server_key_id") or None, key_id=command.get("key_id")
    )
    event = verifier.verify(command.bytes("body"), command.get("signature"), command.get("webhook_key_id"))
    return {"kind": event.kind, **payment(event.payment)}


def dispatch(command: Command) -> dict[str, str]:
    name = command.get("do")
    try:
        if name == "verify_webhook":
            return {"ok": "1", **verify(command)}
        with client(command) as on:
            for _ in range(int(command.get("repeat") or 1)):
                result = call(on, command, name)
        return {"ok": "1", **result}
    except merchantpay.Error as error:
        values = {name: getattr(error, name) for name in ("code", "outcome", "description", "reason", "order_id", "http_status")}
        return {"ok": "0", **{name: str(value) for name, value in values.items() if value is not None}}


for line in sys.stdin.buffer:
    result = dispatch(Command(line))
    words = (f"{name}={quote(value, safe='/:,', errors='surrogateescape')}" for name, value in result.items())
    print(" ".join(words), flush=True)
