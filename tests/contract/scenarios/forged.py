"""Replies without a proof that they come from the service: some reach the verification over HTTP, and some cause
a retry. tests/contract/vectors (headers, replies) has the forms of forged signatures, of key ids and of
key rotation.
"""

from harness.behaviours import answer
from harness.scenario import *
from harness.service import MERCHANT_ID, NEXT_SERVER, NEXT_SERVER_ID, OTHER, SERVER, SERVER_ID, Reply, payment, refusal, status

suite = Suite("forged")
add = suite.add

HONEST = Reply(status("doneSuccess"))
SIGNED = SERVER.sign(HONEST.payload(None))


def forge(name: str, reply: Reply, asked: int = 1, **fields: object) -> None:
    """Sent once, unless a proxy's status marks the failure as transient."""
    add(name, get_status(unverified(reply.status), **fields), server=answer(reply), requests={"status": asked})


forge("no signature", HONEST.but(signature=None))
forge("the signature of another key", HONEST.but(key=OTHER))
forge("changed after it was signed", HONEST.but(sent=lambda body: body.replace(b"1500.50", b"9500.50")))
forge("a signature of bytes that are not ASCII", HONEST.but(signature="подпись".encode().decode("latin-1")))
forge("X-Signature twice", HONEST.but(extra=(("X-Signature", SIGNED),)))
forge("X-Signature twice, another one first", HONEST.but(signature=OTHER.sign(b""), extra=(("x-signature", SIGNED),)))
forge("X-KeyId twice", HONEST.but(extra=(("X-KeyId", SERVER_ID),)))
forge("the merchant's key id", HONEST.but(key_id=MERCHANT_ID))
forge("an unknown key id", HONEST.but(key_id="server-9"))
add("a key id is not asked for where none is known", get_status(ok_with(status="doneSuccess"), server_key_id=[]),
    server=answer(HONEST.but(key_id=None)))  # fmt: skip
add("names of headers in any case, blanks around their values", get_status(ok_with(status="doneSuccess")),
    server=answer(HONEST.but(key_id=None, signature=None, extra=(("x-keyid", f"  {SERVER_ID}\t"), ("X-SIGNATURE", f" {SIGNED} ")))))  # fmt: skip

# A reply with the request's own headers and bytes. An attacker on the network path can send such a reply.
reflected = Reply(lambda request: request.body, key_id=MERCHANT_ID, signature=lambda request: request.header("x-signature"))
add("the request comes back", get_status(unverified()), server=answer(reflected))
add("the request comes back under the service's key id", confirm(unverified()), server=answer(reflected.but(key_id=SERVER_ID)))

# A transient failure of /status or /available is retried twice, because these requests can be repeated safely.
page = Reply("<html><h1>502 Bad Gateway</h1></html>", 502, content_type="text/html", signature=None, key_id=None)
forge("a proxy's 502", page, asked=3)
forge("a proxy's 503 in JSON", page.but(body='{"message":"busy"}', status=503, content_type="application/json"), asked=3)
forge("a proxy's 429", page.but(status=429), asked=3)
forge("a proxy's 404", page.but(status=404))
forge("a portal's 200", page.but(status=200))
forge("an unsigned 401", Reply(refusal("invalid signature"), 401, signature=None, key_id=None))
add("available: a proxy's 502", amounts(unverified(502, is_transient=1)), server=answer(page), requests={"available": 3})
for command, operation in ((new_payment, "new"), (new_payment_async, "new-async")):
    add(f"{operation}: a proxy's 502", command(unverified(502)), server=answer(page))
    add(f"{operation}: no signature", command(unverified(200)), server=answer(Reply(payment(), signature=None)))
    unsigned = Reply(refusal("invalid currency"), 401, signature=None, key_id=None)
    add(f"{operation}: an unsigned 401", command(unverified(401, is_transient=0)), server=answer(unsigned))
for command, operation in ((confirm, "confirm"), (cancel, "cancel")):
    add(f"{operation}: a proxy's 502", command(unverified(502)), server=answer(page))
add("attach: a proxy's 413", attach(unverified(413), file=RECEIPT), server=answer(page.but(status=413)))

NEXT = HONEST.but(key=NEXT_SERVER, key_id=NEXT_SERVER_ID)
both = {"server_public_key": [SERVER.public, NEXT_SERVER.public], "server_key_id": [SERVER_ID, NEXT_SERVER_ID]}
add("rotation: either key while both are known", get_status(ok_with(), **both), get_status(ok_with(), **both), server=answer(HONEST, NEXT))
