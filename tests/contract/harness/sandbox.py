"""A sandbox with its control API."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable
from typing import TypeVar

import servers  # tools/help

PATIENCE = 60

Found = TypeVar("Found")


class Refused(Exception):
    def __init__(self, status: int, said: object) -> None:
        super().__init__(f"the sandbox says {status}: {said}")
        self.status = status


def until(look: Callable[[], Found]) -> Found:
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        if time.monotonic() > end:
            raise TimeoutError(f"it did not happen in {PATIENCE} s")
        time.sleep(0.01)
    return found


class Sandbox(servers.Sandbox):
    def control(self, method: str, path: str, body: dict | None = None) -> dict:
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=PATIENCE)
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, "/sandbox" + path, data, {"Content-Type": "application/json"})
            reply = connection.getresponse()
            value = json.loads(reply.read() or "null")
        finally:
            connection.close()
        if reply.status >= 300:
            raise Refused(reply.status, value)
        return value

    def requests(self) -> dict[str, int]:
        return self.control("GET", "")["requests"]
