"""The adapter in Python: reads one command per line from stdin, and writes one result per line to stdout. See
../../README.md."""

from __future__ import annotations

import functools
import json
import sys
from decimal import Decimal

import merchantpay
from callbacks import Log, Signer, interrupted, logger

from journal import Journal

# Settings with other names or units in the package: seconds, and numbers.
SECONDS = {"timeout_ms": "timeout", "connect_timeout_ms": "connect_timeout"}
NUMBERS = {"max_retries", "max_reply_bytes"}
KINDS = {"client": merchantpay.Client, "protocol": merchantpay.Protocol, "verifier": merchantpay.WebhookVerifier}
ERROR = ("message", "code", "outcome", "is_transient", "description", "reason", "http_status", "order_id", "content_type", "excerpt")
OF_PAYMENT = [name for name in dir(merchantpay.Payment) if not name.startswith("_") and name != "json"]


class Cannot(Exception):
    """A command that Python has no argument for."""


def text(value):
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def made(kind, settings, signer=None, from_environment=False):
    options = {} if signer is None else {"signer": signer, "private_key": None}
    for name, value in settings.items():
        if name in SECONDS:
            options[SECONDS[name]] = int(value) / 1000
        else:
            options[name] = int(value) if name in NUMBERS else value
    return KINDS[kind].from_env(**options) if from_environment else KINDS[kind](**options)


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
    values["code"] = type(error)("").code  # The code of its class.
    values["retry_after_ms"] = error.retry_after
    values["body"] = None if error.body is None else error.body.hex()
    return {name: value for name, value in values.items() if value is not None}


JOURNAL = Journal(lambda settings: made("client", settings), fields, failure)


def prepared(command, **others):
    protocol = made("protocol", command["settings"], **others)
    return called(getattr(protocol, "prepare_" + command["operation"]), arguments(command))


def answer(command, signer):
    do, settings = command["do"], command.get("settings", {})
    others = {"signer": signer, "from_environment": command.get("from_environment", False)}
    if do == "settings":
        made(command["makes"], settings, **others)
        return {}
    if do == "prepare":
        request = prepared(command, **others)
        return {"url": request.url, "headers": list(request.headers.items()), "body": request.body.hex()}
    if do == "open":
        reply = command["reply"]
        return shown(prepared(command).open(reply["status"], [tuple(pair) for pair in reply["headers"]], bytes.fromhex(reply["body"])))
    if do == "verify":
        verifier = made("verifier", settings, **others)
        event = verifier.verify(bytes.fromhex(command["body"]), command.get("signature"), command.get("key_id"))
        return {"kind": event.kind, **shown(event.payment)}
    if do == "explain":
        verifier = made("verifier", settings)
        explanation = verifier.explain(bytes.fromhex(command["body"]), command.get("signature"), command.get("key_id"))
        return {"cause": ""} if explanation is None else {"cause": explanation.cause, "hint": explanation.hint}
    if do == "call":
        with made("client", settings, **others) as client:
            call = functools.partial(called, getattr(client, command["operation"]), arguments(command))
            for _ in range(command.get("times", 1)):
                result = interrupted(command.get("interrupt"), client.interrupt, call)
        return shown(result)
    return JOURNAL(**command)


def answered(command):
    signer = Signer(**command["signer"]) if "signer" in command else None
    log = Log(command["logger"] == "fails") if "logger" in command else None
    if log is not None:
        logger.addHandler(log)
    try:
        result = {"ok": answer(command, signer)}
    except merchantpay.Error as error:
        result = {"error": failure(error)}
    finally:
        logger.removeHandler(log)
    for part in result.values():
        part |= {} if signer is None else {"signed": signer.signed}
        part |= {} if log is None else {"log": log.events}
    return result


def main():
    for line in iter(sys.stdin.readline, ""):
        try:
            written = answered(json.loads(line))
        except Cannot as reason:
            written = {"cannot": str(reason)}
        except Exception as error:
            written = {"crash": f"{type(error).__name__}: {error}"}
        print(json.dumps(written), flush=True)


main()
