"""Each case is a webhook with one fault, made with an independent ed25519 and Python's JSON, and the cause that
explains it."""

import base64
import hashlib
import json

from .common import MERCHANT, MERCHANT_ID, NEXT_ID, ONE, OTHER, SERVICE, SERVICE_ID, raw, webhook

FIELDS = {
    "success": True, "orderId": "o-1", "status": "doneSuccess", "sum": 1500, "payeeName": "Анна <А>", "deeplink": "https://d/1?a&b",
}  # fmt: skip
BODY = json.dumps(FIELDS, separators=(",", ":"), ensure_ascii=False)
NO_OWN = {"public_key": None}


def explanation(name, body, cause, signature=None, key_id=None, settings=None, signed=BODY):
    text = SERVICE.sign(raw(signed)) if signature is None else signature
    made = webhook(name, body, {"cause": cause}, signature=text, key_id=key_id, settings=settings)
    return {**made, "kind": "explanation"}


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
        explanation("a signature in hex of another body", BODY, "signature_encoding", signature=raw.hex()),
        explanation("88 letters that are not base64", BODY, "signature_encoding", signature="*" * 86 + "=="),
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


SUMS = {
    "success": True, "orderId": "o-1", "status": "doneSuccess", "sum": "1500.50", "payeeName": "Анна", "dealSum": "16", "dealRate": "92.40",
    "deeplink": "https://d/1?a&b",
}  # fmt: skip


def sums(sum="1500.50", deal_sum="16.00", deal_rate="92.40"):
    """The text of a body with these texts of its amounts."""
    text = json.dumps(SUMS | {"sum": 1, "dealSum": 2, "dealRate": 3}, separators=(",", ":"), ensure_ascii=False)
    return (
        text.replace('"sum":1', f'"sum":{sum}')
        .replace('"dealSum":2', f'"dealSum":{deal_sum}')
        .replace('"dealRate":3', f'"dealRate":{deal_rate}')
    )


def numbers():
    """Changes of amounts: what, the signed body, the received body."""
    floats = json.loads(sums())
    whole = {key: int(value) if value == 16.0 else value for key, value in floats.items()}
    quoted = json.dumps(floats | {"sum": "1500.50", "dealSum": "16.00", "dealRate": "92.40"}, separators=(",", ":"), ensure_ascii=False)
    compact = json.dumps(whole, separators=(",", ":"), ensure_ascii=False)
    in_order = json.dumps(whole, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
    return (
        ("1500.50 became 1500.5", sums(), sums(sum="1500.5")),
        ("1500.5 became 1500.50", sums(sum="1500.5"), sums()),
        ("1500.00 became 1500", sums(sum="1500.00"), sums(sum="1500")),
        ("1500.0 became 1500", sums(sum="1500.0"), sums(sum="1500")),
        ("1500 became 1500.0", sums(sum="1500"), sums(sum="1500.0")),
        ("1500 became 1500.00", sums(sum="1500"), sums(sum="1500.00")),
        ("1500.00 became 1500.0", sums(sum="1500.00"), sums(sum="1500.0")),
        ("1500.50 became 1.5005e3", sums(), sums(sum="1.5005e3")),
        ("a sum became text", sums(), sums(sum='"1500.50"', deal_sum='"16.00"', deal_rate='"92.40"')),
        ("a text became a sum", quoted, compact),
        ("only the rate lost a zero", sums(deal_sum="16"), sums(deal_sum="16", deal_rate="92.4")),
        ("a rate lost two of four decimals", sums(deal_rate="92.4000"), sums(deal_rate="92.4")),
        ("parsed and written by Python", sums(), json.dumps(floats)),
        ("parsed and written by Python without escapes", sums(), json.dumps(floats, ensure_ascii=False)),
        ("parsed and written by JavaScript", sums(), compact),
        ("parsed and written by JavaScript with indentation", sums(), json.dumps(whole, indent=2, ensure_ascii=False)),
        ("parsed and written by PHP", sums(), json.dumps(floats, separators=(",", ":")).replace("/", "\\/")),
        ("parsed and written by Go", sums(), in_order.replace("&", "\\u0026")),
        ("made by Python, parsed and written by JavaScript", json.dumps(floats), compact),
    )


def wrapped():
    """Bodies in something else: what, the received body."""
    encoded, gateway = base64.b64encode(BODY.encode()).decode(), {"httpMethod": "POST", "headers": {"X-KeyId": "service-1"}}
    return (
        ("as base64", encoded),
        ("as base64 with a line end", encoded + "\n"),
        ("as base64 in lines", base64.encodebytes(BODY.encode()).decode()),
        ("as a JSON string", json.dumps(BODY)),
        ("as a JSON string of base64", json.dumps(encoded)),
        ("in an event of a gateway", json.dumps({**gateway, "body": BODY, "isBase64Encoded": False})),
        ("in an event of a gateway, as base64", json.dumps({"body": encoded, "isBase64Encoded": True})),
        ("in a message of a queue", json.dumps({"message": {"data": encoded, "messageId": "1"}, "subscription": "s"})),
        ("in a list of items", "[" + json.dumps({"headers": {}}) + ',{"body":' + BODY + "}]"),
    )


def character_sets():
    """Bodies in another character set: what, the signed body, the received body."""
    latin = BODY.replace("Анна <А>", "José")
    return (
        ("in windows-1251", BODY, BODY.encode("cp1251")),
        ("in Latin-1", latin, latin.encode("latin-1")),
        ("in UTF-16", BODY, BODY.encode("utf-16")),
        ("in UTF-16BE without a mark", BODY, BODY.encode("utf-16-be")),
        ("read as Latin-1 and written as UTF-8", BODY, BODY.encode().decode("latin-1")),
        ("read as windows-1251 and written as UTF-8", latin, latin.encode().decode("cp1251")),
    )


def bodies():
    made = [explanation(f"a body, {what}", received, "body_changed", signed=signed) for what, signed, received in changes()]
    made += [explanation(f"amounts: {what}", received, "body_changed", signed=signed) for what, signed, received in numbers()]
    made += [explanation(f"a body {what}", received, "body_changed") for what, received in wrapped()]
    made += [explanation(f"a body {what}", received, "body_changed", signed=signed) for what, signed, received in character_sets()]
    for what, received in (
        ("empty", ""),
        ("of white space", " \r\n"),
        ("cut in the middle", BODY[:40]),
        ("cut in a character", BODY.encode()[: BODY.encode().index("Анна".encode()) + 3]),
        ("not UTF-8", b"\xff\x00"),
        ("with lost characters", BODY.replace("Анна", "\ufffd")),
    ):
        made.append(explanation(f"a body, {what}", received, "body_changed"))
    for what, received in wrapped():
        made.append(explanation(f"another body {what}", received, "body_changed", signed="{}"))
    for what, received in (
        ("another number", BODY.replace("1500", "1501")),
        ("another text", BODY.replace("doneSuccess", "doneFail")),
        ("a field less", BODY.replace('"success":true,', "")),
        ("a page", "<html>502</html>"),
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
