//! Why a webhook does not verify, to be explained to a person.

use crate::words;

words! {
    /// Why a webhook does not verify. A cause says how the signature or the body was changed in transit;
    /// nothing of a webhook that does not verify can be used, whatever its cause is.
    #[non_exhaustive]
    pub enum Cause {
        /// The header with the signature is missing or empty.
        MissingSignature = "missing_signature", 1, since "0.2.0";
        /// There is more than one signature.
        SignatureRepeated = "signature_repeated", 2, since "0.2.0";
        /// The signature is in quotes.
        SignatureQuoted = "signature_quoted", 3, since "0.2.0";
        /// The signature is percent-encoded, as in a URL.
        SignaturePercentEncoded = "signature_percent_encoded", 4, since "0.2.0";
        /// The signature has white space in it.
        SignatureSpaced = "signature_spaced", 5, since "0.2.0";
        /// The signature is written in hexadecimal digits.
        SignatureHex = "signature_hex", 6, since "0.2.0";
        /// The signature is written in base64url.
        SignatureBase64url = "signature_base64url", 7, since "0.2.0";
        /// The signature lacks the padding of base64.
        SignatureUnpadded = "signature_unpadded", 8, since "0.2.0";
        /// The signature is not the base64 of 64 bytes.
        SignatureUnreadable = "signature_unreadable", 9, since "0.2.0";
        /// It is signed with the merchant's own key.
        OwnKey = "own_key", 10, since "0.2.0";
        /// The body is empty.
        EmptyBody = "empty_body", 11, since "0.2.0";
        /// The body ends in the middle of its JSON.
        BodyCut = "body_cut", 12, since "0.2.0";
        /// It carries the merchant's own key id.
        KeyIdOwn = "key_id_own", 13, since "0.2.0";
        /// Its key id is not one of the configured ids of the service.
        KeyIdUnknown = "key_id_unknown", 14, since "0.2.0";
        /// A byte order mark was added before the body, or removed from it.
        Bom = "bom", 15, since "0.2.0";
        /// Line endings or white space around or within the body were changed.
        LineEnding = "line_ending", 16, since "0.2.0";
        /// The body was written in another character set.
        Charset = "charset", 17, since "0.2.0";
        /// The signature is over something else, such as a digest of the body.
        SignedOtherContent = "signed_other_content", 18, since "0.2.0";
        /// The body was parsed and written again.
        BodyReencoded = "body_reencoded", 19, since "0.2.0";
        /// None of the configured public keys made this signature over this body.
        OtherKeyOrBody = "other_key_or_body", 20, since "0.2.0";
        /// The signature holds, and the webhook was refused for another reason.
        Unknown = "unknown", 21, since "0.2.0";
    }
}
