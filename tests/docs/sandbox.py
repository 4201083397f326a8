"""A sandbox for the commands of the pages."""

import json
import os
import re
import subprocess

from common import BUILT


class Sandbox:
    def __init__(self, folder, program=BUILT / "merchantpay"):
        self.folder, self.program = folder, program

    def __enter__(self):
        key = self.folder / "service.key"
        command = [self.program, "sandbox", "--port", "0", "--pace", "5ms", "--format", "json", "--server-private-key-file", key]
        self.process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.settings = settings_of(self.process.stdout)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def settings_of(output):
    """Reads the settings that the program prints."""
    text = ""
    for line in output:
        text += line
        try:
            names = {name: "MERCHANTPAY_" + re.sub(r"([A-Z])", r"_\1", name).upper() for name in json.loads(text)}
            settings = {names[name]: str(value) for name, value in json.loads(text).items()}
            return {**plain_environment(), **settings, "MERCHANTPAY_SANDBOX_URL": settings["MERCHANTPAY_BASE_URL"]}
        except json.JSONDecodeError:
            continue
    raise RuntimeError(f"the sandbox has not started: {text}")


def plain_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("MERCHANTPAY_")}
