"""One example case in one language: its steps, and the program under test."""

import contextlib
import http.client
import http.server
import json
import pathlib
import queue
import re
import signal
import subprocess
import tempfile
import threading
import time

from programs import ROOT, filled

PAGE = (ROOT / "examples/README.md").read_text()
PATIENCE = 60
UNDER = {
    # Valgrind reports wrong memory use and leaks. Leaks of the kind "possibly lost" are ignored: Rust's thread-local memory has this kind.
    "valgrind": [
        "valgrind",
        "--quiet",
        "--error-exitcode=9",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite",
        "--show-leak-kinds=definite",
    ],
}


class Failure(Exception):
    """An example does not do what its case requires."""


def need(holds, *report):
    if not holds:
        raise Failure(" ".join(map(str, report)))


def promised(name):
    """The lines that a program must print according to examples/README.md, in its first or another run."""
    name, _, run = name.partition(" ")
    blocks = re.findall(r"^```text\n(.*?)^```$", PAGE.split(f"\n### {name}\n")[1].split("\n### ")[0], re.MULTILINE | re.DOTALL)
    return blocks[int(run or 1) - 1].splitlines()


def matches(line, promise, values):
    """A word in capitals matches any value, but the same value in all lines. The last value of a line may contain
    spaces."""
    wanted = promise.split(" ")
    words = line.split(" ", len(wanted) - 1)
    return len(words) == len(wanted) and all(
        word and word == (values.setdefault(want, word) if re.fullmatch("[A-Z]{3,}", want) and want != "RUB" else want)
        for want, word in zip(wanted, words)
    )


def check_matches():
    """Tests the comparison itself."""
    lines = ["order ORDER", "status ORDER done WORDS"]
    for printed, holds in (
        (["order 1", "status 1 done right now"], True),
        (["order 1", "status 2 done now"], False),
        (["order ", "status  done now"], False),
        (["order 1", "status 1 failed now"], False),
        (["order 1", "status 1 done"], False),
    ):
        values = {}
        need(all(matches(line, promise, values) for line, promise in zip(printed, lines)) == holds, "the comparison is wrong:", printed)


class Process:
    """A running example program."""

    def __init__(self, command, environment, folder, prints):
        self.prints, self.read, self.errors = prints, [], []
        self.process = subprocess.Popen(
            command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
        )
        self.lines = queue.Queue()
        self.threads = [threading.Thread(target=self._read_lines), threading.Thread(target=self._read_errors)]
        for thread in self.threads:
            thread.start()

    def _read_lines(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _read_errors(self):
        self.errors.append(self.process.stderr.read())

    @property
    def stderr(self):
        return "".join(self.errors)

    def line(self):
        try:
            line = self.lines.get(timeout=PATIENCE)
        except queue.Empty:
            raise Failure(f"no further line after: {self.read}") from None
        if line is not None:
            self.read.append(line.rstrip("\n"))
        return line

    def expect(self, count, values):
        """Compares the program's next lines with the expected ones."""
        for _ in range(count):
            need(self.line() is not None, "it ended after:", "".join(self.read), self.stderr)
            self._compare(values)

    def _compare(self, values):
        while self.prints is not None:
            need(self.prints, "it printed one line more:", self.read[-1])
            promise = self.prints.pop(0)
            if matches(self.read[-1], promise.rstrip("?"), values):
                return
            need(promise.endswith("?"), repr(self.read[-1]), "in place of", repr(promise))

    def end(self, status, stderr, stdout, values):
        """Compares the rest of the output, and the exit status."""
        while self.line() is not None:
            self._compare(values)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        for thread in self.threads:
            thread.join(PATIENCE)
        report = f"status {self.process.returncode}, printed {self.read} and {self.stderr!r}"
        need(self.process.returncode == status, report)
        need(re.fullmatch(stderr, self.stderr), report)
        need(stdout is None or re.fullmatch(stdout, "".join(line + "\n" for line in self.read)), report)
        need(not [promise for promise in self.prints or [] if not promise.endswith("?")], report, "without", self.prints)

    def stop(self):
        self.process.kill()
        self.process.wait()
        for thread in self.threads:
            thread.join()
        while not self.lines.empty():
            self.line()


class Case:
    """One case in one language, with its own sandbox."""

    def __init__(self, language, case, programs, under):
        self.language, self.case, self.programs, self.under = language, case, programs, under
        self.process, self.printed = None, []
        self.stack = contextlib.ExitStack()

    def run(self):
        with self.stack:
            self.folder = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
            (self.folder / "receipt.pdf").write_bytes(b"%PDF-1.4\n%%EOF\n")
            self.values = {"RECEIPT": self.folder / "receipt.pdf", "FILE": self.folder / "payments.db"}
            self.settings = self._sandbox()
            self.stack.callback(lambda: self.process and self.process.stop())
            for step in self.case["steps"]:
                step = filled(step, self.values)
                getattr(self, "do_" + next(iter(step)))(step)

    def _sandbox(self):
        pace = str(self.case.get("pace", 5))
        command = [self.programs.program, "sandbox", "--port", "0", "--pace", f"{pace}ms", "--format", "json", "--server-private-key-file"]
        process = subprocess.Popen(
            [*command, self.folder / "service.key"],
            env=self.programs.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        text = process.stdout.readline()
        return {"MERCHANTPAY_" + re.sub("([A-Z])", r"_\1", name).upper(): str(value) for name, value in json.loads(text).items()}

    def _start(self, program, step):
        if self.process:
            self.process.stop()
        arguments = step.get("arguments", [])
        if isinstance(arguments, dict):
            arguments = arguments.get(program, [])
        unset = step.get("unset", [])
        settings = {
            name: value
            for name, value in self.settings.items()
            if name not in unset and unset != ["all"] and name in step.get("only", self.settings)
        }
        prints = step.get("prints")
        command = self.programs.command(self.language, program)
        self.process = Process(
            [*UNDER.get(self.under, []), *command, *arguments],
            {**self.programs.environment, **settings, **step.get("set", {})},
            self.folder,
            promised(prints) if isinstance(prints, str) else prints and list(prints),
        )
        if prints == []:
            self.process.prints = []

    # The steps.

    def do_run(self, step):
        self._start(step["run"], step)
        self.process.end(step.get("status", 0), step.get("stderr", ""), step.get("stdout"), self.values)
        self.printed += self.process.read

    def do_start(self, step):
        self._start(step["start"], step)
        self.do_lines(step)

    def do_lines(self, step):
        self.process.expect(int(step["lines"]), self.values)

    def do_ends(self, step):
        self.process.end(step["ends"], step.get("stderr", ""), None, self.values)
        self.printed += self.process.read

    def do_kill(self, step):
        self.process.stop()
        self.printed += self.process.read
        need(re.fullmatch(step.get("stderr", "(?s).*"), self.process.stderr), "stderr was", repr(self.process.stderr))

    def do_signal(self, step):
        self.process.process.send_signal(signal.Signals[step["signal"]])

    def do_send(self, step):
        for method in step["send"]:
            connection = http.client.HTTPConnection("127.0.0.1", int(self.values["PORT"]), timeout=PATIENCE)
            with contextlib.closing(connection):
                headers = {name: "9" * 5000 if value == "NINES" else value for name, value in step.get("headers", {}).items()}
                body = " " * step["spaces"] if "spaces" in step else step.get("body")
                connection.request(method, step["path"], body, headers)
                answer = connection.getresponse()
                answer.read()
            status = step["status"]
            status = status.get(self.language, status[""]) if isinstance(status, dict) else status
            need(answer.status == status, method, step["path"], "was answered with", answer.status)
            for name, value in step.get("answer", {}).items():
                need(answer.headers[name] == value, method, "was answered with", name, answer.headers[name])

    def control(self, method, path, body=None):
        address = self.settings["MERCHANTPAY_BASE_URL"][len("http://") :]
        with contextlib.closing(http.client.HTTPConnection(address, timeout=PATIENCE)) as connection:
            connection.request(method, f"/sandbox{path}", body and json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            need(answer.status < 300, method, path, answer.status, text)
            return json.loads(text or "null")

    def eventually(self, what, get):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := get():
                return found
            time.sleep(0.01)
        raise Failure("it did not happen:", what)

    def program(self, *arguments, **settings):
        environment = {**self.programs.environment, **self.settings, **settings}
        ran = subprocess.run([self.programs.program, *arguments], env=environment, capture_output=True, text=True, timeout=PATIENCE)
        need(ran.returncode == 0, arguments[0], ran.stderr)
        return ran.stdout

    def do_journal(self, step):
        self.program("journal", "init", "--journal", step["journal"])

    def do_fault(self, step):
        self.control("POST", "/faults", step["fault"])

    def do_pay(self, step):
        urls = ["--credentials-webhook-url", step["pay"], "--status-webhook-url", step["pay"]]
        request = ["--sum", "1500.55", "--payment-method", "sbp", "--customer-account", "79001234567"]
        self.values["ORDER"] = json.loads(self.program("new-async", *request, *urls))["orderId"]

    def do_confirm(self, step):
        self.program("confirm", step["confirm"])

    def do_delivered(self, step):
        order = self.values.get("ORDER")

        def delivery():
            webhooks = self.control("GET", "/webhooks")["webhooks"]
            ours = (webhook for webhook in webhooks if webhook["kind"] == step["delivered"] and order in (None, webhook["orderId"]))
            return next((webhook for webhook in ours if webhook["attempts"]), None)

        webhook = self.eventually(f"a webhook of the kind {step['delivered']}", delivery)
        need((webhook["httpStatus"], webhook["attempts"]) == (200, 1), "the webhook was answered with", webhook)

    def do_payments(self, step):
        self.eventually("payments", lambda: len(self.control("GET", "/payments")["payments"]) == step["payments"])

    def do_approve(self, _):
        """The service's operator approves the payment, after the service has found a payee."""

        def found():
            (payment,) = self.control("GET", "/payments")["payments"]
            return payment if payment["state"] != "searching" else None

        order = self.eventually("credentials", found)["orderId"]
        self.control("POST", f"/payments/{order}/operator", {"action": "approve"})

    def do_requests(self, step):
        counted = self.control("GET", "")["requests"]
        need(all(counted[name] == count for name, count in step["requests"].items()), "the service counted", counted)

    def do_until(self, step):
        self.eventually(step, lambda: all(self.control("GET", "")["requests"][name] >= count for name, count in step["until"].items()))

    def do_printed(self, step):
        need(step["printed"] in self.printed, step["printed"], "is not in", self.printed)

    def do_webhook(self, step):
        """Puts a webhook's body and signature, as `webhook send` posts them, into the environment."""
        settings = self.settings

        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                settings["WEBHOOK_BODY"] = self.rfile.read(int(self.headers["Content-Length"])).decode()
                settings["WEBHOOK_SIGNATURE"] = self.headers["X-Signature"]
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Receiver) as server:
            threading.Thread(target=server.handle_request, daemon=True).start()
            url = f"http://127.0.0.1:{server.server_address[1]}/"
            self.program("webhook", "send", "--url", url, "--server-private-key-file", self.folder / "service.key", step["webhook"])
