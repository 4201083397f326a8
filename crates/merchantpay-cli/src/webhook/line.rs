//! Writes the line of a verified webhook.

use merchantpay::Event;

use crate::json::{one_line, quoted};
use crate::json_members::Members;

/// The event's kind and the webhook's fields unchanged. A field with the name `kind` is left out, because a
/// reader could mistake it for the event's kind.
pub(crate) fn event_line(event: &Event) -> String {
    let kind = quoted(event.kind());
    let json = event.payment().json();
    let fields = match serde_json::from_str(json) {
        Ok(Members(fields)) if fields.iter().any(|(name, _)| name == "kind") => {
            let others = fields.iter().filter(|(name, _)| name != "kind");
            others
                .map(|(name, value)| format!(",{}:{}", quoted(name), one_line(value.get())))
                .collect::<String>()
                + "}"
        }
        _ => format!(",{}", one_line(json).get(1..).unwrap_or("}")),
    };
    format!("{{\"kind\":{kind}{fields}")
}

#[cfg(test)]
mod tests {
    use merchantpay::{Keypair, WebhookVerifier};

    use super::*;

    #[test]
    fn the_kind_of_an_event_is_the_librarys_whatever_the_body_says() {
        let service = Keypair::generate().unwrap();
        for (body, line) in [
            (
                r#"{"success":true,"orderId":"o","status":"doneFail","kind":"credentials"}"#,
                r#""success":true,"orderId":"o","status":"doneFail"}"#,
            ),
            (
                r#"{ "\u006bind":1, "success":true, "orderId":"o", "status":"doneFail", "x":[1.50, {"kind":2}] }"#,
                r#""success":true,"orderId":"o","status":"doneFail","x":[1.50,{"kind":2}]}"#,
            ),
            (
                r#"{"success":true, "orderId":"o","status":"doneFail","sum":1500.50}"#,
                r#""success":true,"orderId":"o","status":"doneFail","sum":1500.50}"#,
            ),
        ] {
            let signature = service.private_key().sign(body.as_bytes()).to_base64();
            let event =
                WebhookVerifier::new(service.public_key()).verify(body.as_bytes(), &signature, None).unwrap();
            assert_eq!(event_line(&event), format!("{{\"kind\":\"status\",{line}"));
        }
    }
}
