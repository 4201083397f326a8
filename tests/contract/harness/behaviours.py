"""The behaviours of the test server: a behaviour is what the server does on one connection."""

from __future__ import annotations

import contextlib
import itertools
import socket
import ssl
import time
from collections.abc import Callable

from .server import PATIENCE, Behaviour, Connection
from .service import MERCHANT, MERCHANT_ID, Reply, Request


def checked(request: Request) -> Request:
    """Contract, section 5. Every behaviour calls this before it sends a reply."""
    if request.header("x-keyid") != MERCHANT_ID:
        raise AssertionError("the request does not carry the merchant's key id")
    MERCHANT.check(request.body, request.header("x-signature") or "")
    return request


def with_request(act: Callable[[Connection, Request], None]) -> Behaviour:
    def run(connection: Connection) -> None:
        request = connection.read_request()
        if request is not None:
            act(connection, checked(request))

    return Behaviour(run)


def answer(*replies: Reply) -> Behaviour:
    """Each request gets the next reply, on a persistent connection; the last reply repeats."""
    left = {}

    def run(connection: Connection) -> None:
        numbers = left.setdefault(connection.server, itertools.count())
        while (request := connection.read_request()) is not None:
            connection.send(replies[min(next(numbers), len(replies) - 1)].bytes(checked(request)))

    return Behaviour(run)


def raw(data: bytes | Callable[[Request], bytes], then: Callable[[Connection], object] = Connection.end) -> Behaviour:
    """Closes the connection afterwards, unless `then` does something else."""

    def act(connection: Connection, request: Request) -> None:
        connection.send(data(request) if callable(data) else data)
        then(connection)

    return with_request(act)


def beginning(reply: Reply, end: int | None) -> Callable[[Request], bytes]:
    """The bytes of a reply before `end`, as in a slice."""
    return lambda request: reply.bytes(request)[:end]


def raw_unread(data: bytes) -> Behaviour:
    """Answers without reading a request."""

    def run(connection: Connection) -> None:
        connection.wait_for_bytes()
        connection.socket.recv(65536)
        connection.send(data)
        connection.end()

    return Behaviour(run)


def turns(*behaviours: Behaviour) -> Behaviour:
    """Each new connection gets the next behaviour; the last behaviour repeats."""
    return Behaviour(lambda connection: behaviours[min(connection.number, len(behaviours) - 1)].run(connection))


def every_cut(data: Callable[[Request], bytes], then: Callable[[Connection], object] = Connection.end) -> Behaviour:
    """The first connection gets no byte of the reply, the second gets one, the third two …"""

    def act(connection: Connection, request: Request) -> None:
        connection.send(data(request)[: connection.number])
        then(connection)

    return with_request(act)


def dribble(reply: Reply) -> Behaviour:
    def act(connection: Connection, request: Request) -> None:
        for byte in reply.bytes(request):
            connection.send(bytes([byte]))

    return with_request(act)


def in_chunks(reply: Reply, chunks: Callable[[bytes], bytes]) -> Callable[[Request], bytes]:
    """`chunks` makes the bytes that are sent of the body."""
    framed = reply.but(length=None, extra=(*reply.extra, ("Transfer-Encoding", "chunked")))
    return lambda request: framed.head(request) + b"\r\n" + chunks(framed.payload(request))


def chunked(reply: Reply, chunks: Callable[[bytes], bytes]) -> Behaviour:
    return raw(in_chunks(reply, chunks))


def until_end(reply: Reply) -> Behaviour:
    """Without a length: the end of the connection ends the body, as in HTTP/1.0."""
    return raw(reply.but(length=None, extra=(*reply.extra, ("Connection", "close"))).bytes)


def endless(head: bytes | Callable[[Request], bytes], more: bytes, pace: float = 0) -> Behaviour:
    """Sends `more` every `pace` seconds, until the client closes the connection."""

    def forever(connection: Connection) -> None:
        while True:
            connection.send(more)
            time.sleep(pace)

    return raw(head, forever)


def flood(head: Callable[[Request], bytes], size: int) -> Behaviour:
    def fill(connection: Connection) -> None:
        block = b" " * 65536
        for _ in range(size // len(block)):
            connection.send(block)
        connection.wait_for_end()

    return raw(head, fill)


def closes_after_each(reply: Reply) -> Behaviour:
    """Closes without a header that announces the close, like a server that has too many connections."""
    return raw(reply.bytes, lambda connection: connection.socket.shutdown(socket.SHUT_RDWR))


def closes_at_second(reply: Reply) -> Behaviour:
    """Answers, keeps the connection open, and closes the connection after reading the next request."""

    def read_next(connection: Connection) -> None:
        if (request := connection.read_request()) is not None:
            checked(request)
            connection.end()

    return raw(reply.bytes, read_next)


def stalls(data: bytes | Callable[[Request], bytes]) -> Behaviour:
    """Sends the beginning of a reply, and then nothing until the client disconnects."""
    return raw(data, Connection.wait_for_end)


def _hang_up_unread(connection: Connection) -> None:
    connection.wait_for_bytes()
    connection.reset()


unread = Behaviour(_hang_up_unread)
# Closed, not reset: a reset could arrive before or after the client's first write, so the client's result would vary.
slam = Behaviour(lambda connection: None)
# The server reads nothing until the client has disconnected.
never_reads = Behaviour(lambda connection: connection.server.over.wait(PATIENCE), receive_buffer=4096)
silent = stalls(b"")
hang_up = raw(b"")
reset = raw(b"", Connection.reset)
nobody = Behaviour(lambda _: None, listening=False)
never_answered = Behaviour(Connection.wait_for_end)


def over_tls(context: ssl.SSLContext, inside: Behaviour) -> Behaviour:
    def run(connection: Connection) -> None:
        connection.socket = context.wrap_socket(connection.socket, server_side=True)
        inside.run(connection)

    return Behaviour(run, scheme="https")


def tls_cut(data: bytes) -> Behaviour:
    """Sends these bytes instead of the server's part of the handshake."""
    return Behaviour(raw_unread(data).run, scheme="https")


def tls_every_cut(context: ssl.SSLContext, offsets: int, tries: int) -> Behaviour:
    """Cuts the server's first part of a handshake, at a later byte with each call, which makes `tries` connections."""

    def run(connection: Connection) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        handshake = context.wrap_bio(incoming, outgoing, server_side=True)
        while not outgoing.pending:
            incoming.write(connection.socket.recv(65536))
            with contextlib.suppress(ssl.SSLWantReadError):
                handshake.do_handshake()
        data = outgoing.read()
        connection.send(data[: len(data) * (connection.number // tries) // offsets])
        connection.end()

    return Behaviour(run, scheme="https")


def tunnel(inside: Behaviour) -> Behaviour:
    """A proxy: accepts a CONNECT to pay.example, and then acts as the server pay.example itself."""

    def run(connection: Connection) -> None:
        asked = connection.read_head().decode()
        if not asked.startswith("CONNECT pay.example:443 ") or "x-signature" in asked.lower():
            raise AssertionError(f"the proxy is asked {asked!r}")
        connection.send(b"HTTP/1.1 200 OK\r\n\r\n")
        inside.run(connection)

    return Behaviour(run)
