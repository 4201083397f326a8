"""These cases test statuses: those of the contract, which of these are final, and other texts, which are never
final (section 3)."""

from .common import data, raw, signed, webhook
from .failures import malformed
from .webhooks import event

KNOWN = {
    "free": False, "pending": False, "receiptRequired": False, "doneSuccess": True, "doneFail": True, "arbitrageCancelledByMerchant": True,
}  # fmt: skip

UNKNOWN = (
    "refunded",
    "done",
    "DoneSuccess",
    "DONESUCCESS",
    "donesuccess",
    "doneSuccess ",
    " doneSuccess",
    "doneSuccess\n",
    "done_success",
    "doneSucces",
    "doneSuccesss",
    "dоneSuccess",  # The о is Cyrillic.
    "doneFail2",
    "arbitrageCanceledByMerchant",
    "arbitrageCancelledByMerchant.",
    "Free",
    "Pending",
    "pending,doneSuccess",
    "unknown",
    "Unknown(doneSuccess)",
    "null",
    "0",
    "готово",
    "✅",
    "s" * 1000,
)


def entries():
    made = []
    for text, known, final in [(text, True, final) for text, final in KNOWN.items()] + [(text, False, False) for text in UNKNOWN]:
        written = text.replace("\n", "\\n")
        body = f'{{"success":true,"orderId":"o-1","status":"{written}"}}'
        made.append(
            {
                "kind": "status",
                "name": f"the status {ascii(text)[:60]}",
                "text": text,
                "known": known,
                "final": final,
                "reply": {"status": 200, "headers": signed(body), "body": data(raw(body))},
            }
        )
        if text in ("free", "doneFail"):
            continue  # misdirected.py has these webhooks.
        expected = malformed() if text == "pending" else event("status", final, status=text)
        made.append(webhook(f"a webhook with the status {ascii(text)[:60]}", body, expected))
    return made
