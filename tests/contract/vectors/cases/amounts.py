"""These cases test amounts: accepted texts, with their digits and hundredths, and refused texts (design: money is
exact)."""

from .common import not_sent, reply
from .failures import malformed
from .replies import payment
from .requests import refused, request

# The text, its digits, and its hundredths if they are exact and fit into 64 bits.
ACCEPTED = (
    ("0.01", "0.01", 1),
    ("1", "1", 100),
    ("1.0", "1.0", 100),
    ("1.00", "1.00", 100),
    ("10", "10", 1000),
    ("100", "100", 10000),
    ("1500.5", "1500.5", 150050),
    ("1500.50", "1500.50", 150050),
    ("1500.500", "1500.500", 150050),
    ("1500.505", "1500.505", None),
    ("0.1", "0.1", 10),
    ("0.001", "0.001", None),
    ("0.3", "0.3", 30),
    ("92.451700000000000001", "92.451700000000000001", None),
    ("9007199254740993", "9007199254740993", 900719925474099300),
    ("9007199254740993.01", "9007199254740993.01", 900719925474099301),
    ("92233720368547758.07", "92233720368547758.07", 9223372036854775807),
    ("92233720368547758.08", "92233720368547758.08", None),
    ("18446744073709551616", "18446744073709551616", None),
    ("1234567890123456789012345678", "1234567890123456789012345678", None),
    ("9999999999999999999999999999", "9999999999999999999999999999", None),
    ("12345678901234.56789012345678", "12345678901234.56789012345678", None),
    ("0.1234567890123456789012345678", "0.1234567890123456789012345678", None),
    ("0.0000000000000000000000000001", "0.0000000000000000000000000001", None),
    ("1e0", "1", 100),
    ("1e3", "1000", 100000),
    ("1E3", "1000", 100000),
    ("1e+3", "1000", 100000),
    ("1e003", "1000", 100000),
    ("1e-2", "0.01", 1),
    ("1.50E+2", "150", 15000),
    ("1.505e2", "150.5", 15050),
    ("1500.5e-1", "150.05", 15005),
    ("1e27", "1000000000000000000000000000", None),
    ("1e-28", "0.0000000000000000000000000001", None),
    ("0.0001e4", "1", 100),
    ("100e-2", "1.00", 100),
)

# No sum of a request is 0, but a drift can be 0, and a reply can contain 0.
ZEROS = (("0", "0"), ("0.0", "0.0"), ("0.00", "0.00"), ("-0", "0"), ("-0.00", "0.00"), ("0e3", "0"), ("0e-2", "0.00"), ("0e99", "0"))

# These numbers occur only in replies, because no sum of a request is negative.
NEGATIVE = (("-1", "-1", -100), ("-0.01", "-0.01", -1), ("-1500.50", "-1500.50", -150050), ("-1e3", "-1000", -100000))

# Numbers with more than the 28 digits that an amount can hold.
TOO_MANY = (
    "10000000000000000000000000000",
    "12345678901234567890123456789",
    "99999999999999999999999999999.99",
    "79228162514264337593543950335",
    "79228162514264337593543950336",
    "1.1234567890123456789012345678",
    "0.00000000000000000000000000001",
    "1e28",
    "1e-29",
    "1e400",
    "1e-400",
    "1e2147483648",
    "1e-2147483649",
    "1e99999999999999999999",
    "0.1e-28",
)

# Zeros after the decimal point count as digits, but a language with numbers as amounts may drop the zeros.
TOO_MANY_ZEROS = ("1.0000000000000000000000000000", "0.00000000000000000000000000000")

# Texts that are not JSON numbers (RFC 8259, section 6).
NO_NUMBER = (
    "+1", "+1.5", ".5", "1.", "-.5", "01", "00", "-01", "1_000", "1 000", "1,5", "1,500.50", "0x1", "0b1", "1e", "1e+", "e3", "1e1.5",
    "--1", "-", "1.5.0", "1..5", "NaN", "nan", "Infinity", "-inf", "١", "１", "1₽", "1 RUB", "RUB 1", "1500 руб.", "$5", "1 500,50", "1\u00a0500.50", "1'000", "１５００", "½", "1/2", "1%", "(1)", "one", "true",
)  # fmt: skip

# Texts that are invalid as arguments. In a reply they would still be valid JSON, with spaces or as a string.
NO_ARGUMENT = ("", " ", " 1", "1 ", "1\n", "\t1", "1\0", '"1"', "null", "[1]")


def entries():
    made = []
    for text, digits, minor in ACCEPTED:
        arguments = {"sum": text, "paymentMethod": "card"}
        made.append(request(f"a sum of {text}", "getAvailableAmounts", arguments, amounts={"sum": digits}))
        made.append(read(text, digits, minor))
    for text, digits in ZEROS:
        arguments = {"sum": "1", "paymentMethod": "card", "sumDriftDown": text}
        made.append(request(f"a drift of {text}", "getAvailableAmounts", arguments, amounts={"sumDriftDown": digits}))
        made.append(read(text, digits, 0))
    made += [read(*negative) for negative in NEGATIVE]
    for text in TOO_MANY:
        made.append(refused(f"a sum of {text}", "getAvailableAmounts", {"sum": text, "paymentMethod": "card"}))
    for text in (*TOO_MANY_ZEROS, *NO_NUMBER, *NO_ARGUMENT):
        made.append({"kind": "amount_text", "name": f"no sum: {ascii(text)}", "text": text, "expected": not_sent()})
    for text in (*TOO_MANY, *TOO_MANY_ZEROS, *NO_NUMBER):
        made.append(reply(f"a reply's sum of {ascii(text)}", "getStatus", body(text), malformed()))
    return made


def body(number):
    return f'{{"success":true,"orderId":"o-1","status":"pending","sum":{number}}}'


def read(text, digits, minor):
    return reply(f"a reply's sum of {text}", "getStatus", body(text), {**payment(status="pending", sum=digits), "sum_minor": minor})
