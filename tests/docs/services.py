"""Runs the units of docs/deploy and the lines of merchantpay.cron as an ordinary user with the files, modes and owners that
docs/deploy.md sets up. Without root every command runs as the present user, who then owns all files."""

import json
import os
import pathlib
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

from common import BUILT, ROOT, fail, sandbox

DEPLOY = ROOT / "docs/deploy"
CRON = DEPLOY / "merchantpay.cron"
IS_ROOT = os.geteuid() == 0
# No user needs to have this number.
SHOP = 61234 if IS_ROOT else os.geteuid()
# A shell reads neither this name nor the query of a database's URL as one word.
JOURNAL = "payments.db?user=shop&host=$HOME;x"


class Machine:
    """A folder in place of the root of the file system, and a sandbox as the service."""

    def __init__(self, folder, settings):
        self.folder, self.settings = folder, settings
        folder.chmod(0o711)
        self.program = self.path("/usr/local/bin/merchantpay")
        self.program.parent.mkdir(parents=True)
        # From here docs/deploy.md installs the program.
        (folder / "target/release").mkdir(parents=True)
        shutil.copy(BUILT / "merchantpay", folder / "target/release")
        self.path("/etc/cron.d").mkdir(parents=True)
        self.journal = self.path("/var/lib/shop") / JOURNAL
        variables = ("BASE_URL", "KEY_ID", "SERVER_PUBLIC_KEY", "SERVER_KEY_ID")
        self.environment = {f"MERCHANTPAY_{name}": self.settings[f"MERCHANTPAY_{name}"] for name in variables}
        self.environment["MERCHANTPAY_JOURNAL"] = str(self.journal)
        self.environment["MERCHANTPAY_CALLBACK_URL"] = "https://shop.example/callback"
        (folder / "merchantpay.env").write_text("".join(f"{name}={value}\n" for name, value in self.environment.items()))
        (folder / "private.key").write_text(self.settings["MERCHANTPAY_PRIVATE_KEY"])

    def path(self, path):
        return self.folder / path.lstrip("/")

    def here(self, text):
        return re.sub(r"(?<![\w.])/(etc|usr/local|var/lib|usr/sbin)/", rf"{self.folder}/\1/", text)

    def set_up(self, section):
        """By the commands of this section of docs/deploy.md."""
        text = (ROOT / "docs/deploy.md").read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
        commands = re.findall(r"^(?:#   )?sudo ((?:install|chown|chmod) .*)$", text, re.MULTILINE)
        if not commands:
            fail("docs/deploy.md", f"the section {section} installs no file")
        for command in commands:
            command = re.sub(r"\bshop\b(?=[ :])", str(SHOP), re.sub(r"(?<=:)shop\b", str(SHOP), command))
            words = shlex.split(self.here(command))
            if not IS_ROOT:
                if words[0] == "chown":
                    continue
                words = shlex.split(re.sub(r" -o \S+", "", shlex.join(words)))
            paths = [str(ROOT / word) if word.startswith("docs/deploy/") else word for word in words]
            subprocess.run(paths, cwd=self.folder, check=True)

    def as_shop(self, words, environment):
        become = ["setpriv", f"--reuid={SHOP}", f"--regid={SHOP}", "--clear-groups"] if IS_ROOT else []
        assignments = [f"{name}={value}" for name, value in environment.items()]
        command = [*become, "env", "-i", *assignments, *words]
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        return subprocess.Popen(command, cwd=self.folder, stdin=nothing, stdout=pipe, stderr=pipe, text=True)

    def run(self, words, environment):
        process = self.as_shop(words, environment)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def by_hand(self, *words):
        status, out, err = self.run([str(self.program), "journal", *words], {**self.settings, **self.environment})
        return status, [json.loads(line) for line in out.splitlines()], err

    def pay(self, reference, account="79001234567"):
        fields = ("--sum", "10", "--payment-method", "sbp", "--customer-account", account)
        return self.by_hand("pay", "--reference", reference, *fields)


def of_cron(machine, line):
    """Runs a line as cron runs it: in sh, with cron's environment, and with the program's words after the user's name."""
    fields = line.split(None, 6)
    if len(fields) != 7 or fields[5] != "shop" or not all(re.fullmatch(r"[\d*/,-]+", field) for field in fields[:5]):
        raise ValueError(f"not a line of cron with the user shop: {line}")
    if re.search(r"(?<!\\)%", fields[6]):
        raise ValueError(f"cron ends the command at %: {line}")
    environment = {"HOME": str(machine.folder), "LOGNAME": "shop", "SHELL": "/bin/sh", "PATH": "/usr/bin:/bin"}
    return machine.run(["dash", "-c", machine.here(fields[6].replace("\\%", "%"))], environment)


class Unit:
    """A unit of systemd: its command, with its environment and its credentials."""

    def __init__(self, machine, name):
        self.machine, self.name = machine, name
        text = (DEPLOY / name).read_text()
        self.values = {}
        for key, value in re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE):
            self.values.setdefault(key, []).append(value)

    def start(self):
        machine = self.machine
        if self.values["User"] != ["shop"]:
            fail(f"docs/deploy/{self.name}", "it does not run as the user shop")
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", "HOME": str(machine.folder), "LOGNAME": "shop"}
        credentials = pathlib.Path(tempfile.mkdtemp(dir=machine.folder))
        for credential in self.values.get("LoadCredential", []):
            name, _, path = credential.partition(":")
            (credentials / name).write_bytes(machine.path(path).read_bytes())
        for path in (*credentials.iterdir(), credentials):
            path.chmod(0o500 if path.is_dir() else 0o400)
            os.chown(path, SHOP, SHOP if IS_ROOT else -1)
        values = {"%d": str(credentials), "%i": "a.service", "%H": "host", "%%": "%"}

        def expanded(text):
            return re.sub(r"%.", lambda found: values[found[0]], text)

        environment["CREDENTIALS_DIRECTORY"] = str(credentials)
        for assignment in self.values.get("Environment", []):
            name, _, value = expanded(assignment).partition("=")
            environment[name] = value
        for path in self.values.get("EnvironmentFile", []):
            for line in machine.path(path).read_text().splitlines():
                name, _, value = line.partition("=")
                environment[name] = value
        (command,) = self.values["ExecStart"]
        return machine.as_shop(shlex.split(machine.here(expanded(command))), environment)

    def run(self):
        process = self.start()
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err


def settle_as_a_service(unit):
    process = unit.start()
    line = process.stdout.readline() if select.select([process.stdout], [], [], 60)[0] else "no line"
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    return process.returncode, "" if '"done":1' in line else line, err


def unlogged(unit):
    """The output goes into the log, where it disturbs nobody."""
    status, _, err = unit.run()
    return status, "", err


def check_way(machine, where, reference, settle, stats, purge):
    """The three commands, first while all is well, then with an item for an operator, then without a journal."""

    def expect(what, ran, status, printed):
        if ran[0] != status or bool((ran[1] + ran[2]).strip()) != printed:
            fail(where, f"{what} ended with {ran[0]} and printed: {ran[1]}{ran[2]}")

    status, _, err = machine.pay(reference)
    if status != 0 or machine.by_hand("confirm", reference)[0] != 0:
        return fail(where, f"no payment: {err}")
    for _ in range(50):
        ran = settle()
        expect("settle", ran, 0, False)
        if ran[0] != 0:
            break
        (entry,) = machine.by_hand("show", reference)[1]
        if entry["succeeded"]:
            break
        time.sleep(0.2)
    else:
        fail(where, "settle does not settle")
    expect("stats while all is well", stats(), 0, False)
    machine.by_hand("acknowledge", reference, "--attempt", "1", "--news", str(entry["news"]))
    expect("purge", purge(), 0, False)
    less = f"{reference}-less"
    machine.pay(less, "pays-less")
    machine.by_hand("confirm", less)
    machine.by_hand("wait", less)
    expect("stats with something to decide", stats(), 1, True)
    machine.by_hand("resolve", less, "--seen", "sum_differs", "--note", "test")
    expect("stats after the decision", stats(), 0, False)
    machine.journal.rename(machine.journal.with_name("gone"))
    for what, command in (("settle", settle), ("stats", stats), ("purge", purge)):
        status, out, err = command()
        if status in (0, 1) or not err:
            fail(where, f"{what} without the journal ended with {status} and printed: {out}{err}")
    machine.journal.with_name("gone").rename(machine.journal)


def alarm(machine):
    """Returns the mail."""
    sendmail = machine.path("/usr/sbin/sendmail")
    sendmail.parent.mkdir(parents=True)
    sendmail.write_text("#!/bin/sh\necho to $1\ncat\n")
    sendmail.chmod(0o755)
    ran = Unit(machine, "merchantpay-alarm@.service").run()
    if ran[0] != 0 or not ran[1].startswith("to root\nSubject: a.service failed on host\n\n"):
        fail("docs/deploy/merchantpay-alarm@.service", f"it ended with {ran[0]} and mailed: {ran[1]}{ran[2]}")


def check_services():
    lines = [line for line in CRON.read_text().splitlines() if re.match(r"[\d*]", line)]
    with tempfile.TemporaryDirectory() as name, sandbox(name) as settings:
        folder = pathlib.Path(name, "root")
        folder.mkdir()
        pathlib.Path(name).chmod(0o711)
        machine = Machine(folder, settings)
        machine.set_up("systemd")
        status, _, err = machine.by_hand("init")
        if status != 0:
            return fail("docs/deploy.md", f"no journal: {err}")
        settle, stats, purge = (Unit(machine, f"merchantpay-{command}.service") for command in ("settle", "stats", "purge"))
        check_way(
            machine, "docs/deploy/merchantpay-*.service", "unit", lambda: settle_as_a_service(settle), stats.run, lambda: unlogged(purge)
        )
        for unit in (settle, stats, purge):
            if unit.values.get("OnFailure") != ["merchantpay-alarm@%n.service"]:
                fail(f"docs/deploy/{unit.name}", "nobody hears of its failure")
        alarm(machine)
        machine.set_up("cron")
        installed = machine.path("/etc/cron.d/merchantpay")
        if installed.read_text() != CRON.read_text() or installed.stat().st_mode & 0o777 != 0o644:
            fail("docs/deploy.md", "cron does not get the file merchantpay.cron with the mode 0644")
        commands = [lambda line=line: of_cron(machine, line) for line in lines]
        check_way(machine, "docs/deploy/merchantpay.cron", "cron", *commands)
    who = f"as the user {SHOP}" if IS_ROOT else "as this user, because only root can become another: owners were not checked"
    return f"{len(lines)} lines of cron and 4 units, {who}"
