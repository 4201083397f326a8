"""The program's own code in a call: a signer, a handler of the log, and a thread that interrupts."""

from __future__ import annotations

import ast
import logging
import sys
import threading

logger = logging.getLogger("merchantpay")
logger.setLevel(logging.INFO)
# A handler that fails must not write to the adapter's output.
logging.raiseExceptions = False


class Signer:
    def __init__(self, returns=None, fails=None):
        self.returns, self.fails, self.signed = returns, fails, []

    def __call__(self, message):
        self.signed.append(message.hex())
        if self.fails is not None:
            raise RuntimeError(self.fails)
        return bytes.fromhex(self.returns)


class Log(logging.Handler):
    def __init__(self, fails):
        super().__init__()
        self.fails, self.events = fails, []

    def emit(self, record):
        # The line's parts, as merchantpay._log formats them.
        operation, order, number, result, status, _ = record.args
        code, _, outcome = result.partition(", outcome ")
        event = {"operation": operation, "number": str(number), "http_status": status.strip(" HTP,")}
        event |= {"order_id": ast.literal_eval(order.removeprefix(" order "))} if order else {}
        event |= {"code": code, "outcome": outcome} if record.levelno == logging.WARNING else {}
        self.events.append({name: value for name, value in event.items() if value})
        if self.fails:
            raise RuntimeError("the disk is full")


def interrupted(how, interrupt, call):
    """Before the call begins, or when the next line of the input comes."""
    if how is None:
        return call()
    if how == "before":
        interrupt()
        return call()
    line = threading.Thread(target=lambda: (sys.stdin.readline(), interrupt()))
    line.start()
    try:
        return call()
    finally:
        line.join()
