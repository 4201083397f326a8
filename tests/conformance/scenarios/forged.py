"""Replies that are not provably the service's, whatever they say; and keys that are rotated."""

import base64

from harness.behaviours import answer
from harness.scenario import *
from harness.service import MERCHANT, MERCHANT_ID, NEXT_SERVER, NEXT_SERVER_ID, ORDER, SERVER, SERVER_ID, STRANGER, Reply, document, payment, refusal, status

suite = Suite("forged")
add = suite.add

HONEST = Reply(status("doneSuccess"))
SIGNED = SERVER.sign(HONEST.payload(None))


def forge(name: str, reply: Reply, asked: int = 1, **fields: object) -> None:
    """Not believed, and told at once, unless a proxy's status says that it may pass."""
    add(name, get_status(unverified(reply.status, order_id=ORDER), **fields), server=answer(reply), requests={"status": asked})


forge("no signature", HONEST.but(signature=None))
forge("neither signature nor key id", HONEST.but(signature=None, key_id=None))
forge("a stranger's signature", HONEST.but(key=STRANGER))
forge("the merchant's signature", HONEST.but(key=MERCHANT))
forge("changed after it was signed", HONEST.but(sent=lambda body: body.replace(b"1500.50", b"9500.50")))
forge("a blank added after it was signed", HONEST.but(sent=lambda body: body + b" "))
forge("a line end added after it was signed", HONEST.but(sent=lambda body: body + b"\n"))
forge("nothing left of the body", HONEST.but(sent=lambda body: b""))
raw_signature = base64.b64decode(SIGNED)
order = (2**252 + 27742317777372353535851937790883648493).to_bytes(32, "little")
beyond = (int.from_bytes(raw_signature[32:], "little") + int.from_bytes(order, "little")).to_bytes(32, "little")
for name, signature in (
    ("an empty signature", " "),
    ("a signature that is no base64", "!" * 88),
    ("a signature of 63 bytes", base64.b64encode(raw_signature[:63]).decode()),
    ("a signature of 65 bytes", base64.b64encode(raw_signature + b"\0").decode()),
    ("a signature without padding", SIGNED.rstrip("=")),
    ("a signature in hexadecimal", raw_signature.hex()),
    ("a signature in base64 for URLs", base64.urlsafe_b64encode(b"\xfb\xff" + raw_signature[2:]).decode()),
    ("a signature with something behind it", SIGNED + ", " + SIGNED),
    ("a signature of zeros", base64.b64encode(bytes(64)).decode()),
    ("a signature with another s for the same bytes", base64.b64encode(raw_signature[:32] + beyond).decode()),
    ("a signature of letters that are not ASCII", "подпись".encode().decode("latin-1")),
):
    forge(name, HONEST.but(signature=signature))
forge("X-Signature twice", HONEST.but(extra=(("X-Signature", SIGNED),)))
forge("X-Signature twice, another one first", HONEST.but(signature=STRANGER.sign(b""), extra=(("x-signature", SIGNED),)))
forge("X-KeyId twice", HONEST.but(extra=(("X-KeyId", SERVER_ID),)))
forge("the merchant's key id", HONEST.but(key_id=MERCHANT_ID))
forge("the merchant's key id, where none of the service's is known", HONEST.but(key_id=MERCHANT_ID), server_key_id=[])
forge("an unknown key id", HONEST.but(key_id="server-9"))
forge("a key id in other letters", HONEST.but(key_id=SERVER_ID.upper()))
forge("no key id", HONEST.but(key_id=None))
forge("an empty key id", HONEST.but(key_id=""))
add("a key id is not asked for where none is known", get_status(ok_with(status="doneSuccess"), server_key_id=[]),
    server=answer(HONEST.but(key_id=None)), requests={"status": 1})  # fmt: skip
add("names of headers in any case, blanks around their values", get_status(ok_with(status="doneSuccess")),
    server=answer(HONEST.but(key_id=None, signature=None, extra=(("x-keyid", f"  {SERVER_ID}\t"), ("X-SIGNATURE", f" {SIGNED} ")))),
    requests={"status": 1})  # fmt: skip

# The request's own headers and bytes, which whoever sits in between has.
reflected = Reply(lambda request: request.body, key_id=MERCHANT_ID, signature=lambda request: request.header("x-signature"))
add("the request comes back", get_status(unverified(order_id=ORDER)), server=answer(reflected), requests={"status": 1})
add("the request comes back under the service's key id", confirm(unverified(order_id=ORDER)), server=answer(reflected.but(key_id=SERVER_ID)), requests={"confirm": 1})
add("our signature under the service's words", cancel(unverified(order_id=ORDER)),
    server=answer(Reply(document(success=True, orderId=ORDER), signature=reflected.signature)), requests={"cancel": 1})  # fmt: skip

# What passes is asked again where that is safe: /status and /available, twice more.
page = Reply("<html><h1>502 Bad Gateway</h1></html>", 502, content_type="text/html", signature=None, key_id=None)
forge("a proxy's 502", page, asked=3)
forge("a proxy's 503 in JSON", page.but(body='{"message":"busy"}', status=503, content_type="application/json"), asked=3)
forge("a proxy's 429", page.but(status=429), asked=3)
forge("a proxy's 404", page.but(status=404))
forge("a portal's 200", page.but(status=200))
forge("an unsigned 401", Reply(refusal("invalid signature"), 401, signature=None, key_id=None))
forge("an unsigned refusal", Reply(refusal("order not found"), 404, signature=None))
forge("a refusal that is signed by a stranger", Reply(refusal("order not found"), 404, key=STRANGER))
add("available: a proxy's 502", amounts(unverified(502)), server=answer(page), requests={"available": 3})
for command, operation in ((new_payment, "new"), (new_payment_async, "new-async")):
    add(f"{operation}: a proxy's 502", command(unverified(502)), server=answer(page), requests={operation: 1})
    add(f"{operation}: no signature", command(unverified(200)), server=answer(Reply(payment(), signature=None)), requests={operation: 1})
    unsigned = Reply(refusal("invalid currency"), 401, signature=None, key_id=None)
    add(f"{operation}: an unsigned 401", command(unverified(401)), server=answer(unsigned), requests={operation: 1})
for command, operation in ((confirm, "confirm"), (cancel, "cancel")):
    add(f"{operation}: a proxy's 502", command(unverified(502, order_id=ORDER)), server=answer(page), requests={operation: 1})
add("attach: a proxy's 413", attach(unverified(413, order_id=ORDER), file=RECEIPT), server=answer(page.but(status=413)), requests={"receipt/attach": 1})

# A reply that was recorded earlier is the service's word, but about another order.
recorded = Reply(status("doneSuccess", orderId="o-2"))
for command, operation in ((get_status, "status"), (confirm, "confirm"), (cancel, "cancel")):
    add(f"{operation}: another order's reply is played back", command(malformed(order_id=ORDER)), server=answer(recorded), requests={operation: 1})
add("a refusal of another order is played back", cancel(malformed(403, order_id=ORDER)),
    server=answer(Reply(refusal("payment could not be canceled", orderId="o-2"), 403)), requests={"cancel": 1})  # fmt: skip

NEXT = HONEST.but(key=NEXT_SERVER, key_id=NEXT_SERVER_ID)
both = {"server_public_key": [SERVER.public, NEXT_SERVER.public], "server_key_id": [SERVER_ID, NEXT_SERVER_ID]}
add("rotation: either key while both are known", get_status(ok_with(), **both), get_status(ok_with(), **both), server=answer(HONEST, NEXT), requests={"status": 2})
forge("rotation: the next key before it is known", NEXT)
forge("rotation: the old key after it is forgotten", HONEST, server_public_key=[NEXT_SERVER.public], server_key_id=[NEXT_SERVER_ID])
forge("rotation: the next key id over the old key", HONEST.but(key_id=NEXT_SERVER_ID))
add("rotation: a key under the other's id, where both are known", get_status(ok_with(), **both),
    server=answer(HONEST.but(key_id=NEXT_SERVER_ID)), requests={"status": 1})  # fmt: skip
