"""Logs one line for each HTTP attempt, to the logger `merchantpay`. This module is imported at the first
attempt, and only if the program has imported `logging`."""

from __future__ import annotations

import logging
import sys

logger = logging.getLogger("merchantpay")
# With this handler, a program that has not set up logging prints no lines.
logger.addHandler(logging.NullHandler())


def attempt(
    operation: str,
    order_id: str | None,
    number: int,
    http_status: int | None,
    milliseconds: float,
    code: str | None,
    outcome: str | None,
) -> None:
    """Logs one HTTP attempt: a success as `INFO`, a failure as `WARNING`. The native module calls this function."""
    level = logging.INFO if code is None else logging.WARNING
    if not logger.isEnabledFor(level):
        return
    order = "" if order_id is None else f" order {order_id!r}"
    status = "" if http_status is None else f" HTTP {http_status},"
    result = "ok" if code is None else f"{code}, outcome {outcome}"
    # The log record names the program's line that called the client.
    frame, depth = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("merchantpay."):
        frame, depth = frame.f_back, depth + 1
    logger.log(level, "%s%s attempt %d: %s,%s %.0f ms", operation, order, number, result, status, milliseconds, stacklevel=depth)
