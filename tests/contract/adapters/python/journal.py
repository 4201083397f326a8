"""The commands of a journal, over a file or a DB-API driver."""

from __future__ import annotations

import importlib
import json
from datetime import datetime, timezone

import merchantpay

FIELDS = (
    "reference", "attempt", "standing", "order_id", "sum_asked", "paid", "succeeded", "confirm", "cancel", "reported", "acknowledged",
)  # fmt: skip
SECONDS = {"timeout_ms": "timeout", "pay_wait_ms": "pay_wait", "claim_ms": "claim"}


def converted(arguments):
    """Converts numbers, flags and times to Python's types and names."""
    for name, value in arguments.items():
        if name in SECONDS:
            yield SECONDS[name], int(value) / 1000
        elif name == "calls_per_second":
            yield name, int(value)
        else:
            yield name, value == "1" if name == "create" else value


def text(value):
    return format(value, "f") if hasattr(value, "as_tuple") else str(value)


class Journal:
    """The open journal, and the returned entries by number."""

    def __init__(self, client, payment, error):
        self.client, self.payment, self.error = client, payment, error
        self.journal, self.entries, self.opened = None, [], []

    def __call__(self, do, **arguments):
        if do in ("journal_open", "journal_close"):
            return getattr(self, do)(**arguments)
        for name in ("entry", "before"):
            if name in arguments:
                arguments[name] = self.entries[arguments[name]]
        do = {"export": "export_lines", "import": "import_line"}.get(do, do)
        arguments = dict(converted({**arguments.pop("request", {}), **arguments}))
        return getattr(self, do, self.one)(getattr(self.journal, do), **arguments)

    def journal_open(self, place, settings, client):
        where = place.get("file") or (lambda: importlib.import_module(place["driver"]).connect(**words(place["dsn"])))
        client = self.client(client)
        self.opened.append(client)
        self.journal = merchantpay.Journal(client, where, **dict(converted(settings)))
        self.opened.append(self.journal)
        return {}

    def journal_close(self):
        while self.opened:
            self.opened.pop().close()
        self.journal, self.entries = None, []
        return {}

    def one(self, call, *positional, **arguments):
        """Runs any command that returns an entry. Values without a name in Python are positional
        arguments."""
        first = [arguments.pop(name) for name in ("reference", "entry") if name in arguments]
        return {"entry": self.shown(call(*first, **arguments))}

    def many(self, call, **arguments):
        return {"entries": [self.shown(item) for item in call(**arguments)]}

    list = news = attention = many

    def acknowledge(self, call, entry):
        return {"changed": call(entry)}

    def resolve(self, call, entry, **word):
        call(entry, **word)
        return {}

    def settle(self, call, limit):
        settled = call(limit)
        return {"done": settled.done, **({} if settled.next_due is None else {"next_due_ms": round(settled.next_due * 1000)})}

    def stats(self, call):
        return {"stats": json.loads(call().json)}

    def purge(self, call, before_ms):
        return {"count": call(datetime.fromtimestamp(before_ms / 1000, timezone.utc))}

    def forget(self, call, reference):
        return {"count": call(reference)}

    def export_lines(self, call):
        return {"lines": list(call())}

    def import_line(self, call, line):
        return {"changed": call(line)}

    def operate(self, call, **text):
        call(*text.values())
        return {}

    pause = resume = backup = operate

    def receive(self, call, path, body, signature=None, key_id=None):
        received = call(path, bytes.fromhex(body), signature, key_id)
        error = {} if received.error is None else {"error": self.error(received.error)}
        return {"http_status": received.http_status, "entry": self.shown(received.entry), **error}

    def shown(self, item):
        if item is None:
            return None
        self.entries.append(item)
        number = len(self.entries) - 1
        if isinstance(item, merchantpay.Orphan):
            return {"entry": number, "fields": {"order_id": item.order_id}, "is_orphan": True, "earlier": [], "json": item.json}
        fields = {name: getattr(item, name) for name in FIELDS}
        for name in ("created_at", "updated_at", "due_at"):
            moment = getattr(item, name)
            fields[name] = None if moment is None else round(moment.timestamp() * 1000)
        fields = {name: value if isinstance(value, int) else text(value) for name, value in fields.items() if value is not None}
        fields["attention"] = [str(reason) for reason in item.attention]
        for name, show in (("credentials", self.payment), ("payment", self.payment), ("error", self.problem)):
            if (value := getattr(item, name)) is not None:
                fields[name] = show(value)
        earlier = [self.shown(before) for before in item.earlier]
        return {"entry": number, "fields": fields, "is_orphan": False, "earlier": earlier, "json": item.json}

    def problem(self, of):
        fields = {name: getattr(of, name) for name in ("code", "outcome", "description")}
        return {name: str(value) for name, value in fields.items() if value is not None}


def words(text):
    """The name of a data source: `name=value` pairs separated by spaces."""
    return dict(word.split("=", 1) for word in text.split())
