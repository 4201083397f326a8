"""A receiver of webhooks: keeps each webhook unchanged, and answers 200."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Webhook:
    body: bytes
    signature: str | None
    key_id: str | None


class Receiver:
    def __init__(self) -> None:
        webhooks: queue.Queue[Webhook] = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                webhooks.put(Webhook(body, self.headers["X-Signature"], self.headers["X-KeyId"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._webhooks = webhooks
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def next(self) -> Webhook:
        return self._webhooks.get(timeout=60)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
