"""What clients, protocols, verifiers and journals have in common: each owns an object of the native half."""

from __future__ import annotations

import os

from ._generated.error_classes import InvalidArgumentError
from ._native import library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Any, NoReturn, TypeVar

    from typing_extensions import Self

    from ._generated.types import File, Variables
    from ._native import Handle

    T = TypeVar("T")

CLIENT_DERIVE = 19
# The least number of seconds: the native half counts milliseconds, and 0 of them have a meaning of their own.
_LEAST = 0.001


class NotCopied:
    """Has a key or a connection, and stays in its process: it can be neither pickled nor copied."""

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled or copied: create a new one where you need it")


class Owner(NotCopied):
    _handle: Handle

    def _call(self, number: int, *arguments: object) -> Any:
        return self._handle.call(number, *arguments)

    def _ask(self, number: int, timeout: float | None, *arguments: object) -> Any:
        return self._within(timeout).call(number, *arguments)

    def _within(self, timeout: float | None) -> Handle:
        """The client whose calls have this timeout."""
        if timeout is None:
            return self._handle
        handle: Handle = self._handle.call(CLIENT_DERIVE, long_enough(timeout))
        return handle

    def close(self) -> None:
        """Closes it after the running calls have ended, and releases the signer. It refuses later calls. `close` can
        be called twice."""
        self._handle.close()

    @property
    def closed(self) -> bool:
        """True if it was closed."""
        return self._handle.closed

    def __enter__(self) -> Self:
        self._handle.check()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /) -> None:
        self.close()

    def __repr__(self) -> str:
        # The handle is missing if the constructor failed, and a debugger can show such an object.
        handle = self.__dict__.get("_handle")
        state = "not made" if handle is None else "closed" if handle.closed else ""
        return f"{type(self).__name__}({state})"


def refused(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(message, outcome="not_sent")


def long_enough(timeout: float) -> float:
    if isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and not timeout >= _LEAST:
        raise refused("timeout must be at least a millisecond")
    return timeout


def variables() -> Variables:
    """The variables of the environment that the native half reads."""
    return {os.fsencode(name): os.fsencode(value) for name, value in os.environ.items() if name.startswith("MERCHANTPAY_")}


def check_signer(private_key: object, signer: object, public_key: object) -> None:
    if (private_key is None) == (signer is None) or (signer is not None and public_key is None):
        raise TypeError("give private_key, or give private_key=None with signer= and public_key=")


def first(pair: tuple[T, T] | None) -> T | None:
    """The first file of a client certificate."""
    if pair is not None and not (isinstance(pair, tuple) and len(pair) == 2):
        raise TypeError(f"client_certificate must be a tuple of two paths, not {type(pair).__name__}")
    return None if pair is None else pair[0]


def second(pair: tuple[T, T] | None) -> T | None:
    return None if pair is None else pair[1]


def receipt(order_id: str, files: Iterable[File]) -> Handle:
    """The files of `attach_receipt`, read at once."""
    # A single path could also be read as a list of letters: the caller meant a list of one path.
    if isinstance(files, (str, bytes)) or hasattr(files, "__fspath__"):
        raise TypeError(f"files must be a list of paths and (name, bytes, content type) tuples, not {type(files).__name__}")
    made: Handle = library(4, order_id)
    for file in files:
        if not isinstance(file, tuple):
            made.call(60, os.fspath(file))
        elif len(file) == 3:
            made.call(61, file[0], file[2], file[1])
        else:
            raise TypeError("a receipt from memory is a tuple of its file name, its bytes and its content type")
    return made
