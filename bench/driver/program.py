"""A measured program: a child process that takes commands. The driver reads the processor time of the child from outside.

The kernel keeps one clock of a process's user and system time, over all its threads, in nanoseconds. The
driver reads this clock for every language, so that no language's runtime measures itself.
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

WEBHOOK = pathlib.Path(__file__).parents[1] / "webhook.json"


class Broken(Exception):
    """The error if a program did not do its task, so that there is no result."""


class Server:
    """The service that all programs call."""

    def __init__(self, path, authority):
        self.process = subprocess.Popen([path, WEBHOOK, authority], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.settings = {**json.loads(self.process.stdout.readline()), "BENCH_WEBHOOK": str(WEBHOOK)}
        self.tls_address, self.authority = self.settings.pop("BENCH_TLS_ADDRESS"), authority
        self.orders_url = self.settings.pop("BENCH_ORDERS_URL")

    @property
    def port(self):
        return int(self.settings["BENCH_URL"].rpartition(":")[2])

    def tls_settings(self, port):
        """The settings of programs that use TLS through `port`."""
        return {**self.settings, "BENCH_URL": f"https://127.0.0.1:{port}", "BENCH_CA": str(self.authority)}

    def orders_settings(self):
        """The settings of programs whose payments are separate orders."""
        return {**self.settings, "BENCH_URL": self.orders_url}

    def connections(self):
        """The number of connections that were opened so far."""
        self.process.stdin.write("connections\n")
        return int(self.process.stdout.readline())

    def close(self):
        end(self.process)


class DelayProxy:
    """A proxy between the programs and the TLS server. For each round trip in milliseconds it has a port with this delay, and the URL of an
    http proxy."""

    def __init__(self, path, address, round_trips):
        self.process = subprocess.Popen([path, address, *map(str, round_trips)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ports, proxies = json.loads(self.process.stdout.readline())
        self.ports = dict(zip(round_trips, ports))
        self.urls = {round_trip: f"http://127.0.0.1:{port}" for round_trip, port in zip(round_trips, proxies)}

    def close(self):
        end(self.process)


def move(processors, processes):
    """Limits this process and the given processes to these processors. Later children inherit the limit."""
    for process in [os.getpid(), *(process.pid for process in processes)]:
        for thread in os.listdir(f"/proc/{process}/task"):
            os.sched_setaffinity(int(thread), processors)


def end(process):
    process.stdin.close()
    process.wait()
    process.stdout.close()


class Program:
    """One program. `kind` is "ours" (it uses the library), "peer" (it does not) or "floor" (the lowest cost). The kind
    "journal" is only for the parts about the journal. A program of the kind "roomy" is ours in another environment."""

    def __init__(self, language, kind, label, command, environment=None):
        self.language, self.kind, self.label = language, kind, label
        self.command, self.environment = [str(word) for word in command], environment or {}
        self.process = None

    def __str__(self):
        return self.label

    def another(self):
        """Returns the same program, for a separate process."""
        return Program(self.language, self.kind, self.label, self.command, self.environment)

    def surroundings(self, settings):
        """The environment of the program."""
        return {**os.environ, **self.environment, **settings}

    def start(self, settings):
        self.process = subprocess.Popen(
            self.command, env=self.surroundings(settings), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        # The id of the clock of the process's user and system time, as clock_getcpuclockid computes it.
        self.clock = (~self.process.pid << 3) | 2

    def restart(self, settings):
        self.close()
        self.start(settings)

    def run(self, task, count):
        """Runs a task `count` times. Returns the processor time and the elapsed time in seconds."""
        wall, cpu = time.perf_counter(), time.clock_gettime(self.clock)
        self.process.stdin.write(f"{task} {count}\n")
        answer = self.process.stdout.readline()
        cpu, wall = time.clock_gettime(self.clock) - cpu, time.perf_counter() - wall
        if answer != "ok\n":
            raise Broken(f"{self.label}: {task} {count}: {answer.strip() or 'it has ended'}")
        return cpu, wall

    def first(self, settings):
        """The processor time of a separate process, from its start to its end. The process verifies one reply."""
        process = subprocess.Popen([*self.command, "first"], env=self.surroundings(settings), stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise Broken(f"{self.label}: its first reply failed")
        return usage.ru_utime + usage.ru_stime

    def system_calls(self, settings, task, count):
        """The number of times that one run of a task makes each system call, by the name of the system call."""
        warm, all_ = (self._system_calls(settings, task, calls) for calls in (count, 2 * count))
        return {name: (all_[name] - warm.get(name, 0)) / count for name in all_}

    def _system_calls(self, settings, task, count):
        with tempfile.NamedTemporaryFile("r") as summary:
            command = ["strace", "--follow-forks", "--summary-only", f"--output={summary.name}", *self.command]
            run = subprocess.run(command, env=self.surroundings(settings), input=f"{task} {count}\n", capture_output=True, text=True)
            if run.stdout != "ok\n":
                raise Broken(f"{self.label}: {task} {count} under strace: {run.stderr}")
            # The columns of strace: % time, seconds, µs per call, calls, errors if there were any, name.
            rows = [line.split() for line in summary.read().splitlines()]
        return {row[-1]: int(row[3]) for row in rows if len(row) > 4 and row[3].isdigit() and row[-1] != "total"}

    def instructions(self, settings, task):
        """The number of instructions for the second run of a task."""
        return self._instructions(settings, task, 2) - self._instructions(settings, task, 1)

    def _instructions(self, settings, task, count):
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *self.command]
        run = subprocess.run(command, env=self.surroundings(settings), input=f"{task} {count}\n", capture_output=True, text=True)
        if run.stdout != "ok\n":
            raise Broken(f"{self.label}: {task} {count} under valgrind: {run.stderr}")
        return int(re.search(r"Collected : (\d+)", run.stderr)[1])

    def memory(self, what="VmRSS"):
        """The memory in bytes: VmRSS is the present size, VmHWM the largest since `forget_peak`."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith(what + ":"))

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def close(self):
        if self.process:
            end(self.process)
            self.process = None
