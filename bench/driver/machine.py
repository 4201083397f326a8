"""What was measured, and where."""

import os
import platform
import re
import subprocess

HEAD = """# Results

Written by `make bench`; [README.md](README.md) says how to read it. CPU is user + system time of the client's process.
Figures are medians of interleaved rounds, a ratio is the median of the rounds' ratios, and beside it stand their quartiles.
"""


def said(*command, environment=None):
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **(environment or {})})
        return run.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "not there"


def busy(load):
    return f"{load:.1f}" + (": **others were using the machine**, so that the figures are worth less" if load > os.cpu_count() / 4 else "")


def describe(here, built):
    with open("/proc/cpuinfo") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.MULTILINE)
    python = str(built / "python/bin/python")
    versions = "import platform, sqlite3 as s; print(platform.python_version() + '; SQLite', s.sqlite_version)"
    packages = "import importlib.metadata as m; print(', '.join(f'{n} {m.version(n)}' for n in ('requests', 'urllib3', 'httpx', 'PyNaCl')))"
    rows = [
        ("processor", f"{model[1] if model else 'unknown'}, {os.cpu_count()} cores"),
        ("kernel", f"{platform.system()} {platform.release().split('-')[0]}"),
        ("load before it began", busy(os.getloadavg()[0])),
        ("Rust", said("rustc", "--version")),
        (
            "C",
            f"{said('cc', '--version').splitlines()[0]}; libcurl {said('pkg-config', '--modversion', 'libcurl')}, "
            f"libsodium {said('pkg-config', '--modversion', 'libsodium')}, cJSON {said('pkg-config', '--modversion', 'libcjson')}",
        ),
        ("Python", f"{said(python, '-c', versions)}; {said(python, '-c', packages)}"),
        ("PHP", said("php", "-r", "echo PHP_VERSION, '; curl ', curl_version()['version'], ', sodium ', SODIUM_LIBRARY_VERSION;")),
        ("Go", said("go", "env", "GOVERSION")),
        ("Node", said("node", "--version")),
    ]
    return "## The machine\n\n" + "".join(f"- {name}: {text}\n" for name, text in rows)
