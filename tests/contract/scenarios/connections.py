"""Connections that are refused, cut, reset or silent; requests that are repeated, and requests that are never
repeated; deadlines."""

import functools
from collections.abc import Callable

from harness.behaviours import (
    answer,
    beginning,
    closes_after_each,
    closes_at_second,
    endless,
    every_cut,
    hang_up,
    in_chunks,
    never_answered,
    never_reads,
    nobody,
    raw_unread,
    reset,
    silent,
    slam,
    stalls,
    turns,
    unread,
)  # fmt: skip
from harness.scenario import *
from harness.server import Connection
from harness.service import ORDER, Reply, document, payment, refusal, status

suite = Suite("connections")
add = suite.add

DONE = document(success=True, orderId=ORDER)
AMOUNTS = Reply(document(success=True, availableAmounts="@[1]", otherAmountsPossible=False))
# Each operation: its call, the number of requests after a transport failure, and an honest reply.
OPERATIONS: dict[str, tuple[Callable[..., Call], int, Reply]] = {
    "available": (amounts, 3, AMOUNTS),
    "new": (new_payment, 1, Reply(payment())),
    "new-async": (new_payment_async, 1, Reply(DONE)),
    "confirm": (confirm, 1, Reply(DONE)),
    "cancel": (cancel, 1, Reply(DONE)),
    "status": (get_status, 3, Reply(status())),
    "receipt/attach": (functools.partial(attach, file=RECEIPT), 1, Reply(DONE)),
}
# In ms: even on a busy machine, an idle server answers before.
SOON = 1200
# The pauses of a reply that trickles: each is too short for a time-out.
PACE = 0.01
OWN_CLIENT = {"shell": "each of its calls is a client of its own"}


for operation, (command, sent, reply) in OPERATIONS.items():
    broken, late = transport(is_transient=1), timeout(is_transient=1)
    add(f"{operation}: closed before a reply", command(broken), server=hang_up, requests={operation: sent}, connections=sent)
    add(f"{operation}: reset before a reply", command(broken), server=reset, requests={operation: sent}, connections=sent)
    # The request arrived, but the client does not know whether the server has read it.
    add(f"{operation}: reset before it was read", command(broken), server=unread, requests={operation: 0}, connections=sent)
    add(f"{operation}: closed as soon as it was opened", command(broken), server=slam, requests={operation: 0}, connections=sent)
    add(f"{operation}: nobody listens", command(not_sent()), server=nobody)
    add(f"{operation}: no reply", command(late, timeout_ms=SOON), server=silent, connections=1)
    half = stalls(beginning(reply, -10))
    late = timeout(http_status=200)
    add(f"{operation}: most of a reply, and then nothing", command(late, timeout_ms=SOON), server=half)
    fine = ok_with() if sent == 3 or operation.startswith("new") else ok()
    # Before it notices a close that no reply announced, the client may send its next request, and only a repeatable one is then
    # certain to succeed.
    closing = reply if sent == 3 else reply.but(extra=(("Connection", "close"),))
    add(f"{operation}: three calls over connections that are closed", command(fine, repeat=3),
        server=closes_after_each(closing))  # fmt: skip
    for word, extra in (("", ()), (" in spite of its word", (("Keep-Alive", "timeout=60"),))):
        closing = turns(closes_at_second(reply.but(extra=extra)), answer(reply))
        add(f"{operation}: a kept connection that is closed when the request has arrived{word}", command(fine if sent == 3 else broken, repeat=2),
            server=closing, requests={operation: 3 if sent == 3 else 2}, without=OWN_CLIENT)  # fmt: skip
    add(f"{operation}: three calls over connections that are kept", command(fine, repeat=3),
        server=answer(reply), connections=1, without=OWN_CLIENT)  # fmt: skip

add("a name that is nobody's", new_payment(not_sent(), base_url="https://nobody.invalid"), server=hang_up, connections=0)
add("an address that is no host's", get_status(not_sent(), base_url="http://127.0.0.1:1"), server=hang_up, connections=0)

PAGE = Reply("busy", 503, content_type="text/plain", signature=None, key_id=None)
HONEST = Reply(status("doneSuccess"))
FOUND = ok_with(status="doneSuccess")
add("status: 503, 503, then a reply", get_status(FOUND), server=answer(PAGE, PAGE, HONEST), requests={"status": 3})
add("status: 503, then a refusal", get_status(rejected("order not found", "order_not_found", http_status=404)),
    server=answer(PAGE, Reply(refusal("order not found"), 404)), requests={"status": 2})  # fmt: skip
add(
    "status: 503, then a forged reply",
    get_status(unverified()),
    server=answer(PAGE, HONEST.but(signature=None)),
    requests={"status": 2},
)
add("status: 503, then another order's reply", get_status(malformed()),
    server=answer(PAGE, Reply(status(orderId="o-2"))), requests={"status": 2})  # fmt: skip
add(
    "status: reset, closed, then a reply",
    get_status(FOUND),
    server=turns(reset, hang_up, answer(HONEST)),
    requests={"status": 3},
    connections=3,
)
add("status: reset unread, then a reply", get_status(FOUND), server=turns(unread, answer(HONEST)), connections=2)
add(
    "available: closed, then a reply",
    amounts(ok(amounts="1", other="0")),
    server=turns(hang_up, answer(AMOUNTS)),
    requests={"available": 2},
    connections=2,
)
add("new: 503, and an honest reply had it asked again", new_payment(unverified(503)), server=answer(PAGE, Reply(payment())))
add("new: reset, and an honest reply had it asked again", new_payment(transport()), server=turns(reset, answer(Reply(payment()))))
add(
    "status: the deadline ends the tries",
    get_status(timeout(), timeout_ms=2000),
    server=turns(hang_up, silent),
    requests={"status": 2},
)
for retries, sent in ((0, 1), (1, 2), (4, 5)):
    add(f"status: {retries} retries", get_status(transport(), max_retries=retries), server=hang_up,
        requests={"status": sent})  # fmt: skip
    add(f"new: {retries} retries are none", new_payment(transport(), max_retries=retries), server=hang_up)

add("a reply that stalls in its head", get_status(timeout(), timeout_ms=SOON), server=stalls(beginning(HONEST, 20)))
add("a reply that stalls before its last byte", get_status(timeout(http_status=200), timeout_ms=SOON),
    server=stalls(beginning(HONEST, -1)))  # fmt: skip
add(
    "a host that accepts and never speaks",
    new_payment(timeout(), timeout_ms=SOON),
    server=never_answered,
    requests={"new": 0},
    connections=1,
)
add("a head that trickles without an end", new_payment(timeout(), timeout_ms=SOON), server=endless(beginning(HONEST, 20), b"a", PACE))
add("a body that trickles without an end", new_payment(timeout(http_status=200), timeout_ms=SOON),
    server=endless(HONEST.but(length=10**6).bytes, b" ", PACE))  # fmt: skip
add(
    "6 MB that nobody reads",
    attach(timeout(), file=str(FILES / "large.pdf"), timeout_ms=2500),
    server=never_reads,
    requests={"receipt/attach": 0},
    connections=1,
)
add("6 MB that arrive", attach(ok(), file=str(FILES / "large.pdf")), server=answer(Reply(DONE)))

by_proxy = {"base_url": "https://pay.example", "proxy": SERVER_URL}
add("a proxy that is not there", new_payment(not_sent(), **by_proxy), server=nobody)
for name, page, asked in (("is busy", b"503 Service Unavailable", 3), ("wants a password", b"407 Proxy Authentication Required", 1)):
    refusing = raw_unread(b"HTTP/1.1 " + page + b"\r\nContent-Length: 0\r\n\r\n")
    add(f"a proxy that {name}", new_payment(not_sent(), **by_proxy), server=refusing, connections=asked)


def sweep(
    name: str,
    command: Callable[..., Call],
    operation: str,
    reply: Reply,
    chunks: Callable | None = None,
    then: Callable = Connection.end,
    on_windows: dict[str, str] | None = None,
    **fields: object,
) -> None:
    """Cuts the reply after each byte: only the complete reply is a success."""
    of = in_chunks(reply, chunks) if chunks else reply.bytes
    data = of(None)
    body = data.index(b"\r\n\r\n") + 4
    lost = transport()
    cuts: list[Expected] = [lost] * body + [{**lost, "http_status": "200"}] * (len(data) - body) + [ok_with()]
    if chunks:
        # After the size of the last chunk only the end of the trailers is missing, and there are none.
        cuts[-3] = ok_with()
    add(
        name,
        command(cuts, **fields),
        server=every_cut(of, then),
        connections=len(cuts),
        on_windows=on_windows,
    )


small = Reply(document(success=True, orderId=ORDER, sum="@1.50", payeeAccount="22"))
sweep("new: closed behind every byte of a reply", new_payment, "new", small)
sweep("new: reset behind every byte of a reply", new_payment, "new", small, then=Connection.reset,
      on_windows={"http_status": "Windows discards what has arrived and was not read when the connection is reset"})  # fmt: skip
sweep("new: closed behind every byte of a reply in chunks", new_payment, "new", small,
      chunks=lambda body: b"9\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n" % (body[:9], len(body) - 9, body[9:]))  # fmt: skip
sweep("new-async: closed behind every byte of a reply", new_payment_async, "new-async", Reply(DONE))
sweep("status: closed behind every byte of a reply", get_status, "status", Reply(status()), max_retries=0)
