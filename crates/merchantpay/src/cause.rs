//! The causes for which a message does not verify, and the texts that explain them.

use crate::words;

words! {
    /// The cause for which a message does not verify. The cause is advice for a developer. Even if the cause
    /// is known, do not use any part of the message.
    #[non_exhaustive]
    pub enum Cause {
        /// The message carries no signature.
        MissingSignature = "missing_signature", 1, since "0.3.0";
        /// The message carries more than one signature.
        RepeatedSignature = "repeated_signature", 2, since "0.3.0";
        /// The signature is not the standard base64 of 64 bytes.
        SignatureEncoding = "signature_encoding", 3, since "0.3.0";
        /// The body was changed after it was signed.
        BodyChanged = "body_changed", 4, since "0.3.0";
        /// A digest of the body was signed instead of the body.
        DigestSigned = "digest_signed", 5, since "0.3.0";
        /// The merchant's own key signed the message.
        OwnKey = "own_key", 6, since "0.3.0";
        /// Another known key signed the message.
        WrongKey = "wrong_key", 7, since "0.3.0";
        /// The key id is missing, the receiver's own, or unknown.
        KeyId = "key_id", 8, since "0.3.0";
        /// No known mistake explains the message.
        NotExplained = "not_explained", 9, since "0.3.0";
    }
}

impl Cause {
    /// The meaning of the cause, in one sentence.
    pub fn sentence(self) -> &'static str {
        let index = usize::try_from(self.number() - 1).unwrap_or_default();
        Cause::TABLE.get(index).map_or("", |word| word.doc)
    }

    /// Advice for the receiver of a webhook, and for the sender of a request.
    pub(crate) const fn advice(self) -> (&'static str, &'static str) {
        match self {
            Cause::MissingSignature => (
                "Pass the value of the header with the signature; a proxy or framework may have removed the header.",
                "Send the standard base64 of the body's signature as X-Signature.",
            ),
            Cause::RepeatedSignature => {
                ("Find the proxy or sender that adds the second signature.", "Send X-Signature once.")
            }
            Cause::SignatureEncoding => (
                "Pass the value of the header unchanged.",
                "Send standard base64 with padding: 88 characters that end in two equals signs.",
            ),
            Cause::BodyChanged => (
                "Verify the raw bytes of the request, before anything decodes them.",
                "Sign exactly the bytes that you send, after their last change.",
            ),
            Cause::DigestSigned => {
                ("The sender must sign the body itself.", "Sign the body itself; Ed25519 needs no digest.")
            }
            Cause::OwnKey => (
                "Check which key the sender signs with. If that key is right, one of your own requests was replayed.",
                "Sign with the private key that belongs to your key id.",
            ),
            Cause::WrongKey => (
                "Compare the configured server public key with the key of the sender.",
                "Sign with the private key that belongs to your key id.",
            ),
            Cause::KeyId => (
                "Compare X-KeyId with the configured key ids.",
                "Send the key id that the service issued to you as X-KeyId.",
            ),
            Cause::NotExplained => (
                "Compare the configured server public key with the service's; if it is right, the body was changed on \
                 its way: log the raw bytes of the request.",
                "Sign the exact bytes that you send, by the private key whose public key the service has.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_its_own_sentence() {
        for (cause, word) in Cause::ALL.iter().zip(Cause::TABLE) {
            assert_eq!((cause.name(), cause.sentence()), (word.name, word.doc));
        }
    }
}
