"""These cases test the request of each operation: its exact URL, headers, bytes and signature. They also test
arguments that the library refuses before it signs anything."""

import base64

from foreign import Number, flip, written

from .common import ARGUMENTS, MERCHANT, MERCHANT_ID, NEW, OTHER, PATHS, PREFIX, failure, not_sent, with_settings

# The order of the fields in a body. The contract requires no order; the library always uses this order.
FIELDS = {
    "getAvailableAmounts": ("sum", "currency", "paymentMethod", "customerAccount", "sumDriftUp", "sumDriftDown"),
    "newPayment": ("sum", "currency", "paymentMethod", "customerAccount", "statusWebhookUrl", "payerBank", "merchantId"),
    "newPaymentAsync": (
        "sum", "currency", "paymentMethod", "customerAccount", "statusWebhookUrl", "credentialsWebhookUrl", "payerBank", "merchantId",
    ),
}  # fmt: skip
CREDENTIALS = "credentialsWebhookUrl"
AMOUNTS = ("sum", "sumDriftUp", "sumDriftDown")
# Optional texts, which are invalid if they are given and empty.
OPTIONAL_TEXTS = {
    "getAvailableAmounts": ("currency",),
    "newPayment": ("currency", "payerBank", "merchantId", "statusWebhookUrl"),
    "newPaymentAsync": ("currency", "payerBank", "merchantId", "statusWebhookUrl"),
}

# Texts that programs handle wrongly: by escaping too much or too little, by normalising, by cutting.
AWKWARD = {
    "quotes and backslashes": 'a "quoted" \\ back\\slash\\',
    "control characters": "\x01\x02\b\t\n\x0b\f\r\x1f",
    "DEL and C1": "\x7f\x80\x9f",
    "a slash": "</script>/",
    "an escape as text": "\\u0041\\n%00&amp;",
    "Cyrillic": "Иван Петров, ёЁ",
    "composed and decomposed": "é e\u0301",
    "emoji": "😀 👩‍👩‍👧 🏳️‍🌈",
    "line separators": "a\u2028b\u2029c",
    "marks of direction": "a\u202eb\u200f\u2066c",
    "a byte order mark": "\ufeffa",
    "the last characters": "\ud7ff\ue000\ufffd\uffff\U00010000\U0010ffff",
    "blanks around it": "  7900  ",
    "blanks that are not ASCII": "a\u00a0b\u3000c",
    "JSON": '{"orderId":"o-2"}',
    "a number": "1e400",
    "an apostrophe": "O'Neill; --",
    "a thousand letters": "я" * 1000,
}


def request(name, operation, arguments, *, amounts=None, settings=None, key=MERCHANT, url="https://pay.example", key_id=MERCHANT_ID):
    """`amounts` are the sent digits, if they differ from the given ones."""
    if operation in FIELDS:
        sent = {"currency": "RUB", **arguments, **(amounts or {})}
        assert set(sent) <= set(FIELDS[operation])
        fields = [(field, Number(sent[field]) if field in AMOUNTS else sent[field]) for field in FIELDS[operation] if field in sent]
    else:
        fields = list(arguments.items())
    body = written(fields)
    headers = [["Content-Type", "application/json"], ["X-KeyId", key_id], ["X-Signature", key.sign(body.encode())]]
    expected = {"url": url + PREFIX + PATHS[operation], "headers": headers, "body": body}
    return with_settings({"kind": "request", "name": name, "operation": operation, "arguments": arguments, "expected": expected}, settings)


def refused(name, operation, arguments, field=None):
    """The error's message names the field, as the language spells it. Other messages describe the value."""
    expected = failure("invalid_argument", "not_sent", **({"names": snake(field)} if field else {}))
    return {"kind": "request", "name": name, "operation": operation, "arguments": arguments, "expected": expected}


def snake(name):
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


def signed_by_callback(name, returned, expected, operation="newPayment"):
    """A request whose signature a callback returns, if `returned` is bytes; otherwise the callback fails."""
    made = request(name, operation, ARGUMENTS[operation])
    settings = {"private_key": None, "public_key": MERCHANT.public}
    signer = {"returns": returned.hex()} if isinstance(returned, bytes) else {"fails": returned}
    return {**made, "expected": {**made["expected"], **expected}, "settings": settings, "signer": signer}


def signers():
    made = []
    for operation in (name for name in PATHS if name != "attachReceipt"):
        body = request("", operation, ARGUMENTS[operation])["expected"]["body"].encode()
        signature = base64.b64decode(MERCHANT.sign(body))
        made.append(signed_by_callback(f"{operation} that a callback signs", signature, {}, operation))
    body = request("", "newPayment", NEW)["expected"]["body"].encode()
    signature = base64.b64decode(MERCHANT.sign(body))
    for what, returned in (
        ("of another key", base64.b64decode(OTHER.sign(body))),
        ("of another message", base64.b64decode(MERCHANT.sign(body + b" "))),
        ("with one bit changed", flip(signature)),
        ("of zeros", bytes(64)),
        ("that is too short", signature[:-1]),
        ("that is too long", signature + b"\0"),
        ("that is empty", b""),
    ):
        # 64 bytes that do not verify are blamed on the key, another length on the signer.
        error = not_sent("invalid_key" if len(returned) == 64 else "signer")
        made.append(signed_by_callback(f"a callback returns a signature {what}", returned, error))
    made.append(signed_by_callback("a callback fails", "the module is locked", not_sent("signer")))
    return made


def entries():
    made = [
        request(f"{operation} with what it needs", operation, ARGUMENTS[operation]) for operation in PATHS if operation != "attachReceipt"
    ]
    optional = {
        "getAvailableAmounts": {"currency": "RUB", "customerAccount": "2200 1234", "sumDriftUp": "10", "sumDriftDown": "0.50"},
        "newPayment": {"currency": "RUB", "statusWebhookUrl": "https://shop.example/s", "payerBank": "100000000111", "merchantId": "42"},
    }
    optional["newPaymentAsync"] = optional["newPayment"]
    for operation, fields in optional.items():
        made += [request(f"{operation} with {field}", operation, {**ARGUMENTS[operation], field: fields[field]}) for field in fields]
        made.append(request(f"{operation} with everything", operation, {**ARGUMENTS[operation], **fields}))
    no_drift = {"sum": "1", "paymentMethod": "sbp", "sumDriftUp": "0", "sumDriftDown": "0.00"}
    made += [
        request("newPayment by card", "newPayment", {**NEW, "paymentMethod": "card"}),
        request("a drift of 0 is sent", "getAvailableAmounts", no_drift),
    ]
    for sum_ in ("1", "1500.500", "1.5e3", "0.0000000001", "1234567890123456789012345678"):
        for operation in ("newPayment", "newPaymentAsync"):
            arguments, digits = {**ARGUMENTS[operation], "sum": sum_}, {"sum": "1500" if "e" in sum_ else sum_}
            made.append(request(f"{operation} of {sum_}", operation, arguments, amounts=digits))
    for what, text in AWKWARD.items():
        made.append(request(f"an order id with {what}", "getStatus", {"orderId": text}))
        made.append(request(f"an account with {what}", "newPayment", {**NEW, "customerAccount": text}))
    for operation, field in (("newPayment", "payerBank"), ("newPaymentAsync", "merchantId"), ("getAvailableAmounts", "customerAccount")):
        for what in ("quotes and backslashes", "control characters", "emoji"):
            made.append(request(f"{operation}'s {field} with {what}", operation, {**ARGUMENTS[operation], field: AWKWARD[what]}))
    for url in (
        "http://127.0.0.1:8080/hook",
        "https://shop.example",
        "https://shop.example/hook/1?token=a%20b&c='",
        "https://[2001:db8::1]:8443/hook",
        "https://xn--e1afmkfd.xn--p1ai/hook",
        "HTTPS://SHOP.EXAMPLE/Hook",
    ):
        made.append(request(f"the status webhook {url}", "newPayment", {**NEW, "statusWebhookUrl": url}))
        made.append(request(f"the credentials webhook {url}", "newPaymentAsync", {**NEW, "credentialsWebhookUrl": url}))
    for url in (
        "shop.example/hook",
        "/hook",
        "ftp://shop.example/hook",
        "javascript:alert(1)",
        "https://",
        "https:///hook",
        "https://user:word@shop.example/hook",
        "https://user@shop.example/hook",
        "https://shop.example:99999/hook",
        "https://shop.example:/hook",
        "https://shop.example/a b",
        "https://shop.example/a\nb",
        "https://пример.рф/hook",
        " ",
    ):
        made.append(refused(f"no status webhook: {ascii(url)}", "newPayment", {**NEW, "statusWebhookUrl": url}, "statusWebhookUrl"))
        made.append(refused(f"no credentials webhook: {ascii(url)}", "newPaymentAsync", {**NEW, "credentialsWebhookUrl": url}, CREDENTIALS))

    def without(what, operation, field, text):
        made.append(refused(f"{operation} {what}", operation, {**ARGUMENTS[operation], field: text}, field))

    without("without a credentials webhook", "newPaymentAsync", CREDENTIALS, "")
    for operation in ("getAvailableAmounts", "newPayment", "newPaymentAsync"):
        good = ARGUMENTS[operation]
        for sum_ in ("0", "0.00", "-1", "-0.01", "1e400", "12345678901234567890123456789", "0.12345678901234567890123456789"):
            made.append(refused(f"{operation} of {sum_}", operation, {**good, "sum": sum_}, "sum"))
        for currency in ("USD", "rub", "RUB ", "643"):
            made.append(refused(f"{operation} in {currency!r}", operation, {**good, "currency": currency}, "currency"))
        for method in ("", "cash", "crypto", "SBP", "card ", "card,sbp"):
            made.append(refused(f"{operation} by {method!r}", operation, {**good, "paymentMethod": method}, "paymentMethod"))
        without("with a blank account", operation, "customerAccount", " ")
        without("with a NUL in the account", operation, "customerAccount", "7900\x00123")
    made.append(refused("newPayment with a credentials webhook", "newPayment", ARGUMENTS["newPaymentAsync"], CREDENTIALS))
    for operation, fields in OPTIONAL_TEXTS.items():
        for field in fields:
            without(f"with an empty {field}", operation, field, "")
    for operation in ("newPayment", "newPaymentAsync"):
        without("without an account", operation, "customerAccount", "")
        for field in ("payerBank", "merchantId"):
            without(f"with a blank {field}", operation, field, " \t")
            without(f"with a NUL in {field}", operation, field, "a\0")
    for field in ("sumDriftUp", "sumDriftDown"):
        made.append(refused(f"a negative {field}", "getAvailableAmounts", {**ARGUMENTS["getAvailableAmounts"], field: "-0.01"}, field))
    for operation in ("confirm", "cancel", "getStatus"):
        for what, text in (("no", ""), ("a blank", " "), ("a tab for an", "\t"), ("a NUL in the", "o-1\0"), ("a NUL for an", "\0")):
            without(f"with {what} order id", operation, "orderId", text)
    return made + elsewhere() + signers()


def elsewhere():
    """Requests for other services and other merchants."""
    made = []
    for given, url in (
        ("https://pay.example/", "https://pay.example"),
        ("https://pay.example/v2/gate/", "https://pay.example/v2/gate"),
        ("https://pay.example//", "https://pay.example"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("https://[::1]:8443/a", "https://[::1]:8443/a"),
    ):
        for operation in ("confirm", "getAvailableAmounts"):
            name = f"{operation} at {given}"
            made.append(request(name, operation, ARGUMENTS[operation], settings={"base_url": given}, url=url))
    other = {"key_id": "!~\"{}'", "private_key": OTHER.private, "public_key": OTHER.public}
    for operation in ("confirm", "newPayment"):
        name = f"{operation} of another merchant"
        made.append(request(name, operation, ARGUMENTS[operation], settings=other, key=OTHER, key_id=other["key_id"]))
    return made
