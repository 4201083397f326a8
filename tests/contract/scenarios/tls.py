"""TLS: invalid certificates, and handshakes that do not complete. Nothing of the request is sent before the
handshake is complete."""

from datetime import datetime, timedelta, timezone

from harness.behaviours import answer, beginning, hang_up, never_answered, over_tls, raw, tls_cut, tls_every_cut, tunnel, turns
from harness.certificates import Authority
from harness.scenario import *
from harness.server import Behaviour
from harness.service import ORDER, Reply, payment

suite = Suite("tls")

OURS, OTHERS = Authority(FILES / "authority.pem"), Authority(FILES / "another.pem")
NOW, DAY = datetime.now(timezone.utc), timedelta(days=1)
HONEST = answer(Reply(payment(status="pending")))
TRUSTED = {"ca_file": str(OURS.file)}


def tls(name: str, server: Behaviour, expect: Expected, connections: int, operation: str = "new", sent: int = 1, **fields: object) -> None:
    command = new_payment if operation == "new" else get_status
    requests = {operation: sent} if sent > 1 else {}
    suite.add(name, command(expect, **{**TRUSTED, **fields}), server=server, requests=requests, connections=connections)


good = OURS.server("127.0.0.1")
tls("a certificate that holds", over_tls(good, HONEST), ok_with(order_id=ORDER), 1)
tls("status over a certificate that holds", over_tls(good, HONEST), ok_with(order_id=ORDER), 1, "status")
# An invalid certificate stays invalid, so the request is not retried.
for operation in ("new", "status"):
    for name, context in (
        ("for another name", OURS.server("other.example")),
        ("for another address", OURS.server("127.0.0.2")),
        ("that has expired", OURS.server("127.0.0.1", NOW - 3 * DAY, NOW - DAY)),
        ("that begins tomorrow", OURS.server("127.0.0.1", NOW + DAY, NOW + 2 * DAY)),
        ("of another authority", OTHERS.server("127.0.0.1")),
    ):
        tls(f"{operation}: a certificate {name}", over_tls(context, HONEST), not_sent(), 1, operation)
tls("a certificate of an authority that nobody named", over_tls(good, HONEST), not_sent(), 1, ca_file=None)

# The beginning of a handshake: a record's head, and an invalid ServerHello.
for name, data, connections in (
    ("cut before it begins", b"", 3),
    ("cut in a record's head", b"\x16\x03\x03", 3),
    ("cut in a record", b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03", 3),
    ("refused by an alert", b"\x15\x03\x03\x00\x02\x02\x28", 1),
    ("answered with rubbish", b"\x16\x03\x03\x00\x05hello", 1),
    ("answered in HTTP", b"HTTP/1.1 400 Bad Request\r\n\r\n", 1),
):
    tls(f"a handshake {name}", tls_cut(data), not_sent(), connections)
    tls(f"status: a handshake {name}", tls_cut(data), not_sent(), connections, "status")
OFFSETS = 12
suite.add(
    "a handshake cut at each of twelve places",
    new_payment([not_sent()] * OFFSETS, **TRUSTED),
    server=tls_every_cut(good, OFFSETS, 3),
    connections=3 * OFFSETS,
)
by_proxy = {"base_url": "https://pay.example", "proxy": SERVER_URL}
named = OURS.server("pay.example")
tls("through a proxy", tunnel(over_tls(named, HONEST)), ok_with(order_id=ORDER), 1, **by_proxy)
tls("through a proxy that closes before a reply", tunnel(over_tls(named, hang_up)), transport(), 1, **by_proxy)
tls("through a proxy that speaks for itself", tunnel(over_tls(good, HONEST)), not_sent(), 1, **by_proxy)
silent = Behaviour(never_answered.run, scheme="https")
tls("a handshake that is not answered", silent, error("timeout", "not_sent"), 1, timeout_ms=1000)
plain = turns(tls_cut(b""), over_tls(good, HONEST))
tls("new: a handshake that is cut, and then one that is not", Behaviour(plain.run, scheme="https"), ok_with(order_id=ORDER), 2)

tls("closed before a reply", over_tls(good, hang_up), transport(), 1)
tls("status: closed before a reply", over_tls(good, hang_up), transport(), 3, "status", sent=3)
cut = Reply(payment())
tls("closed in the middle of a reply", over_tls(good, raw(beginning(cut, -20))), transport(http_status=200), 1)
# The signature proves that no byte is missing. So the missing close_notify of TLS, which would also prove this, does no harm.
tls("no length, and closed without TLS's close_notify", over_tls(good, raw(cut.but(length=None).bytes)), ok_with(order_id=ORDER), 1)
suite.add(
    "TLS is not spoken in plain",
    new_payment(transport()),
    server=Behaviour(tls_cut(b"\x15\x03\x03\x00\x02\x02\x28").run),
    requests={"new": 0},
    connections=1,
)
