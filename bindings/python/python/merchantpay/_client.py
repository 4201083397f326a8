"""The blocking client, and the protocol without I/O."""

from __future__ import annotations

import time

from ._generated.operations import Operations, PreparedOperations
from ._generated.settings import ClientSettings, ProtocolSettings
from ._native import StatusWait, library, open
from ._owner import CLIENT_DERIVE, long_enough
from ._values import final
from ._webhooks import WebhookVerifier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal

    from ._generated.types import BalanceName, RoundingName, Settings, Signer, Sum, Variables
    from ._native import Handle
    from ._results import Keypair, Payment

# The longest time, in seconds, for which a pause delays a `close` or an interruption.
_SLICE = 0.05


@final
class Client(ClientSettings, Operations):
    """Calls the service's seven operations (contract, section 4). Blocks until the reply is verified or the
    deadline passes. The settings are described at `Client.__init__`.

    Threads may share a client, and it works after a fork; it cannot be pickled or copied. The GIL is
    released during calls. Ctrl-C does not abandon a call: the call finishes or reaches its deadline, and
    then KeyboardInterrupt is raised. The call's result is lost, so treat the call as if its outcome were
    "unknown". The same is true for any exception of a signal handler. If the handler raises it before the
    signer is called, or inside the signer, nothing is sent. An ordinary exception inside the signer is
    treated as the signer's own: the call raises SignerError with the outcome "not_sent" and that exception
    as its `__cause__`. KeyboardInterrupt and SystemExit inside the signer are raised unchanged.
    `interrupt`, from another thread, ends a call immediately.

    A method that fails raises Error; see the error's `outcome`."""

    _verifier: Handle
    _base_url: object

    def _open(self, settings: Settings, variables: Variables | None, signer: Signer | None) -> None:
        self._base_url = settings["base_url"] or (variables or {}).get(b"MERCHANTPAY_BASE_URL", b"").decode(errors="replace")
        try:
            self._handle = open("client", settings, variables, signer)
            self._verifier = open("verifier", settings, variables)
        finally:
            # An error report can show the variables of stack frames. These have the private key.
            del settings, variables

    def connect(self, *, timeout: float | None = None) -> None:
        """Opens a connection for the next call, before the customer is ready, so that the call needs only one
        round trip. `connect_idle` limits how long the connection waits for its first request. Each call of
        `connect` opens one connection. A failure always has the outcome "not_sent"."""
        self._within(timeout).call(18)

    def derive(self, *, timeout: float | None = None) -> Client:
        """Makes a derived client with the same settings, signer and connections. `timeout` is the deadline of
        its calls in seconds; None keeps this client's deadline. The derived client can be interrupted and
        closed separately. Interrupting this client also interrupts the derived client; closing this client
        does not close the derived client."""
        derived = Client.__new__(Client)
        derived._handle = self._handle.call(CLIENT_DERIVE, None if timeout is None else long_enough(timeout))
        derived._verifier, derived._base_url = self._verifier, self._base_url
        return derived

    def wait(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """Calls `get_status` until the status is final, with pauses growing from 0.25 to 5 s, and returns the
        payment. Between two calls, Ctrl-C ends the wait immediately, `close` ends it with
        InvalidArgumentError, and `interrupt` ends it with CallCancelledError.

        The wait continues after a transient error: a broken or late connection, or a proxy's unsigned reply
        with HTTP 429, 500 or more. With a `timeout` it continues until the time is over; without a
        `timeout` it raises the eighth consecutive error. Any other error, such as a refusal or a forged
        reply, is raised immediately.

        `timeout` is in seconds, None for no limit. When the time is over, `wait` raises RequestTimeoutError
        if the status is not final, or the error of the last query. The status "receiptRequired" (arbitration)
        is not final: the service waits for `attach_receipt`."""
        self._handle.check()
        waiting = StatusWait(order_id, timeout)
        while isinstance(answer := waiting.ask(self._handle), float):
            end = time.monotonic() + answer
            while (left := end - time.monotonic()) > 0:
                waiting.check(self._handle)
                time.sleep(min(left, _SLICE))
            waiting.check(self._handle)
        payment: Payment = answer
        return payment

    def interrupt(self) -> None:
        """Ends the running calls of this client and of every client derived from it, in all threads. The
        interruption is permanent: later calls do not start. Each interrupted call ends with
        CallCancelledError and the outcome "not_sent" or "unknown", and writes no more bytes. A reply that has
        arrived completely is still returned. Any thread may call `interrupt`."""
        self._handle.interrupt()

    @property
    def timeout(self) -> float:
        """The deadline of a whole call, in seconds."""
        return self._handle.timeout

    def webhook_verifier(self) -> WebhookVerifier:
        """A `WebhookVerifier` with the service's keys and key ids from this client. The verifier refuses
        signatures by the merchant's own key."""
        return WebhookVerifier._of(self._verifier)

    def __repr__(self) -> str:
        shown = super().__repr__()
        return shown if "(not made)" in shown else f"Client(base_url={self._base_url!r}{', closed' * self.closed})"


@final
class Protocol(ProtocolSettings, PreparedOperations):
    """Prepares the seven operations' requests and opens their replies without any I/O, for hosts with their own
    HTTP stack, such as asyncio's. Threads may share a Protocol. The settings are described at `Protocol.__init__`.

    Each `prepare_…` has the arguments of the `Client` method with that name and returns an `HttpRequest`."""

    def _open(self, settings: Settings, variables: Variables | None, signer: Signer | None) -> None:
        try:
            self._handle = open("protocol", settings, variables, signer)
        finally:
            del settings, variables


def generate_keypair() -> Keypair:
    """Makes a pair from the operating system's random bytes (contract, section 5)."""
    pair: Keypair = library(1)
    return pair


def to_balance(sum: Sum, rate: Sum, balance: BalanceName, *, scale: int, rounding: RoundingName) -> Decimal:
    """Converts a paid `sum` at `rate` (a payment's `deal_rate`) to the currency of the merchant's balance
    (contract, section 2): `sum * rate` for "RUB", `sum / rate` for "USDT". The exact result is rounded once.

    `scale` is the number of digits after the decimal point, 0 to 28. `rounding` is one of "half_up",
    "half_even", "down" and "up", or the constant of the same name in the decimal module.

    Raises InvalidArgumentError if the sum is negative, the rate is not greater than 0, or the result has more
    than 28 digits."""
    constants = {"ROUND_HALF_UP": "half_up", "ROUND_HALF_EVEN": "half_even", "ROUND_DOWN": "down", "ROUND_UP": "up"}
    converted: Decimal = library(2, sum, rate, balance, scale, constants.get(rounding, rounding))
    return converted
