"""These cases test webhooks: the unchanged body, the signature, the key id, and the event or the error
(contract, section 6)."""

from .common import MERCHANT, MERCHANT_ID, NEXT, NEXT_ID, ONE, OTHER, ROTATING, SERVICE, SERVICE_ID, webhook
from .failures import malformed, unverified
from .forms import signatures, unreadable
from .replies import CREDENTIALS, READ, success

FINAL = ("doneSuccess", "doneFail", "arbitrageCancelledByMerchant")


def event(kind, final=False, order_id="o-1", **fields):
    return {"event": kind, "payment": {"orderId": order_id, **fields}, "final": final}


UNVERIFIED = unverified(None)
STATUS = success(',"status":"doneSuccess"')
DONE, FAILED = (event("status", True, status=status) for status in FINAL[:2])


def entries():
    return events() + no_events() + bodies() + signed() + key_ids()


def events():
    made = []
    for what, body, expected in (
        ("credentials of an account alone", success(',"payeeAccount":"2200"'), event("credentials", payeeAccount="2200")),
        ("credentials of a link alone", success(',"deeplink":"https://d"'), event("credentials", deeplink="https://d")),
        ("no credentials, with fields that nobody knows", '{"x":1,"success":false,"orderId":"o-1"}', event("credentials_failed")),
        ("a status, with fields that nobody knows", success(',"status":"doneFail","extra":[1,{"a":2}]'), FAILED),
        (
            "amounts keep their digits",
            success(',"status":"doneFail","sum":1500.500,"dealSum":1.10'),
            event("status", True, status="doneFail", sum="1500.500", dealSum="1.10"),
        ),
        ("blanks between everything", '\n{ "success" : true , "orderId":"o-1", "status":"doneFail" }\n', FAILED),
        ("an order id of any text", '{"success":false,"orderId":"\\u0416 😀\\n"}', event("credentials_failed", order_id="Ж 😀\n")),
        ("null is absent", success(',"status":null,"payeeAccount":"1","sum":null'), event("credentials", payeeAccount="1")),
        (
            "a paid sum that changed",
            success(',"status":"doneSuccess","sum":1499.9'),
            event("status", True, status="doneSuccess", sum="1499.9"),
        ),
    ):
        made.append(webhook(what, body, expected))
    for status in ("receiptRequired", *FINAL):
        read = event("status", status in FINAL, **READ, status=status)
        made.append(webhook(f"the status {status} with everything", success(f',"status":"{status}",{CREDENTIALS}'), read))
    return made


def no_events():
    """Signed by the service, but not a webhook: mostly replayed replies."""
    made = []
    for what, body in (
        ("the status free, which is never sent, with everything", success(f',{CREDENTIALS},"status":"free"')),
        ("a success with a sum alone", '{"success":true,"orderId":"o-1","sum":1}'),
        ("a refusal with credentials", f'{{"success":false,"orderId":"o-1",{CREDENTIALS},"errorDescription":"a"}}'),
        ("a refusal by error", '{"success":false,"orderId":"o-1","error":"x"}'),
        ("a failure with a status", '{"success":false,"orderId":"o-1","status":"doneFail"}'),
        ("no success", '{"orderId":"o-1","status":"doneSuccess"}'),
        ("a success of null", '{"success":null,"orderId":"o-1","status":"doneSuccess"}'),
        ("a success that is a text", '{"success":"true","orderId":"o-1","status":"doneSuccess"}'),
        ("a success that is a number", '{"success":1,"orderId":"o-1","status":"doneSuccess"}'),
    ):
        made.append(webhook(what, body, malformed()))
    for what, body in (
        ("no order id", '{"success":true,"status":"doneSuccess"}'),
        ("an order id of null", '{"success":true,"orderId":null,"status":"doneSuccess"}'),
        ("an empty order id", '{"success":true,"orderId":"","status":"doneSuccess"}'),
        ("an order id that is a number", '{"success":true,"orderId":1,"status":"doneSuccess"}'),
        ("a NUL in the order id", '{"success":true,"orderId":"o\\u0000","status":"doneSuccess"}'),
    ):
        made.append(webhook(what, body, malformed(None)))
    return made


def bodies():
    """Bodies that are signed but unreadable."""
    made = []
    for what, body in (
        *unreadable('"success":true,"orderId":"o-1","status":"doneSuccess"'),
        ("a status twice", STATUS.encode()[:-1] + b',"status":"doneFail"}'),
        ("a byte that is not text after it", STATUS.encode() + b"\xff"),
        ("a form", b"success=true&orderId=o-1&status=doneSuccess"),
    ):
        made.append(webhook(f"signed, but {what}", body, malformed(None)))
    for field, lexeme in (
        ("sum", '"1"'),
        ("sum", "1e400"),
        ("sum", "1" * 29),
        ("dealRate", "true"),
        ("status", "1"),
        ("payeeAccount", "2200"),
        ("payeeAccount", '"22\\u000000"'),
    ):
        status = "" if field == "status" else ',"status":"doneSuccess"'
        # The error has no order id, because it reports no part of the payment.
        made.append(webhook(f"{field} as {lexeme}", success(f'{status},"{field}":{lexeme}'), malformed(None)))
    return made


def signed():
    text = SERVICE.sign(STATUS.encode())
    made = []
    for what, signature, verifies in (
        *signatures(STATUS.encode()),
        ("with a line end behind it", text + "\n", False),
        ("with a NUL behind it", text + "\0", False),
        ("twice", f"{text},{text}", False),
        ("of another body", SERVICE.sign(b"{}"), False),
        ("of another key", OTHER.sign(STATUS.encode()), False),
        ("of our own", MERCHANT.sign(STATUS.encode()), False),
    ):
        made.append(webhook(f"a signature {what}", STATUS, DONE if verifies else UNVERIFIED, signature=signature))
    for what, body in (
        ("a changed letter", STATUS.replace("doneSuccess", "doneFail")),
        ("a blank more", STATUS + " "),
        ("a line end more", STATUS + "\n"),
        ("a byte less", STATUS[:-1]),
        ("blanks behind the colons", STATUS.replace(":", ": ")),
        ("no body", ""),
        ("a NUL more", STATUS + "\0"),
    ):
        made.append(webhook(f"signed, and then {what}", body, UNVERIFIED, signature=text))
    return made


def key_ids():
    made = []
    for what, key, key_id, expected, settings in (
        ("none where any is accepted", SERVICE, None, DONE, {}),
        ("any where any is accepted", SERVICE, "whoever", DONE, {}),
        ("none where one is configured: the contract names no header", SERVICE, None, DONE, ONE),
        ("an empty one where any is accepted", SERVICE, "", DONE, {}),
        ("an empty one where one is configured", SERVICE, "", DONE, ONE),
        ("a blank one where one is configured", SERVICE, " \t", DONE, ONE),
        ("the one that is configured", SERVICE, SERVICE_ID, DONE, ONE),
        ("another one", SERVICE, NEXT_ID, UNVERIFIED, ONE),
        ("in other letters", SERVICE, "SERVICE-1", UNVERIFIED, ONE),
        ("our own", SERVICE, MERCHANT_ID, UNVERIFIED, {}),
        ("our own where one is configured", SERVICE, MERCHANT_ID, UNVERIFIED, ONE),
        ("our own where ours is not configured", SERVICE, MERCHANT_ID, DONE, {"key_id": None}),
        ("with a NUL behind it", SERVICE, SERVICE_ID + "\0", UNVERIFIED, ONE),
        ("the first in rotation", SERVICE, SERVICE_ID, DONE, ROTATING),
        ("the next in rotation", NEXT, NEXT_ID, DONE, ROTATING),
        ("exchanged in rotation: it is not signed", NEXT, SERVICE_ID, DONE, ROTATING),
        ("a third in rotation", SERVICE, "service-3", UNVERIFIED, ROTATING),
        ("the next before it is configured", NEXT, NEXT_ID, UNVERIFIED, {}),
        ("the old one after it was taken away", SERVICE, SERVICE_ID, UNVERIFIED, {"server_public_keys": [NEXT.public]}),
    ):
        made.append(webhook(f"a key id, {what}", STATUS, expected, signature=key.sign(STATUS.encode()), key_id=key_id, settings=settings))
    return made
