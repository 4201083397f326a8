"""What tests in Python start: a sandbox by a built program, a receiver of webhooks, and a listener in front of another server."""

import json
import queue
import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, Optional


class Sandbox:
    """`command` starts the program, perhaps by wine or qemu."""

    def __init__(self, command, *options):
        words = [str(word) for word in (*command, "sandbox", "--port", "0", "--format", "json", *options)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE)
        # The settings of a client: `printed` by their names in JSON, `settings` by their variables.
        self.printed = json.loads(self.process.stdout.readline())
        self.settings = self.printed["environment"]
        self.url = self.printed["baseUrl"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Webhook(NamedTuple):
    body: bytes
    signature: Optional[str]
    key_id: Optional[str]


class Receiver:
    """Keeps each webhook unchanged, and answers 200."""

    def __init__(self):
        webhooks = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                webhooks.put(Webhook(body, self.headers["X-Signature"], self.headers["X-KeyId"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._webhooks = webhooks
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def next(self):
        return self._webhooks.get(timeout=60)

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def relay(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def forward(connect, accept=lambda client: client):
    """Relays each client of a new local port to a connection of its own, and returns the port. `accept` can wrap a client, as in TLS."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                client = accept(listener.accept()[0])
            except OSError:
                continue
            try:
                server = connect()
            except OSError:
                client.close()
                continue
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=relay, args=(source, target), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]
