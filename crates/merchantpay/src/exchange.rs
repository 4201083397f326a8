//! Requests and replies without I/O: [`Protocol::prepare`] makes the signed bytes of a request, and
//! [`Prepared::open`] verifies the bytes of the reply. The [`Client`](crate::Client) uses this module. A host
//! with its own HTTP stack can use it too.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::error::{Code, Error, Outcome, Result, unsigned_advice};
use crate::json::Object;
use crate::keys::{PublicKey, RequestSigner, Signer};
use crate::operation::{OperationInfo, Read, UnsignedRequest};
use crate::setting_text::{TextRule, clean};
use crate::text::{excerpt, printable};
use crate::url::{BASE_PATH, check_base_url};
use crate::verified::{Trust, Verified, is_visible_ascii};
use crate::webhook::WebhookVerifier;

/// Signs requests for one service, and verifies the replies of the service. Threads can share a `Protocol`.
#[derive(Clone)]
pub struct Protocol {
    base_url: String,
    key_id: Arc<str>,
    signer: RequestSigner,
    trust: Arc<Trust>,
}

impl Protocol {
    /// Makes a protocol. `base_url` is the URL before `/api/v1/merchant/pay`: absolute, https (http to
    /// loopback only), with or without a path prefix. `server_public_keys` is one key, or several keys while
    /// the service rotates its keys. `server_key_ids` may be empty.
    /// [`Config::protocol`](crate::Config::protocol) makes a protocol with all settings.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for an unusable URL or key id; `invalid_key` if the service's key is the merchant's
    /// own key.
    pub fn new(
        base_url: &str,
        key_id: &str,
        signer: impl Signer + 'static,
        server_public_keys: &[PublicKey],
        server_key_ids: &[String],
    ) -> Result<Protocol> {
        let base_url = check_base_url(base_url, false)?;
        let signer = RequestSigner::new(signer);
        Protocol::with_checked_url(base_url, key_id, signer, server_public_keys, server_key_ids)
    }

    pub(crate) fn with_checked_url(
        base_url: &str,
        key_id: &str,
        signer: RequestSigner,
        server_public_keys: &[PublicKey],
        server_key_ids: &[String],
    ) -> Result<Protocol> {
        let key_id = clean("key_id", TextRule::KeyId, key_id)?;
        if key_id.is_empty() || !is_visible_ascii(key_id) {
            return Err(Error::about("key_id", "must be visible ASCII without spaces"));
        }
        let trust =
            Trust::new(server_public_keys.to_vec(), server_key_ids.to_vec(), Some(key_id.to_owned()))?
                .with_own_key(signer.public_key())?;
        let base_url = base_url.trim_end_matches('/').to_owned();
        Ok(Protocol { base_url, key_id: key_id.into(), signer, trust: Arc::new(trust) })
    }

    /// Checks the request, writes its body once, and signs exactly those bytes. Nothing is sent.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if the request is invalid. If the signer fails, the signer's own error.
    /// `invalid_key` if the signature does not verify with the signer's own public key. The outcome is always
    /// `not_sent`.
    pub fn prepare<R>(&self, request: UnsignedRequest<R>) -> Result<Prepared<R>> {
        let signed = request.body.clone().and_then(|body| Ok((self.signer.sign(&body)?.to_base64(), body)));
        let (signature, body) = signed.map_err(|error| request.about(error))?;
        Ok(Prepared {
            request: SignedRequest {
                url: [self.base_url.as_str(), BASE_PATH, request.operation.path].concat(),
                content_type: request.content_type,
                key_id: Arc::clone(&self.key_id),
                signature,
                body,
            },
            order_id: request.order_id,
            trust: Arc::clone(&self.trust),
            operation: request.operation,
            read: request.read,
        })
    }

    pub(crate) fn has_own_signer(&self) -> bool {
        self.signer.is_host_code()
    }

    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    pub(crate) fn key_id(&self) -> &str {
        &self.key_id
    }

    pub(crate) fn verifier(&self) -> WebhookVerifier {
        WebhookVerifier::of(&self.trust)
    }
}

impl fmt::Debug for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Protocol")
            .field("base_url", &self.base_url)
            .field("trust", &self.trust)
            .finish_non_exhaustive()
    }
}

/// A request to send by `POST`: send exactly this body, with these headers, and only once.
#[derive(Clone)]
pub struct SignedRequest {
    url: String,
    content_type: Cow<'static, str>,
    key_id: Arc<str>,
    signature: String,
    body: Arc<Vec<u8>>,
}

impl SignedRequest {
    /// The whole URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// `Content-Type`, `X-KeyId` and `X-Signature`.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        [("Content-Type", &*self.content_type), ("X-KeyId", &*self.key_id), ("X-Signature", &*self.signature)]
            .into_iter()
    }

    /// The signed bytes.
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

impl fmt::Debug for SignedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedRequest")
            .field("url", &self.url)
            .field("body_len", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// A request that is ready to send. [`open`](Prepared::open) reads the reply to this request as a value of
/// type `R`. A `Prepared` owns its data.
pub struct Prepared<R> {
    request: SignedRequest,
    order_id: Option<String>,
    trust: Arc<Trust>,
    operation: &'static OperationInfo,
    read: Read<R>,
}

impl<R> Prepared<R> {
    /// The request to send.
    pub fn request(&self) -> &SignedRequest {
        &self.request
    }

    /// Opens the reply: verifies its bytes, parses them, and checks that the reply belongs to this request.
    /// `headers` are all headers of the reply. The names of the headers may have upper or lower case.
    ///
    /// # Errors
    ///
    /// `unverified`, `malformed`, `rejected`, or `transport` for a redirect; see [`Code`].
    pub fn open<'h>(
        &self,
        status: u16,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        body: &[u8],
    ) -> Result<R> {
        let headers = ReplyHeaders::read(headers);
        let retry_after = headers.retry_after.filter(|_| matches!(status, 429 | 503));
        let retry_after = retry_after.and_then(|value| pause(value, SystemTime::now()));
        let result = self.verify(status, &headers, body).and_then(|verified| {
            let object = self.bind(&verified, status)?;
            (self.read)(&object).map_err(|fault| {
                // A success that cannot be parsed may still contain an order id. The caller needs this id.
                let order_id = object.string("orderId").ok().flatten();
                verified.malformed(&fault).with_order_id(order_id.as_deref())
            })
        });
        result.map_err(|error| {
            error.with_http_status(status).with_order_id(self.order_id()).with_retry_after(retry_after)
        })
    }

    /// The operation of the request.
    pub fn operation(&self) -> &'static OperationInfo {
        self.operation
    }

    pub(crate) fn order_id(&self) -> Option<&str> {
        self.order_id.as_deref()
    }

    fn verify<'b>(&self, status: u16, headers: &ReplyHeaders<'_>, body: &'b [u8]) -> Result<Verified<'b>> {
        if (300..400).contains(&status) {
            return Err(Error::new(
                Code::Transport,
                Outcome::Unknown,
                format!(
                    "the reply is a redirect (HTTP {status}), which the library does not follow: \
                     check the base URL"
                ),
            )
            .permanent());
        }
        let verified = match headers.signature {
            Header::Once(signature) => match headers.key_id {
                Header::Absent => self.trust.verify(body, signature, None, true),
                Header::Once(key_id) => self.trust.verify(body, signature, Some(key_id), true),
                Header::Repeated => Err(Error::unverified("X-KeyId is repeated")),
            },
            Header::Absent => Err(Error::unverified("X-Signature is missing")),
            Header::Repeated => Err(Error::unverified("X-Signature is repeated")),
        };
        verified.map_err(|error| describe(&error, status, headers, body))
    }

    /// Checks that the reply is a success and belongs to this request.
    fn bind<'b>(&self, verified: &Verified<'b>, status: u16) -> Result<Object<'b>> {
        let object = verified.object()?;
        let malformed = |fault: &str| verified.malformed(fault);
        let success = object.boolean("success").map_err(|fault| malformed(&fault))?;
        let order_id = object.string("orderId").map_err(|fault| malformed(&fault))?;
        let bound = match (self.order_id(), order_id.as_deref()) {
            (Some(asked), Some(named)) => asked == named,
            (Some(_), None) => success != Some(true),
            (None, _) => true,
        };
        if !bound {
            return Err(malformed("its orderId is not the orderId of the request"));
        }
        if success == Some(true) {
            return Ok(object);
        }
        let description = object.string("errorDescription").map_err(|fault| malformed(&fault))?;
        let error = object.string("error").map_err(|fault| malformed(&fault))?;
        if success.is_none() && error.is_none() {
            return Err(malformed("it has neither the field success nor the field error"));
        }
        Err(Error::rejected(description.or(error).map(Cow::into_owned), status)
            .with_order_id(order_id.as_deref())
            .with_body(verified.bytes()))
    }
}

/// The error for a reply that does not verify. Its message has no text of the reply; only the excerpt and the content
/// type, which are apart, have some.
fn describe(error: &Error, status: u16, headers: &ReplyHeaders<'_>, body: &[u8]) -> Error {
    let content_type = headers.content_type;
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    let is_json =
        content_type.is_some_and(|text| text.contains("json")) || matches!(first, Some(b'{' | b'['));
    let excerpt = if is_json { String::new() } else { excerpt(body) };
    let fault = match (body, headers.content_encoding) {
        ([], _) => format!("it has no body, and {}", error.message()),
        (_, Some(_)) => format!(
            "{}; it has a Content-Encoding, which the request forbids: a proxy or the server has changed the body",
            error.message()
        ),
        _ => error.message().to_owned(),
    };
    let known = content_type.and_then(known_type).map(|name| format!(", {name}")).unwrap_or_default();
    // Whoever signs has an endpoint at this URL.
    let is_elsewhere = status == 404 && !matches!(headers.signature, Header::Absent);
    let advice = unsigned_advice(status).filter(|_| !is_elsewhere);
    let advice = advice.map(|advice| format!(": {advice}")).unwrap_or_default();
    Error::unverified(format!(
        "nothing proves that the reply is from the service: {fault} (HTTP {status}{known}{advice})"
    ))
    .with_page(content_type.map(|text| printable(text, 100)), Some(excerpt).filter(|text| !text.is_empty()))
}

/// The content type as this library writes it, because a header that nobody signed may contain anything.
fn known_type(content_type: &str) -> Option<&'static str> {
    let name = content_type.split(';').next()?.trim();
    let known = [
        "application/json",
        "application/octet-stream",
        "application/xml",
        "text/html",
        "text/plain",
        "text/xml",
    ];
    known.into_iter().find(|known| known.eq_ignore_ascii_case(name))
}

impl<R> fmt::Debug for Prepared<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("operation", &self.operation.name)
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

/// A security header. A repeated header is an error.
#[derive(Default)]
enum Header<'a> {
    #[default]
    Absent,
    Once(&'a str),
    Repeated,
}

impl<'a> Header<'a> {
    fn add(&mut self, value: &'a str) {
        *self = match self {
            Header::Absent => Header::Once(value),
            _ => Header::Repeated,
        };
    }
}

#[derive(Default)]
struct ReplyHeaders<'a> {
    signature: Header<'a>,
    key_id: Header<'a>,
    content_type: Option<&'a str>,
    /// Absent also if it is `identity`, which changes nothing.
    content_encoding: Option<&'a str>,
    retry_after: Option<&'a str>,
}

impl<'a> ReplyHeaders<'a> {
    fn read(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> ReplyHeaders<'a> {
        let mut found = ReplyHeaders::default();
        for (name, value) in headers {
            if name.eq_ignore_ascii_case("x-signature") {
                found.signature.add(value);
            } else if name.eq_ignore_ascii_case("x-keyid") {
                found.key_id.add(value);
            } else if name.eq_ignore_ascii_case("content-type") {
                found.content_type = Some(value);
            } else if name.eq_ignore_ascii_case("content-encoding") {
                found.content_encoding = Some(value).filter(|value| !value.eq_ignore_ascii_case("identity"));
            } else if name.eq_ignore_ascii_case("retry-after") {
                found.retry_after = Some(value);
            }
        }
        found
    }
}

const LONGEST_PAUSE: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// The pause that `Retry-After` asks for (RFC 9110, section 10.2.3): seconds, or a date. At most a century, which the
/// durations of every language can hold.
fn pause(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    let pause = if value.bytes().all(|byte| byte.is_ascii_digit()) {
        Duration::from_secs(value.parse().ok()?)
    } else {
        httpdate::parse_http_date(value).ok()?.duration_since(now).ok()?
    };
    Some(pause.min(LONGEST_PAUSE)).filter(|pause| !pause.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Fri, 27 Nov 2026 12:00:00 GMT").unwrap();
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (value, pause) in [
            ("0", None),
            (" 120 ", seconds(120)),
            ("Fri, 27 Nov 2026 12:00:07 GMT", seconds(7)),
            ("Friday, 27-Nov-26 12:01:00 GMT", seconds(60)),
            ("Fri Nov 27 12:00:01 2026", seconds(1)),
            ("Fri Nov 27 11:59:59 2026", None),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("9999999999999999999", Some(LONGEST_PAUSE)),
            ("99999999999999999999999", None),
        ] {
            assert_eq!(super::pause(value, now), pause, "{value:?}");
        }
    }
}
