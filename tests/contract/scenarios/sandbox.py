"""Whole payments with the sandbox: every operation, every transition, its faults, its webhooks."""

from harness.scenario import *
from harness.service import OTHER

suite = Suite("sandbox")
add = suite.add


def operator(action: str) -> Control:
    return Control("/payments/{order}/operator", {"action": action})


def customer(pays: str) -> Control:
    return Control("/payments/{order}/customer", {"pays": pays})


def fault(kind: str, operation: str, **fields: object) -> Control:
    return Control("/faults", {"kind": kind, "operation": operation, **fields})


def with_next(action: str, **fields: object) -> Control:
    return Control("/payments/{order}/webhooks", {"action": action, **fields})


NEW = new_payment(ok_with(sum="1500.50", currency="RUB", deal_sum="1455.48", deal_currency="RUB", deal_rate="1"))
PENDING = get_status(ok_with(sum="1500.50", status="pending", final="0"), order_id=LAST)


def state(status: str, final: str, **fields: str) -> Call:
    return get_status(ok_with(status=status, final=final, **fields), order_id=LAST)


CONFIRM = confirm(ok(), order_id=LAST)
CANCEL = cancel(ok(), order_id=LAST)
NO_CANCEL = cancel(rejected("payment could not be canceled", "payment_could_not_be_canceled", http_status=403), order_id=LAST)
SUCCESS, FAIL = state("doneSuccess", "1"), state("doneFail", "1")

add("available", amounts(ok_with()))
add("available: drifts", amounts(ok_with(), sum_drift_up="100", sum_drift_down="0.50", customer_account="a"))
add("new, and its status", NEW, PENDING)
add("new by card", new_payment(ok_with(sum="2000"), sum="2000", payment_method="card", payer_bank="b", merchant_id="m-1"))
add("new: the account alone", new_payment(ok_with(sum="1500.50"), customer_account="bare-credentials"), PENDING)
add("approved", NEW, CONFIRM, PENDING, operator("approve"), SUCCESS, NO_CANCEL)
add("failed", NEW, CONFIRM, operator("fail"), FAIL, NO_CANCEL)
add("cancelled before it was paid", NEW, CANCEL, FAIL)
add("not cancelled while it is checked", NEW, CONFIRM, NO_CANCEL, PENDING)
add("not confirmed twice", NEW, CONFIRM, confirm(rejected("payment could not be confirmed", http_status=409), order_id=LAST))  # fmt: skip
add("the customer pays less", NEW, customer("less"), CONFIRM, operator("approve"), state("doneSuccess", "1", sum="1350.45", deal_sum="1455.48"))  # fmt: skip
add("the customer pays more", NEW, customer("more"), CONFIRM, operator("approve"), state("doneSuccess", "1", sum="1650.55", deal_sum="1455.48"))  # fmt: skip
add("the customer pays nothing", NEW, customer("nothing"), FAIL)

DISPUTED = (NEW, CONFIRM, operator("requireReceipt"), state("receiptRequired", "0"))
attached = attach(ok(), order_id=LAST, file=[RECEIPT, str(FILES / "scan")])
add("a receipt ends a dispute", *DISPUTED, attached, PENDING, operator("approve"), SUCCESS)
add("a receipt that nobody asked for", NEW, attach(rejected("receipt is not required", http_status=409), order_id=LAST, file=RECEIPT))  # fmt: skip
add("cancelled where a receipt is asked for", *DISPUTED, CANCEL, state("arbitrageCancelledByMerchant", "1"), NO_CANCEL)
add("cancelled in arbitration", NEW, operator("arbitration"), PENDING, CANCEL, state("arbitrageCancelledByMerchant", "1"))

UNKNOWN = rejected("order not found", "order_not_found", http_status=404)
for name, command in (("confirm", confirm), ("cancel", cancel), ("status", get_status)):
    add(f"{name}: an order that is not there", command({**UNKNOWN, "order_id": "sb-0"}, order_id="sb-0"))
    bad = rejected("invalid orderId", "invalid_order_id", http_status=400)
    add(f"{name}: an order id that cannot be one", command({**bad, "order_id": "no such/id"}, order_id="no such/id"))
add("attach: an order that is not there", attach({**UNKNOWN, "order_id": "sb-0"}, order_id="sb-0", file=RECEIPT))
NOT_EXPLAINED = (
    "invalid signature (not_explained): No known change explains the signature. Sign the exact bytes that you send, by the private key whose public "
    "key the service has."
)
UNKNOWN_KEY_ID = "invalid signature (key_id): X-KeyId is not a known key id. Send the key id that the service issued to you as X-KeyId."
REFUSED = rejected(NOT_EXPLAINED, http_status=401)
add("a key id that is nobody's", new_payment(rejected(UNKNOWN_KEY_ID, http_status=401), key_id="merchant-2"))
add("a key that is another merchant's", get_status({**REFUSED, "order_id": "sb-0"}, order_id="sb-0", private_key=OTHER.private))
add("status of a payment whose payee is looked for", new_payment_async(ok_with(), customer_account="stays-free"), state("free", "0"), NO_CANCEL,
    operator("fail"), FAIL)  # fmt: skip

NEW_ASYNC = new_payment_async(ok_with(), credentials_webhook_url=HOOK, status_webhook_url=HOOK)
ISSUED = Webhook(ok_with(kind="credentials", sum="1500.50", currency="RUB", deal_sum="1455.48"))


def changed(status: str, final: str) -> Webhook:
    return Webhook(ok_with(kind="status", status=status, final=final))


add("new-async: credentials, then the end", NEW_ASYNC, ISSUED, CONFIRM, operator("approve"), changed("doneSuccess", "1"), SUCCESS)
add("new-async: disputed, receipt, failed", NEW_ASYNC, ISSUED, CONFIRM, operator("requireReceipt"), changed("receiptRequired", "0"), attached,
    operator("fail"), changed("doneFail", "1"))  # fmt: skip
add("new-async: cancelled in arbitration", NEW_ASYNC, ISSUED, operator("arbitration"), CANCEL, changed("arbitrageCancelledByMerchant", "1"))
add("new-async: no credentials", new_payment_async(ok_with(), credentials_webhook_url=HOOK, customer_account="stays-free"), operator("fail"),
    Webhook(ok_with(kind="credentials_failed")))  # fmt: skip
add("new-async: the account alone", new_payment_async(ok_with(), credentials_webhook_url=HOOK, customer_account="bare-credentials"),
    Webhook(ok_with(kind="credentials", payee_account=ANY)))  # fmt: skip
for action in ("tamper", "wrongKey", "unsigned"):
    add(f"a webhook: {action}", NEW_ASYNC, ISSUED, with_next(action), operator("approve"), Webhook(unverified(None)),
        without={"shell": "its flag for the signature is required"} if action == "unsigned" else None)  # fmt: skip
add("a webhook twice", NEW_ASYNC, ISSUED, with_next("duplicate"), operator("approve"), changed("doneSuccess", "1"), changed("doneSuccess", "1"))  # fmt: skip

# The sandbox's faults, with an operation that must never be repeated and an operation that can be repeated.
for kind, asked, expect in (
    ("unsigned", 1, unverified()), ("malformedSignature", 1, unverified()), ("wrongKey", 1, unverified()), ("tampered", 1, unverified()),
    ("reflected", 1, unverified()), ("htmlBadGateway", 3, unverified(502)), ("wrongOrder", 1, malformed()), ("duplicateKeys", 1, malformed()),
    ("redirect", 1, transport(http_status=307)), ("dropBeforeCommit", 3, transport()), ("dropAfterCommit", 3, transport()),
):  # fmt: skip
    add(
        f"{kind} at status",
        NEW,
        fault(kind, "getStatus", times=9),
        get_status(expect, order_id=LAST),
        requests={"status": asked},
    )
    if kind != "wrongOrder":
        add(
            f"{kind} at new", fault(kind, "newPayment", times=9), new_payment({**expect, **({...: ANY} if kind == "duplicateKeys" else {})})
        )
    add(f"{kind} at confirm", NEW, fault(kind, "confirm", times=9), confirm(expect, order_id=LAST))
add("oversized at status", NEW, fault("oversized", "getStatus", times=9, bytes=2_000_000), get_status(transport(http_status=200), order_id=LAST))  # fmt: skip
add("latency at new", fault("latency", "newPayment", latencyMs=60_000), new_payment(timeout(), timeout_ms=1200))
add("a confirm whose reply is lost is found by its status", NEW, fault("dropAfterCommit", "confirm"), confirm(transport(), order_id=LAST),
    operator("approve"), SUCCESS)  # fmt: skip
add(
    "a status that is found at the third try",
    NEW,
    fault("dropBeforeCommit", "getStatus", times=2),
    PENDING,
    requests={"status": 3},
)
