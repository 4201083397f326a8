"""Simulates a new user of a package, who has an empty folder without the library and follows the page of a language. Each language's
test_package.py uses this."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()


def run(command, **options):
    """The command must succeed. Returns its output."""
    ran = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=3600, **options
    )
    if ran.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))[:300]} ended with {ran.returncode}:\n{ran.stdout}")
    return ran.stdout


def packed(archives, part, *command):
    """The folder of a part, which the command makes unless the folder is that of a whole release."""
    if not (archives / "BUILD.txt").is_file():
        # An earlier run may have left a part of older sources.
        shutil.rmtree(archives / part, ignore_errors=True)
        run(command)
    return archives / part


class User:
    """With an empty folder and an environment without this project."""

    def __init__(self, settings, archives):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="merchantpay-user-"))
        self.archives = archives
        self.environment = {
            **settings,
            "HOME": str(self.folder),
            "PATH": f"{pathlib.Path(shutil.which('go')).parent}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Go makes its module files read-only.
        subprocess.run(["chmod", "-R", "u+w", str(self.folder)], check=True)
        shutil.rmtree(self.folder)

    def follow(self, page, files, changed=()):
        """The commands of the section `Install`, in one shell. Returns the output, and the seconds until the payment."""
        script = ["set -euo pipefail"]
        for kind, text in blocks(page):
            if kind == "sh":
                for old, new in (("/srv/merchantpay", str(self.archives)), *changed):
                    text = text.replace(old, new)
                script.append(f"{text}\necho took $SECONDS s")
            else:
                script.append(f"cat >{files[kind]} <<'END-OF-FILE'\n{text}\nEND-OF-FILE")
        printed = self.run(["bash", "-c", "\n".join(script)])
        paid = re.search(r"^doneSuccess .*?^took (\d+) s$", printed, re.MULTILINE | re.DOTALL)
        need(paid, f"it was not paid:\n{printed}")
        return printed, int(paid[1])

    def run(self, command, folder=".", **environment):
        return run(command, cwd=self.folder / folder, env={**self.environment, **environment}, stdin=subprocess.DEVNULL)


def blocks(page, section="Install"):
    """The languages and the texts of those blocks of a page's section that this test runs: the commands, and the program."""
    found = re.search(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    if not found:
        raise RuntimeError(f"{page} has no section {section}")
    return re.findall(
        r"^<!-- (?:checked by \S+/(?:test|test-packages|test_package\.py)|from \S+) -->\n```(\w+)\n(.*?)\n```$",
        found[1],
        re.MULTILINE | re.DOTALL,
    )


def need(holds, what):
    if not holds:
        raise RuntimeError(what)


def need_paid(printed, times):
    lines = re.findall(r"^pay 1500\.50 to \d+\ndoneSuccess 1500\.50$", printed, re.MULTILINE)
    need(len(lines) == times, f"paid {len(lines)} times in place of {times}:\n{printed}")
