"""The common code of the examples."""

import os
import sys
from decimal import Decimal
from typing import Callable, NoReturn, Optional, Union

import merchantpay


def setting(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise merchantpay.InvalidArgumentError(f"{name} is not set", outcome=merchantpay.Outcome.NOT_SENT)
    return value


def digits(sum: Optional[Decimal]) -> str:
    """Returns a sum as decimal text, never as 1E+3."""
    return "-" if sum is None else f"{sum:f}"


def show(name: str, value: Union[Decimal, str, None]) -> None:
    """Prints a field, unless it is absent or empty."""
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
