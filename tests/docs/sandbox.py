"""The service on this machine."""

import http.server
import json
import os
import re
import subprocess
import threading

from common import BUILT, run


class Sandbox:
    """The service on this machine, with a webhook that it has signed."""

    def __init__(self, folder):
        self.folder = folder

    def __enter__(self):
        program, key = BUILT / "merchantpay", self.folder / "service.key"
        command = [program, "sandbox", "--port", "0", "--pace-ms", "5", "--format", "json", "--server-private-key-file", key]
        self.process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.settings = settings_of(self.process.stdout)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def webhook(self):
        """A status webhook's body and signature, as `webhook send` posts them."""
        got = {}

        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                got["WEBHOOK_BODY"] = self.rfile.read(int(self.headers["Content-Length"])).decode()
                got["WEBHOOK_SIGNATURE"] = self.headers["X-Signature"]
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Receiver) as server:
            thread = threading.Thread(target=server.handle_request)
            thread.start()
            url = f"http://127.0.0.1:{server.server_address[1]}/"
            run(
                [
                    BUILT / "merchantpay",
                    "webhook",
                    "send",
                    "--url",
                    url,
                    "--private-key-file",
                    self.folder / "service.key",
                    "status",
                    "--order-id",
                    "o-1",
                ]
            )
            thread.join()
        return got


def settings_of(output):
    """Reads the configuration that the program prints."""
    text = ""
    for line in output:
        text += line
        try:
            names = {name: "MERCHANTPAY_" + re.sub(r"([A-Z])", r"_\1", name).upper() for name in json.loads(text)}
            return {**plain_environment(), **{names[name]: str(value) for name, value in json.loads(text).items()}}
        except json.JSONDecodeError:
            continue
    raise RuntimeError(f"the sandbox has not started: {text}")


def plain_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("MERCHANTPAY_")}
