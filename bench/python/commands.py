"""Executes the driver's commands. A command is a line with a task and a number; the program answers with one line."""

import os
import sys

URL = os.environ["BENCH_URL"]
PRIVATE_KEY = os.environ["BENCH_PRIVATE_KEY"]
SERVER_PUBLIC_KEY = os.environ["BENCH_SERVER_PUBLIC_KEY"]
ORDER_ID = os.environ["BENCH_ORDER_ID"]
WEBHOOK = os.environ["BENCH_WEBHOOK"].encode()
SIGNATURE = os.environ["BENCH_SIGNATURE"]
# Set if the URL is https.
CA_FILE = os.environ.get("BENCH_CA")
KEY_ID = "merchant-1"


def serve(**tasks):
    for line in sys.stdin:
        task, count = line.split()
        work = tasks[task]
        for _ in range(int(count)):
            work()
        print("ok", flush=True)
