"""Runs a Rust test program and ends it at its first failed test. One failure is enough to catch a mutant, and
a mutant's other tests often wait for their deadlines. Cargo starts it as the runner of tests:
first_failure.py PROGRAM [ARGUMENT…]
"""

import re
import subprocess
import sys

FAILED = re.compile(rb"test .* \.\.\. FAILED\s*")


def main(command):
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        for line in program.stdout:
            sys.stdout.buffer.write(line)
            if FAILED.fullmatch(line):
                program.kill()
                return 1
    return program.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
