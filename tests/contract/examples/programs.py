"""The example programs: building and starting them in each language."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
LANGUAGES = json.loads((FOLDER / "languages.json").read_text())


def filled(value, values):
    """Replaces names that begin with a dollar by their values."""
    if isinstance(value, str):
        return re.sub(r"\$([A-Z]+)", lambda name: str(values.get(name[1], name[0])), value)
    if isinstance(value, list):
        return [filled(one, values) for one in value]
    if isinstance(value, dict):
        return {filled(key, values): filled(one, values) for key, one in value.items()}
    return value


class Programs:
    """Shared by all cases: the program `merchantpay`, the installed library, and the built examples of each
    language."""

    def __init__(self, languages):
        # tests/contract/run has built the program and the library.
        self.program, prefix = os.environ["MERCHANTPAY_PROGRAM"], pathlib.Path(os.environ["INSTALLED"])
        self.folder = TARGET / "contract/examples"
        shutil.rmtree(self.folder, ignore_errors=True)
        python = self.folder / "packages/merchantpay"
        if "python" in languages:
            shutil.copytree(ROOT / "bindings/python/python/merchantpay", python, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
            command = [ROOT / "tools/help/built", "lib_merchantpay.so"]
            built = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
            shutil.copy(built, python / "_merchantpay.abi3.so")
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("MERCHANTPAY_", "WEBHOOK_"))},
            "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"),
            "LD_LIBRARY_PATH": str(prefix / "lib"),
            "PYTHONPATH": str(python.parent),
            "PYTHONIOENCODING": "utf-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "MERCHANTPAY_LIBRARY": str(prefix / "lib/libmerchantpay.so.0"),
            "GOFLAGS": "-mod=readonly -tags=merchantpay_dynamic",
            "CGO_ENABLED": "1",
            "CGO_LDFLAGS": f"-L{prefix}/lib",
        }

    def values(self, language):
        cargo = os.environ.get("CARGO", "cargo")
        return {"ROOT": ROOT, "TARGET": TARGET, "BUILT": self.folder / language, "PYTHON": sys.executable, "CARGO": cargo}

    def build(self, language, programs):
        """Builds these programs. If the README has a command for a program, that command builds the program."""
        entry, folder = LANGUAGES[language], self.folder / language
        folder.mkdir(parents=True)
        commands = [command for name, command in entry.get("build", {}).items() if name in ("", *programs)]
        if "readme" in entry:
            for file in (ROOT / entry["readme"]).parent.iterdir():
                shutil.copy(file, folder)
            (block,) = re.findall(r"^```sh\n(.*?)^```$", (ROOT / entry["readme"]).read_text(), re.MULTILINE | re.DOTALL)
            commands += [["sh", "-c", line] for line in block.splitlines() if re.search(r" -o (\w+) ", line)[1] in programs]
        # COMPILERS is a folder with the compilers of another platform.
        environment = {**self.environment, "PATH": f"{os.environ.get('COMPILERS', '')}:{os.environ['PATH']}".lstrip(":")}
        for command in filled(commands, self.values(language)):
            ran = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if ran.returncode:
                sys.exit(f"{language}: {' '.join(command)}\n{ran.stdout}")

    def command(self, language, program):
        return filled(LANGUAGES[language]["run"], {**self.values(language), "PROGRAM": program})
