"""Reads the driver's settings and executes the driver's commands. A command is a line with a task and a number; the program answers with
one line."""

import os
import sys

URL = os.environ["BENCH_URL"]
PRIVATE_KEY = os.environ["BENCH_PRIVATE_KEY"]
SERVER_PUBLIC_KEY = os.environ["BENCH_SERVER_PUBLIC_KEY"]
ORDER_ID = os.environ["BENCH_ORDER_ID"]
SIGNATURE = os.environ["BENCH_SIGNATURE"]
# The file with the CA of the server, if the URL is https.
CA_FILE = os.environ.get("BENCH_CA")
PROXY = os.environ.get("BENCH_PROXY")
KEY_ID = "merchant-1"
SERVER_KEY_ID = "service-1"

with open(os.environ["BENCH_WEBHOOK"], "rb") as file:
    WEBHOOK = file.read()


def serve(**tasks):
    if sys.argv[1:] == ["first"]:
        tasks["status"]()
        return
    for line in sys.stdin:
        task, count = line.split()
        work = tasks[task]
        for _ in range(int(count)):
            work()
        print("ok", flush=True)
