"""The program's own code in a call: signers, loggers, and interruptions."""

import base64
import functools

from harness.behaviours import answer, never_answered, nobody, silent, turns
from harness.scenario import *
from harness.server import Behaviour
from harness.service import MERCHANT, ORDER, OTHER, Reply, document, payment, refusal, status

suite = Suite("callbacks")
add = suite.add

PENDING = Reply(status())
ISSUED = Reply(payment())
PAGE = Reply("<html>", status=502, signature=None, key_id=None, content_type="text/html")
OK = ok_with(order_id=ORDER)
# The bytes that get_status signs, so that a callback can return their signature.
ASKED = document(orderId=ORDER).encode()


def signer(signature: bytes | None) -> dict[str, object]:
    says = {"fails": "the module is locked"} if signature is None else {"returns": signature.hex()}
    return {"private_key": None, "public_key": MERCHANT.public, "signer": says}


def raw(signature: str) -> bytes:
    return base64.b64decode(signature)


add("a callback signs", get_status({**OK, "signed": "1"}, **signer(raw(MERCHANT.sign(ASKED)))), server=answer(PENDING))
# A repeated request is the same bytes, which are signed once.
add(
    "a callback signs once for all attempts",
    get_status({**OK, "signed": "1"}, **signer(raw(MERCHANT.sign(ASKED)))),
    server=answer(PAGE, PENDING),
    requests={"status": 2},
)
for what, signature, code in (
    ("fails", None, "signer"),
    ("signs with another key", raw(OTHER.sign(ASKED)), "invalid_key"),
    ("returns a cut signature", b"\1" * 63, "signer"),
):
    failed = error(code, "not_sent", is_transient=int(code == "signer"), signed=1)
    add(f"status: a callback {what}", get_status({**failed, "order_id": ORDER}, **signer(signature)), server=answer(PENDING))
    add(f"new: a callback {what}", new_payment(failed, **signer(signature)), server=answer(ISSUED))

attempt = "operation=getStatus order_id=o-1"
for logger in ("collects", "fails"):
    add(
        f"a logger that {logger}: a page, then a reply",
        get_status(
            {**OK, "log": f"{attempt} number=1 http_status=502 code=unverified outcome=unknown\n{attempt} number=2 http_status=200"},
            logger=logger,
        ),
        server=answer(PAGE, PENDING),
        requests={"status": 2},
    )
    add(
        f"a logger that {logger}: a payment",
        new_payment({**OK, "log": "operation=newPayment order_id=o-1 number=1 http_status=200"}, logger=logger),
        server=answer(ISSUED),
    )
    add(
        f"a logger that {logger}: a refusal",
        confirm(
            rejected(
                "secret words", order_id="a\nb", http_status=400,
                log="operation=confirm order_id=a\nb number=1 http_status=400 code=rejected outcome=rejected",
            ),
            order_id="a\nb", logger=logger,
        ),
        server=answer(Reply(refusal("secret words"), status=400))
    )  # fmt: skip
    add(
        f"a logger that {logger}: nobody listens",
        cancel(
            not_sent(log="operation=cancel order_id=o-1 number=1 code=transport outcome=not_sent"),
            logger=logger,
            max_retries=0,
        ),
        server=nobody,
    )
    add(f"a logger that {logger}: nothing is sent", confirm(refused(), order_id="", logger=logger), server=answer(PENDING))

cancelled = error("cancelled", "unknown", is_transient=1)
not_begun = error("cancelled", "not_sent", is_transient=1)
add("interrupted before the call", new_payment(not_begun, interrupt="before"), server=answer(ISSUED))
OPERATIONS = {"available": amounts, "new": new_payment, "new-async": new_payment_async}
ASKED_BY = {"confirm": confirm, "cancel": cancel, "status": get_status, "receipt/attach": functools.partial(attach, file=RECEIPT)}
for operation, call_ in {**OPERATIONS, **ASKED_BY}.items():
    add(f"{operation}: interrupted before a reply", call_(cancelled, interrupt="request"), server=silent)
add(
    "interrupted in the handshake",
    new_payment(not_begun, interrupt="connection"),
    server=Behaviour(never_answered.run, scheme="https"),
)
# The service asks to wait for longer than the call has time.
busy = Reply("", status=503, signature=None, key_id=None, extra=(("Retry-After", "20"),))
add(
    "interrupted between two attempts",
    get_status({**cancelled, ...: ANY}, interrupt="request"),
    server=turns(answer(busy), silent),
    connections=1,
)
