"""Reports the measured versions and the machine."""

import ctypes
import os
import platform
import re
import subprocess
import time

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


# The largest share of all processors that other programs may use on average.
BUSY = 0.05
# From linux/prctl.h and linux/sched.h.
PR_SET_CHILD_SUBREAPER, PF_KTHREAD = 36, 0x00200000


class Others:
    """Measures the number of processors that other programs use: the kernel's processor time of all processes, without this process, its
    descendants and the kernel itself."""

    def __init__(self):
        # Makes this process the parent of a descendant whose own parent has ended, such as a database server's process.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.restart()

    def restart(self):
        self.began, self.before = time.monotonic(), self._ticks()

    def used(self):
        """The number of processors in use, on average since the last restart."""
        ticks, seconds = self._ticks() - self.before, time.monotonic() - self.began
        return max(0, ticks / os.sysconf("SC_CLK_TCK") / seconds)

    @staticmethod
    def are_busy(used):
        return used > BUSY * os.cpu_count()

    def _ticks(self):
        with open("/proc/stat") as file:
            user, nice, system, _, _, _, _, stolen = map(int, file.readline().split()[1:9])
        processes = {}
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/stat") as file:
                    processes[int(process)] = file.read().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue  # The process has ended, and its parent's count includes its time.
        ours = {os.getpid()} | {process for process, fields in processes.items() if int(fields[6]) & PF_KTHREAD}
        while more := {process for process, fields in processes.items() if int(fields[1]) in ours} - ours:
            ours |= more
        # The user and system time of each of our processes, and of the children that the process has waited for.
        own = sum(int(number) for process in ours if process in processes for number in processes[process][11:15])
        return user + nice + system + stolen - own


def describe(built, others):
    with open("/proc/cpuinfo") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.MULTILINE)
    python = str(built / "python/bin/python")
    versions = "import platform, sqlite3 as s; print(platform.python_version() + '; SQLite', s.sqlite_version)"
    packages = "import importlib.metadata as m; print(', '.join(f'{n} {m.version(n)}' for n in ('requests', 'urllib3', 'httpx', 'PyNaCl')))"
    rows = [
        ("processor", f"{model[1] if model else 'unknown'}, {os.cpu_count()} cores"),
        ("kernel", f"{platform.system()} {platform.release().split('-')[0]}"),
        ("other programs", f"used {others:.2f} processors at most, on average over a part"),
        ("Rust", said("rustc", "--version")),
        (
            "C",
            f"{said('cc', '--version').splitlines()[0]}; libcurl {said('pkg-config', '--modversion', 'libcurl')}, "
            f"libsodium {said('pkg-config', '--modversion', 'libsodium')}, cJSON {said('pkg-config', '--modversion', 'libcjson')}",
        ),
        ("Python", f"{said(python, '-c', versions)}; {said(python, '-c', packages)}"),
        ("PHP", said("php", "-r", "echo PHP_VERSION, '; curl ', curl_version()['version'], ', sodium ', SODIUM_LIBRARY_VERSION;")),
        ("Go", said("go", "env", "GOVERSION")),
    ]
    return "## The machine\n\n" + "".join(f"- {name}: {text}\n" for name, text in rows)
