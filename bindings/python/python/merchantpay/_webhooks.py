"""Webhooks: bytes and a signature become an event."""

from __future__ import annotations

from ._headers import signed
from ._native import open
from ._owner import NotCopied, variables
from ._values import final

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._generated.types import Headers, OneOrMore
    from ._native import Handle
    from ._results import CredentialsFailed, CredentialsIssued, Explanation, StatusChanged


@final
class WebhookVerifier(NotCopied):
    """Verifies webhooks (contract, section 6). A verifier needs no private key, and threads may share it.

    `server_public_key` is the service's key, or a list of keys while the service rotates them. If
    `server_key_id` (a key id or a list) is given, a webhook with a key id must have one of these. `key_id`
    is the merchant's own key id: a webhook with this key id is refused. `public_key` is the merchant's own
    public key: it is refused as the service's key, and `explain` recognises its signatures.

    Raises InvalidKeyError for an unusable key and InvalidArgumentError for an unusable id."""

    def __init__(
        self,
        server_public_key: OneOrMore,
        *,
        server_key_id: OneOrMore | None = None,
        key_id: str | None = None,
        public_key: str | None = None,
    ) -> None:
        self._handle = open(
            "verifier",
            {"server_public_key": server_public_key, "server_key_id": server_key_id, "key_id": key_id, "public_key": public_key},
        )

    @classmethod
    def from_env(cls) -> WebhookVerifier:
        """Makes a verifier from the settings in the environment: `MERCHANTPAY_SERVER_PUBLIC_KEY` and, if set,
        `MERCHANTPAY_SERVER_KEY_ID`, `MERCHANTPAY_KEY_ID` and the merchant's own key, whose signatures it
        refuses. It needs no private key.

        Raises InvalidArgumentError for a variable that is missing or cannot be read. The error names the
        variable."""
        return cls._of(open("verifier", {}, variables()))

    @classmethod
    def _of(cls, handle: Handle) -> WebhookVerifier:
        made = cls.__new__(cls)
        made._handle = handle
        return made

    def verify(
        self, body: bytes, signature: str | None, key_id: str | None = None
    ) -> CredentialsIssued | CredentialsFailed | StatusChanged:
        """Verifies a webhook and returns a CredentialsIssued, CredentialsFailed or StatusChanged.

        `body` is the request's body, unchanged: a body that was parsed and serialised again does not verify.
        `signature` and `key_id` are the values of two headers. The contract does not name the headers of
        webhooks; in requests and replies they are X-Signature and X-KeyId. Pass None for an absent header.

        A webhook has no date, and an old one can arrive again: do not replace a final status by another one.

        Raises UnverifiedError if there is no proof that the service signed the webhook. Raises MalformedError
        if the webhook is verified but violates the contract."""
        event: CredentialsIssued | CredentialsFailed | StatusChanged = self._handle.call(50, body, signature, key_id)
        return event

    def explain(self, body: bytes, signature: str | None, key_id: str | None = None) -> Explanation | None:
        """Explains why a webhook does not verify; None if its signature and its key id are accepted. The
        arguments are those of `verify`; the result is an Explanation.

        The headers show some causes, and the form of the body shows others, such as an empty one. Any other cause
        is named only with a proof: the library undoes it in a copy of the message, and the copy verifies. Write the
        cause to the log, and do not return it to the sender, who may be an attacker. Do not use the webhook."""
        explanation: Explanation | None = self._handle.call(51, body, signature, key_id)
        return explanation

    def verify_request(self, body: bytes, headers: Headers) -> CredentialsIssued | CredentialsFailed | StatusChanged:
        """Like `verify`, with a request's headers in any framework's type: a mapping with names in upper or lower
        case, a WSGI environ (Django's `request.META` too), or ASGI's list of (bytes, bytes). Reads X-Signature
        and X-KeyId, and refuses a request that repeats one of them.

        Raises the same errors as `verify`."""
        return self.verify(body, *signed(headers))

    def __repr__(self) -> str:
        return "WebhookVerifier()"
