//! Reads any bytes as the parts of a receipt: a line with the order id, then parts separated by lines `---`.
//! A part is a line `name;type` and the data. An independent multipart reader must find the accepted parts in
//! the body.
#![no_main]

mod common;

use common::{PROTOCOL, check_error, header, signed};
use libfuzzer_sys::fuzz_target;
use merchantpay::{Receipt, operation};

/// Returns the parts of a multipart body, each as head and data. This reader follows RFC 2046, section 5.1,
/// and uses none of the library's code.
fn parts<'a>(body: &'a [u8], boundary: &str) -> Vec<(&'a str, &'a [u8])> {
    let delimiter = format!("\r\n--{boundary}");
    let mut rest = body.strip_prefix(&delimiter.as_bytes()[2..]).expect("an opening line");
    let mut found = Vec::new();
    loop {
        if rest == b"--\r\n" {
            return found;
        }
        rest = rest.strip_prefix(b"\r\n").expect("the end of a line");
        let end = rest
            .windows(delimiter.len())
            .position(|window| window == delimiter.as_bytes())
            .expect("a closing line");
        let head = rest[..end].windows(4).position(|window| window == b"\r\n\r\n").expect("an empty line");
        found.push((std::str::from_utf8(&rest[..head]).expect("UTF-8"), &rest[head + 4..end]));
        rest = &rest[end + delimiter.len()..];
    }
}

fuzz_target!(|data: &[u8]| {
    let mut lines = data.splitn(2, |byte| *byte == b'\n');
    let (order_id, mut rest) = (String::from_utf8_lossy(lines.next().unwrap_or_default()), lines.next());
    let mut receipt = Receipt::new(&*order_id);
    let mut files = Vec::new();
    while let Some(parts) = rest {
        let end = parts.windows(5).position(|window| window == b"\n---\n");
        let part = &parts[..end.unwrap_or(parts.len())];
        rest = end.map(|end| &parts[end + 5..]);
        let line = part.iter().position(|byte| *byte == b'\n').unwrap_or(part.len());
        let names = String::from_utf8_lossy(&part[..line]).into_owned();
        let (name, kind) = names.split_once(';').unwrap_or((&names, ""));
        let bytes = part.get(line + 1..).unwrap_or_default();
        match receipt.add_bytes(name, kind, bytes) {
            Ok(_) => files.push((name.to_owned(), kind.to_owned(), bytes)),
            Err(error) => check_error(&error),
        }
    }
    let prepared = match PROTOCOL.prepare(operation::attach_receipt(&receipt)) {
        Ok(prepared) => prepared,
        Err(error) => return check_error(&error),
    };
    let boundary = header(prepared.request(), "Content-Type")
        .strip_prefix("multipart/form-data; boundary=")
        .expect("a boundary");
    let found = parts(signed(prepared.request()), boundary);
    assert_eq!(found.len(), files.len() + 1);
    assert_eq!(found[0], ("Content-Disposition: form-data; name=\"orderId\"", order_id.as_bytes()));
    for ((head, data), (name, kind, bytes)) in found[1..].iter().zip(&files) {
        assert_eq!(data, bytes);
        let name = name.replace('\\', "%5C").replace('"', "%22");
        let expected =
            format!("Content-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: ");
        assert!(head.strip_prefix(&expected).expect("the part's head").eq_ignore_ascii_case(kind));
    }
});
