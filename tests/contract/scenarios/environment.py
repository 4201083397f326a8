"""Clients made of the environment: each variable has the effect of its setting."""

from harness.behaviours import answer, over_tls, silent, tunnel
from harness.certificates import Authority
from harness.scenario import *
from harness.server import Behaviour
from harness.service import MERCHANT, MERCHANT_ID, ORDER, SERVER, SERVER_ID, Reply, payment, status

suite = Suite("environment")
add = suite.add

PENDING = answer(Reply(status()))
OK = ok_with(order_id=ORDER)
OURS = Authority(FILES / "environment.pem")
CA = {"CA_FILE": str(OURS.file)}
BY_PROXY = {"BASE_URL": "https://pay.example", "PROXY": SERVER_URL, **CA}
PAGE = Reply("<html>", status=502, signature=None, key_id=None, content_type="text/html")


def variables(**changed: object) -> dict[str, object]:
    needed = {"BASE_URL": SERVER_URL, "KEY_ID": MERCHANT_ID, "PRIVATE_KEY": MERCHANT.private, "SERVER_PUBLIC_KEY": SERVER.public}
    return {f"MERCHANTPAY_{name}": value for name, value in {**needed, **changed}.items()}


def asks(name: str, server: Behaviour, expect: Expected, fields: dict[str, object] | None = None, **changed: object) -> None:
    add(name, get_status(expect, environment=variables(**changed), **(fields or {})), server=server)


asks("a client is made of the environment", PENDING, OK)
asks("the timeout is read", silent, timeout(), TIMEOUT_MS="1000")
asks("a timeout of the program takes precedence", silent, timeout(), TIMEOUT_MS="60000", fields={"timeout_ms": "1000"})
asks("the number of retries is read", answer(PAGE), unverified(502), MAX_RETRIES="0")
asks("the size of a reply is read", PENDING, transport(http_status=200), MAX_REPLY_BYTES="16")
asks("the service's key ids are read", PENDING, unverified(), SERVER_KEY_ID="server-0")
asks("one of the service's key ids", PENDING, OK, SERVER_KEY_ID=f"server-0, {SERVER_ID}")
asks("the proxy and the CA are read", tunnel(over_tls(OURS.server("pay.example"), PENDING)), OK, **BY_PROXY)
for idle, connections in (("60000", 1), ("0", 2)):
    environment = variables(REUSE_IDLE_MS=idle)
    add(
        f"a connection is used again for {idle} ms",
        confirm(ok(), environment=environment, repeat=2),
        server=PENDING,
        connections=connections,
        without={"shell": "each of its calls is a client of its own"},
    )
add(
    "a payment by a key of the program",
    new_payment(OK, environment=variables(PRIVATE_KEY=""), private_key=MERCHANT.private),
    server=answer(Reply(payment())),
)
