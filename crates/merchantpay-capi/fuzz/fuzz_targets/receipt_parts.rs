//! Reads any bytes as the parts of a receipt: a line with the order id, then parts separated by lines `---`.
//! A part is a line `name;type` and the data. An independent multipart reader must find the accepted parts in
//! the body.
#![no_main]

mod common;

use common::{MERCHANT_KEY, c, config, header, read, read_error};
use libfuzzer_sys::fuzz_target;
use merchantpay::Signature;
use merchantpay_capi::*;

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
    let (order_id, rest) = (c(lines.next().unwrap_or_default()), lines.next().unwrap_or_default());
    let mut files = Vec::new();
    let mut starts = vec![0];
    starts
        .extend(rest.windows(5).enumerate().filter(|(_, window)| window == b"\n---\n").map(|(at, _)| at + 5));
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).map_or(rest.len(), |next| next - 5);
        let part = rest.get(*start..end).unwrap_or_default();
        let line = part.iter().position(|byte| *byte == b'\n').unwrap_or(part.len());
        let mut names = part[..line].splitn(2, |byte| *byte == b';');
        files.push((
            c(names.next().unwrap_or_default()),
            c(names.next().unwrap_or_default()),
            part.get(line + 1..).unwrap_or_default(),
        ));
    }
    // SAFETY: handles that were just made, texts and bytes that live until each call returns, pointers to
    // variables.
    unsafe {
        let receipt = mpay_receipt_new(order_id.as_ptr());
        files.retain(|(name, kind, bytes)| {
            let mut error = std::ptr::null_mut();
            let code = mpay_receipt_add_bytes(
                Some(&mut *receipt),
                name.as_ptr(),
                kind.as_ptr(),
                bytes.as_ptr().cast(),
                bytes.len(),
                &raw mut error,
            );
            if code != MPAY_OK {
                read_error(code, error);
            }
            code == MPAY_OK
        });
        let (mut protocol, mut request, mut error) =
            (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
        assert_eq!(mpay_protocol_new(Some(&config()), &raw mut protocol, std::ptr::null_mut()), MPAY_OK);
        let code =
            mpay_prepare_attach_receipt(Some(&*protocol), Some(&*receipt), &raw mut request, &raw mut error);
        mpay_protocol_free(Some(Box::from_raw(protocol)));
        mpay_receipt_free(Some(Box::from_raw(receipt)));
        if code != MPAY_OK {
            assert!(request.is_null());
            return read_error(code, error);
        }
        let request = Box::from_raw(request);
        let body = std::slice::from_raw_parts(
            mpay_http_request_body(Some(&request)).cast::<u8>(),
            mpay_http_request_body_len(Some(&request)),
        );
        let signature = Signature::from_base64(header(&request, "X-Signature")).expect("a signature");
        assert!(MERCHANT_KEY.public_key().verifies(body, &signature));
        let boundary = header(&request, "Content-Type")
            .strip_prefix("multipart/form-data; boundary=")
            .expect("a boundary");
        let found = parts(body, boundary);
        assert_eq!(found.len(), files.len() + 1);
        assert_eq!(found[0], ("Content-Disposition: form-data; name=\"orderId\"", order_id.as_bytes()));
        for ((head, data), (name, kind, bytes)) in found[1..].iter().zip(&files) {
            assert_eq!(data, bytes);
            let name = name.to_str().expect("UTF-8").replace('\\', "%5C").replace('"', "%22");
            let expected = format!(
                "Content-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: "
            );
            let found = head.strip_prefix(&expected).expect("the part's head");
            assert!(found.eq_ignore_ascii_case(kind.to_str().expect("UTF-8")));
        }
        assert!(read(mpay_http_request_url(Some(&request))).is_some());
        mpay_http_request_free(Some(request));
    }
});
