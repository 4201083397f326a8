"""Checks that no page, manifest or script asks a registry for a package of this project.

None of the names is registered yet (docs/releasing.md), so whoever registers one first would run code on the readers' machines. Commands
take a path or a release's folder instead.
"""

import re

from common import ROOT, fail, run

# The pattern of a command, and an example of it. Commands that name a folder do not match.
COMMANDS = [
    (
        r"""\b(pip3?|pipx|uv|poetry|pdm)( pip| tool)? (install|add|run)\b(?!.*--no-index)(.*[\s"'])?merchantpay""",
        'pip install "merchantpay[sandbox]"',
    ),
    (r"\bcargo (install|add|binstall)\b(?!.*--path)\s.*merchantpay", "cargo install merchantpay-cli"),
    (
        r"^(?!.*\bCOMPOSER_DISABLE_NETWORK=1 composer require ).*\bcomposer\b.* require\b.*merchantpay",
        "composer require merchantpay/merchantpay",
    ),
    (
        r"\bgo (get|install|run)\b.*(?<!GOPROXY=file:///srv/merchantpay/go go get )github\.com/merchantpay",
        "go get github.com/merchantpay/merchantpay-go",
    ),
    (r"\b(npm|pnpm|yarn|gem|brew|nuget|dotnet|apk) (i|install|add|package)\b.*\smerchantpay", "npm install merchantpay"),
    (r"\bdocker (pull|run)\b.*\smerchantpay/", "docker run merchantpay/sandbox"),
    (r"\bapt(-get)? install\b.*\s(lib)?merchantpay", "apt install libmerchantpay-dev"),
    (r"""^\s*merchantpay(-\w+)?(\[\w+\])?\s*(==|>=|~=|= ?")\s*\d""", 'merchantpay = "0.2"'),
]


def check_registries():
    patterns = []
    for pattern, example in COMMANDS:
        patterns.append(re.compile(pattern, re.IGNORECASE))
        if not patterns[-1].search(example):
            fail("tests/docs/registries.py", f"a pattern does not match its example: {example}")
    paths = run(["git", "ls-files", "-z", "--", ".", ":!*.lock", ":!*.sum", ":!tests/docs/registries.py"], cwd=ROOT).split("\0")
    count = 0
    for path in filter(None, paths):
        try:
            text = (ROOT / path).read_text()
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        count += 1
        for number, line in enumerate(text.split("\n"), 1):
            if "merchantpay" in line.lower() and any(pattern.search(line) for pattern in patterns):
                fail(f"{path}:{number}", f"asks a registry for a package of this project: {line.strip()[:120]}")
    return f"{count} files"
