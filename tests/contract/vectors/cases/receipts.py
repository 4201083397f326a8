"""These cases test receipts: the multipart body, with @boundary@ for the boundary, and refused receipts
(contract, section 4.7)."""

from .common import MERCHANT_ID, PREFIX, data, not_sent

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe\0"
JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0"
PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n\0endobj\r\n"


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
        receipt("one byte", [("r.pdf", "application/pdf", b"\0")]),
        receipt("all bytes there are", [("r.pdf", "application/pdf", bytes(range(256)) * 4)]),
        receipt("data of nothing but line ends", [("r.pdf", "application/pdf", b"\r\n\r\n")]),
        receipt("data that ends in a line end", [("r.pdf", "application/pdf", b"%PDF\r\n")]),
        receipt("data like a boundary", [("r.pdf", "application/pdf", b"\r\n--boundary--\r\n")]),
        receipt("data that is not of its type is not looked into", [("r.png", "image/png", PDF)]),
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
    return made
