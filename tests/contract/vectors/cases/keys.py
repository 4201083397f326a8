"""These cases test valid and invalid keys, key ids and base URLs (contract, section 5; design: 64 and 32 bytes,
strict base64, no weak points)."""

import base64
import json

from foreign import b64, flip, loose_bits

from .common import MERCHANT, MERCHANT_ID, NEXT, ORDER, OTHER, SERVICE, SERVICE_ID, failure

# RFC 8032, section 7.1, tests 1 to 3: seed and public key.
RFC_8032 = """
9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60 d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a
4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb 3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c
c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7 fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025
"""

# The points of small order, in every encoding that decodes to such a point.
SMALL_ORDER = (
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
)

# What a key file, an edited environment file or a copied line leaves around a value.
AROUND = (
    ("a line end behind it", "", "\n"),
    ("a Windows line end behind it", "", "\r\n"),
    ("a CR behind it", "", "\r"),
    ("spaces around it", "  ", " "),
    ("line ends around it", "\n", "\n\n"),
)

# As a setting, and as a variable of the environment.
WAYS = ["settings", "environment"]
BOTH, PROTOCOL, VERIFIER = ["protocol", "verifier"], ["protocol"], ["verifier"]
BODY = b'{"orderId":"o-1"}'


def entry(name, makes, settings, expected, **others):
    return {"kind": "settings", "name": name, "makes": makes, "settings": settings, **others, "expected": expected}


def accepted(name, makes, settings, key=MERCHANT, **others):
    """A case with a valid key. The signed request of a protocol shows that the protocol has read the key."""
    expected = {"arguments": ORDER, "body": BODY.decode(), "signature": key.sign(BODY)} if makes == PROTOCOL else {}
    return entry(name, makes, settings, expected, **others)


SINGULAR = {"server_public_keys": "server_public_key", "server_key_ids": "server_key_id"}


def refused(name, makes, settings, code="invalid_key", names=None, **others):
    return entry(name, makes, settings, failure(code, "not_sent", **({"names": names} if names else {})), **others)


def bad_base64(good, bytes_):
    """Base64 that is not strict, or a wrong number of bytes."""
    url_safe = base64.urlsafe_b64encode(bytes_).decode()
    assert url_safe != good
    yield "without padding", good.rstrip("=")
    yield "with one = too many", good + "="
    yield "of the alphabet for URLs", url_safe
    yield "with a tab behind it", good + "\t"
    yield "in two lines", good[:40] + "\n" + good[40:]
    yield "with a blank in it", good[:20] + " " + good[20:]
    yield "in quotes", f'"{good}"'
    yield "in single quotes", f"'{good}'"
    yield "behind a quote", '"' + good
    yield "in quotes and with a Windows line end", f'"{good}"\r\n'
    yield "with left-over bits that are not 0", loose_bits(good)
    yield "with a NUL behind it", good + "\0"
    yield "with a letter that is not ASCII", "é" + good[1:]
    yield "in hex", bytes_.hex()
    yield "one byte short", b64(bytes_[:-1])
    yield "one byte long", b64(bytes_ + b"\0")
    yield "twice", b64(bytes_ + bytes_)
    yield "of one byte", b64(b"\1")
    yield "that is not base64", "not a key"
    yield "as PEM", f"-----BEGIN PRIVATE KEY-----\n{good}\n-----END PRIVATE KEY-----\n"


def second_forms():
    """Encodings whose y is not below p: decoding fails (RFC 8032, section 5.1.3), for any y modulo p."""
    for y in range(2**255 - 17, 2**255):
        for sign in (0, 1):
            yield (y | sign << 255).to_bytes(32, "little")


def entries():
    made = []
    for number, (seed, public) in enumerate(map(str.split, RFC_8032.strip().splitlines()), 1):
        text = b64(bytes.fromhex(seed + public))
        made.append(accepted_rfc(f"RFC 8032's private key {number} is read", text, bytes.fromhex(seed), public))
        made.append(accepted(f"RFC 8032's public key {number} is read", VERIFIER, {"server_public_keys": [b64(bytes.fromhex(public))]}))
    made += [
        accepted("the merchant's key is read", PROTOCOL, {}),
        accepted("another merchant's key is read", PROTOCOL, {"private_key": OTHER.private, "public_key": OTHER.public}, OTHER),
        accepted("a verifier needs no key id", VERIFIER, {"key_id": None}),
        accepted("two of the service's keys are read", PROTOCOL, {"server_public_keys": [SERVICE.public, NEXT.public]}),
        accepted("a verifier reads two of the service's keys", VERIFIER, {"server_public_keys": [SERVICE.public, NEXT.public]}),
        accepted("the same key twice is one key", VERIFIER, {"server_public_keys": [SERVICE.public, SERVICE.public]}),
        accepted("no key id of the service is an empty one", PROTOCOL, {"server_key_ids": [""]}),
        accepted("no key id of the service is a blank one", VERIFIER, {"server_key_ids": [" \r\n"]}),
        accepted("a private key in the JSON of keygen", PROTOCOL, {"private_key": keygen(MERCHANT)}, ways=WAYS),
        accepted("a private key in the JSON of keygen, in several lines", PROTOCOL, {"private_key": keygen(MERCHANT, indent=2) + "\r\n"}),
        accepted("a private key in the JSON of keygen, behind a byte-order mark", PROTOCOL, {"private_key": "\ufeff" + keygen(MERCHANT)}),
        accepted("a private key behind a byte-order mark", PROTOCOL, {"private_key": "\ufeff" + MERCHANT.private + "\r\n"}, ways=WAYS),
        accepted("a protocol's public key in JSON", PROTOCOL, {"server_public_keys": [keygen(SERVICE)]}),
        accepted("a verifier's public key in JSON", VERIFIER, {"server_public_keys": [keygen(SERVICE)]}, ways=WAYS),
        refused("JSON without a private key", PROTOCOL, {"private_key": "{}"}),
        refused("JSON that is cut", PROTOCOL, {"private_key": keygen(MERCHANT)[:-1]}),
        refused("a private key with a comma behind it", PROTOCOL, {"private_key": MERCHANT.private + ","}),
        refused("two private keys", PROTOCOL, {"private_key": MERCHANT.private + "," + OTHER.private}),
        accepted("key ids of the service are read", PROTOCOL, {"server_key_ids": [SERVICE_ID, "service-2"]}),
        refused("a private key that is its seed alone", PROTOCOL, {"private_key": b64(MERCHANT.seed)}),
        refused("a private key whose halves differ", PROTOCOL, {"private_key": b64(MERCHANT.seed + OTHER.raw_public)}),
        refused("a private key whose halves changed places", PROTOCOL, {"private_key": b64(MERCHANT.raw_public + MERCHANT.seed)}),
        refused("a private key with one bit of its seed changed", PROTOCOL, {"private_key": b64(flip(MERCHANT.raw_private))}),
        refused("a private key with the last bit changed", PROTOCOL, {"private_key": b64(flip(MERCHANT.raw_private[::-1], 7)[::-1])}),
        refused("a private key of zeros", PROTOCOL, {"private_key": b64(bytes(64))}),
        refused("a public key for a private key", PROTOCOL, {"private_key": MERCHANT.public}),
        refused("a private key for the service's public key", BOTH, {"server_public_keys": [SERVICE.private]}),
        refused("a public key that is no point", BOTH, {"server_public_keys": [b64((2).to_bytes(32, "little"))]}),
        refused("a bad key beside a good one", BOTH, {"server_public_keys": [SERVICE.public, b64(bytes(31))]}),
        refused("a good key behind a bad one", BOTH, {"server_public_keys": [b64(bytes(31)), SERVICE.public]}),
        refused("the merchant's own key for the service's", PROTOCOL, {"server_public_keys": [MERCHANT.public]}),
        refused("the merchant's own key among the service's", PROTOCOL, {"server_public_keys": [SERVICE.public, MERCHANT.public]}),
        refused(
            "the merchant's own key id for the service's", BOTH, {"server_key_ids": [MERCHANT_ID]}, "invalid_argument", "server_key_id"
        ),
        refused("the own key id among the service's", BOTH, {"server_key_ids": [SERVICE_ID, MERCHANT_ID]}, "invalid_argument"),
        refused("an empty key id", PROTOCOL, {"key_id": ""}, "invalid_argument"),
    ]
    for what, before, after in AROUND:

        def around(text, before=before, after=after):
            return before + text + after

        # A variable is read as a setting is, so one of the texts shows it.
        too = {"ways": WAYS} if after == "\r\n" else {}

        made += [
            accepted(f"a private key with {what}", PROTOCOL, {"private_key": around(MERCHANT.private)}, **too),
            accepted(f"a protocol's public key with {what}", PROTOCOL, {"server_public_keys": [around(SERVICE.public)]}, **too),
            accepted(f"a verifier's public key with {what}", VERIFIER, {"server_public_keys": [around(SERVICE.public)]}, **too),
            accepted(f"a key id with {what}", PROTOCOL, {"key_id": around(MERCHANT_ID)}, **too),
            accepted(f"a protocol's key id of the service with {what}", PROTOCOL, {"server_key_ids": [around(SERVICE_ID)]}, **too),
            accepted(f"a verifier's key id of the service with {what}", VERIFIER, {"server_key_ids": [around(SERVICE_ID)]}, **too),
            accepted(f"a base URL with {what}", PROTOCOL, {"base_url": around("https://pay.example")}, **too),
            refused(
                f"the own key id for the service's, with {what}", BOTH, {"server_key_ids": [around(MERCHANT_ID)]}, "invalid_argument", **too
            ),
        ]
    for text in ('"service-1"', "'service-1'", "“service-1”", "service 1", "service\r-1", "service-1\x1b"):
        made.append(refused(f"the service's key id {ascii(text)}", BOTH, {"server_key_ids": [text]}, "invalid_argument"))
    for key_id in (
        "merchant 1",
        '"merchant-1"',
        "'merchant-1'",
        "\tmerchant-1",
        "merchant-1\r\nX-Other: 1",
        "клиент",
        "merchant-1\x7f",
    ):
        made.append(refused(f"the key id {ascii(key_id)}", PROTOCOL, {"key_id": key_id}, "invalid_argument", "key_id"))
    for number, point in enumerate(SMALL_ORDER, 1):
        made.append(refused(f"point of small order {number}", BOTH, {"server_public_keys": [b64(bytes.fromhex(point))]}))
    for number, point in enumerate(second_forms(), 1):
        made.append(refused(f"second form of a point {number}", BOTH, {"server_public_keys": [b64(point)]}))
    for what, text in bad_base64(long_alphabet(64).private, long_alphabet(64).raw_private):
        made.append(refused(f"a private key {what}", PROTOCOL, {"private_key": text}, names="private_key"))
    for what, text in bad_base64(long_alphabet(32).public, long_alphabet(32).raw_public):
        made.append(refused(f"a public key {what}", BOTH, {"server_public_keys": [text]}, names="server_public_key"))
    for url in ("https://pay.example/", "https://pay.example/v/", "http://127.0.0.1:8080", "https://[::1]:8443", "HTTPS://PAY.EXAMPLE"):
        made.append(accepted(f"the base URL {url}", PROTOCOL, {"base_url": url}))
    for url in (
        "",
        "pay.example",
        "//pay.example",
        "ftp://pay.example",
        "https://",
        "https://pay.example?a=1",
        "https://pay.example/#a",
        "https://user:word@pay.example",
        "https://pay.example:99999",
        "https://pay.example:port",
        '"https://pay.example"',
        "'https://pay.example'",
        "https://pay example",
        "https://pay.example\r\nX-Other: 1",
        "https://платёж.example",
    ):
        made.append(refused(f"the base URL {ascii(url)}", PROTOCOL, {"base_url": url}, "invalid_argument", "base_url"))
    return made


def keygen(key, indent=None):
    """What `merchantpay keygen` prints."""
    return json.dumps({"privateKey": key.private, "publicKey": key.public}, indent=indent)


def accepted_rfc(name, text, seed, public):
    import nacl.signing

    key = nacl.signing.SigningKey(seed)
    assert bytes(key.verify_key).hex() == public
    settings = {"private_key": text, "public_key": b64(bytes.fromhex(public))}
    return entry(name, PROTOCOL, settings, {"arguments": ORDER, "body": BODY.decode(), "signature": b64(key.sign(BODY).signature)})


def long_alphabet(size):
    """A key whose base64 contains a character that the URL alphabet replaces."""
    for key in (MERCHANT, SERVICE, NEXT, OTHER):
        if set(key.private if size == 64 else key.public) & set("+/"):
            return key
    raise AssertionError("no key has such a letter")
