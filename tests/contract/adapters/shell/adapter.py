"""The adapter of the command line: runs the program `merchantpay` for each command. See ../../README.md."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from decimal import Decimal

# The settings that this adapter passes on.
SETTINGS = {
    "base_url", "key_id", "private_key", "server_public_key", "server_key_id", "public_key", "ca_file", "timeout_ms", "connect_timeout_ms",
    "proxy", "max_retries", "max_reply_bytes",
}  # fmt: skip
COMMANDS = {
    "get_available_amounts": ["available"], "new_payment": ["new"], "new_payment_async": ["new-async"], "confirm": ["confirm"],
    "cancel": ["cancel"], "get_status": ["status"], "attach_receipt": ["attach-receipt"], "verify": ["webhook", "verify"],
}  # fmt: skip
PAYMENT = (
    "orderId", "sum", "currency", "payeeAccount", "payeeAccountBank", "payeeName", "dealSum", "dealCurrency", "dealRate", "deeplink", "status",
)  # fmt: skip
ERROR = ("code", "outcome", "description", "reason", "httpStatus", "orderId")


class Cannot(Exception):
    """A command that the program has no flag for."""


def snake(name):
    return "".join("_" + c.lower() if c.isupper() else c for c in name)


def settings(given):
    if given.keys() - SETTINGS:
        raise Cannot("a setting that this adapter does not pass on")
    # The runner leaves the library's variables of a command in this process's environment, and no others.
    environment = dict(os.environ)
    for name, value in given.items():
        environment["MERCHANTPAY_" + name.upper()] = ",".join(value) if isinstance(value, list) else value
    return environment


def words(command):
    """The program's arguments: flags first; values that may begin with a dash come after `--`."""
    if command["do"] in ("verify", "explain"):
        flags = {"signature": command.get("signature"), "webhook-key-id": command.get("key_id")}
        if flags["signature"] is None:
            raise Cannot("a webhook without a signature")
        return [*COMMANDS["verify"], *(word for name, value in flags.items() if value is not None for word in ("--" + name, value))]
    arguments = dict(command["arguments"])
    order_id, files = arguments.pop("order_id", None), arguments.pop("files", [])
    if any("path" not in file for file in files):
        raise Cannot("a receipt that is not a file")
    flags = [word for name, value in arguments.items() for word in ("--" + name.replace("_", "-"), value)]
    position = [] if order_id is None else ["--", order_id]
    return [*COMMANDS[command["operation"]], *flags, *position, *(file["path"] for file in files)]


def answer(command):
    environment, arguments = settings(command["settings"]), words(command)
    if any("\0" in word for word in (*arguments, *environment.values())):
        raise Cannot("a text that contains NUL")
    for _ in range(command.get("times", 1)):
        done = subprocess.run(
            [sys.argv[1], *arguments], env=environment, input=bytes.fromhex(command.get("body", "")), capture_output=True, timeout=80
        )
    if command["do"] == "explain":
        return explained(done)
    result = success(done.stdout.decode(), command) if done.returncode == 0 else failure(done.stderr.decode())
    if done.returncode != (expected := exit_status(result, command["do"])):
        raise ValueError(f"exit status {done.returncode} in place of {expected}: {result}")
    return result


def explained(done):
    """A webhook that verifies has no cause. In some vectors the message verifies and is not a webhook of the contract."""
    error = read(done.stderr.decode())["error"] if done.returncode else {}
    if done.returncode and error["code"] not in ("unverified", "malformed"):
        return {"error": {snake(name): error[name] for name in ERROR if error.get(name) is not None}}
    return {"ok": {"cause": error.get("cause", ""), "hint": error.get("hint", "")}}


def exit_status(result, do):
    """As `merchantpay help exit-codes` lists it."""
    if "ok" in result:
        return 0
    if result["error"]["code"] in ("invalid_argument", "invalid_key"):
        return 2
    if do == "verify":
        return 5
    return {"rejected": 1, "not_sent": 3}.get(result["error"]["outcome"], 4)


def failure(printed):
    error = read(printed)["error"]
    return {"error": {snake(name): error[name] for name in ERROR if error.get(name) is not None}}


def success(printed, command):
    reply = read(printed)
    if command.get("operation") == "get_available_amounts":
        return {
            "ok": {"amounts": reply["availableAmounts"] or [], "other_amounts_possible": reply["otherAmountsPossible"], "json": printed}
        }
    fields = {snake(name): reply[name] for name in PAYMENT if reply.get(name) is not None}
    kind = {"kind": reply["kind"]} if command["do"] == "verify" else {}
    return {"ok": {**kind, "payment": fields, "json": printed}}


def read(printed):
    """A number becomes a text with all its digits, without an exponent: 1.50e3 becomes 1500."""
    return json.loads(printed, parse_float=plain, parse_int=plain)


def plain(number):
    return format(Decimal(number), "f") if "e" in number.lower() else number


def main():
    for line in sys.stdin:
        try:
            written = answer(json.loads(line))
        except Cannot as reason:
            written = {"cannot": str(reason)}
        except Exception as error:
            written = {"crash": f"{type(error).__name__}: {error}"}
        print(json.dumps(written), flush=True)


main()
