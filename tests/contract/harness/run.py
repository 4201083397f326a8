"""Runs a scenario in a language; the result must be the same in every language."""

from __future__ import annotations

from dataclasses import dataclass, field

from .languages import Languages, Result
from .receiver import Receiver
from .sandbox import Sandbox
from .scenario import HOOK, LAST, SERVER_URL, SETTINGS, Call, Control, Scenario, Webhook, matches
from .server import Server


@dataclass
class Run:
    results: list[Result] = field(default_factory=list)
    requests: dict[str, int] = field(default_factory=dict)
    connections: int | None = None
    sent: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def seen(self) -> list[tuple[str, Result]]:
        """What is compared between languages, with a name for each part."""
        counts = {name: str(count) for name, count in self.requests.items()}
        if self.connections is not None:
            counts["connections"] = str(self.connections)
        sent = {f"request {n}": text for n, text in enumerate(self.sent, 1)}
        return [*((f"result {n}", result) for n, result in enumerate(self.results, 1)), ("at the server", counts), ("sent", sent)]


class Runner:
    """The programs of one language."""

    def __init__(self, language: str, languages: Languages, program: str) -> None:
        self.language, self._program = language, program
        self._asked = languages.make(language)
        # A program answers one command at a time: what happens during a call, another one is asked.
        self._beside = languages.make(language)

    def run(self, scenario: Scenario) -> Run:
        run = Run()
        receiver = Receiver()
        server = Server(scenario.server) if scenario.server is not None else Sandbox(self._program)
        try:
            visit = Visit(self, run, server, receiver)
            if isinstance(server, Server):
                server.scenario = visit
            for step in scenario.steps:
                visit.take(step)
            if isinstance(server, Server):
                server.settle()
            run.requests = dict(server.requests() if isinstance(server, Sandbox) else server.requests)
            if isinstance(server, Server):
                run.sent = sorted(text.replace(receiver.url, "http://hook") for text in server.sent)
                run.problems += [f"the server complains: {complaint}" for complaint in server.complaints]
                if scenario.connections is not None:
                    run.connections = server.connections
        except Exception as error:
            run.problems.append(f"{type(error).__name__}: {error}")
        finally:
            receiver.close()
            server.close()
        self._judge(scenario, run)
        return run

    def _judge(self, scenario: Scenario, run: Run) -> None:
        if scenario.requests != run.requests:
            run.problems.append(f"requests at the server: {run.requests}, expected {scenario.requests}")
        if scenario.connections != run.connections:
            run.problems.append(f"connections at the server: {run.connections}, expected {scenario.connections}")
        if scenario.sends is not None and [scenario.sends] != run.sent:
            run.problems.append(f"sent: {run.sent}, expected {[scenario.sends]}")

    def ask(self, fields: dict[str, object], beside: bool = False) -> Result:
        words = []
        for name, value in fields.items():
            if value is not None:
                words += [(name, one if isinstance(one, bytes) else str(one)) for one in (value if isinstance(value, list) else [value])]
        return (self._beside if beside else self._asked).ask(words)

    def close(self) -> None:
        self._asked.close()
        self._beside.close()


class Visit:
    """One scenario on its way through its steps."""

    def __init__(self, runner: Runner, run: Run, server: Server | Sandbox, receiver: Receiver) -> None:
        self._runner, self._run, self._server, self.receiver = runner, run, server, receiver
        self._order_id = ""

    def take(self, step: Call | Webhook | Control) -> None:
        if isinstance(step, Control):
            self._server.control(step.method, step.path.replace("{order}", self._order_id), step.body)
        elif isinstance(step, Webhook):
            self.verify_next(step.expect, step.fields)
        else:
            expected = step.expect if isinstance(step.expect, list) else [step.expect] * step.times
            for one in expected:
                self._keep(self._runner.ask(self._command(step.command, step.fields)), one)

    def verify_next(self, expect: dict, fields: dict[str, object] | None = None, beside: bool = False) -> None:
        """Waits for a webhook and has it verified."""
        webhook = self.receiver.next()
        given = {"body": webhook.body, "signature": webhook.signature, "webhook_key_id": webhook.key_id, "private_key": None}
        self._keep(self._runner.ask(self._command("verify_webhook", {**given, **(fields or {})}), beside), expect)

    def _command(self, command: str, fields: dict[str, object]) -> dict[str, object]:
        meant = {LAST: self._order_id, HOOK: self.receiver.url, SERVER_URL: self._server.url}
        settings = {**SETTINGS, "base_url": self._server.url}
        if isinstance(self._server, Sandbox):
            settings["server_key_id"] = [self._server.server_id]
        fields = {name: meant.get(value, value) if value.__hash__ else value for name, value in fields.items()}
        if command == "verify_webhook":
            settings.pop("base_url")
        return {"do": command, **settings, **fields}

    def _keep(self, result: Result, expect: dict) -> None:
        # A sandbox's links begin with its address, which is another one each time. Some languages have no difference between an
        # empty text and none.
        result = {name: value.replace(self._server.url, "http://server") for name, value in result.items() if value or name == "amounts"}
        self._order_id = result.get("order_id", self._order_id)
        self._run.results.append(result)
        if self._runner.language == "cli":
            # What the program prints is the reply; whether a status is final it does not say.
            expect = {name: value for name, value in expect.items() if name != "final"}
        if not matches(expect, result):
            self._run.problems.append(f"result {len(self._run.results)} is {shown(result)}, expected {shown(expect)}")


def shown(result: dict) -> str:
    values = ((name, printable(value) if isinstance(value, str) else "*") for name, value in result.items() if name is not ...)
    text = " ".join(f"{name}={value}" for name, value in values)
    return text + (" …" if ... in result else "")


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[:300])
