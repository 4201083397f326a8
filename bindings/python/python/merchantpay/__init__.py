"""This is the client library for the Merchant Payment Acceptance API. It signs every request, verifies the
signature of every reply, keeps money exact, and reports for every failure whether the request may have taken
effect.

    import merchantpay

    with merchantpay.Client(base_url, key_id, private_key, server_public_key) as client:
        payment = client.new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567")

`Client` calls the seven operations. `Journal` makes each payment once, by your own order number; a shop
should use the journal. `AsyncClient` and `AsyncJournal` are the same for asyncio. `WebhookVerifier` turns
a webhook's bytes and signature into an event. `Protocol` prepares requests and opens replies without I/O, for
programs with their own HTTP client. Every failure is an `Error`; check its `outcome` before you send anything
again. HTTP attempts are logged to the logger `merchantpay`.

In this documentation "contract" means the service's Merchant Payment Acceptance API v1.
"""

from __future__ import annotations

import sys

from ._client import Client, Protocol, generate_keypair, to_balance
from ._errors import Error
from ._generated import error_classes, words
from ._generated.error_classes import *  # noqa: F403
from ._generated.words import *  # noqa: F403
from ._http_request import HttpRequest
from ._native import __version__
from ._results import AvailableAmounts, CredentialsFailed, CredentialsIssued, Explanation, Keypair, Payment, StatusChanged
from ._webhooks import WebhookVerifier

if sys.version_info >= (3, 10):
    Event = CredentialsIssued | CredentialsFailed | StatusChanged
else:
    from typing import Union

    Event = Union[CredentialsIssued, CredentialsFailed, StatusChanged]
"""The result of `WebhookVerifier.verify`."""

__all__ = [
    "AsyncClient",
    "AsyncJournal",
    "AvailableAmounts",
    "Client",
    "ClientLike",
    "CredentialsFailed",
    "CredentialsIssued",
    "Entry",
    "Error",
    "Event",
    "Explanation",
    "HttpRequest",
    "Journal",
    "JournalLike",
    "Keypair",
    "MerchantPayError",
    "Orphan",
    "Payment",
    "Problem",
    "Protocol",
    "Received",
    "Settled",
    "Stats",
    "StatusChanged",
    "Unreadable",
    "WebhookVerifier",
    "__version__",
    "generate_keypair",
    "outcome_of",
    "to_balance",
]
__all__ += error_classes.__all__
__all__ += words.__all__

MerchantPayError = Error

# asyncio, dataclasses and typing take longer to import than this package: modules that need them are loaded at first use.
_LATER = {
    "AsyncClient": "_async",
    "AsyncJournal": "_async",
    "ClientLike": "_generated.like",
    "Entry": "_entry",
    "Journal": "_journal",
    "JournalLike": "_generated.like",
    "Orphan": "_entry",
    "Problem": "_entry",
    "Received": "_entry",
    "Settled": "_entry",
    "Stats": "_entry",
    "Unreadable": "_entry",
    "outcome_of": "_calls",
}
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._async import AsyncClient, AsyncJournal
    from ._calls import outcome_of
    from ._entry import Entry, Orphan, Problem, Received, Settled, Stats, Unreadable
    from ._generated.like import ClientLike, JournalLike
    from ._journal import Journal


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f".{_LATER[name]}", __name__), name)
    if isinstance(found, type):
        found.__module__ = __name__
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


# Sets the module of each public class, so that tracebacks and pickles name this public module.
for _name in __all__:
    _public = globals().get(_name)
    if isinstance(_public, type):
        _public.__module__ = __name__
del _name, _public
