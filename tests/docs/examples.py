#!/usr/bin/env python3
"""Builds and runs `first` and `guide` of each language, and the till of examples/c, each with a sandbox of its own:

    tests/docs/examples.py [LANGUAGE…]    all of them unless named

INSTALLED is the folder of the installed C library, and MERCHANTPAY_PROGRAM the program; without them both are built. COMPILERS is a folder with
the compilers of another platform: the programs then take no payment through the journal, because its file would be on that platform.
"""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from common import BUILT, INSTALLED, RECEIPT, ROOT, TARGET, fail, failures, library, run, sandbox  # noqa: E402
from guides import write_guides  # noqa: E402

PHP = ["php", "-dzend.assertions=1", "-derror_reporting=-1", "-ddisplay_errors=stderr"]
STRICT = "-Wall -Wextra -Wpedantic -Werror"
LIBRARY = "$(pkg-config --cflags --libs merchantpay)"
DOTNET = "$EXAMPLES/../bindings/dotnet/tools"
RUST = f"-L dependency={TARGET}/debug/deps --extern merchantpay={TARGET}/debug/libmerchantpay.rlib"
# For each language: the command that builds its programs in the present folder, which has guide.*, and how a program of this folder starts.
LANGUAGES = {
    "c": (
        "for source in $EXAMPLES/c/first.c $EXAMPLES/c/till.c guide.c; do"
        f" cc -std=c99 {STRICT} -pthread -o $(basename $source .c) $source {LIBRARY}; done",
        ["./{program}"],
    ),
    "cpp": (
        f"for source in $EXAMPLES/cpp/first.cpp guide.cpp; do c++ -std=c++11 {STRICT} -o $(basename $source .cpp) $source {LIBRARY}; done",
        ["./{program}"],
    ),
    "dotnet": (
        f"{DOTNET}/build . && cp $EXAMPLES/dotnet/first.cs . && for name in first guide; do {DOTNET}/program . $name $name.cs; done",
        ["mono", "{program}.exe"],
    ),
    "go": ("go build -C $EXAMPLES/go -o $PWD/ ./first && go build -C $EXAMPLES/go -o $PWD/guide $PWD/guide.go", ["./{program}"]),
    "node": ("$EXAMPLES/../bindings/node/tools/place . && cp $EXAMPLES/node/first.mjs .", ["node", "{program}.mjs"]),
    "pascal": (
        "for source in $EXAMPLES/pascal/first.pas guide.pas; do fpc -v0 -vew -Sew -FU. -FE. -Fu$EXAMPLES/../bindings/pascal/src"
        " -Fl$(pkg-config --variable=libdir merchantpay) $source; done",
        ["./{program}"],
    ),
    "php": ("ln -s $EXAMPLES/php/first.php .", [*PHP, "{program}.php"]),
    "python": ("ln -s $EXAMPLES/python/first.py .", [sys.executable, "{program}.py"]),
    # tools/help/built builds `first` and the libraries.
    "rust": (
        f"cp {TARGET}/debug/examples/first . && guide=$PWD/guide && cd $EXAMPLES && rustc --edition 2024 -o $guide $guide.rs"
        f" {RUST} --extern merchantpay_journal={TARGET}/debug/libmerchantpay_journal.rlib",
        ["./{program}"],
    ),
}
PAID = r"pay 1500\.50 to \d+\ndoneSuccess 1500\.50\n"
TILL = ["REFERENCE open", "pay 1500.50 to ACCOUNT", "confirmed REFERENCE", "status doneSuccess", "sold REFERENCE"]


class Programs:
    def __init__(self, language):
        self.language, (build, self.start) = language, LANGUAGES[language]
        self.folder = TARGET / "docs-examples" / language
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.program = pathlib.Path(os.environ.get("MERCHANTPAY_PROGRAM", BUILT / "merchantpay"))
        self.environment = {
            "EXAMPLES": str(ROOT / "examples"),
            "PATH": f"{os.environ.get('COMPILERS', '')}:{os.environ['PATH']}".lstrip(":"),
            **library(os.environ.get("INSTALLED", INSTALLED)),
            "GOFLAGS": "-mod=readonly -tags=merchantpay_dynamic",
            "CGO_ENABLED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        if language == "python":
            self.environment["PYTHONPATH"] = python_package(self.folder)
        write_guides(self.folder)
        run(["bash", "-euc", build], cwd=self.folder, env={**os.environ, **self.environment})

    def command(self, program, *arguments):
        return [part.replace("{program}", program) for part in self.start] + [str(argument) for argument in arguments]

    def run(self, settings, program, *arguments):
        """Returns the status and the output."""
        ran = subprocess.run(
            self.command(program, *arguments),
            cwd=self.folder,
            env={**settings, **self.environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
        return ran.returncode, ran.stdout, ran.stderr

    def reply(self, settings, *arguments):
        """Of the program `merchantpay`."""
        return json.loads(run([self.program, *arguments], env=settings))

    def need(self, program, holds, ran):
        if not holds:
            fail(f"examples/{self.language}", f"{program} ended with {ran[0]} and printed:\n{ran[1]}{ran[2]}")

    @contextlib.contextmanager
    def sandbox(self):
        """With a folder of its own and an empty journal."""
        with tempfile.TemporaryDirectory() as name, sandbox(name, self.program) as settings:
            settings["MERCHANTPAY_JOURNAL"] = f"{name}/payments.db"
            run([self.program, "journal", "init"], env=settings)
            yield pathlib.Path(name), settings


def python_package(folder):
    package = folder / "packages/merchantpay"
    shutil.copytree(ROOT / "bindings/python/python/merchantpay", package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    built = run([ROOT / "tools/help/built", "lib_merchantpay.so"]).strip().splitlines()[-1]
    shutil.copy(built, package / "_merchantpay.abi3.so")
    return str(package.parent)


def signed_webhook(programs, settings):
    """The body and the signature of a webhook that the sandbox sends. The body is ASCII, because Windows has other letters of a variable in another
    encoding."""
    account = ["--payment-method", "sbp", "--customer-account", "bare-credentials", "--status-webhook-url", "http://127.0.0.1:9/"]
    order = programs.reply(settings, "new", "--sum", "1500.50", *account)["orderId"]
    programs.reply(settings, "confirm", order)
    programs.reply(settings, "status", order, "--wait")
    request = programs.reply(settings, "sandbox", "api", "webhooks/1")["request"]
    return {"WEBHOOK_BODY": request["body"]["text"], "WEBHOOK_SIGNATURE": request["signature"]}


def disputed_order(programs, settings):
    """The id of an order for which the sandbox asks for a receipt."""
    account = ["--payment-method", "card", "--customer-account", "arbitration"]
    order = programs.reply(settings, "new", "--sum", "1500.50", *account)["orderId"]
    programs.reply(settings, "confirm", order)
    for _ in range(600):
        if programs.reply(settings, "status", order)["status"] == "receiptRequired":
            return order
        time.sleep(0.05)
    raise RuntimeError("the sandbox asks for no receipt")


def check_first(programs):
    with programs.sandbox() as (_, settings):
        ran = programs.run(settings, "first")
    programs.need("first", ran[0] == 0 and re.fullmatch(PAID, ran[1]) and not ran[2], ran)


def check_guide(programs):
    with programs.sandbox() as (folder, settings):
        receipt = folder / "receipt.pdf"
        receipt.write_bytes(RECEIPT)
        settings |= {**signed_webhook(programs, settings), "DISPUTED": disputed_order(programs, settings), "RECEIPT": str(receipt)}
        if "COMPILERS" in os.environ:
            del settings["MERCHANTPAY_JOURNAL"]
        ran = programs.run(settings, "guide")
    programs.need("guide", ran[0] == 0 and ran[1].endswith("the end\n") and "Warning" not in ran[1] + ran[2], ran)


def check_till(programs):
    """The cases run concurrently, because they mostly wait."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        killed = pool.map(lambda lines: check_killed_till(programs, lines), range(1, len(TILL) + 1))
        pool.submit(check_button, programs).result()
        list(killed)


def check_killed_till(programs, lines):
    """Kills the till after some of its lines, and starts it again: it makes one payment."""
    with programs.sandbox() as (_, settings):
        sale = ("till", settings["MERCHANTPAY_JOURNAL"], f"order-{lines}", "1500.50")
        printed = read_and_end(programs, settings, sale, lines, signal.SIGKILL)
        wanted = [re.sub("[A-Z]{4,}", r"\\S+", re.escape(line)) for line in TILL[:lines]]
        holds = len(printed) >= lines and all(re.fullmatch(want, line) for want, line in zip(wanted, printed))
        programs.need("till", holds, ("a signal", printed, ""))
        ran = programs.run(settings, *sale)
        sold = f"sold order-{lines}" in [*printed, *ran[1].splitlines()]
        programs.need("till", ran[0] == 0 and sold and count(programs, settings) == 1, ran)


def check_button(programs):
    """Ctrl-C ends the till's waiting, and the sale goes on later."""
    with programs.sandbox() as (_, settings):
        run([programs.program, "sandbox", "faults", "add", "stall-before-commit", "--operation", "getStatus"], env=settings)
        sale = ("till", settings["MERCHANTPAY_JOURNAL"], "order-0", "1500.50")
        printed = read_and_end(programs, settings, sale, 3, signal.SIGINT)
        ran = programs.run(settings, *sale)
        programs.need("till", len(printed) >= 3 and "sold order-0\n" in ran[1] and count(programs, settings) == 1, ran)


def read_and_end(programs, settings, sale, lines, how):
    environment = {**settings, **programs.environment}
    with subprocess.Popen(
        programs.command(*sale), cwd=programs.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as till:
        printed = [till.stdout.readline().rstrip("\n") for _ in range(lines)]
        till.send_signal(how)
        # What it printed before the signal came.
        printed += till.stdout.read().splitlines()
    return [line for line in printed if line]


def count(programs, settings):
    return len(programs.reply(settings, "sandbox", "api", "payments")["payments"])


def check_language(language):
    try:
        programs = Programs(language)
        check_first(programs)
        check_guide(programs)
        if language == "c" and "COMPILERS" not in os.environ:
            check_till(programs)
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        fail(f"examples/{language}", error)


def check_examples(wanted=None):
    wanted = wanted or list(LANGUAGES)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(check_language, wanted))
    return f"the programs of {', '.join(wanted)}"


if __name__ == "__main__":
    if not set(sys.argv[1:]) <= set(LANGUAGES):
        sys.exit(f"usage: examples.py [{'] ['.join(LANGUAGES)}]")
    if "MERCHANTPAY_PROGRAM" not in os.environ:
        run([ROOT / "tools/help/built", "merchantpay"])
    if "INSTALLED" not in os.environ:
        run([ROOT / "tools/help/installed"])
    print(check_examples(sys.argv[1:]))
    sys.exit("\n".join(f"FAILED {failure}" for failure in failures) or 0)
