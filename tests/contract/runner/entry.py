"""A journal entry as an adapter shows it: the language's own getters, compared with the entry's JSON."""

from __future__ import annotations

import json
from pathlib import Path

DESCRIPTION = Path(__file__).parents[3] / "include" / "merchantpay.json"


class Differs(Exception):
    """A result that is not the expected one."""


# The fields of an entry in the order of its JSON, and the fields that are null in the JSON if they are absent.
FIELDS = (
    "reference", "attempt", "standing", "orderId", "sumAsked", "paid", "succeeded", "credentials", "payment", "confirm", "cancel",
    "reported", "acknowledged", "error", "attention", "createdAt", "updatedAt", "dueAt",
)  # fmt: skip
NULL = ("orderId", "paid", "confirm", "cancel")


# The names that some languages show as numbers, by field.
WORDS = {
    "standing": "standing", "paid": "paid", "confirm": "intent", "cancel": "intent", "reported": "level", "acknowledged": "level",
    "attention": "attention", "code": "code", "outcome": "outcome",
}  # fmt: skip


def numbered():
    """Each name by its number, from the C library's description."""
    for one in json.loads(DESCRIPTION.read_text(encoding="utf-8"))["enums"]:
        prefix = f"MPAY_{one['name'].upper()}_"
        yield one["name"], {value["value"]: value["name"].removeprefix(prefix).removeprefix("MPAY_").lower() for value in one["values"]}


NUMBERED = dict(numbered())


def worded(fields):
    """The fields with names instead of numbers."""

    def word(name, value):
        if isinstance(value, list):
            return [word(name, one) for one in value]
        return NUMBERED[WORDS[name]][value] if name in WORDS and type(value) is int else value

    return {name: word(name, value) for name, value in fields.items()}


def is_error(shown, expected):
    """Compares the fields of an error that are present. In some languages the error of a webhook has no outcome."""
    return "code" in shown and all(shown[name] == value for name, value in expected.items() if name in shown)


def camel(name):
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def read(item):
    """An entry's fields from the language's getters, by the names in the entry's JSON. The JSON must have the same
    values."""
    printed = json.loads(item["json"], parse_float=str, parse_int=str)
    fields = {camel(name): value for name, value in worded(item["fields"]).items()}
    if item["is_orphan"]:
        if printed["orphan"]["orderId"] != fields.get("orderId"):
            raise Differs(f"the JSON is {item['json']}")
        return {"orphan": True, "orderId": fields["orderId"]}
    for name in ("credentials", "payment"):
        if name in fields:
            fields[name] = {camel(field): value for field, value in fields[name].items()}
    if "error" in fields:
        error = worded(fields["error"])
        fields["error"] = {name: error[name] for name in ("code", "outcome", "description") if name in error}
    if fields.get("attention") == []:
        del fields["attention"]
    written = dict.fromkeys(NULL)
    written.update((name, str(value) if type(value) is int else value) for name, value in fields.items())
    if written != printed or [*printed] != [name for name in FIELDS if name in printed]:
        raise Differs(f"the getters give {written}, the JSON is {item['json']}")
    return {**dict.fromkeys(FIELDS), "attention": [], **fields, "earlier": item["earlier"]}
