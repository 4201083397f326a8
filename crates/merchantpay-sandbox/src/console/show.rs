//! The display of single values. All of these values may come from an untrusted source. maud escapes the
//! content of `(…)`. This module escapes characters that would mislead the reader: control characters and
//! changes of the writing direction.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use merchantpay::Status;
use serde_json::Value;

use super::api::{flag, number, text as text_of};
pub(super) use crate::pages::{moment, text, visible};

/// The number of bytes of a body that are displayed; the rest can be downloaded.
const MOST_SHOWN: usize = 16 * 1024;
/// The number of bytes in a line of the hex dump.
const LINE: usize = 16;

/// A status as a word; its CSS class repeats the meaning in colour.
pub(super) fn status(status: &str) -> Markup {
    let class = match Status::ALL.iter().find(|known| known.as_str() == status) {
        Some(Status::DoneSuccess) => "good",
        Some(Status::DoneFail | Status::ArbitrageCancelledByMerchant) => "bad",
        Some(Status::ReceiptRequired) => "wait",
        _ => "",
    };
    html! { span class={ "status " (class) } { (visible(status, false)) } }
}

/// The status of a payment, its more detailed state if the state adds something, and whether the payment is
/// held.
pub(super) fn standing(payment: &Value) -> Markup {
    let state = match text_of(payment, "state") {
        "searching" => "looking for a payee",
        "awaitingPayment" => "waiting for the customer",
        "checking" => "being checked",
        "arbitration" => "in arbitration",
        _ => "",
    };
    html! {
        (status(text_of(payment, "status")))
        @if !state.is_empty() { " " span.quiet { (state) } }
        @if flag(payment, "held") && !flag(payment, "final") { " " span.status.wait { "held" } }
    }
}

/// A URL: a link if a browser may safely follow it, otherwise a text.
pub(super) fn address(url: &str) -> Markup {
    let lower = url.to_ascii_lowercase();
    html! {
        @if lower.starts_with("http://") || lower.starts_with("https://") {
            a href=(url) rel="noopener noreferrer nofollow" { (visible(url, false)) }
        } @else {
            (text(url))
        }
    }
}

/// Bytes from the control API: as text, and as a hex dump. `what` identifies one body of a page.
pub(super) fn body(bytes: &Value, what: &str) -> Markup {
    let size = number(bytes, "size");
    let known = STANDARD.decode(text_of(bytes, "base64")).unwrap_or_default();
    let head = &known[..known.len().min(MOST_SHOWN)];
    html! {
        @if size == 0 {
            p.quiet { "No body." }
        } @else {
            pre.wrap tabindex="0" role="region" aria-label={ (what) " as text" } { (visible(&String::from_utf8_lossy(head), true)) }
            details {
                summary { "Byte by byte " span.number { "(" (size) " bytes)" } }
                pre tabindex="0" role="region" aria-label={ (what) " byte by byte" } { (dump(head)) }
            }
            @if (head.len() as u64) < size { p.quiet { "The first " (head.len()) " of " (size) " bytes are shown." } }
        }
    }
}

/// The headers of a message, as they were sent.
pub(super) fn headers(headers: &[Value], what: &str) -> Markup {
    let lines = headers.iter().map(|pair| {
        let part = |index: usize| pair.get(index).and_then(Value::as_str).unwrap_or_default();
        format!("{}: {}\n", visible(part(0), false), visible(part(1), false))
    });
    html! { pre.wrap tabindex="0" role="region" aria-label=(what) { @for line in lines { (line) } } }
}

/// A hex dump: offset, bytes, and the printable ASCII characters.
fn dump(bytes: &[u8]) -> String {
    let mut dump = String::with_capacity(bytes.len() * 5);
    for (line, chunk) in bytes.chunks(LINE).enumerate() {
        let hex: Vec<String> = chunk.iter().map(|byte| format!("{byte:02x}")).collect();
        let ascii: String = chunk
            .iter()
            .map(|byte| if matches!(byte, 0x20..=0x7e) { char::from(*byte) } else { '.' })
            .collect();
        let _ = writeln!(dump, "{:06x}  {:47}  {ascii}", line * LINE, hex.join(" "));
    }
    dump
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_comes_from_outside_is_escaped() {
        for (hostile, shown) in [
            ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
            ("\"><script>alert(1)</script>", "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("a\u{202e}b\u{0}c\u{200b}", "a\\u{202e}b\\u{0}c\\u{200b}"),
            ("a & b", "a &amp; b"),
        ] {
            assert_eq!(text(hostile).into_string(), format!("<bdi>{shown}</bdi>"));
            assert!(headers(&[json!(["x-a", hostile])], "").into_string().contains(shown));
            assert!(!status(hostile).into_string().contains("<img"));
        }
    }

    #[test]
    fn only_addresses_of_the_web_become_links() {
        for link in ["http://127.0.0.1:1/a?b=c", "HTTPS://shop.example/"] {
            assert!(address(link).into_string().starts_with("<a href=\""), "{link}");
        }
        for text in ["javascript:alert(1)", " http://x", "data:text/html,x", "//x", "", "java\nscript:x"] {
            assert!(!address(text).into_string().contains("<a"), "{text}");
        }
        assert!(
            address("http://x/\"onclick=\"y")
                .into_string()
                .contains("href=\"http://x/&quot;onclick=&quot;y\"")
        );
    }

    #[test]
    fn a_moment_is_read_in_utc() {
        let shown = moment("2026-01-01T00:00:00.300Z").into_string();
        assert_eq!(
            shown,
            "<time datetime=\"2026-01-01T00:00:00.300Z\"><span>2026-01-01</span> <span>00:00:00.300 UTC</span></time>"
        );
    }

    #[test]
    fn a_dump_shows_every_byte() {
        assert_eq!(
            dump(b"{\"a\":1}\n"),
            "000000  7b 22 61 22 3a 31 7d 0a                          {\"a\":1}.\n"
        );
        assert_eq!(dump(&[0; 17]).lines().count(), 2);
    }
}
