"""The adapter in Python: reads one command per line from stdin, and writes one result per line to stdout. See
../../README.md."""

from __future__ import annotations

import json
import sys
from decimal import Decimal

import merchantpay

from journal import Journal

# Settings with other names or units in the package: seconds, and numbers.
SECONDS = {"timeout_ms": "timeout", "connect_timeout_ms": "connect_timeout"}
NUMBERS = {"max_retries", "max_reply_bytes"}
ERROR = ("code", "outcome", "is_transient", "description", "reason", "http_status", "order_id", "content_type", "excerpt")
OF_PAYMENT = [name for name in dir(merchantpay.Payment) if not name.startswith("_") and name != "json"]


class Cannot(Exception):
    """A command that Python has no argument for."""


def text(value):
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def made(kind, settings):
    """A protocol, a verifier or a client; the required arguments come first."""
    options = {}
    for name, value in settings.items():
        if name in SECONDS:
            options[SECONDS[name]] = int(value) / 1000
        else:
            options[name] = int(value) if name in NUMBERS else value
    return kind(**options)


def arguments(command):
    given = dict(command["arguments"])
    if "files" in given:
        given["files"] = [file.get("path") or (file["name"], bytes.fromhex(file["data"]), file["content_type"]) for file in given["files"]]
    return given


def called(method, given):
    try:
        return method(**given)
    except TypeError as error:
        raise Cannot("an argument that the method does not have") from error


def fields(payment):
    values = {name: getattr(payment, name) for name in OF_PAYMENT}
    return {name: text(value) for name, value in values.items() if isinstance(value, (str, Decimal))}


def shown(result):
    if isinstance(result, merchantpay.Payment):
        known = result.status in list(merchantpay.Status)
        return {"payment": fields(result), "final": result.is_final, "known": known, "json": result.json}
    if isinstance(result, merchantpay.AvailableAmounts):
        amounts = [text(amount) for amount in result.available_amounts]
        return {"amounts": amounts, "other_amounts_possible": result.other_amounts_possible, "json": result.json}
    return {}


def failure(error):
    values = {name: getattr(error, name) for name in ERROR}
    values["retry_after_ms"] = error.retry_after
    values["body"] = None if error.body is None else error.body.hex()
    return {name: value for name, value in values.items() if value is not None}


JOURNAL = Journal(lambda settings: made(merchantpay.Client, settings), fields, failure)


def prepared(command):
    protocol = made(merchantpay.Protocol, command["settings"])
    return called(getattr(protocol, "prepare_" + command["operation"]), arguments(command))


def answer(command):
    do, settings = command["do"], command.get("settings", {})
    if do == "settings":
        made({"protocol": merchantpay.Protocol, "verifier": merchantpay.WebhookVerifier}[command["makes"]], settings)
        return {}
    if do == "prepare":
        request = prepared(command)
        return {"url": request.url, "headers": list(request.headers.items()), "body": request.body.hex()}
    if do == "open":
        reply = command["reply"]
        return shown(prepared(command).open(reply["status"], [tuple(pair) for pair in reply["headers"]], bytes.fromhex(reply["body"])))
    if do == "verify":
        verifier = made(merchantpay.WebhookVerifier, settings)
        event = verifier.verify(bytes.fromhex(command["body"]), command.get("signature"), command.get("key_id"))
        return {"kind": event.kind, **shown(event.payment)}
    if do == "explain":
        verifier = made(merchantpay.WebhookVerifier, settings)
        explanation = verifier.explain(bytes.fromhex(command["body"]), command.get("signature"), command.get("key_id"))
        return {"cause": ""} if explanation is None else {"cause": explanation.cause, "hint": explanation.hint}
    if do == "call":
        with made(merchantpay.Client, settings) as client:
            for _ in range(command.get("times", 1)):
                result = called(getattr(client, command["operation"]), arguments(command))
        return shown(result)
    return JOURNAL(**command)


def main():
    for line in sys.stdin:
        try:
            written = {"ok": answer(json.loads(line))}
        except merchantpay.Error as error:
            written = {"error": failure(error)}
        except Cannot as reason:
            written = {"cannot": str(reason)}
        except Exception as error:
            written = {"crash": f"{type(error).__name__}: {error}"}
        print(json.dumps(written), flush=True)


main()
