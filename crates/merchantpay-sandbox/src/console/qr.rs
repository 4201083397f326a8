//! A link as a QR code, drawn as one path.

use std::fmt::Write as _;

use maud::{Markup, html};
use qrcode::{Color, EcLevel, QrCode};

/// The blank border that a reader needs around the code, in dots.
const QUIET_ZONE: usize = 4;

/// The QR code of a text; empty if the text is too long.
pub(super) fn code(text: &str, description: &str) -> Markup {
    let Ok(code) = QrCode::with_error_correction_level(text, EcLevel::M) else { return html! {} };
    let side = code.width() + 2 * QUIET_ZONE;
    html! {
        svg.qr role="img" aria-label=(description) viewBox=(format!("0 0 {side} {side}")) shape-rendering="crispEdges" {
            path d=(path(&code)) {}
        }
    }
}

/// The path of the code: a bar for each run of dark dots in a row.
fn path(code: &QrCode) -> String {
    let width = code.width();
    let mut path = String::new();
    for (y, row) in code.to_colors().chunks(width).enumerate() {
        let mut x = 0;
        while x < width {
            let run = row[x..].iter().take_while(|color| **color == Color::Dark).count();
            if run > 0 {
                let _ = write!(path, "M{} {}h{run}v1h-{run}z", x + QUIET_ZONE, y + QUIET_ZONE);
            }
            x += run.max(1);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_drawn_inside_its_quiet_zone() {
        let drawn = code("http://127.0.0.1:8700/pay/sb-1", "to the \"frame\"").into_string();
        assert!(drawn.contains("aria-label=\"to the &quot;frame&quot;\""));
        // Each of the three corner squares is seven dots wide. This is the upper bar of the first square.
        assert!(drawn.contains("d=\"M4 4h7v1h-7z"));
    }

    #[test]
    fn a_text_that_is_too_long_gets_no_code() {
        assert_eq!(code(&"x".repeat(5000), "").into_string(), "");
    }
}
