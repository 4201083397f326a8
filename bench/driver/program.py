"""A program that is measured: a child process that does what it is told, and whose processor time is read from outside.

The kernel keeps one clock of a process's user and system time, over all its threads, in nanoseconds. It is read in the same way for
every language, so that none is measured by its own runtime.
"""

import json
import os
import pathlib
import subprocess
import time

WEBHOOK = pathlib.Path(__file__).parents[1] / "webhook.json"


class Broken(Exception):
    """A program that did not do its task: there is no figure then."""


class Server:
    """The one service of all programs."""

    def __init__(self, path):
        self.process = subprocess.Popen([path, WEBHOOK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.settings = {**json.loads(self.process.stdout.readline()), "BENCH_WEBHOOK": str(WEBHOOK)}

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Program:
    """One program. `kind` is ours, peer, floor, or roomy: ours in other surroundings, for `threads` alone."""

    def __init__(self, language, kind, label, command, environment=None):
        self.language, self.kind, self.label = language, kind, label
        self.command, self.environment = [str(word) for word in command], environment or {}
        self.process = None

    def __str__(self):
        return self.label

    def start(self, settings):
        surroundings = {**os.environ, **self.environment, **settings}
        self.process = subprocess.Popen(
            self.command, env=surroundings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        # As clock_getcpuclockid makes it: the process's own clock of both kinds of time.
        self.clock = (~self.process.pid << 3) | 2

    def restart(self, settings):
        self.close()
        self.start(settings)

    def run(self, task, count):
        """Does a task so often; gives the processor time and the time it took, in seconds."""
        wall, cpu = time.perf_counter(), time.clock_gettime(self.clock)
        self.process.stdin.write(f"{task} {count}\n")
        answer = self.process.stdout.readline()
        cpu, wall = time.clock_gettime(self.clock) - cpu, time.perf_counter() - wall
        if answer != "ok\n":
            raise Broken(f"{self.label}: {task} {count}: {answer.strip() or 'it has ended'}")
        return cpu, wall

    def first(self, settings):
        """The processor time of a process of its own, from its start to its end, with one verified reply."""
        process = subprocess.Popen([*self.command, "first"], env={**os.environ, **self.environment, **settings}, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise Broken(f"{self.label}: its first reply failed")
        return usage.ru_utime + usage.ru_stime

    def memory(self, what="VmRSS"):
        """Bytes: VmRSS now, or VmHWM, the most since `forget_peak`."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith(what + ":"))

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
            self.process = None
