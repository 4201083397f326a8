"""Arguments that are refused before anything is sent, and the requests of accepted arguments."""

import base64

from harness.behaviours import answer
from harness.scenario import *
from harness.service import MERCHANT, MERCHANT_ID, ORDER, OTHER, SERVER, Reply, document, payment

suite = Suite("arguments")
add = suite.add

DONE = document(success=True, orderId=ORDER)
# The server answers, so a request that is sent by mistake would succeed.
ready = answer(Reply(payment(availableAmounts=[], otherAmountsPossible=True)))
NUMBERS = {"go": "a sum is a decimal, which is a number"}
EMPTY = {"go": "an empty text is left out"}


def refuse(name: str, *steps: Call, without: dict[str, str] | None = None, unlike: dict[str, str] | None = None) -> None:
    add(name, *steps, server=ready, without=without, unlike=unlike)


# One case of each kind shows that a language checks its arguments. tests/contract/vectors lists every refused
# value.
refuse("an empty order id", get_status(refused(), order_id=""))
refuse(
    "a blank order id",
    confirm(refused(order_id="  "), order_id="  "),
    cancel(refused(order_id="  "), order_id="  "),
    get_status(refused(order_id="  "), order_id="  "),
    attach(refused(order_id="  "), order_id="  ", file=RECEIPT),
)
refuse("a sum of 0", new_payment(refused(), sum="0"), new_payment_async(refused(), sum="0"), amounts(refused(), sum="0"))
refuse("a sum that is not a number", new_payment(refused(), sum="1,5"), without=NUMBERS)
refuse("an unknown payment method", new_payment(refused(), payment_method="crypto"), amounts(refused(), payment_method="crypto"))
refuse(
    "an unknown currency",
    new_payment(refused(), currency="USD"),
    new_payment_async(refused(), currency="USD"),
    amounts(refused(), currency="USD"),
)
refuse("an empty bank of the payer", new_payment(refused(), payer_bank=""), without=EMPTY)
refuse("an empty account", new_payment(refused(), customer_account=""), new_payment_async(refused(), customer_account=""))
refuse(
    "a webhook URL that is not absolute",
    new_payment(refused(), status_webhook_url="/hook"),
    new_payment_async(refused(), credentials_webhook_url="/hook"),
)
refuse("a negative drift", amounts(refused(), sum_drift_up="-1"), amounts(refused(), sum_drift_down="-0.01"))

refuse("a base URL that is not http", get_status(refused(), base_url="ftp://127.0.0.1"))
refuse("a key id with a blank", get_status(refused(), key_id="k ey"))
refuse("the service's key id is the merchant's own", get_status(refused(), server_key_id=[MERCHANT_ID]))

bad_key = error("invalid_key", "not_sent")
halves = base64.b64encode(MERCHANT.seed + base64.b64decode(OTHER.public)).decode()
refuse("a private key whose halves differ", get_status(bad_key, private_key=halves))
refuse("the service's key is the merchant's own", get_status(bad_key, server_public_key=[MERCHANT.public]))
refuse("a second key of the service that is not a key", get_status(bad_key, server_public_key=[SERVER.public, "AAAA"]))

refuse("an authority's file that is missing", get_status(refused(), ca_file=str(FILES / "nothing.pem")))
refuse("an authority's file that is no certificate", get_status(refused(), ca_file=RECEIPT))
refuse("a proxy that is not a URL", get_status(refused(), proxy="no proxy"))
refuse("a proxy that would read plain http", get_status(refused(), proxy="http://127.0.0.1:9"))
refuse("a timeout of 0", get_status(refused(), timeout_ms=0), without={"go": "0 is unset"})
refuse("a timeout of 0 to connect", get_status(refused(), connect_timeout_ms=0), without={"go": "0 is unset"})

MEMORY = {"shell": "its receipts are files"}
for what, file in (
    ("missing", "nothing.pdf"),
    ("a folder", "."),
    ("of another type", "r.txt"),
    ("HEIC under the name of a JPEG", "heic.jpg"),
    ("empty", "empty.pdf"),
):
    refuse(f"a receipt that is {what}", attach({**refused(), ...: ANY}, file=str(FILES / file)))
refuse("a good receipt and a bad one", attach({**refused(), ...: ANY}, file=[RECEIPT, str(FILES / "r.txt")]))
refuse(
    "no receipt at all",
    attach({**refused(), ...: ANY}),
    unlike={"order_id": "the command line is refused as a whole before it is read"},
)
memory = {"file_name": "r.pdf", "file_type": "text/plain", "file_data": b"%PDF"}
refuse("a receipt in memory of another type", attach({**refused(), ...: ANY}, **memory), without=MEMORY)
memory = {"file_name": "r.png", "file_type": "image/png", "file_data": b"%PDF"}
refuse("a receipt in memory that is not of its type", attach({**refused(), ...: ANY}, **memory), without=MEMORY)


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
    ("photo.jpg", "application/pdf", b"%PDF-1.4"),
):
    add(
        f"the receipt {file} is sent",
        attach(ok(), file=str(FILES / file)),
        server=taken,
        sends=part(file, kind, data),
    )
add(
    "a receipt in memory is sent",
    attach(ok(), file_name='a"b.bin', file_type="image/jpg", file_data=b"\xff\xd8\xff\0\r\n--\xff"),
    server=taken,
    sends=part("a%22b.bin", "image/jpg", b"\xff\xd8\xff\0\r\n--\xff"),
    without=MEMORY,
)


def body(operation: str, **fields: object) -> str:
    return f"{operation} application/json {document(**fields).encode()!r}"


add(
    "every field of new is sent as it was given",
    new_payment(ok_with(), currency="RUB", payer_bank="b\"1", merchant_id="счёт 7", status_webhook_url=HOOK),
    server=ready,
    sends=body(
        "new", sum="@1500.50", currency="RUB", paymentMethod="sbp", customerAccount="79001234567", statusWebhookUrl="http://hook", payerBank='b"1',
        merchantId="счёт 7",
    ),
)  # fmt: skip
add(
    "every field of new-async is sent as it was given",
    new_payment_async(ok_with(), payer_bank="b", merchant_id="m", status_webhook_url=HOOK, credentials_webhook_url=HOOK, payment_method="card"),
    server=ready,
    sends=body(
        "new-async", sum="@1500.50", currency="RUB", paymentMethod="card", customerAccount="79001234567", statusWebhookUrl="http://hook",
        credentialsWebhookUrl="http://hook", payerBank="b", merchantId="m",
    ),
)  # fmt: skip
add(
    "every field of available is sent as it was given",
    amounts(ok_with(), sum="0.10", sum_drift_up="0", sum_drift_down="10.00", customer_account="a"),
    server=ready,
    sends=body(
        "available", sum="@0.10", currency="RUB", paymentMethod="card", customerAccount="a", sumDriftUp="@0", sumDriftDown="@10.00"
    ),
)  # fmt: skip
