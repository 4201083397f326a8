"""Forms that replies and webhooks have in common: of a signature, and of a body that cannot be read."""

from foreign import b64, loose_bits, not_reduced

from .common import SERVICE


def signatures(body):
    """Each form of a body's signature, and whether it verifies: spaces around a header's value are not part of it; base64 has only one
    form."""
    raw, text = SERVICE.raw(body), SERVICE.sign(body)
    return (
        ("with a blank before it", " " + text, True),
        ("with blanks and tabs around it", " \t" + text + "\t ", True),
        ("with a blank in it", text[:44] + " " + text[44:], False),
        ("that is empty", "", False),
        ("of blanks", "  ", False),
        ("without padding", text.rstrip("="), False),
        ("with one = too few", text[:-1], False),
        ("with one = too many", text + "=", False),
        ("with left-over bits that are not 0", loose_bits(text), False),
        ("in hex", raw.hex(), False),
        ("in quotes", f'"{text}"', False),
        ("with its scheme", f"ed25519={text}", False),
        ("one byte short", b64(raw[:-1]), False),
        ("one byte long", b64(raw + b"\0"), False),
        ("with the signed body behind it", b64(raw + body), False),
        ("of zeros", b64(bytes(64)), False),
        ("whose halves changed places", b64(raw[32:] + raw[:32]), False),
        ("with one bit of R changed", b64(bytes([raw[0] ^ 1]) + raw[1:]), False),
        ("with one bit of S changed", b64(raw[:32] + bytes([raw[32] ^ 1]) + raw[33:]), False),
        ("whose S is not reduced", b64(not_reduced(raw)), False),
        ("whose R is the neutral point", b64(SERVICE.neutral(body)), False),
        ("that is not ASCII", "é" * 44, False),
        ("of 88 letters that are no base64", "!" * 88, False),
        ("in the alphabet for URLs", url_safe(text), False),
    )


def url_safe(text):
    changed = text.replace("+", "-").replace("/", "_")
    assert changed != text
    return changed


def unreadable(ok):
    """Bodies that are not one JSON object of the contract. `ok` are the members of one that is."""
    return (
        ("nothing", b""),
        ("blanks", b"  \n"),
        ("a text", b"ok"),
        ("a JSON text", b'"ok"'),
        ("a number", b"1"),
        ("null", b"null"),
        ("true", b"true"),
        ("a list", f"[{{{ok}}}]".encode()),
        ("two objects", f"{{{ok}}}{{{ok}}}".encode()),
        ("something behind it", f"{{{ok}}}x".encode()),
        ("a NUL behind it", f"{{{ok}}}\0".encode()),
        ("a byte order mark", f"\ufeff{{{ok}}}".encode()),
        ("UTF-16", f"{{{ok}}}".encode("utf-16-le")),
        ("a comma too many", f"{{{ok},}}".encode()),
        ("no end", f"{{{ok}".encode()),
        ("no end of a text", b'{"success":true,"orderId":"o-1'),
        ("single quotes", b"{'success':true,'orderId':'o-1'}"),
        ("a comment", f"{{{ok}/**/}}".encode()),
        ("NaN", f'{{{ok},"sum":NaN}}'.encode()),
        ("Infinity", f'{{{ok},"x":Infinity}}'.encode()),
        ("True", b'{"success":True,"orderId":"o-1"}'),
        ("a line end in a text", b'{"success":true,"orderId":"o-1","payeeName":"a\nb"}'),
        ("an escape that is none", f'{{{ok},"payeeName":"\\x41"}}'.encode()),
        ("bytes that are not UTF-8", b'{"success":true,"orderId":"o-1","payeeName":"\xff"}'),
        ("bytes that are not UTF-8 in a field that nobody knows", b'{"success":true,"orderId":"o-1","x":"\xc3\x28"}'),
        ("an overlong form of a slash", b'{"success":true,"orderId":"o-1","payeeName":"\xc0\xaf"}'),
        ("a surrogate in UTF-8", b'{"success":true,"orderId":"o-1","payeeName":"\xed\xa0\x80"}'),
        ("a name twice", b'{"success":true,"orderId":"o-1","orderId":"o-1"}'),
        ("a name twice, once in escapes", b'{"success":true,"orderId":"o-1","order\\u0049d":"o-1"}'),
        ("success twice", b'{"success":false,"orderId":"o-1","success":true}'),
        ("an unknown name twice", f'{{{ok},"x":1,"x":2}}'.encode()),
        ("lists in lists, 129 deep", f'{{{ok},"x":{"[" * 129}{"]" * 129}}}'.encode()),
        ("lists in lists, 5000 deep", f'{{{ok},"x":{"[" * 5000}{"]" * 5000}}}'.encode()),
    )
