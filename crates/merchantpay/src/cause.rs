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

    /// Advice for the receiver of a webhook.
    pub(crate) const fn advice_on_webhook(self) -> &'static str {
        match self {
            Cause::MissingSignature => {
                "Pass the value of the header with the signature; a proxy or framework may have removed \
                 the header."
            }
            Cause::RepeatedSignature => "Find the proxy or sender that adds the second signature.",
            Cause::SignatureEncoding => "Pass the value of the header unchanged.",
            Cause::BodyChanged => "Verify the raw bytes of the request, before anything decodes them.",
            Cause::DigestSigned => "The sender must sign the body itself.",
            Cause::OwnKey => {
                "Check which key the sender signs with. If that key is right, one of your own requests \
                 was replayed."
            }
            Cause::WrongKey => "Compare the configured server public key with the key of the sender.",
            Cause::KeyId => "Compare X-KeyId with the configured key ids.",
            Cause::NotExplained => {
                "Compare the configured server public key with the service's public key, and verify the \
                 raw bytes of the request."
            }
        }
    }

    /// Advice for the sender of a request.
    pub(crate) const fn advice_on_request(self) -> &'static str {
        match self {
            Cause::MissingSignature => "Send the standard base64 of the body's signature as X-Signature.",
            Cause::RepeatedSignature => "Send X-Signature once.",
            Cause::SignatureEncoding => {
                "Send standard base64 with padding: 88 characters that end in two equals signs."
            }
            Cause::BodyChanged => "Sign exactly the bytes that you send, after their last change.",
            Cause::DigestSigned => "Sign the body itself; Ed25519 needs no digest.",
            Cause::OwnKey | Cause::WrongKey => "Sign with the private key that belongs to your key id.",
            Cause::KeyId => "Send the key id that the service issued to you as X-KeyId.",
            Cause::NotExplained => {
                "Check that the service has the public half of your private key, and sign exactly the bytes that you send."
            }
        }
    }
}

/// Defines the findings. Each finding has a cause and a sentence.
macro_rules! findings {
    ( $( $finding:ident => $cause:ident, $sentence:literal; )+ ) => {
        /// The exact reason why a message does not verify. Each finding belongs to one [`Cause`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Finding { $( $finding, )+ }

        impl Finding {
            pub(crate) const fn cause(self) -> Cause {
                match self { $( Finding::$finding => Cause::$cause, )+ }
            }

            pub(crate) const fn sentence(self) -> &'static str {
                match self { $( Finding::$finding => $sentence, )+ }
            }
        }
    };
}

findings! {
    Missing => MissingSignature, "The header with the signature is missing or empty.";
    Repeated => RepeatedSignature, "There is more than one signature.";
    Length => SignatureEncoding, "The signature does not have 64 bytes: it is truncated, or it is a key or a digest.";
    Hexadecimal => SignatureEncoding, "The signature is written in hexadecimal digits, not in standard base64.";
    Base64url => SignatureEncoding, "The signature is written in base64url, with - and _ instead of + and /.";
    Unpadded => SignatureEncoding, "The signature lacks its padding, the two equals signs at its end.";
    Quoted => SignatureEncoding, "The signature is in quotes.";
    PercentEncoded => SignatureEncoding, "The signature is percent-encoded, as in a URL.";
    WhiteSpace => SignatureEncoding, "The signature contains white space, or each + became a space.";
    MarkAdded => BodyChanged, "A byte-order mark was added to the body after it was signed.";
    MarkRemoved => BodyChanged, "The byte-order mark of the signed body was removed.";
    LineEndAdded => BodyChanged, "A line end or white space was added to the body after it was signed.";
    LineEndRemoved => BodyChanged, "The line end of the signed body was removed.";
    LineEndsChanged => BodyChanged, "The line ends of the signed body were changed between LF and CRLF.";
    JsonRewritten => BodyChanged, "The signed JSON was written again with other spaces, another order or other escapes.";
    Digest => DigestSigned, "The bytes of the body's SHA-256 were signed, not the body.";
    DigestInHexadecimal => DigestSigned, "The body's SHA-256 in hexadecimal digits was signed, not the body.";
    DigestInBase64 => DigestSigned, "The body's SHA-256 in base64 was signed, not the body.";
    Own => OwnKey, "The merchant's own key signed the message.";
    Other => WrongKey, "Another known key signed the message.";
    KeyIdMissing => KeyId, "X-KeyId is missing.";
    KeyIdOwn => KeyId, "X-KeyId is the receiver's own key id, which a sender never uses.";
    KeyIdUnknown => KeyId, "X-KeyId is not a known key id.";
    NotBase64 => NotExplained, "The signature is not standard base64, and correcting its encoding does not make it valid.";
    TooLarge => NotExplained, "The body has more than 64 KiB and was not analysed.";
    Unexplained => NotExplained, "No known mistake explains the signature.";
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
