"""These cases test receipts: the multipart body, with @boundary@ for the boundary, and refused receipts
(contract, section 4.7)."""

from .common import MERCHANT_ID, PREFIX, data, not_sent

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe\0"
JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0"
PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n\0endobj\r\n"

# The first bytes of files that people attach, often under the name of a JPEG.
OTHER_FORMATS = (
    ("a HEIC photo", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"),
    ("an AVIF image", b"\0\0\0\x1cftypavif\0\0\0\0avifmif1"),
    ("a WebP image", b"RIFF\x24\0\0\0WEBPVP8 "),
    ("a GIF image", b"GIF89a\1\0\1\0"),
    ("a TIFF image", b"II*\0\x08\0\0\0"),
    ("a BMP image", b"BM\x46\0\0\0\0\0"),
    ("an office document", b"PK\3\4\x14\0\6\0"),
    ("an HTML page", b"<!doctype html><p>paid"),
    ("text", b"receipt"),
    ("one byte", b"\0"),
    ("line ends", b"\r\n\r\n"),
    ("half a PNG signature", PNG[:7]),
    ("a JPEG without its first byte", JPEG[1:]),
)


def file(name, content_type, content):
    return {"name": name, "content_type": content_type, "data": data(content)}


def part(head, content):
    return b"--@boundary@\r\nContent-Disposition: form-data; " + head.encode() + b"\r\n\r\n" + content + b"\r\n"


def receipt(name, files, *, order_id="o-1", names=None, types=None):
    """`names` and `types` are the sent values, if they differ from the given ones."""
    body = part('name="orderId"', order_id.encode())
    for at, (given, content_type, content) in enumerate(files):
        sent, kind = (names or {}).get(at, given), (types or {}).get(at, content_type)
        body += part(f'name="file"; filename="{sent}"\r\nContent-Type: {kind}', content)
    body += b"--@boundary@--\r\n"
    return {
        "kind": "receipt",
        "name": name,
        "arguments": {"orderId": order_id, "files": [file(*one) for one in files]},
        "expected": {
            "url": "https://pay.example" + PREFIX + "/receipt/attach",
            "headers": [["Content-Type", "multipart/form-data; boundary=@boundary@"], ["X-KeyId", MERCHANT_ID]],
            "body": data(body),
        },
    }


def refused(name, files, order_id="o-1"):
    arguments = {"orderId": order_id, "files": [file(*one) for one in files]}
    return {"kind": "receipt", "name": name, "arguments": arguments, "expected": not_sent()}


def entries():
    pdf = ("r.pdf", "application/pdf", PDF)
    made = [
        receipt("one PDF", [pdf]),
        receipt("one JPEG", [("r.jpeg", "image/jpeg", JPEG)]),
        receipt("one JPEG as image/jpg", [("r.jpg", "image/jpg", JPEG)]),
        receipt("one PNG", [("r.png", "image/png", PNG)]),
        receipt("three files in their order", [pdf, ("b.png", "image/png", PNG), ("c.jpg", "image/jpeg", JPEG)]),
        receipt("the same file twice", [pdf, pdf]),
        receipt("all bytes there are", [("r.pdf", "application/pdf", PDF + bytes(range(256)) * 4)]),
        receipt("a PDF behind a byte-order mark and line ends", [("r.pdf", "application/pdf", b"\xef\xbb\xbf\r\n" + PDF)]),
        receipt("data that ends in a line end", [("r.pdf", "application/pdf", b"%PDF-\r\n")]),
        receipt("data like a boundary", [("r.pdf", "application/pdf", b"%PDF-\r\n--boundary--\r\n")]),
        receipt("a PDF that is called a photo", [("r.jpg", "application/pdf", PDF)]),
        receipt("a type in other letters", [("r.pdf", "Application/PDF", PDF)], types={0: "application/pdf"}),
        receipt("a name without an ending", [("receipt", "image/png", PNG)]),
        receipt("a name with another ending", [("r.exe", "image/png", PNG)]),
        receipt("a name with blanks", [(" the receipt .pdf", "application/pdf", PDF)]),
        receipt("a name in Cyrillic", [("чек №1.pdf", "application/pdf", PDF)]),
        receipt("a name with emoji", [("🧾.png", "image/png", PNG)]),
        receipt("a name with quotes", [('a"b".pdf', "application/pdf", PDF)], names={0: "a%22b%22.pdf"}),
        receipt("a name with a backslash", [("a\\b.pdf", "application/pdf", PDF)], names={0: "a%5Cb.pdf"}),
        receipt("a name with a percent sign", [("100%22.pdf", "application/pdf", PDF)]),
        receipt("a name with a slash", [("../a.pdf", "application/pdf", PDF)]),
        receipt("a name of 255 bytes", [("a" * 251 + ".pdf", "application/pdf", PDF)]),
        receipt("an order id in Cyrillic", [pdf], order_id="заказ-1"),
        receipt("an order id with quotes", [pdf], order_id='o"1"\\'),
        refused("no file", []),
        refused("no order id", [pdf], order_id=""),
        refused("a blank order id", [pdf], order_id=" "),
        refused("a NUL in the order id", [pdf], order_id="o-1\0"),
        refused("no data", [("r.pdf", "application/pdf", b"")]),
        refused("no data behind a good file", [pdf, ("r.pdf", "application/pdf", b"")]),
        refused("no name", [("", "application/pdf", PDF)]),
        refused("a name with a line end", [("a\r\nContent-Type: text/html\r\n\r\n.pdf", "application/pdf", PDF)]),
        refused("a name with a NUL", [("a\0.pdf", "application/pdf", PDF)]),
        refused("a name with DEL", [("a\x7f.pdf", "application/pdf", PDF)]),
        refused("a name of 256 bytes", [("a" * 252 + ".pdf", "application/pdf", PDF)]),
        refused("a name of 256 bytes in 128 letters", [("я" * 128, "application/pdf", PDF)]),
    ]
    for content_type in (
        "",
        "text/plain",
        "image/gif",
        "image/*",
        "application/pdf; a=b",
        "application/pdf\r\nX-Other: 1",
        " image/png",
        "pdf",
    ):
        made.append(refused(f"the type {content_type!r}", [("r.pdf", content_type, PDF)]))
    for name, content_type, content in (("a PDF", "application/pdf", PDF), ("a JPEG", "image/jpeg", JPEG), ("a PNG", "image/png", PNG)):
        for other in ("application/pdf", "image/jpeg", "image/jpg", "image/png"):
            if other.replace("jpg", "jpeg") != content_type:
                made.append(refused(f"{name} as {other}", [("r", other, content)]))
    for name, content in OTHER_FORMATS:
        made.append(refused(f"{name} as image/jpeg", [("check.jpg", "image/jpeg", content)]))
        made.append(refused(f"{name} behind a good file", [pdf, ("check.jpg", "image/jpeg", content)]))
    return made
