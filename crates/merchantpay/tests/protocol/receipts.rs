//! Receipts: their files, the random boundary, clones. The multipart body, and what is refused of bytes, is in
//! tests/contract/vectors/receipts.json.

use std::path::PathBuf;

use crate::common::{ORDER, protocol};
use merchantpay::{Code, Outcome, Receipt, Result, operation};
use tempfile::TempDir;

const PDF: &[u8] = b"%PDF-1.7\r\n--not-a-boundary\r\n\0\xff";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn write(folder: &TempDir, name: &str, data: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, data).unwrap();
    path
}

/// The body has "@" for the boundary, so that bodies can be compared.
fn boundary_and_body(receipt: &Receipt) -> (String, String) {
    let prepared = protocol().prepare(operation::attach_receipt(receipt)).unwrap();
    let (_, content_type) = prepared.request().headers().find(|(name, _)| *name == "Content-Type").unwrap();
    let boundary = content_type.split_once("boundary=").unwrap().1.to_owned();
    let body = String::from_utf8_lossy(prepared.request().body()).replace(&boundary, "@");
    (boundary, body)
}

fn body(receipt: &Receipt) -> String {
    boundary_and_body(receipt).1
}

fn receipt_of(files: &[(&str, &str, &[u8])]) -> Receipt {
    let mut receipt = Receipt::new(ORDER);
    files.iter().try_for_each(|(name, kind, data)| receipt.add_bytes(name, kind, data).map(drop)).unwrap();
    receipt
}

#[test]
fn boundary_is_random() {
    let boundary = || boundary_and_body(&receipt_of(&[("a", "application/pdf", PDF)])).0;
    let (one, other) = (boundary(), boundary());
    assert_ne!(one, other);
    for boundary in [one, other] {
        let random = boundary.strip_prefix("merchantpay-").unwrap();
        assert!(random.len() == 32 && random.bytes().all(|byte| byte.is_ascii_hexdigit()), "{boundary}");
    }
}

#[test]
fn refused_file_is_named_by_number_and_not_added() {
    let folder = folder();
    let (heic, gif): (&[u8], &[u8]) = (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", b"GIF89a\x01\0");
    // A file's name may have an account, so no error repeats it.
    let refused = [
        ("", folder.path().join("79001234567.pdf")),
        ("", folder.path().to_owned()),
        ("", PathBuf::new()),
        ("", write(&folder, "79001234567 empty.pdf", b"")),
        (
            "is a HEIC image; the service accepts PDF, JPEG and PNG: convert it",
            write(&folder, "check.jpg", heic),
        ),
        ("is a GIF image", write(&folder, "79001234567.gif", gif)),
        ("is neither a PDF nor an image", write(&folder, "a.txt", b"paid")),
        ("is neither a PDF nor an image", write(&folder, "half", &PNG[..7])),
    ];
    let mut receipt = receipt_of(&[("first.pdf", "application/pdf", PDF)]);
    for (text, path) in refused {
        let error = receipt.add_file(&path).map(drop).unwrap_err();
        let summary = (error.code(), error.outcome(), error.order_id());
        assert_eq!(summary, (Code::InvalidArgument, Outcome::NotSent, Some(ORDER)), "{path:?}: {error}");
        assert!(error.message().contains(text) && !error.message().contains("79001234567"), "{error}");
        assert!(text.is_empty() || error.message().starts_with("receipt file 2 "), "{error}");
    }
    receipt.add_bytes("last.png", "image/png", PNG).unwrap();
    let expected = receipt_of(&[("first.pdf", "application/pdf", PDF), ("last.png", "image/png", PNG)]);
    assert_eq!(body(&receipt), body(&expected));
}

/// A failed allocation would end the host.
#[test]
fn file_that_does_not_fit_in_memory_is_refused() {
    let folder = folder();
    let path = write(&folder, "sparse.pdf", PDF);
    // The file gets the largest of these sizes that the file system allows. This is more than any memory.
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    assert!([1 << 62, 1 << 50, 1 << 43].into_iter().any(|size| file.set_len(size).is_ok()));
    let refused: Result<()> = Receipt::new(ORDER).add_file(&path).map(drop);
    assert_eq!(refused.unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn clone_is_independent() {
    let one = receipt_of(&[("a", "application/pdf", PDF)]);
    let mut other = one.clone();
    other.add_bytes("b", "image/png", PNG).unwrap();
    assert_eq!(body(&one), body(&receipt_of(&[("a", "application/pdf", PDF)])));
    let both = receipt_of(&[("a", "application/pdf", PDF), ("b", "image/png", PNG)]);
    assert_eq!(body(&other), body(&both));
}
