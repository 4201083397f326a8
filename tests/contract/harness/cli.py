"""The program merchantpay, with the interface of the other programs: a command in, its JSON and exit status out."""

from __future__ import annotations

import json
import os
import subprocess
from decimal import Decimal

from . import wire

# A setting that the program has. What has none here, a scenario cannot ask of it.
SETTINGS = {
    "base_url": "BASE_URL", "key_id": "KEY_ID", "private_key": "PRIVATE_KEY", "server_public_key": "SERVER_PUBLIC_KEY",
    "server_key_id": "SERVER_KEY_ID", "ca_file": "CA_FILE", "timeout_ms": "TIMEOUT_MS", "proxy": "PROXY",
}  # fmt: skip
COMMANDS = {
    "get_available_amounts": ["available"], "new_payment": ["new"], "new_payment_async": ["new-async"], "confirm": ["confirm"],
    "cancel": ["cancel"], "get_status": ["status"], "attach_receipt": ["receipt", "attach"], "verify_webhook": ["webhook", "verify"],
}  # fmt: skip
# Operations of which other languages give nothing back, or the order id alone.
WITHOUT_REPLY = {"confirm", "cancel", "attach_receipt"}
FIELDS = {
    "kind": "kind", "orderId": "order_id", "sum": "sum", "currency": "currency", "payeeAccount": "payee_account",
    "payeeAccountBank": "payee_account_bank", "payeeName": "payee_name", "dealSum": "deal_sum", "dealCurrency": "deal_currency",
    "dealRate": "deal_rate", "deeplink": "deeplink", "status": "status",
}  # fmt: skip
ERROR_FIELDS = {
    "code": "code", "outcome": "outcome", "description": "description", "reason": "reason", "orderId": "order_id", "httpStatus": "http_status",
}  # fmt: skip

Result = dict[str, str]


def run(program: str, fields: list[tuple[str, wire.Value]], patience: float) -> Result:
    values = {name: value for name, value in fields if name not in ("file", "server_public_key", "server_key_id")}
    command = str(values.pop("do"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MERCHANTPAY_")}
    for name, variable in SETTINGS.items():
        if (several := [value for key, value in fields if key == name]) or name in values:
            environment["MERCHANTPAY_" + variable] = ",".join(map(str, several))
            values.pop(name, None)
    arguments: list[wire.Value] = [*COMMANDS[command]]
    body, repeat = values.pop("body", b""), int(values.pop("repeat", 1))
    if (order_id := values.pop("order_id", None)) is not None:
        # An empty one is a word too; one that begins with a dash is not a flag.
        arguments += ["--", order_id]
    arguments += [value for name, value in fields if name == "file"]
    names = {"webhook_key_id": "key-id"}
    flags = [word for name, value in values.items() for word in ("--" + names.get(name, name.replace("_", "-")), value)]
    position = len(COMMANDS[command])
    arguments[position:position] = flags
    for _ in range(repeat):
        done = subprocess.run(
            [program, *arguments],
            env=environment,
            input=body.encode() if isinstance(body, str) else body,
            capture_output=True,
            timeout=patience,
        )
    if done.returncode < 0:
        return {"crash": f"signal {-done.returncode}"}
    result = success(done.stdout.decode(), command) if done.returncode == 0 else failure(done.stderr.decode())
    expected = exit_status(result, command)
    return result if done.returncode == expected else {**result, "exit": f"{done.returncode} in place of {expected}"}


def exit_status(result: Result, command: str) -> int:
    """As `merchantpay --help` has it."""
    if result["ok"] == "1":
        return 0
    if result["code"] in ("invalid_argument", "invalid_key"):
        return 2
    if command == "verify_webhook":
        return 5
    return {"rejected": 1, "not_sent": 3}.get(result["outcome"], 4)


def failure(line: str) -> Result:
    error = read(line)["error"]
    return {"ok": "0", **{name: error[field] for field, name in ERROR_FIELDS.items() if error.get(field) is not None}}


def success(line: str, command: str) -> Result:
    reply = read(line)
    if command == "get_available_amounts":
        return {"ok": "1", "amounts": ",".join(reply["availableAmounts"] or []), "other": str(int(reply["otherAmountsPossible"]))}
    fields = {name: reply[field] for field, name in FIELDS.items() if reply.get(field) is not None}
    if command == "new_payment_async":
        fields = {"order_id": fields["order_id"]}
    return {"ok": "1", **({} if command in WITHOUT_REPLY else fields)}


def read(line: str) -> dict:
    """JSON whose numbers keep their digits, written out: 1.50e3 is 1500."""
    return json.loads(line, parse_float=plain, parse_int=str)


def plain(number: str) -> str:
    return format(Decimal(number), "f") if "e" in number.lower() else number
