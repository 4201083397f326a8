"""The results of the operations and of webhooks. A test can construct them: they are then not verified."""

from __future__ import annotations

from ._generated.fields import PaymentFields
from ._native import _unknown_fields, classes, library
from ._values import Value, final

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal
    from typing import Any, ClassVar, Literal, NoReturn

    from ._generated.types import Sum
    from ._generated.words import Cause, Paid


@final
class Payment(PaymentFields):
    """A payment from a verified reply or webhook (contract, section 2). The object does not change.

    Every field except `order_id` may be None: the operation decides which fields are present, and webhooks
    leave out empty and zero values. `repr()` leaves out account, holder and link."""

    _shown = ("order_id", "sum", "status")

    @property
    def is_final(self) -> bool:
        """True if there is a status and it is final. A status that this version does not know is never final."""
        return self.status is not None and self.status.is_final

    @property
    def unknown_fields(self) -> dict[str, Any]:
        """The fields that this version does not know, by their names in the body; a new dict. Fractions are
        `Decimal`. A value that Python refuses to read, such as an int with more digits than
        `sys.get_int_max_str_digits()`, is its JSON text as a `str`."""
        found = _unknown_fields(self.json)
        if not found:
            return {}
        from ._json import value

        return {name: value(text) for name, text in found.items()}

    def paid(self, asked: Sum) -> Paid | None:
        """The paid sum compared with the requested sum `asked`: Paid.EXACTLY, LESS or MORE; None if the payment
        has no sum. `asked` is Decimal, int or str, in the payment's currency.

        The status "doneSuccess" alone does not mean that the customer paid everything. The result is final
        only with a final status; before that, the payment's sum is the sum that the service expects so far."""
        compared: Paid = library(3, 0 if self.sum is None else self.sum, asked)
        return None if self.sum is None else compared

    def to_dict(self) -> dict[str, Any]:
        """The present fields by the contract's names, as a new dict: amounts are Decimal, the status is a
        Status, and the fields that this version does not know are as in `unknown_fields`. `payment.json` is
        the body as JSON, with the service's digits."""
        known = ((contract, getattr(self, name)) for name, contract in self._contract.items())
        return {**{name: value for name, value in known if value is not None}, **self.unknown_fields}


@final
class AvailableAmounts(Value):
    """The reply to `/available` (contract, section 4.1). No amount is reserved. The object does not change."""

    _shown = ("available_amounts", "other_amounts_possible")

    available_amounts: tuple[Decimal, ...] = ()
    """`availableAmounts`: the amounts with a counter-offer right now."""
    other_amounts_possible: bool = False
    """`otherAmountsPossible`: whether amounts outside the list may succeed too; then an empty list is not a
    refusal."""
    json: str = ""
    """The verified body, unchanged; empty if you have made the value."""


class _Event(Value):
    """A verified webhook."""

    _shown = ("payment",)

    payment: Payment
    """The event's payment."""

    @property
    def order_id(self) -> str:
        """The payment's `order_id`."""
        return self.payment.order_id


@final
class CredentialsIssued(_Event):
    """Credentials were found for a payment made by `new_payment_async` (contract, section 6.1)."""

    @property
    def kind(self) -> Literal["credentials"]:
        """The kind of the event."""
        return "credentials"


@final
class CredentialsFailed(_Event):
    """No credentials were found (contract, section 6.1). The payment has nothing but its `order_id`."""

    @property
    def kind(self) -> Literal["credentials_failed"]:
        """The kind of the event."""
        return "credentials_failed"


@final
class StatusChanged(_Event):
    """The payment has a new status (contract, section 6.2). The status is never "free" or "pending"."""

    @property
    def kind(self) -> Literal["status"]:
        """The kind of the event."""
        return "status"


@final
class Explanation(Value):
    """Explains why a webhook does not verify. Write the explanation to the log, and do not return it to the
    sender."""

    _shown = ("cause", "hint")

    cause: Cause | str
    """The cause, one of `Cause`. A later version may have other causes."""
    hint: str
    """A text about the exact fault and its remedy. The text contains no data of the webhook."""


@final
class Keypair(Value):
    """A new ed25519 pair, both keys in the contract's format (section 5): base64 of 64 and of 32 bytes.

    Give the public key to the service and keep the private key secret."""

    _shown: ClassVar[tuple[str, ...]] = ("public_key",)

    private_key: str
    """The private key, for `Client`. `repr()` leaves it out."""
    public_key: str
    """The public key, for the service."""

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a Keypair cannot be pickled or copied: create a new one where you need it")

    def __copy__(self) -> NoReturn:
        self.__reduce_ex__(2)

    def __deepcopy__(self, memo: Any) -> NoReturn:
        self.__reduce_ex__(2)


# The native half makes these from the records of the calls.
classes["payment"] = Payment
classes["amounts"] = AvailableAmounts
classes["explanation"] = Explanation
classes["keypair"] = Keypair
classes["events"] = {"credentials": CredentialsIssued, "credentials_failed": CredentialsFailed, "status": StatusChanged}
