"""The commands of a journal."""

from __future__ import annotations

import json

import merchantpay

# Positional in Python.
KEY = ("entry", "reference", "attempt", "news")
SECONDS = {"timeout_ms": "timeout", "pay_wait_ms": "pay_wait"}


def converted(arguments):
    """With Python's types and names."""
    for name, value in arguments.items():
        if name in SECONDS:
            yield SECONDS[name], int(value) / 1000
        elif name == "connections":
            yield name, int(value)
        else:
            yield name, value == "1" if name == "create" else value


def plain(value):
    """As JSON has it."""
    if hasattr(value, "timestamp"):
        return round(value.timestamp() * 1000)
    if isinstance(value, tuple):
        return [str(one) for one in value]
    return value if isinstance(value, int) else format(value, "f") if hasattr(value, "as_tuple") else str(value)


class Journal:
    """The open journal, and the returned entries by number."""

    def __init__(self, client, payment, error):
        self.client, self.payment, self.error = client, payment, error
        self.journal, self.entries, self.opened = None, [], []

    def __call__(self, do, **arguments):
        for name in ("entry", "before"):
            if name in arguments:
                arguments[name] = self.entries[arguments[name]]
        if hasattr(self, do):
            return getattr(self, do)(**arguments)
        arguments = dict(converted({**arguments.pop("request", {}), **arguments}))
        first = [arguments.pop(name) for name in KEY if name in arguments]
        result = getattr(self.journal, do)(*first, **arguments)
        return {"entries": [self.shown(item) for item in result]} if isinstance(result, list) else {"entry": self.shown(result)}

    def journal_open(self, place, settings, client):
        client = self.client(client)
        self.opened.append(client)
        self.journal = merchantpay.Journal(client, place, **dict(converted(settings)))
        self.opened.append(self.journal)
        return {}

    def journal_close(self):
        while self.opened:
            self.opened.pop().close()
        self.journal, self.entries = None, []
        return {}

    def acknowledge(self, **arguments):
        named = [arguments[name] for name in KEY if name in arguments]
        return {"changed": self.journal.acknowledge(*named)}

    def acknowledge_sql(self, entry, style):
        text, parameters = entry.acknowledge_sql(style)
        return {"text": text, "parameters": parameters}

    def resolve(self, entry, **decision):
        return {"entry": self.shown(self.journal.resolve(entry, **decision))}

    def settle(self, limit):
        settled = self.journal.settle(limit)
        return {"done": settled.done, **({} if settled.next_due is None else {"next_due_ms": round(settled.next_due * 1000)})}

    def stats(self):
        return {"stats": json.loads(self.journal.stats().json)}

    def receive(self, path, body, signature=None, key_id=None):
        received = self.journal.receive(path, bytes.fromhex(body), signature, key_id)
        error = {} if received.error is None else {"error": self.error(received.error)}
        return {"http_status": received.http_status, "entry": self.shown(received.entry), **error}

    def shown(self, item):
        if item is None:
            return None
        self.entries.append(item)
        values = dict(vars(item))
        text = values.pop("json")
        if isinstance(item, merchantpay.Unreadable):
            values["unreadable"] = values.pop("column")
        if isinstance(item, merchantpay.Orphan):
            values |= {"is_orphan": True, "created_at": values.pop("received_at")}
        show = {"credentials": self.payment, "error": self.problem}
        fields = {name: show.get(name, plain)(value) for name, value in values.items() if value is not None}
        return {"entry": len(self.entries) - 1, "fields": fields, "json": text}

    def problem(self, of):
        return {name: str(value) for name, value in vars(of).items() if value is not None}
