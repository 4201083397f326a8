//! Converts ureq's failures to the library's errors.

use std::time::Duration;

use crate::error::{Code, Error, Outcome};

/// The error for a failure of ureq. `written` is true if any byte of the request may have been written.
pub(super) fn describe(
    failure: ureq::Error,
    written: bool,
    connect_timeout: Duration,
    max_reply_bytes: u64,
) -> Error {
    let outcome = if written { Outcome::Unknown } else { Outcome::NotSent };
    let when = if written { "after the request was sent" } else { "before anything was sent" };
    match failure {
        ureq::Error::Timeout(ureq::Timeout::Connect) => {
            Error::new(Code::Timeout, outcome, format!("no connection was made within {:?}", connect_timeout))
        }
        ureq::Error::Timeout(_) => Error::new(Code::Timeout, outcome, format!("the deadline passed {when}")),
        ureq::Error::BodyExceedsLimit(_) => Error::new(
            Code::Transport,
            outcome,
            format!("the reply is larger than {} bytes", max_reply_bytes),
        )
        .permanent(),
        failure => {
            let permanent = is_permanent(&failure);
            let mut message = format!("the connection failed {when}: {failure}");
            if let Some(cause) = tls_cause(&failure) {
                message = format!("{message} ({cause})");
            }
            let error = Error::new(Code::Transport, outcome, message);
            if permanent { error.permanent() } else { error }
        }
    }
}

/// Whether a retry would fail too. For example, an untrusted certificate stays untrusted.
fn is_permanent(failure: &ureq::Error) -> bool {
    match failure {
        ureq::Error::Io(error) => error.kind() == std::io::ErrorKind::InvalidData,
        ureq::Error::Tls(_) | ureq::Error::TlsRequired => true,
        _ => false,
    }
}

/// An explanation of a TLS failure, if the text of the failure itself is unclear.
fn tls_cause(failure: &ureq::Error) -> Option<&'static str> {
    use rustls::{CertificateError, Error, InvalidMessage, OtherError};
    let ureq::Error::Io(error) = failure else { return None };
    match error.get_ref()?.downcast_ref()? {
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            Some("the server does not speak TLS on this port: check the scheme and the port of the URL")
        }
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            Some("no trusted CA has issued the server's certificate: set ca_file to the CA that issued it")
        }
        Error::InvalidCertificate(CertificateError::Other(OtherError(cause)))
            if format!("{cause:?}").contains("CaUsedAsEndEntity") =>
        {
            Some(
                "the server's certificate is the certificate of a CA: the server needs a certificate with \
                 basicConstraints=CA:FALSE",
            )
        }
        _ => None,
    }
}
