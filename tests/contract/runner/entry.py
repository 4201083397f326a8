"""A journal entry as an adapter shows it: the language's own getters, compared with the entry's JSON."""

from __future__ import annotations

import functools
import json
from pathlib import Path

DESCRIPTION = Path(__file__).parents[3] / "include" / "merchantpay.json"


class Differs(Exception):
    """The result is not the expected one."""


# The fields of an entry in the order of its JSON.
FIELDS = (
    "reference", "attempt", "standing", "orderId", "status", "sumAsked", "sumPaid", "succeeded", "credentials", "news", "acknowledged",
    "intent", "intentState", "attention", "error", "createdAt", "updatedAt",
)  # fmt: skip
ORPHAN = {"order_id": "orderId", "status": "status", "created_at": "receivedAt", "reference": "reference", "attempt": "attempt"}

# The lists of names that some languages show as numbers, by field.
WORDS = {
    "standing": "standing", "intent": "intent", "intent_state": "intent_state", "attention": "attention", "code": "code",
    "outcome": "outcome",
}  # fmt: skip


@functools.cache
def numbered():
    """Each name by its number, from the C library's description."""
    found = {}
    for one in json.loads(DESCRIPTION.read_text(encoding="utf-8"))["enums"]:
        prefix = f"MPAY_{one['name'].upper()}_"
        found[one["name"]] = {value["value"]: value["name"].removeprefix(prefix).removeprefix("MPAY_").lower() for value in one["values"]}
    return found


def worded(fields):
    """The fields with names instead of numbers."""

    def word(name, value):
        if isinstance(value, list):
            return [word(name, one) for one in value]
        return numbered()[WORDS[name]][value] if name in WORDS and type(value) is int else value

    return {name: word(name, value) for name, value in fields.items()}


def is_error(shown, expected):
    """Compares the fields of an error that are present. In some languages the error of a webhook has no outcome."""
    return "code" in shown and all(shown[name] == value for name, value in expected.items() if name in shown)


def camel(name):
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def as_text(value):
    return str(value) if type(value) is int else value


def read(item):
    """An item's fields from the language's getters, by the names in its JSON, which must have the same values."""
    printed = json.loads(item["json"], parse_float=str, parse_int=str)
    fields = worded(item["fields"])
    column = fields.pop("unreadable", None)
    if fields.pop("is_orphan", False):
        # Languages without a class of its own for it show an absent text or number as empty.
        shown = {camelled: as_text(fields.get(name)) or None for name, camelled in ORPHAN.items()}
        shown["attempt"] = None if shown["attempt"] == "0" else shown["attempt"]
        found, kind = printed.get("orphan"), {"orphan": True}
    elif column:
        shown = {"reference": fields["reference"], "attempt": as_text(fields["attempt"]), "column": column}
        found, kind = printed.get("unreadable"), {"unreadable": True}
    else:
        return entry(item["json"], fields, printed)
    if shown != found:
        raise Differs(f"the getters give {shown}, the JSON is {item['json']}")
    return {**shown, **kind}


def entry(text, fields, printed):
    fields = {camel(name): value for name, value in fields.items()}
    if "error" in fields:
        error = worded(fields["error"])
        fields["error"] = {name: error[name] for name in ("code", "outcome", "description") if error.get(name)}
    if "credentials" in fields:
        fields["credentials"] = {camel(name): value for name, value in fields["credentials"].items()}
    details = fields.pop("details", [])
    fields = {**dict.fromkeys(FIELDS), "attention": [], **fields}
    if details != printed.pop("details", []) or details and len(details) != len(fields["attention"]):
        raise Differs(f"the details are {details}, the JSON is {text}")
    written = {name: as_text(value) for name, value in fields.items()}
    if printed.get("credentials") and written["credentials"]:
        # The JSON has the verified message as it came, with what no getter knows.
        printed["credentials"] = {name: value for name, value in printed["credentials"].items() if name in written["credentials"]}
    if written != printed or tuple(printed) != FIELDS:
        raise Differs(f"the getters give {written}, the JSON is {text}")
    return {**fields, "details": details}
