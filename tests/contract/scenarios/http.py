"""Replies whose HTTP is unusual, invalid or hostile, byte by byte."""

from harness.behaviours import answer, chunked, dribble, endless, flood, raw, until_end
from harness.scenario import *
from harness.server import Behaviour
from harness.service import ORDER, Reply, payment, status

suite = Suite("http")

HONEST = Reply(payment())
OK = ok_with(order_id=ORDER, sum="1500.50")
BROKEN = transport(http_status=200)


def new(name: str, server: Behaviour, expect: Expected, **fields: object) -> None:
    suite.add(name, new_payment(expect, **fields), server=server)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def head(*lines: str, first: str = "HTTP/1.1 200 OK"):
    """An honest reply with these lines in its head."""

    def make(request) -> bytes:
        payload = HONEST.payload(request)
        own = [f"X-KeyId: {HONEST.key_id}", f"X-Signature: {HONEST.key.sign(payload)}"]
        return "".join(line + "\r\n" for line in (first, *own, *lines)).encode("latin-1") + b"\r\n" + payload

    return make


length = len(HONEST.payload(None))
new("a byte at a time", dribble(HONEST), OK)
new("no length: the connection's end is the body's", until_end(HONEST), OK)
new("HTTP/1.0", raw(head(first="HTTP/1.0 200 OK")), OK)
new("no phrase behind the status", raw(head(f"Content-Length: {length}", first="HTTP/1.1 200")), OK)
new("bytes behind the body", raw(lambda request: HONEST.bytes(request) + b"HTTP/1.1 500 No\r\n\r\n"), OK)

new("a length that is too short", raw(head(f"Content-Length: {length - 1}")), unverified())
new("a length of 0", raw(head("Content-Length: 0")), unverified())
new("a length that is too long", raw(head(f"Content-Length: {length + 1}")), BROKEN)
new("a length that is not a number", raw(head("Content-Length: many")), transport())
new("a length that is negative", raw(head("Content-Length: -1")), transport())
new("a length that no number holds", raw(head("Content-Length: " + "9" * 30)), transport())
new("two lengths that differ", raw(head(f"Content-Length: {length}", "Content-Length: 5")), transport())
new("the same length twice", raw(head(f"Content-Length: {length}", f"Content-Length: {length}")), OK)
new("a length of 1 TB", raw(head("Content-Length: 1000000000000")), BROKEN)

new("chunked: at once", chunked(HONEST, lambda body: chunk(body) + b"0\r\n\r\n"), OK)
new("chunked: a byte a chunk", chunked(HONEST, lambda body: b"".join(chunk(body[n : n + 1]) for n in range(len(body))) + b"0\r\n\r\n"), OK)
new("chunked: extensions", chunked(HONEST, lambda body: b"%X;a=b;c\r\n%s\r\n0;d\r\n\r\n" % (len(body), body)), OK)
new("chunked: trailers", chunked(HONEST, lambda body: chunk(body) + b"0\r\nX-Trailer: a\r\n\r\n"), OK)
new(
    "chunked: a signature in the trailers",
    chunked(HONEST.but(signature=None), lambda body: chunk(body) + b"0\r\nX-Signature: %s\r\n\r\n" % HONEST.key.sign(body).encode()),
    unverified(),
)
new("chunked: a size that is not a number", chunked(HONEST, lambda body: b"zz\r\n" + body + b"\r\n0\r\n\r\n"), BROKEN)
new("chunked: a size that no number holds", chunked(HONEST, lambda body: b"f" * 17 + b"\r\n" + body), BROKEN)
new("chunked: a size that is too small", chunked(HONEST, lambda body: b"5\r\n" + body + b"\r\n0\r\n\r\n"), BROKEN)
new("chunked: the end is missing", chunked(HONEST, chunk), BROKEN)
new("chunked: cut within a chunk", chunked(HONEST, lambda body: chunk(body)[:-10]), BROKEN)
new("chunked: cut within a size", chunked(HONEST, lambda body: b"1"), BROKEN)
new("chunked: nothing", chunked(HONEST, lambda body: b"0\r\n\r\n"), unverified())

final = HONEST.bytes
new("100 before the reply", raw(lambda request: b"HTTP/1.1 100 Continue\r\n\r\n" + final(request)), OK)
new("100 with headers before the reply", raw(lambda request: b"HTTP/1.1 100 Continue\r\nDate: a\r\nX: b\r\n\r\n" + final(request)), OK)
new("103 before the reply", raw(lambda request: b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + final(request)), OK)
new("102 three times before the reply", raw(lambda request: b"HTTP/1.1 102 Processing\r\n\r\n" * 3 + final(request)), OK)
new("a signed 103 and nothing else", raw(Reply("", 103, length=None).bytes), transport())
new("101", raw(head(first="HTTP/1.1 101 Switching Protocols")), unverified(101))
new("204", raw(Reply("", 204, length=None).bytes), malformed(204))
new("206", answer(HONEST.but(status=206)), OK)
new("304", raw(Reply("", 304, length=None).bytes), transport(http_status=304))
new("999", answer(HONEST.but(status=999)), OK)

new("nothing of HTTP", raw(b"SSH-2.0-OpenSSH_9.2\r\n"), transport())
new("no status", raw(b"HTTP/1.1\r\n\r\n"), transport())
new("a status of letters", raw(b"HTTP/1.1 abc OK\r\n\r\n"), transport())
new("HTTP/2", raw(b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64"), transport())
new("HTTP/3.0 in words", raw(head(first="HTTP/3.0 200 OK")), transport())
new("a head of nothing", raw(b"\r\n\r\n"), transport())
new("a header without a colon", raw(head("no colon")), OK)
new("a header with a NUL", raw(head("X-A: a\0b", f"Content-Length: {length}")), OK)
new("a folded header", raw(head("X-A: a", "\tb", f"Content-Length: {length}")), OK)
new("a folded length", raw(head(f"Content-Length: {length}", " 1")), transport())
new("a length behind a space", raw(head(f"Content-Length : {length}")), transport())
new("200 headers", raw(head(*(f"X-{n}: a" for n in range(200)), f"Content-Length: {length}")), OK)
new("headers without an end", endless(b"HTTP/1.1 200 OK\r\n", b"X-More: " + b"a" * 1000 + b"\r\n"), transport())
new("a header without an end", endless(b"HTTP/1.1 200 OK\r\nX-More: ", b"a" * 1000), transport())
new("a phrase without an end", endless(b"HTTP/1.1 200 ", b"a" * 1000), transport())
new("a body without an end", endless(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 65536), BROKEN)
new("chunks without an end", endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunk(b" " * 4096)), BROKEN)
new("a chunk's extension without an end", endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"a" * 4096), BROKEN)
hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"
new("informational replies without an end", endless(b"", hints), transport())
new("informational replies without an end, read as fast as they are written", endless(b"", hints * 16, pace=0.001), transport())
new(
    "an informational reply whose head has no end",
    endless(b"HTTP/1.1 103 Early Hints\r\n", b"X-More: " + b"a" * 1000 + b"\r\n"),
    transport(),
)

MB = 1 << 20
large = Reply(" ", length=64 * MB)
new("64 MB", flood(lambda request: large.head(request) + b"\r\n", 64 * MB), BROKEN)
new("64 MB without a length", flood(lambda request: large.but(length=None).head(request) + b"\r\n", 64 * MB), BROKEN)
suite.add(
    "64 MB to /status is not asked for again",
    get_status(transport(http_status=200)),
    server=flood(lambda request: large.head(request) + b"\r\n", 64 * MB),
)

for code in (301, 302, 303, 307, 308):
    # There an honest reply would come.
    moved = HONEST.but(status=code, extra=(("Location", "/api/v1/merchant/pay/new"),))
    new(f"{code} is not followed", answer(moved, HONEST), transport(http_status=code, is_transient=0))
suite.add(
    "307 to /status is not asked for again",
    get_status(transport(http_status=307)),
    server=answer(Reply(status(), 307, extra=(("Location", "/api/v1/merchant/pay/status"),)), Reply(status())),
)
for code in ("gzip", "br", "identity"):
    # The client never asked for an encoding, so it decodes nothing. The signed bytes are the bytes that arrived.
    new(f"Content-Encoding: {code} changes nothing", answer(HONEST.but(extra=(("Content-Encoding", code),))), OK)
