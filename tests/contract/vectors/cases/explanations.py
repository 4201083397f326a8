"""Each case is a webhook with one fault, made with an independent ed25519 and Python's JSON, and the cause that
explains it."""

import base64
import hashlib
import json

from .common import MERCHANT, MERCHANT_ID, NEXT_ID, OTHER, SERVICE, SERVICE_ID, data, with_settings

FIELDS = {
    "success": True, "orderId": "o-1", "status": "doneSuccess", "sum": 1500, "payeeName": "Анна <А>", "deeplink": "https://d/1?a&b",
}  # fmt: skip
BODY = json.dumps(FIELDS, separators=(",", ":"), ensure_ascii=False)
ONE = {"server_key_ids": [SERVICE_ID]}
NO_OWN = {"public_key": None}


def explanation(name, body, cause, signature=None, key_id=None, settings=None, signed=BODY):
    raw = body if isinstance(body, bytes) else body.encode()
    text = SERVICE.sign(signed if isinstance(signed, bytes) else signed.encode()) if signature is None else signature
    entry = {
        "kind": "explanation",
        "name": name,
        "webhook": {"body": data(raw), "signature": text, "key_id": key_id},
        "expected": {"cause": cause},
    }
    return with_settings(entry, settings)


def entries():
    return accepted() + signatures() + bodies() + digests() + keys() + key_ids()


def accepted():
    return [
        explanation("nothing is wrong", BODY, None),
        explanation("nothing is wrong, with the key id", BODY, None, key_id=SERVICE_ID, settings=ONE),
        explanation("signed, and no webhook of the contract", "{}", None, signed="{}"),
        explanation("signed, and no JSON", b"\xff", None, signed=b"\xff"),
    ]


def differing(signer=SERVICE):
    """A body whose signature contains both characters that base64url replaces."""
    for number in range(1000):
        body = json.dumps({"success": False, "orderId": f"o-{number}"}, separators=(",", ":"))
        signature = signer.sign(body.encode())
        if "+" in signature and "/" in signature:
            return body, signature
    raise ValueError("no signature has both letters")


def signatures():
    body, good = differing()
    raw = base64.b64decode(good)
    made = [
        explanation("an empty signature", BODY, "missing_signature", signature=""),
        explanation("a signature of blanks", BODY, "missing_signature", signature=" \t"),
        explanation("two signatures", BODY, "repeated_signature", signature=f"{good}, {good}"),
        explanation("a signature in hex that does not verify", BODY, "not_explained", signature=raw.hex()),
        explanation("88 letters that are not base64", BODY, "not_explained", signature="*" * 86 + "=="),
    ]
    for what, text in encodings(good, SERVICE):
        made.append(explanation(f"a signature {what}", body, "signature_encoding", signature=text))
    return made


def encodings(good, signer):
    raw = base64.b64decode(good)
    return (
        ("in hex", raw.hex()),
        ("in large hex", raw.hex().upper()),
        ("in base64url", base64.urlsafe_b64encode(raw).decode()),
        ("in base64url without padding", base64.urlsafe_b64encode(raw).decode().rstrip("=")),
        ("without padding", good.rstrip("=")),
        ("in quotes", f'"{good}"'),
        ("percent-encoded", good.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")),
        ("with blanks for its plus signs", good.replace("+", " ")),
        ("of 63 bytes", base64.b64encode(raw[:-1]).decode()),
        ("that is a public key", signer.public),
        ("cut in the middle", good[:40]),
    )


def changes():
    lines = json.dumps(FIELDS, indent=2)
    return (
        ("a byte-order mark was added", BODY, b"\xef\xbb\xbf" + BODY.encode()),
        ("a byte-order mark was removed", b"\xef\xbb\xbf" + BODY.encode(), BODY),
        ("a line end was added", BODY, BODY + "\n"),
        ("a CRLF was added", BODY, BODY + "\r\n"),
        ("a line end was removed", BODY + "\n", BODY),
        ("a CRLF was removed", BODY + "\r\n", BODY),
        ("LF became CRLF", lines, lines.replace("\n", "\r\n")),
        ("CRLF became LF", lines.replace("\n", "\r\n"), lines),
        ("written again by json.dumps", BODY, json.dumps(FIELDS)),
        ("written again with blanks", BODY, json.dumps(FIELDS, ensure_ascii=False)),
        ("written again with indentation", BODY, lines),
        ("written again with escapes", BODY, json.dumps(FIELDS, separators=(",", ":"))),
        ("written again with slashes escaped", BODY, BODY.replace("/", "\\/")),
        ("written again by Go", BODY, BODY.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")),
        ("written again in the order of the alphabet", BODY, json.dumps(FIELDS, sort_keys=True)),
        ("made by json.dumps and written again without blanks", json.dumps(FIELDS), BODY),
        ("made with indentation and written again without", json.dumps(FIELDS, indent=2, ensure_ascii=False), BODY),
    )


def bodies():
    made = [explanation(f"a body, {what}", received, "body_changed", signed=signed) for what, signed, received in changes()]
    for what, received in (
        ("another number", BODY.replace("1500", "1501")),
        ("another text of a number", BODY.replace("1500", "1500.0")),
        ("another text", BODY.replace("doneSuccess", "doneFail")),
        ("a field less", BODY.replace('"success":true,', "")),
        ("cut in the middle", BODY[:40]),
        ("empty", ""),
        ("no JSON", b"\xff\x00"),
        ("deep", "[" * 2000),
        ("a line end more and too large", BODY + " " * 65536 + "\n"),
    ):
        made.append(explanation(f"a body, {what}", received, "not_explained"))
    return made


def digest_forms():
    digest = hashlib.sha256(BODY.encode())
    return {
        "its bytes": digest.digest(),
        "hex": digest.hexdigest().encode(),
        "large hex": digest.hexdigest().upper().encode(),
        "base64": base64.b64encode(digest.digest()),
    }


def digests():
    made = [explanation(f"the SHA-256 was signed, as {what}", BODY, "digest_signed", signed=form) for what, form in digest_forms().items()]
    made.append(explanation("the SHA-512 was signed", BODY, "not_explained", signed=hashlib.sha512(BODY.encode()).digest()))
    return made


def keys():
    own, other = MERCHANT.sign(BODY.encode()), OTHER.sign(BODY.encode())
    refused = {"code": "invalid_key", "outcome": "not_sent"}
    same = explanation("the service's key is the merchant's own", BODY, None, settings={"server_public_keys": [MERCHANT.public]})
    return [
        explanation("the merchant's own key", BODY, "own_key", signature=own),
        explanation("the merchant's own key, which is not at hand", BODY, "not_explained", signature=own, settings=NO_OWN),
        explanation("a key that is not at hand", BODY, "not_explained", signature=other),
        {**same, "expected": {"error": refused}},
    ]


def key_ids():
    own, other = MERCHANT.sign(BODY.encode()), OTHER.sign(BODY.encode())
    return [
        explanation("a key id that is not configured", BODY, "key_id", key_id=NEXT_ID, settings=ONE),
        explanation("the merchant's own key id", BODY, "key_id", key_id=MERCHANT_ID),
        explanation("the merchant's own key id and key", BODY, "key_id", signature=own, key_id=MERCHANT_ID),
        explanation("no key id, and another key", BODY, "not_explained", signature=other, settings=ONE),
    ]
