"""These cases test the headers of a reply: names in any case and order, repeated, missing, and with spaces. They
also test key ids, and the service's keys during rotation."""

from .common import MERCHANT, MERCHANT_ID, NEXT, NEXT_ID, ONE, OTHER, ROTATING, SERVICE, SERVICE_ID, reply, signed
from .failures import unverified
from .forms import signatures
from .replies import payment

BODY = '{"success":true,"orderId":"o-1","status":"doneFail"}'
SIGNATURE = SERVICE.sign(BODY.encode())
READ = payment(status="doneFail", final=True)


def case(name, headers, expected, settings=None, body=BODY):
    return reply(name, "getStatus", body, expected, headers=headers, settings=settings)


def entries():
    made = []
    for key_id, signature in (
        ("X-KeyId", "X-Signature"),
        ("x-keyid", "x-signature"),
        ("X-KEYID", "X-SIGNATURE"),
        ("X-Keyid", "x-Signature"),
        ("x-kEyId", "X-sIGNATURE"),
    ):
        made.append(case(f"the names {key_id} and {signature}", [[key_id, SERVICE_ID], [signature, SIGNATURE]], READ, ONE))
    made += [
        case("the signature first", [["X-Signature", SIGNATURE], ["X-KeyId", SERVICE_ID]], READ),
        case(
            "others between them",
            [["Date", "x"], ["X-Signature", SIGNATURE], ["Set-Cookie", "a"], ["Set-Cookie", "b"], ["X-KeyId", SERVICE_ID]],
            READ,
        ),
        case("another content type", [["Content-Type", "text/html"], *signed(BODY)[1:]], READ),
        case("two content types", [["Content-Type", "text/html"], *signed(BODY)], READ),
        case("names that only begin the same", [*signed(BODY), ["X-Signature-2", "x"], ["X-Key", "x"], ["X-KeyId2", "x"]], READ),
        case("no headers", [], unverified()),
        case("no signature", [["X-KeyId", SERVICE_ID]], unverified()),
        case("a signature under another name", [["X-KeyId", SERVICE_ID], ["Signature", SIGNATURE]], unverified()),
        case("a name with an underscore is another name", [["X-KeyId", SERVICE_ID], ["X_Signature", SIGNATURE]], unverified()),
        case("the same signature twice", [*signed(BODY), ["X-Signature", SIGNATURE]], unverified()),
        case("the same signature twice, in other letters", [*signed(BODY), ["x-signature", SIGNATURE]], unverified()),
        case("a wrong signature before the right one", [["X-Signature", OTHER.sign(BODY.encode())], *signed(BODY)], unverified()),
        case("a wrong signature behind the right one", [*signed(BODY), ["X-Signature", OTHER.sign(BODY.encode())]], unverified()),
        case("an empty signature beside the right one", [*signed(BODY), ["X-Signature", ""]], unverified()),
        case("two signatures in one header", [["X-KeyId", SERVICE_ID], ["X-Signature", f"{SIGNATURE}, {SIGNATURE}"]], unverified()),
        case("the same key id twice", [*signed(BODY), ["X-KeyId", SERVICE_ID]], unverified()),
        case("the same key id twice where any is accepted", [*signed(BODY), ["x-keyid", SERVICE_ID]], unverified(), {"server_key_ids": []}),
        case("two key ids", [*signed(BODY), ["X-KeyId", NEXT_ID]], unverified(), ROTATING),
        case("no key id where any is accepted", [["X-Signature", SIGNATURE]], READ),
        case("an empty key id where any is accepted", [["X-KeyId", ""], ["X-Signature", SIGNATURE]], READ),
        case("no key id where one is wanted", [["X-Signature", SIGNATURE]], unverified(), ONE),
        case("an empty key id where one is wanted", [["X-KeyId", ""], ["X-Signature", SIGNATURE]], unverified(), ONE),
        case("any key id where any is accepted", signed(BODY, SERVICE, "whoever"), READ),
        case("the key id that is wanted", signed(BODY), READ, ONE),
        case("another key id than the one that is wanted", signed(BODY, SERVICE, NEXT_ID), unverified(), ONE),
        case("the key id in other letters", signed(BODY, SERVICE, "Service-1"), unverified(), ONE),
        case("the beginning of the key id", signed(BODY, SERVICE, "service"), unverified(), ONE),
        case("the key id with blanks and tabs around it", signed(BODY, SERVICE, f" \t{SERVICE_ID}\t "), READ, ONE),
        case("the key id with a blank in it", signed(BODY, SERVICE, "service- 1"), unverified(), ONE),
        case("our own key id with a blank before it", signed(BODY, SERVICE, f" {MERCHANT_ID}"), unverified()),
        case("our own key id", signed(BODY, SERVICE, MERCHANT_ID), unverified()),
        case("our own key id where one is wanted", signed(BODY, SERVICE, MERCHANT_ID), unverified(), ONE),
        case("our own key id and signature", signed(BODY, MERCHANT, MERCHANT_ID), unverified()),
        case("our own signature under the service's id", signed(BODY, MERCHANT), unverified(), ONE),
        case("the first key in rotation", signed(BODY), READ, ROTATING),
        case("the next key in rotation", signed(BODY, NEXT, NEXT_ID), READ, ROTATING),
        case("the ids of two keys exchanged: an id is not signed", signed(BODY, NEXT, SERVICE_ID), READ, ROTATING),
        case("a third key in rotation", signed(BODY, OTHER, NEXT_ID), unverified(), ROTATING),
        case("a third id in rotation", signed(BODY, SERVICE, "service-3"), unverified(), ROTATING),
        case("the next key before it is configured", signed(BODY, NEXT, NEXT_ID), unverified()),
        case("the old key after it was taken away", signed(BODY), unverified(), {"server_public_keys": [NEXT.public]}),
        case("ids of two keys and no id", [["X-Signature", SIGNATURE]], unverified(), ROTATING),
    ]
    for what, text, verifies in signatures(BODY.encode()):
        made.append(case(f"a signature {what}", [["X-KeyId", SERVICE_ID], ["X-Signature", text]], READ if verifies else unverified()))
    return made
