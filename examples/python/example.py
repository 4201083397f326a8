"""What the examples have in common."""

import os
import sys
from decimal import Decimal
from typing import Callable, NoReturn, Optional, Union

import merchantpay


def setting(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        code, outcome = merchantpay.Code.INVALID_ARGUMENT, merchantpay.Outcome.NOT_SENT
        raise merchantpay.InvalidArgumentError(f"{name} is not set", code=code, outcome=outcome)
    return value


def client(
    base_url: Optional[str] = None, server_public_key: Optional[str] = None, max_retries: int = 2
) -> merchantpay.Client:
    """A client by the settings in the environment, or by what is given in place of them."""
    return merchantpay.Client(
        base_url or setting("MERCHANTPAY_BASE_URL"),
        setting("MERCHANTPAY_KEY_ID"),
        setting("MERCHANTPAY_PRIVATE_KEY"),
        server_public_key or setting("MERCHANTPAY_SERVER_PUBLIC_KEY"),
        server_key_id=os.environ.get("MERCHANTPAY_SERVER_KEY_ID") or None,
        max_retries=max_retries,
    )


def digits(sum: Optional[Decimal]) -> str:
    """A sum as the service wrote it, never as 1E+3."""
    return "-" if sum is None else f"{sum:f}"


def show(name: str, value: Union[Decimal, str, None]) -> None:
    """Prints a field that is there and not empty."""
    if value is not None and value != "":
        print(name, digits(value) if isinstance(value, Decimal) else value)


def usage(text: str) -> NoReturn:
    print(f"usage: {text}", file=sys.stderr)
    sys.exit(2)


def run(program: Callable[[], None]) -> None:
    """Runs a program, and prints the error that it ends with."""
    try:
        program()
    except merchantpay.Error as error:
        print(f"error {error.code} {error.outcome}: {error.message}", file=sys.stderr)
        if error.description is not None:
            print(f"the service says: {error.description}", file=sys.stderr)
        sys.exit(1)
