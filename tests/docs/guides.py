"""The guides of examples/, built and run in every language."""

import pathlib
import re
import shutil
import sys
import tempfile

from common import BUILT, INSTALLED, RECEIPT, ROOT, TARGET, fail, run
from sandbox import Sandbox


def library():
    """The environment in which a compiler, pkg-config, PHP and Python find the C library and the debug build of the Python package."""
    folder = TARGET / "docs"
    shutil.rmtree(folder, ignore_errors=True)
    python = folder / "python" / "merchantpay"
    shutil.copytree(ROOT / "bindings/python/python/merchantpay", python, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(BUILT / "lib_merchantpay.so", python / "_merchantpay.abi3.so")
    return {
        "PKG_CONFIG_PATH": str(INSTALLED / "lib/pkgconfig"),
        "LD_LIBRARY_PATH": str(INSTALLED / "lib"),
        "PYTHONPATH": str(folder / "python"),
        "MERCHANTPAY_LIBRARY": str(INSTALLED / "lib/libmerchantpay.so.0"),
        "GOFLAGS": "-mod=readonly -tags=merchantpay_dynamic",
        "CGO_LDFLAGS": f"-L{INSTALLED}/lib",
    }


def check_guides():
    """Builds and runs `guide` and `first` of examples/ in every language."""
    count = 0
    examples = ROOT / "examples"
    with tempfile.TemporaryDirectory() as name, Sandbox(pathlib.Path(name)) as sandbox:
        folder = pathlib.Path(name)
        environment = {**sandbox.settings, **library(), **sandbox.webhook()}
        receipt = folder / "receipt.pdf"
        receipt.write_bytes(RECEIPT)
        flags = run(["pkg-config", "--cflags", "--libs", "merchantpay"], env=environment).split()
        strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        ends = {"guide": r".*the end\n", "first": r"\S+: pay 1500\.50 RUB at .*http://\S+\n"}
        for name, end in ends.items():
            programs = {
                "rust": ([], [TARGET / "debug/examples" / name]),
                "c": (
                    ["cc", "-std=c99", *strict, "-o", folder / f"{name}-c", examples / f"c/{name}.c", *flags],
                    [folder / f"{name}-c"],
                ),
                "cpp": (
                    ["c++", "-std=c++11", *strict, "-o", folder / f"{name}-cpp", examples / f"cpp/{name}.cpp", *flags],
                    [folder / f"{name}-cpp"],
                ),
                "python": ([], [sys.executable, examples / f"python/{name}.py"]),
                "php": ([], ["php", "-dzend.assertions=1", "-derror_reporting=-1", examples / f"php/{name}.php"]),
                "go": (["go", "build", "-C", examples / "go", "-o", folder / f"{name}-go", f"./{name}"], [folder / f"{name}-go"]),
            }
            for language, (build, command) in programs.items():
                if (name, language) == ("first", "cpp"):
                    continue  # README has the five languages that are not as another one
                work = folder / f"{name}-in-{language}"
                work.mkdir()
                try:
                    if build:
                        run(build, env=environment)
                    arguments = [receipt] if name == "guide" else []
                    journal = work / "payments.db"
                    run([BUILT / "merchantpay", "journal", "init", "--journal", journal])
                    printed = run([*command, *arguments], env={**environment, "MERCHANTPAY_JOURNAL": str(journal)}, cwd=work)
                    count += 1
                    if not re.fullmatch(end, printed, re.DOTALL) or "Warning" in printed:
                        fail(f"examples: {name} in {language}", printed)
                except RuntimeError as error:
                    fail(f"examples: {name} in {language}", error)
        try:
            check_go_workspace(folder / "shop", environment, ends["first"])
        except RuntimeError as error:
            fail("bindings/go/README.md", error)
    return f"{count + 1} programs"


def check_go_workspace(shop, environment, end):
    """Builds a program over the sources of the Go package by the commands of its README, without a network."""
    pages = {name: (ROOT / name).read_text() for name in ("README.md", "bindings/go/README.md")}
    (commands,) = re.findall(r"^```sh\n(.*?)\n```$", pages["bindings/go/README.md"], re.MULTILINE | re.DOTALL)
    for command in commands.split("\n"):
        if f"`{command}`" not in pages["README.md"]:
            fail("README.md", f"does not have the command: {command}")
    shop.mkdir()
    shutil.copy(ROOT / "examples/go/first/main.go", shop)
    script = "go mod init example.com/shop\n" + commands.replace("…", str(ROOT))
    run(["bash", "-euc", script], cwd=shop, env={**environment, "GOPROXY": "off", "GOFLAGS": "-mod=readonly"})
    printed = run([shop / "shop"], env=environment)
    if not re.fullmatch(end, printed, re.DOTALL):
        fail("bindings/go/README.md", printed)
