"""`python -m merchantpay`: the program `merchantpay`, in the place of this process."""

from __future__ import annotations

import os
import sys

from ._program import MISSING, find


def main() -> int:
    """Becomes the program, with this process's arguments; where it is not installed, says so and gives the status of wrong input."""
    program = find()
    if program is None:
        print(f"merchantpay: {MISSING}", file=sys.stderr)
        return 2
    arguments = [str(program), *sys.argv[1:]]
    if sys.platform == "win32":  # where a process cannot be replaced
        import signal
        import subprocess

        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return subprocess.run(arguments).returncode
    os.execv(arguments[0], arguments)


if __name__ == "__main__":
    sys.exit(main())
