"""`python -m merchantpay` replaces this process by the program `merchantpay`."""

from __future__ import annotations

import os
import sys

from ._program import MISSING, find


def main() -> int:
    program = find()
    if program is None:
        print(f"merchantpay: {MISSING}", file=sys.stderr)
        return 2  # The program's own exit status for wrong input.
    arguments = [str(program), *sys.argv[1:]]
    if sys.platform == "win32":  # Windows cannot replace a process, so this process waits for the program.
        import signal
        import subprocess

        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return subprocess.run(arguments).returncode
    os.execv(arguments[0], arguments)


if __name__ == "__main__":
    sys.exit(main())
