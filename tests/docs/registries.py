"""Checks that no page, manifest or script asks a registry for a package of this project.

None of the names is registered yet (docs/releasing.md), so whoever registers one first would run code on the readers' machines. Commands
take a path or a release's folder instead.
"""

import re

from common import ROOT, fail, run

# The patterns of commands. Those that name a folder do not match.
COMMANDS = re.compile(
    r"""\b(pip3?|pipx|uv|poetry|pdm)( pip| tool)? (install|add|run)\b(?!.*--no-index)(.*[\s"'])?merchantpay"""
    r"|\bcargo (install|add|binstall)\b(?!.*--path)\s.*merchantpay"
    r"|^(?!.*\bCOMPOSER_DISABLE_NETWORK=1 composer require ).*\bcomposer\b.* require\b.*merchantpay"
    r"|\bgo (get|install|run)\b.*(?<!GOPROXY=file:///srv/merchantpay/go go get )github\.com/merchantpay"
    r"|\b(npm|pnpm|yarn|gem|brew|nuget|dotnet|apk) (i|install|add|package)\b.*\smerchantpay"
    r"|\bdocker (pull|run)\b.*\smerchantpay/"
    r"|\bapt(-get)? install\b.*\s(lib)?merchantpay"
    # A requirement with a version in a manifest.
    r"""|^\s*merchantpay(-\w+)?(\[\w+\])?\s*(==|>=|~=|= ?")\s*\d""",
    re.IGNORECASE,
)


def check_registries():
    paths = run(["git", "ls-files", "-z", "--", ".", ":!*.lock", ":!*.sum", ":!tests/docs/registries.py"], cwd=ROOT).split("\0")
    count = 0
    for path in filter(None, paths):
        try:
            text = (ROOT / path).read_text()
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        count += 1
        for number, line in enumerate(text.split("\n"), 1):
            if "merchantpay" in line.lower() and COMMANDS.search(line):
                fail(f"{path}:{number}", f"asks a registry for a package of this project: {line.strip()[:120]}")
    return f"{count} files"
