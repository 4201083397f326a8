"""A sandbox by a built program, and a listener in front of another server; for the tests of packages."""

import re
import socket
import subprocess
import threading


class Sandbox:
    """A sandbox by the program that a command starts, by emulation if needed."""

    def __init__(self, *command):
        command = [str(part) for part in (*command, "sandbox", "--port", "0", "--pace", "100ms")]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.settings = {}
        for line in self.process.stdout:
            if setting := re.fullmatch(r"export (\w+)='?([^']*)'?\n", line):
                self.settings[setting[1]] = setting[2]
            if "Ctrl-C" in line:
                return
        raise RuntimeError("the sandbox has not started")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def forward(connect, accept=lambda client: client):
    """Listens on a port, which it returns, and joins each accepted client with a new connection."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                client = accept(listener.accept()[0])
            except OSError:
                continue
            server = connect()
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=copy, args=(source, target), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]
