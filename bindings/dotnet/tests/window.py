#!/usr/bin/env python3
"""Uses the window of examples/dotnet/window on a separate display, while a payment waits for the service. It
runs in a sandbox:

    merchantpay sandbox -- bindings/dotnet/tests/window.py WINDOW.EXE JOURNAL WORK

The test makes the window larger: the new area stays black unless the window's thread paints it. Then the
window's button ends the payment. The folder WORK keeps the last screen as the file Xvfb_screen0, in the format
XWD.
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import time
import urllib.request

PATIENCE = 60
FAULTS = os.environ["MERCHANTPAY_BASE_URL"] + "/sandbox/faults"
STALL = "stallBeforeCommit"
# Positions in the window. Two rows of fields are above the buttons, and the list is below the buttons.
SELL, GIVE_UP, LARGER = (50, 52), (50, 75), (560, 420)
BLACK, COLOUR = 0, 0xFFFFFF


def stalled(fault=None):
    """The points of the sandbox at which requests are stopped. If a fault is given, it is added first."""
    request = urllib.request.Request(FAULTS, fault and json.dumps(fault).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer).get("stalled")


def becomes(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"it has not happened: {what}")


def xdotool(*arguments):
    return subprocess.run(["xdotool", *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True).stdout


def click(window, place):
    xdotool("mousemove", "--window", window, *place, "click", 1)


def pixel(screen, x, y):
    with open(screen, "rb") as file:
        head = struct.unpack(">25I", file.read(100))
        file.seek(head[0] + 12 * head[19] + y * head[12] + 4 * x)
        return struct.unpack("<I" if head[7] == 0 else ">I", file.read(4))[0] & COLOUR


def use(screen):
    window = xdotool("search", "--sync", "--onlyvisible", "--name", "^Till$").split()[0]
    xdotool("windowmove", "--sync", window, 0, 0)
    stalled({"kind": STALL, "operation": "newPayment", "times": 1})
    click(window, SELL)
    becomes("the service has the request", lambda: stalled() == [STALL])
    corner = LARGER[0] - 40, LARGER[1] - 40
    if pixel(screen, *corner) != BLACK:
        sys.exit("the screen is not black beside the window")
    xdotool("windowsize", window, *LARGER)
    becomes("the larger window is painted", lambda: pixel(screen, *corner) != BLACK)
    if stalled() != [STALL]:
        sys.exit("the payment has not waited")
    click(window, GIVE_UP)
    becomes("the button ends the payment", lambda: stalled() == [])


def main():
    program, journal, work = sys.argv[1:]
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", writing, "-screen", "0", "640x480x24", "-fbdir", work, "-nolisten", "tcp"]
    display = subprocess.Popen([str(word) for word in command], pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    os.environ["DISPLAY"] = ":" + os.fdopen(reading).readline().strip()
    till = subprocess.Popen(["mono", program, journal])
    try:
        use(pathlib.Path(work, "Xvfb_screen0"))
    finally:
        for process in (till, display):
            process.kill()
            process.wait()
    print("a till's window is painted and takes its button while a payment waits")


main()
