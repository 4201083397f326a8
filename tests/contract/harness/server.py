"""The server of one scenario: counts the received requests, and handles each connection byte by byte as the
server's behaviour says."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from .service import BASE_PATH, Request

# Keeps a broken scenario from blocking the suite; otherwise nothing takes this long.
PATIENCE = 60


class Connection:
    def __init__(self, sock: socket.socket, number: int, server: Server) -> None:
        self.socket, self.number, self.server = sock, number, server
        self._buffer = b""

    def read_request(self) -> Request | None:
        """Also counts the request; None if the client has disconnected."""
        head = self.read_head()
        if not head:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        request = Request(first.split(" ")[1].partition(BASE_PATH + "/")[2], headers, b"")
        length = int(request.header("content-length") or 0)
        while len(self._buffer) < length:
            if not self._more():
                return None
        request = Request(request.operation, headers, self._buffer[:length])
        self._buffer = self._buffer[length:]
        self.server.count(request)
        return request

    def read_head(self) -> bytes:
        """Does not count the request; empty if the client has disconnected."""
        while b"\r\n\r\n" not in self._buffer:
            if not self._more():
                return b""
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        return head

    def _more(self) -> bool:
        received = self.socket.recv(65536)
        self._buffer += received
        return bool(received)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def wait_for_bytes(self) -> None:
        """Does not read them."""
        select.select([self.socket], [], [], PATIENCE)

    def wait_for_end(self) -> None:
        with contextlib.suppress(OSError):
            while self.socket.recv(65536):
                pass

    def end(self) -> None:
        """Closes the sending side, and waits until the client has read everything."""
        self.socket.shutdown(socket.SHUT_WR)
        self.wait_for_end()

    def reset(self) -> None:
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


@dataclass(frozen=True)
class Behaviour:
    """A server's behaviour on a connection, and the way in which clients reach the server."""

    run: Callable[[Connection], None]
    scheme: str = "http"
    listening: bool = True
    receive_buffer: int | None = None


class Server:
    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.requests: Counter[str] = Counter()
        self.sent: set[str] = set()
        self.connections = 0
        # Failed checks of the behaviour, such as a wrong signature.
        self.complaints: list[str] = []
        # The running scenario, for behaviours that wait for something in it.
        self.scenario: object = None
        # Set when the scenario's clients have disconnected.
        self.over = threading.Event()
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        # The address of the last connection, after which nothing is counted, and whether it was handled.
        self._last: object = None
        self._met_last = threading.Event()
        self._listener = socket.socket()
        self._listener.bind(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        if behaviour.receive_buffer is not None:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, behaviour.receive_buffer)
        if behaviour.listening:
            self._listener.listen(64)
            threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"{self.behaviour.scheme}://127.0.0.1:{self.port}"

    def count(self, request: Request) -> None:
        with self._lock:
            self.requests[request.operation] += 1
            self.sent.add(request.text())

    def seen(self, event: str) -> int:
        with self._lock:
            return self.connections if event == "connection" else sum(self.requests.values())

    def await_next(self, event: str, before: int) -> None:
        """If none comes, the scenario's result shows it."""
        end = time.monotonic() + PATIENCE / 4
        while self.seen(event) <= before and time.monotonic() < end:
            time.sleep(0.002)

    def _accept(self) -> None:
        while True:
            try:
                sock, address = self._listener.accept()
            except OSError:
                return
            if address == self._last:
                sock.close()
                self._met_last.set()
                continue
            with self._lock:
                number = self.connections
                self.connections += 1
                self._open.add(sock)
            sock.settimeout(PATIENCE)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            thread = threading.Thread(target=self._serve, args=(Connection(sock, number, self),), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _serve(self, connection: Connection) -> None:
        try:
            self.behaviour.run(connection)
        except OSError:
            pass  # The client may disconnect at any time.
        except Exception as error:
            self.complaints.append(f"{type(error).__name__}: {error}")
        finally:
            with self._lock:
                self._open.discard(connection.socket)
            connection.socket.close()

    def settle(self) -> None:
        """Waits until everything is handled and counted. The clients have already disconnected."""
        self.over.set()
        if not self.behaviour.listening:
            return
        last = socket.socket()
        last.bind(("127.0.0.1", 0))
        self._last = last.getsockname()
        # Connections are handled in the order in which they were made.
        last.connect(("127.0.0.1", self.port))
        met = self._met_last.wait(PATIENCE)
        last.close()
        for thread in self._threads:
            thread.join(PATIENCE)
        if not met or any(thread.is_alive() for thread in self._threads):
            self.complaints.append("the client has left a connection open")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            left = list(self._open)
        for sock in left:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
