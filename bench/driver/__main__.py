"""Runs the bench: measures, and prints the results. See tools/dev/bench."""

import os
import pathlib
import sys
import time

from . import machine
from .parts import PARTS, Bench
from .program import Program, Server
from .report import Reaches

HERE = pathlib.Path(__file__).parents[1]
BUILT = pathlib.Path(os.environ["BENCH_BUILT"])
RELEASE = pathlib.Path(os.environ["BENCH_RELEASE"])
CPUS = len(os.sched_getaffinity(0))
LANGUAGES = ("rust", "python", "php", "go", "c", "dotnet", "coreclr")
OPTIONS = ("--print", "--short")


def programs():
    python, php, coreclr = [BUILT / "python/bin/python"], ["php", "-d", "opcache.enable_cli=1"], [BUILT / "dotnet/host", "exec"]
    library = {"LD_LIBRARY_PATH": str(BUILT / "installed/lib"), "MERCHANTPAY_LIBRARY": str(BUILT / "installed/lib/libmerchantpay.so.0")}
    return [
        Program("rust", "floor", "the floor", [RELEASE / "floor"]),
        Program("rust", "ours", "Rust core", [RELEASE / "ours"]),
        Program("c", "ours", "C: ours", [BUILT / "c/ours"], library),
        Program("c", "peer", "C: libcurl + libsodium + cJSON", [BUILT / "c/peer"]),
        Program("dotnet", "ours", "C# on Mono: ours", ["mono", BUILT / "dotnet/ours.exe"], library),
        Program("dotnet", "peer", "C# on Mono: HttpClient + libsodium", ["mono", BUILT / "dotnet/peer.exe"]),
        Program("coreclr", "ours", "C# on CoreCLR: ours", [*coreclr, BUILT / "dotnet/ours.exe"], library),
        Program("coreclr", "peer", "C# on CoreCLR: HttpClient + libsodium", [*coreclr, BUILT / "dotnet/peer.exe"]),
        Program("go", "ours", "Go: ours", [BUILT / "go/ours"], library),
        # If all of Go's processors (GOMAXPROCS) are in use, Go's runtime takes the processor of a call in C away after about 20 µs, and
        # looks for other work. So this program has one more of Go's processors than the machine has.
        Program("go", "roomy", f"Go: ours, GOMAXPROCS={CPUS + 1}", [BUILT / "go/ours"], {**library, "GOMAXPROCS": str(CPUS + 1)}),
        Program("go", "peer", "Go: net/http + crypto/ed25519", [BUILT / "go/peer"]),
        Program("php", "ours", "PHP: ours", [*php, HERE / "php/ours.php"], library),
        Program("php", "peer", "PHP: curl + sodium", [*php, HERE / "php/peer.php"]),
        Program("python", "ours", "Python: ours", [*python, HERE / "python/ours.py"]),
        Program("python", "peer", "Python: requests + PyNaCl", [*python, HERE / "python/peer_requests.py"]),
        Program("python", "peer", "Python: httpx + PyNaCl", [*python, HERE / "python/peer_httpx.py"]),
    ]


def refuse_if_busy(when, used):
    if machine.Others.are_busy(used):
        sys.exit(
            f"{when} other programs used {used:.2f} processors: RESULTS.md is written on an idle machine only (--print measures all the same)"
        )


def main():
    words = sys.argv[1:]
    parts = [word for word in words if word in PARTS] or PARTS
    languages = [word for word in words if word in LANGUAGES] or LANGUAGES
    if set(words) - set(PARTS) - set(LANGUAGES) - set(OPTIONS):
        sys.exit(f"usage: tools/dev/bench [{' | '.join(OPTIONS)}] [{' | '.join(PARTS)}]… [{' | '.join(LANGUAGES)}]…")
    began, others, most = time.monotonic(), machine.Others(), 0
    if not words:
        time.sleep(5)
        refuse_if_busy("Before the first part", others.used())
    reaches = Reaches()
    server = Server(RELEASE / "server", BUILT / "authority.pem")
    # The core always runs, because the other programs are compared with it.
    bench = Bench([p for p in programs() if p.language in {"rust", *languages}], server, reaches, RELEASE, BUILT)
    tables = []
    try:
        for part in parts:
            others.restart()
            for table in getattr(bench, part)():
                tables.append(str(table))
                print(table, flush=True)
            used = others.used()
            most = max(most, used)
            print(f"Other programs used {used:.2f} processors meanwhile.\n", flush=True)
            if not words:
                refuse_if_busy(f"During {part}", used)
    finally:
        bench.close()
        server.close()
    print(f"{reaches}\nMeasured in {time.monotonic() - began:.0f} s.")
    if not words:
        text = "\n".join([machine.HEAD, machine.describe(BUILT, most), f"## What was reached\n\n{reaches}", *tables])
        (HERE / "RESULTS.md").write_text(text)


if __name__ == "__main__":
    main()
