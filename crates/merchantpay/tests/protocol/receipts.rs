//! Tests of the content of a receipt's multipart body, and of receipts that are refused.

use std::path::PathBuf;

use crate::common::reply::success;
use crate::common::server::Server;
use crate::common::{ORDER, client};
use merchantpay::{Code, Error, Outcome, RECEIPT_TYPES, Receipt};

const PDF: &[u8] = b"%PDF-1.7\r\n--not-a-boundary\r\n\0\xff";
const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

/// A part of a multipart body.
#[derive(Debug, PartialEq)]
struct Part {
    disposition: String,
    content_type: Option<String>,
    data: Vec<u8>,
}

/// Reads a multipart body according to RFC 2046, section 5.1.1, without a preamble.
fn parts(content_type: &str, body: &[u8]) -> Vec<Part> {
    let boundary = content_type.strip_prefix("multipart/form-data; boundary=").unwrap();
    assert!(
        (1..=70).contains(&boundary.len())
            && boundary.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    );
    let delimiter = format!("\r\n--{boundary}");
    let mut rest = [b"\r\n", body].concat();
    let mut parts = Vec::new();
    let find = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).position(|part| part == what);
    assert_eq!(find(&rest, delimiter.as_bytes()), Some(0), "it begins with the boundary");
    loop {
        rest.drain(..delimiter.len());
        if rest.starts_with(b"--") {
            assert_eq!(rest, b"--\r\n", "nothing stands behind the last boundary");
            return parts;
        }
        assert!(rest.starts_with(b"\r\n"));
        rest.drain(..2);
        let end = find(&rest, delimiter.as_bytes()).expect("a part has an end");
        let part: Vec<u8> = rest.drain(..end).collect();
        let head = find(&part, b"\r\n\r\n").expect("a part has headers");
        let mut read =
            Part { disposition: String::new(), content_type: None, data: part[head + 4..].to_vec() };
        for line in std::str::from_utf8(&part[..head]).unwrap().split("\r\n") {
            match line.split_once(": ").unwrap() {
                ("Content-Disposition", value) => read.disposition = value.to_owned(),
                ("Content-Type", value) => read.content_type = Some(value.to_owned()),
                other => panic!("{other:?}"),
            }
        }
        parts.push(read);
    }
}

/// Sends the receipt, and returns the parts that arrive. The first part is always the order id.
fn sent(receipt: &Receipt) -> Vec<Part> {
    let server = Server::replying(success());
    client(&server.url()).attach_receipt(receipt).unwrap();
    let requests = server.finish().requests;
    assert_eq!(requests.len(), 1);
    let mut parts = parts(requests[0].header("Content-Type").unwrap(), &requests[0].body);
    let order = Part {
        disposition: r#"form-data; name="orderId""#.to_owned(),
        content_type: None,
        data: ORDER.into(),
    };
    assert_eq!(parts.remove(0), order);
    parts
}

fn file_part(name: &str, content_type: &str, data: &[u8]) -> Part {
    Part {
        disposition: format!(r#"form-data; name="file"; filename="{name}""#),
        content_type: Some(content_type.to_owned()),
        data: data.to_vec(),
    }
}

/// A folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("receipts-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[track_caller]
fn assert_refused(result: Result<&mut Receipt, Error>, what: &str) {
    let error = result.err().unwrap_or_else(|| panic!("{what} was taken"));
    let summary = (error.code(), error.outcome(), error.order_id());
    assert_eq!(summary, (Code::InvalidArgument, Outcome::NotSent, Some(ORDER)), "{what}: {error}");
    assert!(
        !error.message().contains("79001234567"),
        "{what}: a file's name may be an account, and is in no error: {error}"
    );
}

#[test]
fn a_files_type_follows_from_its_first_bytes() {
    let folder = folder("types");
    let cases: [(&str, &[u8], &str); 13] = [
        ("a.pdf", PDF, "application/pdf"),
        ("a.PDF", PDF, "application/pdf"),
        ("a.jpg", JPEG, "image/jpeg"),
        ("a.b.jpeg", JPEG, "image/jpeg"),
        ("a.JpG", JPEG, "image/jpeg"),
        ("a.png", PNG, "image/png"),
        ("photo.jpg", PDF, "application/pdf"),
        ("photo.pdf", PNG, "image/png"),
        ("marked.pdf", b"\xef\xbb\xbf\r\n%PDF-1.4", "application/pdf"),
        ("scan-pdf", PDF, "application/pdf"),
        ("scan-jpeg", JPEG, "image/jpeg"),
        ("scan-png", PNG, "image/png"),
        ("scan.upload", PNG, "image/png"),
    ];
    let mut all = Receipt::new(ORDER);
    for (name, data, content_type) in cases {
        let path = folder.join(name);
        std::fs::write(&path, data).unwrap();
        let mut receipt = Receipt::new(ORDER);
        receipt.add_file(&path).unwrap();
        all.add_file(&path).unwrap();
        assert_eq!(sent(&receipt), [file_part(name, content_type, data)], "{name}");
    }
    let expected: Vec<_> =
        cases.iter().map(|(name, data, content_type)| file_part(name, content_type, data)).collect();
    assert_eq!(sent(&all), expected, "many files in the order they were added");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn each_receipt_has_a_boundary_of_its_own_that_nobody_can_guess() {
    let boundary = || {
        let mut receipt = Receipt::new(ORDER);
        receipt.add_bytes("a", "application/pdf", PDF).unwrap();
        let server = Server::replying(success());
        client(&server.url()).attach_receipt(&receipt).unwrap();
        let requests = server.finish().requests;
        requests[0].header("Content-Type").unwrap().split_once("boundary=").unwrap().1.to_owned()
    };
    let (one, other) = (boundary(), boundary());
    assert_ne!(one, other);
    for boundary in [one, other] {
        let random = boundary.strip_prefix("merchantpay-").unwrap();
        assert!(random.len() == 32 && random.bytes().all(|byte| byte.is_ascii_hexdigit()), "{boundary}");
    }
}

#[test]
fn an_error_names_a_file_by_its_number() {
    let mut receipt = Receipt::new(ORDER);
    let refused = |receipt: &mut Receipt| {
        let error = receipt.add_bytes("a", "text/plain", PDF).unwrap_err();
        error.message().split(" must have").next().unwrap().to_owned()
    };
    assert_eq!(refused(&mut receipt), "receipt file 1");
    receipt.add_bytes("a", "application/pdf", PDF).unwrap();
    assert_eq!(refused(&mut receipt), "receipt file 2");
}

fn data_of_other_formats(data: &[u8]) -> impl Iterator<Item = &'static [u8]> {
    [PDF, JPEG, PNG].into_iter().filter(move |other| *other != data)
}

/// The first bytes of files that people attach, and what an error calls them.
#[test]
fn another_format_is_named_whatever_the_file_is_called() {
    let folder = folder("formats");
    let path = folder.join("check.jpg");
    let cases: [(&[u8], &str); 10] = [
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "a HEIC image"),
        (b"\0\0\0\x24ftypmif1\0\0\0\0", "a HEIC image"),
        (b"\0\0\0\x1cftypavif\0\0\0\0", "an AVIF image"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "a WebP image"),
        (b"GIF89a\x01\0", "a GIF image"),
        (b"II*\0\x08\0\0\0", "a TIFF image"),
        (b"BM\x46\0\0\0", "a BMP image"),
        (b"PK\x03\x04\x14\0", "a ZIP archive or an office document"),
        (b"<html><body>paid</body>", "neither a PDF nor an image"),
        (b"receipt", "neither a PDF nor an image"),
    ];
    for (data, name) in cases {
        std::fs::write(&path, data).unwrap();
        let wanted = format!("receipt file 1 is {name}; the service accepts PDF, JPEG and PNG: convert it");
        let by_path = Receipt::new(ORDER).add_file(&path).map(drop).unwrap_err();
        let by_bytes = Receipt::new(ORDER).add_bytes("a.jpg", "image/jpeg", data).map(drop).unwrap_err();
        assert_eq!((by_path.message(), by_bytes.message()), (wanted.as_str(), wanted.as_str()));
        assert_eq!((by_path.code(), by_path.outcome()), (Code::InvalidArgument, Outcome::NotSent));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bytes_are_sent_under_the_type_they_are_given() {
    let mut receipt = Receipt::new(ORDER);
    let mut expected = Vec::new();
    let data = [PDF, JPEG, JPEG, PNG];
    for (content_type, data) in RECEIPT_TYPES.iter().zip(data) {
        receipt.add_bytes("чек 1", content_type, data).unwrap();
        expected.push(file_part("чек 1", content_type, data));
        for other in data_of_other_formats(data) {
            let error = receipt.add_bytes("a", content_type, other).unwrap_err();
            assert!(error.message().contains("but its content type is"), "{content_type}: {error}");
        }
    }
    receipt.add_bytes("a", "IMAGE/PNG", PNG).unwrap();
    expected.push(file_part("a", "image/png", PNG));
    let every_byte: Vec<u8> = JPEG.iter().copied().chain((0..=255).cycle().take(300_000)).collect();
    receipt.add_bytes("b", "image/jpg", &every_byte).unwrap();
    expected.push(file_part("b", "image/jpg", &every_byte));
    assert_eq!(sent(&receipt), expected);
}

#[test]
fn a_name_cannot_leave_its_quotes() {
    for (name, written) in [
        (r#"a"b.pdf"#, "a%22b.pdf"),
        (r#"x"; name="orderId"#, "x%22; name=%22orderId"),
        (r"a\", "a%5C"),
        (r#"a\"b"#, "a%5C%22b"),
        ("a;b=c", "a;b=c"),
        ("../a", "../a"),
    ] {
        let mut receipt = Receipt::new(ORDER);
        receipt.add_bytes(name, "application/pdf", PDF).unwrap();
        assert_eq!(sent(&receipt), [file_part(written, "application/pdf", PDF)], "{name}");
    }
    for name in ["", "a\r\nX: y", "a\nb", "a\0b", "a\u{7f}", "a\u{85}b"] {
        assert_refused(Receipt::new(ORDER).add_bytes(name, "application/pdf", PDF), name);
    }
}

#[test]
fn an_order_id_with_line_ends_stays_one_part() {
    let order = "a\r\n--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n";
    let mut receipt = Receipt::new(order);
    receipt.add_bytes("a", "application/pdf", PDF).unwrap();
    let protocol = crate::common::protocol();
    let prepared = protocol.prepare(merchantpay::operation::attach_receipt(&receipt)).unwrap();
    let content_type = prepared.request().headers().find(|(name, _)| *name == "Content-Type").unwrap().1;
    let parts = parts(content_type, prepared.request().body());
    assert_eq!((parts.len(), parts[0].data.as_slice()), (2, order.as_bytes()));
}

#[test]
fn what_is_no_receipt_is_refused_and_leaves_the_others_as_they_were() {
    let folder = folder("refused");
    let write = |name: &str, data: &[u8]| {
        std::fs::write(folder.join(name), data).unwrap();
        folder.join(name)
    };
    let refused = [
        ("a missing file", folder.join("79001234567.pdf")),
        ("a folder", folder.clone()),
        ("an empty file", write("79001234567 empty.pdf", b"")),
        ("an empty file without a type", write("empty", b"")),
        ("text", write("a.txt", b"paid")),
        ("text without a type", write("a", b"PDF")),
        ("a picture of another type", write("79001234567.gif", b"GIF89a")),
        ("half a magic number", write("b", &PNG[..7])),
        ("no path", PathBuf::new()),
    ];
    let named = folder.join("79001234567 folder.pdf");
    std::fs::create_dir_all(&named).unwrap();

    let mut receipt = Receipt::new(ORDER);
    receipt.add_bytes("first.pdf", "application/pdf", PDF).unwrap();
    for (what, path) in &refused {
        assert_refused(receipt.add_file(path), what);
    }
    assert_refused(receipt.add_file(&named), "a folder named like a receipt");
    for content_type in ["text/plain", "", "application/pdf; x=y", "image/gif", "pdf", " image/png"] {
        assert_refused(receipt.add_bytes("79001234567.pdf", content_type, PDF), content_type);
    }
    assert_refused(receipt.add_bytes("79001234567.pdf", "application/pdf", b""), "no bytes");
    receipt.add_bytes("last.png", "image/png", PNG).unwrap();
    assert_eq!(
        sent(&receipt),
        [file_part("first.pdf", "application/pdf", PDF), file_part("last.png", "image/png", PNG)]
    );
    std::fs::remove_dir_all(folder).unwrap();
}

/// If a file is larger than the memory, the result is an error, and the host continues.
#[test]
fn a_file_that_does_not_fit_in_memory_is_refused() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("sparse-{}.pdf", std::process::id()));
    // The file gets the largest of these sizes that the file system allows. This is more than any memory.
    std::fs::write(&path, PDF).unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    assert!([1 << 62, 1 << 50, 1 << 43].into_iter().any(|size| file.set_len(size).is_ok()));
    let refused = Receipt::new(ORDER).add_file(&path).map(drop);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(refused.unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn a_receipt_without_a_file_or_an_order_is_not_sent() {
    let server = Server::replying(success());
    let error = client(&server.url()).attach_receipt(&Receipt::new(ORDER)).unwrap_err();
    assert_eq!(
        (error.code(), error.outcome(), error.order_id()),
        (Code::InvalidArgument, Outcome::NotSent, Some(ORDER))
    );
    for order in ["", " ", "\t\n"] {
        let mut receipt = Receipt::new(order);
        receipt.add_bytes("receipt.pdf", "application/pdf", PDF).unwrap();
        assert_eq!(client(&server.url()).attach_receipt(&receipt).unwrap_err().code(), Code::InvalidArgument);
    }
    assert_eq!(server.finish().connections, 0);
}

#[test]
fn a_clone_of_a_receipt_goes_its_own_way() {
    let mut one = Receipt::new(ORDER);
    one.add_bytes("a", "application/pdf", PDF).unwrap();
    let mut other = one.clone();
    other.add_bytes("b", "image/png", PNG).unwrap();
    assert_eq!(sent(&one), [file_part("a", "application/pdf", PDF)]);
    assert_eq!(sent(&other), [file_part("a", "application/pdf", PDF), file_part("b", "image/png", PNG)]);
}
