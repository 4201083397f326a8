"""Client for the Merchant Payment Acceptance API: it signs what it sends, believes only what the service has signed, keeps
money exact, and says of every failure what became of the request.

    import merchantpay

    with merchantpay.Client(base_url, key_id, private_key, server_public_key) as client:
        payment = client.new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567")

`Client` calls the seven operations. `WebhookVerifier` turns a webhook's bytes and signature into an event. `Protocol` prepares
requests and opens replies without I/O, for hosts with an HTTP stack of their own. Every failure is an `Error`; look at its
`outcome` before anything is sent again. Attempts are logged to the logger `merchantpay`.

"Contract" in these pages is the service's Merchant Payment Acceptance API v1.
"""

from __future__ import annotations

import sys

from ._errors import (
    CallCancelledError,
    Error,
    InternalError,
    InvalidArgumentError,
    InvalidKeyError,
    MalformedError,
    RejectedError,
    RequestTimeoutError,
    SignerError,
    StorageError,
    TransportError,
    UnverifiedError,
)
from ._merchantpay import (
    AvailableAmounts,
    Client,
    CredentialsFailed,
    CredentialsIssued,
    HttpRequest,
    Keypair,
    Payment,
    Protocol,
    StatusChanged,
    WebhookVerifier,
    __version__,
    generate_keypair,
    to_balance,
)
from ._words import Code, Outcome, PaymentMethod, Reason, Status

if sys.version_info >= (3, 10):
    Event = CredentialsIssued | CredentialsFailed | StatusChanged
else:
    from typing import Union

    Event = Union[CredentialsIssued, CredentialsFailed, StatusChanged]
"""What `WebhookVerifier.verify` returns."""

__all__ = [
    "AvailableAmounts",
    "CallCancelledError",
    "Client",
    "Code",
    "CredentialsFailed",
    "CredentialsIssued",
    "Error",
    "Event",
    "HttpRequest",
    "InternalError",
    "InvalidArgumentError",
    "InvalidKeyError",
    "Keypair",
    "MalformedError",
    "Outcome",
    "Payment",
    "PaymentMethod",
    "Protocol",
    "Reason",
    "RejectedError",
    "RequestTimeoutError",
    "SignerError",
    "Status",
    "StatusChanged",
    "StorageError",
    "TransportError",
    "UnverifiedError",
    "WebhookVerifier",
    "__version__",
    "generate_keypair",
    "to_balance",
]

# A traceback and a pickle name the public module, not the file that a class is written in.
for _name in __all__:
    _public = globals()[_name]
    if isinstance(_public, type):
        _public.__module__ = __name__
del _name, _public
