"""What makes and checks messages independently of the library: PyNaCl's ed25519, our own JSON writer, and the
forms of keys and signatures that must be refused."""

import base64
import hashlib
import json

import nacl.bindings
import nacl.signing

ORDER = 2**252 + 27742317777372353535851937790883648493


def b64(data):
    return base64.b64encode(data).decode()


class Key:
    """A key pair that is the same in every run. Only tests may use such keys."""

    def __init__(self, name):
        self.seed = hashlib.sha256(b"merchantpay test vectors: " + name.encode()).digest()
        self._key = nacl.signing.SigningKey(self.seed)
        self.raw_public = bytes(self._key.verify_key)
        self.raw_private = self.seed + self.raw_public
        self.public = b64(self.raw_public)
        self.private = b64(self.raw_private)

    def raw(self, body):
        signature = self._key.sign(body).signature
        self._key.verify_key.verify(body, signature)
        return signature

    def sign(self, body):
        return b64(self.raw(body))

    def check(self, body, signature):
        check(self.public, body, signature)

    def neutral(self, body):
        """Satisfies the equation, but R is the neutral point: only strict verification refuses it."""
        secret = nacl.bindings.crypto_hash_sha512(self.seed)[:32]
        scalar = int.from_bytes(secret, "little") & ((1 << 254) - 8) | (1 << 254)
        point = (1).to_bytes(32, "little")
        challenge = int.from_bytes(nacl.bindings.crypto_hash_sha512(point + self.raw_public + body), "little")
        return point + (challenge * scalar % ORDER).to_bytes(32, "little")


def check(public, body, signature):
    """Raises an error if the signature was not made with the key of this public key."""
    nacl.signing.VerifyKey(base64.b64decode(public)).verify(body, base64.b64decode(signature, validate=True))


def not_reduced(signature):
    """The same signature with S + L instead of S (RFC 8032, section 5.1.7, step 1)."""
    scalar = int.from_bytes(signature[32:], "little") + ORDER
    return signature[:32] + scalar.to_bytes(32, "little")


def loose_bits(text):
    """Base64 that decodes to the same bytes if a decoder ignores the unused bits."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    end = text.rstrip("=")
    assert len(end) < len(text)
    changed = end[:-1] + alphabet[alphabet.index(end[-1]) + 1] + "=" * (len(text) - len(end))
    assert base64.b64decode(changed) == base64.b64decode(text) and changed != text
    return changed


def flip(data, bit=0):
    return bytes([data[0] ^ (1 << bit)]) + data[1:]


def quoted(text):
    """A JSON string as in requests: only required characters are escaped, control characters by four digits."""
    out = []
    for c in text:
        if c in '"\\':
            out.append("\\" + c)
        elif c < " ":
            out.append(f"\\u{ord(c):04x}")
        else:
            out.append(c)
    return '"' + "".join(out) + '"'


class Number(str):
    """The text of a JSON number."""


def written(fields):
    """An object without spaces, with the fields in this order. A second JSON library must read the same fields from it."""
    body = "{" + ",".join(quoted(name) + ":" + (value if isinstance(value, Number) else quoted(value)) for name, value in fields) + "}"
    again = json.loads(body, parse_int=Number, parse_float=Number)
    assert list(again.items()) == list(fields), body
    return body
