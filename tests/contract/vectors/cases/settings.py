"""These cases test settings as texts and as variables of the environment: what a file, a shell or a person leaves in
them, and what takes precedence."""

import codecs

from .common import MERCHANT, MERCHANT_ID, ORDER, OTHER, SERVICE, SERVICE_ID, data, failure
from .keys import BODY, SINGULAR, keygen

EVERYTHING = ["base_url", "key_id", "private_key", "server_public_key"]
FILE = "MERCHANTPAY_PRIVATE_KEY_FILE"
PIN = "sha256/" + "A" * 43 + "="
URL = "http://127.0.0.1:9"
BASE = {"base_url": URL}
VERIFIER = {"base_url": None, "key_id": None, "private_key": None}

# Texts of settings that are refused, as a setting and as a variable.
REFUSED = (
    ("base_url", "in quotes", f'"{URL}"'),
    ("base_url", "behind a quote", f"'{URL}"),
    ("base_url", "with a comma behind it", f"{URL},"),
    ("key_id", "with a tab before it", "\tkey-1"),
    ("key_id", "in quotes", f'"{MERCHANT_ID}"'),
    ("server_key_ids", "in single quotes", [f"'{SERVICE_ID}'"]),
    ("proxy", "in quotes", f'"{URL}"'),
    ("proxy", "with a CR in it", "http://127.0.0.1\r:9"),
    ("user_agent", "in quotes", '"shop"'),
    ("user_agent", "with a Windows line end", "shop\r\n"),
    ("user_agent", "with a control character", "a\tb"),
    ("user_agent", "that is not UTF-8", b"\xff"),
    ("ca_file", "in quotes", '"/ca.pem"'),
    ("ca_file", "with a CR behind it", "/ca.pem\r"),
    ("ca_file", "with a space behind it", "/ca.pem "),
    ("pin_spki", "in single quotes", [f"'{PIN}'"]),
    ("pin_spki", "of another hash", ["sha1/AAAA"]),
)

# Texts of settings that are accepted, as a setting and as a variable.
ACCEPTED = (
    ("pin_spki", "with spaces around it", [f" {PIN} "]),
    ("user_agent", "with a quote in it", 'till "a"'),
    ("user_agent", "that is long", "a" * 4096),
)

# Variables that are refused. As a setting most of them have another type.
VARIABLES = (
    ("timeout_ms", "30s", "30000\r", "4294967296", " 1", "1.5", "-1", '"1"', "1,000"),
    ("connect_timeout_ms", " 1"),
    ("reuse_idle_ms", "x"),
    ("connect_idle_ms", "1.5"),
    ("max_retries", "two", "-1"),
    ("max_reply_bytes", "1MB", "1e6"),
    ("allow_http", "yes", "2"),
    ("exclusive_ca", "true"),
    ("pin_spki", ","),
    ("ca_pem", "nonsense"),
    ("key_id", b"merchant-\xff"),
    ("ca_file", "/no/such/file"),
)

# The bytes of a key's file, as editors and shells write them.
KEY_FILES = (
    ("with line ends around the key", f"\n{MERCHANT.private}\r\n".encode()),
    ("with a byte-order mark", codecs.BOM_UTF8 + MERCHANT.private.encode()),
    ("with the JSON of keygen", keygen(MERCHANT, indent=2).encode()),
    ("in UTF-16 of PowerShell", codecs.BOM_UTF16_LE + f"{keygen(MERCHANT)}\r\n".encode("utf-16-le")),
    ("in UTF-16 of the other order", codecs.BOM_UTF16_BE + MERCHANT.private.encode("utf-16-be")),
)
NO_KEY_FILES = (("that is empty", b" \n"), ("that is not UTF-8", b"k\xff"), ("of half a letter", codecs.BOM_UTF16_LE + b"\0\xd8"))


def variable(setting):
    return f"MERCHANTPAY_{setting.upper()}"


def entry(name, expected, makes="client", settings=None, ways=("environment",), **others):
    return {
        "kind": "settings",
        "name": name,
        "makes": [makes],
        "ways": list(ways),
        "settings": {**BASE, **(settings or {})},
        **others,
        "expected": expected,
    }


def refused(names, code="invalid_argument"):
    return failure(code, "not_sent", names=names)


def signed(key=MERCHANT):
    """The signature shows which private key is used."""
    return {"arguments": ORDER, "body": BODY.decode(), "signature": key.sign(BODY)}


def given(text):
    return data(text) if isinstance(text, bytes) else text


def shown(value):
    return repr(value)[1:] if isinstance(value, bytes) else repr(value)


def entries():
    both = ("settings", "environment")
    made = [
        entry(f"{name} {what}", refused(SINGULAR.get(name, name)), settings={name: given(text)}, ways=both) for name, what, text in REFUSED
    ]
    made += [entry(f"{name} {what}", {}, settings={name: text}, ways=both) for name, what, text in ACCEPTED]
    for setting, *texts in VARIABLES:
        for text in texts:
            # The files are read by the client, for which some languages have read the variables before.
            name = setting if setting in ("ca_file", "ca_pem") else variable(setting)
            made.append(entry(f"{setting} is {shown(text)}", refused(name), environment={variable(setting): given(text)}))
    for setting in EVERYTHING:
        made.append(entry(f"{setting} is an empty variable", refused(variable(setting)), environment={variable(setting): ""}))
    of_another = refused("public_key", "invalid_key")
    made += [
        entry("public_key of another private key", of_another, settings={"public_key": OTHER.public}, ways=both),
        entry("public_key of the private key", {}, settings={"public_key": MERCHANT.public}, ways=both),
    ]
    numbers = {
        "timeout_ms": "1500", "connect_timeout_ms": "4294967295", "reuse_idle_ms": "0", "max_retries": "0",
        "max_reply_bytes": "18446744073709551615", "allow_http": "0", "proxy": "", "server_key_id": "", "connect_idle_ms": "",
    }  # fmt: skip
    elsewhere = {"base_url": "http://pay.example"}
    for what, expected, variables in (
        ("nothing is set", refused([*map(variable, EVERYTHING)]), dict.fromkeys(EVERYTHING)),
        ("two variables are missing", refused([variable("key_id"), variable("private_key")]), {"key_id": None, "private_key": ""}),
        ("one of two files", refused(["client_cert_file", "client_key_file"]), {"client_cert_file": "x.pem"}),
        ("no CA is left", refused(["exclusive_ca", "ca_pem", "ca_file"]), {"exclusive_ca": "1"}),
        ("timeout_ms is '0'", refused("timeout_ms"), {"timeout_ms": "0"}),
        ("plain http to another machine", refused(["base_url", "allow_http"]), elsewhere),
        ("plain http to another machine is allowed", {}, {**elsewhere, "allow_http": "1"}),
        ("numbers, flags and empty variables are read", {}, {**numbers, "other": "ignored"}),
        ("empty texts of a list are dropped", {}, {"server_key_id": f", {SERVICE_ID},,"}),
    ):
        made.append(entry(what, expected, environment={variable(name): text for name, text in variables.items()}))
    blanks = {variable("server_public_key"): f" {SERVICE.public} ,"}
    made += [
        entry("a list of public keys with blanks", signed(), "protocol", environment=blanks),
        entry("a setting takes precedence over its variable", signed(OTHER), "protocol", on_top={"private_key": OTHER.private}),
        entry("a wrong setting is named as a setting", refused("key_id"), on_top={"key_id": "a\tb"}),
    ]
    for what, expected, settings in (
        ("needs the service's key alone", {}, {}),
        ("without the service's key", refused(variable("server_public_key")), {"server_public_keys": []}),
        ("whose own key is the service's", refused([], "invalid_key"), {"private_key": SERVICE.private}),
        ("whose own public key is the service's", refused([], "invalid_key"), {"public_key": SERVICE.public}),
    ):
        made.append(entry(f"a verifier {what}", expected, "verifier", {**VERIFIER, **settings}))
    in_file = {variable("private_key"): None}
    for what, content in KEY_FILES:
        made.append(entry(f"a key file {what}", signed(), "protocol", environment=in_file, key_file=data(content)))
    for what, content in NO_KEY_FILES:
        made.append(entry(f"a key file {what}", refused([FILE]), environment=in_file, key_file=data(content)))
    missing = "/no/such/file"
    made += [
        entry("a key file of two lines", refused([FILE], "invalid_key"), environment=in_file, key_file="key=\nkey=\n"),
        entry("a key file that is missing", refused([FILE]), environment={**in_file, FILE: missing}),
        entry("a key file in quotes", refused([FILE]), environment={**in_file, FILE: '"key"'}),
        entry("a key file beside the key is not read", signed(), "protocol", environment={FILE: missing}),
        entry("an empty name of a key file", refused(variable("private_key")), environment={**in_file, FILE: ""}),
    ]
    return made
