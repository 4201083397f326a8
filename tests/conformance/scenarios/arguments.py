"""What is refused before anything is sent, and what is sent of what is taken."""

import base64

from harness.behaviours import answer
from harness.scenario import *
from harness.service import MERCHANT, MERCHANT_ID, ORDER, SERVER, STRANGER, Reply, document, payment

suite = Suite("arguments")
add = suite.add

DONE = document(success=True, orderId=ORDER)
# Had it been sent, it would have been answered.
ready = answer(Reply(payment(availableAmounts=[], otherAmountsPossible=True)))
NUMBERS = {"go": "a sum is a decimal, which is a number"}
EMPTY = {"go": "an empty text is left out"}


def refuse(name: str, *steps: Call, without: dict[str, str] | None = None, unlike: dict[str, str] | None = None) -> None:
    add(name, *steps, server=ready, without=without, unlike=unlike)


for command in ("confirm", "cancel", "get_status", "attach_receipt"):
    fields = {"file": RECEIPT} if command == "attach_receipt" else {}
    for what, order_id in (("an empty", ""), ("a blank", "  ")):
        refuse(f"{command}: {what} order id", call(command, {**refused(), **({"order_id": order_id} if order_id else {})}, order_id=order_id, **fields))
refuse(
    "an order id with a NUL",
    get_status({**refused(), ...: ANY}, order_id=b"o-\0001"),
    without={"c": "a text ends at a NUL", "cli": "an argument ends at a NUL"},
    unlike={"order_id": "where C is underneath, such a text never becomes one of an error"},
)
refuse("an order id that is no UTF-8", get_status({**refused(), ...: ANY}, order_id=b"o-\xff"))

for sum_ in ("0", "0.00", "-1", "-0.01", "12345678901234567890123456789", "0.12345678901234567890123456789", "1e400"):
    refuse(f"a sum of {sum_[:12]}", new_payment(refused(), sum=sum_), new_payment_async(refused(), sum=sum_), amounts(refused(), sum=sum_))
for sum_ in ("", "abc", "1,5", "NaN", "Infinity", "1_000", "+1", ".5", "1.", " 1", "01", "0x10", "١"):
    refuse(f"a sum that is no number: {sum_!r}", new_payment(refused(), sum=sum_), without=NUMBERS)
for method in ("", "crypto", "SBP", "card "):
    refuse(f"payment method {method!r}", new_payment(refused(), payment_method=method), amounts(refused(), payment_method=method))
for currency in ("USD", "rub", "RUB "):
    refuse(f"currency {currency!r}", new_payment(refused(), currency=currency), new_payment_async(refused(), currency=currency))
refuse("an empty currency", new_payment(refused(), currency=""), without=EMPTY)
for account in ("", "   "):
    refuse(f"customer account {account!r}", new_payment(refused(), customer_account=account), new_payment_async(refused(), customer_account=account))
refuse("an empty bank of the payer", new_payment(refused(), payer_bank=""), without=EMPTY)
refuse("an empty merchant's id", new_payment(refused(), merchant_id=""), without=EMPTY)
for url in ("shop.example", "ftp://shop.example/", "/hook", "http://", "http:///hook", "https://shop.example/a b"):
    refuse(f"webhook URL {url!r}", new_payment(refused(), status_webhook_url=url), new_payment_async(refused(), credentials_webhook_url=url))
refuse("new-async without a URL for the credentials", new_payment_async(refused(), credentials_webhook_url=""))
refuse(
    "new with a URL for the credentials",
    new_payment(refused(), credentials_webhook_url="https://shop.example/"),
    without=dict.fromkeys(("python", "php"), "the method has no such argument"),
)
refuse("a negative drift", amounts(refused(), sum_drift_up="-1"), amounts(refused(), sum_drift_down="-0.01"))

for url in ("ftp://127.0.0.1", "127.0.0.1", "http://", "http://127.0.0.1/?a=1", "http://127.0.0.1/#a", "http://u:p@127.0.0.1/"):
    refuse(f"base URL {url}", get_status(refused(), base_url=url))
for key_id in ("k ey", "ключ"):
    refuse(f"key id {key_id!r}", get_status(refused(), key_id=key_id))
refuse("the service's key id is the merchant's own", get_status(refused(), server_key_id=[MERCHANT_ID]))

bad_key = error("invalid_key", "not_sent")
halves = base64.b64encode(MERCHANT.seed + base64.b64decode(STRANGER.public)).decode()
for what, key in (
    ("no base64", "!" * 88),
    ("without padding", MERCHANT.private.rstrip("=")),
    ("of 32 bytes", SERVER.public),
    ("of 65 bytes", base64.b64encode(bytes(65)).decode()),
    ("with halves that differ", halves),
):
    refuse(f"a private key {what}", get_status(bad_key, private_key=key))
for what, key in (
    ("no base64", "!" * 44),
    ("of 31 bytes", base64.b64encode(bytes(31)).decode()),
    ("that is no point", base64.b64encode(b"\x02" + bytes(31)).decode()),
    ("of a small order", base64.b64encode(b"\x01" + bytes(31)).decode()),
    ("that is the merchant's own", MERCHANT.public),
):
    refuse(f"a service's key {what}", get_status(bad_key, server_public_key=[key]))
refuse("a second service's key that is none", get_status(bad_key, server_public_key=[SERVER.public, "AAAA"]))

refuse("an authority's file that is missing", get_status(refused(), ca_file=str(FILES / "nothing.pem")))
refuse("an authority's file that is no certificate", get_status(refused(), ca_file=RECEIPT))
refuse("a proxy that is no URL", get_status(refused(), proxy="no proxy"))
refuse("a timeout of 0", get_status(refused(), timeout_ms=0), without={"go": "0 is unset"})
refuse("a timeout of 0 to connect", get_status(refused(), connect_timeout_ms=0), without={"go": "0 is unset", "cli": "it has no such setting"})

MEMORY = {"cli": "its receipts are files"}
for what, file in (("missing", "nothing.pdf"), ("a folder", "."), ("of another type", "r.txt"), ("empty", "empty.pdf")):
    refuse(f"a receipt that is {what}", attach({**refused(), ...: ANY}, file=str(FILES / file)))
refuse("a good receipt and a bad one", attach({**refused(), ...: ANY}, file=[RECEIPT, str(FILES / "r.txt")]))
refuse(
    "no receipt at all",
    attach({**refused(), ...: ANY}),
    unlike={"order_id": "the command line is refused as a whole before it is read"},
)
for what, fields in (
    ("of another type", {"file_type": "text/plain"}),
    ("without a name", {"file_name": ""}),
    ("with a line in its name", {"file_name": "a\r\nb.pdf"}),
    ("without bytes", {"file_data": b""}),
):
    memory = {"file_name": "r.pdf", "file_type": "application/pdf", "file_data": b"%PDF", **fields}
    refuse(f"a receipt in memory {what}", attach({**refused(), ...: ANY}, **memory), without=MEMORY)


def part(name: str, kind: str, data: bytes) -> str:
    body = (
        b'--BOUNDARY\r\nContent-Disposition: form-data; name="orderId"\r\n\r\no-1\r\n'
        b'--BOUNDARY\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\nContent-Type: %s\r\n\r\n%s\r\n--BOUNDARY--\r\n'
        % (name.encode(), kind.encode(), data)
    )
    return f"receipt/attach multipart/form-data {body!r}"


taken = answer(Reply(DONE))
for file, kind, data in (
    ("r.pdf", "application/pdf", b"%PDF-1.7"),
    ("scan", "image/png", b"\x89PNG\r\n\x1a\n"),
    ("r.jpeg", "image/jpeg", b"\xff\xd8\xff\xe0"),
):
    add(f"the receipt {file} is sent", attach(ok(), file=str(FILES / file)), server=taken, requests={"receipt/attach": 1}, sends=part(file, kind, data))
for kind in ("application/pdf", "image/jpeg", "image/jpg", "image/png"):
    add(
        f"a receipt in memory is sent as {kind}",
        attach(ok(), file_name='a"b.bin', file_type=kind, file_data=b"\0\r\n--\xff"),
        server=taken,
        requests={"receipt/attach": 1},
        sends=part("a%22b.bin", kind, b"\0\r\n--\xff"),
        without=MEMORY,
    )


def body(operation: str, **fields: object) -> str:
    return f"{operation} application/json {document(**fields).encode()!r}"


add(
    "every field of new is sent as it was given",
    new_payment(ok_with(), currency="RUB", payer_bank="b\"1", merchant_id="счёт 7", status_webhook_url=HOOK),
    server=ready,
    requests={"new": 1},
    sends=body(
        "new", sum="@1500.50", currency="RUB", paymentMethod="sbp", customerAccount="79001234567", statusWebhookUrl="http://hook", payerBank='b"1',
        merchantId="счёт 7",
    ),
)  # fmt: skip
add(
    "every field of new-async is sent as it was given",
    new_payment_async(ok_with(), payer_bank="b", merchant_id="m", status_webhook_url=HOOK, credentials_webhook_url=HOOK, payment_method="card"),
    server=ready,
    requests={"new-async": 1},
    sends=body(
        "new-async", sum="@1500.50", currency="RUB", paymentMethod="card", customerAccount="79001234567", statusWebhookUrl="http://hook",
        credentialsWebhookUrl="http://hook", payerBank="b", merchantId="m",
    ),
)  # fmt: skip
add(
    "every field of available is sent as it was given",
    amounts(ok_with(), sum="0.10", sum_drift_up="0", sum_drift_down="10.00", customer_account="a"),
    server=ready,
    requests={"available": 1},
    sends=body(
        "available", sum="@0.10", currency="RUB", paymentMethod="card", customerAccount="a", sumDriftUp="@0", sumDriftDown="@10.00"
    ),
)  # fmt: skip
for sum_, sent in (("1", "1"), ("1500.5", "1500.5"), ("1500.500", "1500.500"), ("1234567890123456789012345678", None), ("0.0000000001", None), ("1.5e3", "1500")):
    add(
        f"a sum of {sum_[:12]} is sent with its digits",
        new_payment(ok_with(), sum=sum_),
        server=ready,
        requests={"new": 1},
        sends=body("new", sum="@" + (sent or sum_), currency="RUB", paymentMethod="sbp", customerAccount="79001234567"),
    )
