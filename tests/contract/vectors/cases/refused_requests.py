"""Each case is a request with one fault, made with an independent ed25519 and Python's JSON, and the cause that
explains it."""

from . import explanations
from .common import MERCHANT, MERCHANT_ID, NEXT_ID, OTHER, SERVICE, SERVICE_ID, data, raw
from .explanations import BODY


def request(name, body, cause, *, signature=None, key_id=MERCHANT_ID, signed=BODY):
    text = MERCHANT.sign(raw(signed)) if signature is None else signature
    return {
        "kind": "refused_request",
        "name": name,
        "request": {"body": data(raw(body)), "signature": text, "key_id": key_id},
        "expected": {"cause": cause},
    }


def entries():
    body, good = explanations.differing(MERCHANT)
    made = [
        request("nothing is wrong", BODY, None),
        request("an empty signature", BODY, "missing_signature", signature=""),
        request("two signatures", BODY, "repeated_signature", signature=f"{good}, {good}"),
        request("the service's key", BODY, "wrong_key", signature=SERVICE.sign(raw(BODY))),
        request("a key that is not at hand", BODY, "not_explained", signature=OTHER.sign(raw(BODY))),
        request("no key id", BODY, "key_id", key_id=None),
        request("an empty key id", BODY, "key_id", key_id=""),
        request("a key id that is not configured", BODY, "key_id", key_id=NEXT_ID),
        request("the service's key id", BODY, "key_id", key_id=SERVICE_ID),
        request("another number", BODY.replace("1500", "1501"), "not_explained"),
        request("another text of a number", BODY.replace("1500", "1500.0"), "body_changed"),
        request("empty", "", "body_changed"),
    ]
    for what, text in explanations.encodings(good, MERCHANT):
        made.append(request(f"a signature {what}", body, "signature_encoding", signature=text))
    for what, signed, received in explanations.changes():
        made.append(request(f"a body, {what}", received, "body_changed", signed=signed))
    for what, form in explanations.digest_forms().items():
        made.append(request(f"the SHA-256 was signed, as {what}", BODY, "digest_signed", signed=form))
    return made
