"""The program `merchantpay`: the same as the one that is built from Rust."""

from __future__ import annotations

import signal
import sys

from ._merchantpay import _run


def main() -> int:
    """Runs the program with this process's arguments and gives its exit status."""
    # Python's own handler waits for Python code to run, and there is none while the program does.
    # One that is ignored, as under nohup or in a script's background, stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _run(["merchantpay", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
