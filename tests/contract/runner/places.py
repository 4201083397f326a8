"""The places of a journal: a file, and the databases that each language's drivers reach. Each place is empty
and belongs to one case."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import tempfile

SERVERS = ("postgresql", "pgbouncer", "mariadb")


def servers():
    """The addresses of the servers that with-databases has started."""
    found = {name: os.environ.get(f"MERCHANTPAY_{name.upper()}") for name in SERVERS}
    return {name: value for name, value in found.items() if value}


def kinds():
    """The kinds of places: a file, SQLite over a driver, and the servers that run."""
    return ["file", "sqlite", *servers()]


def of(language, kind):
    """The places of a kind, one for each driver of a language."""
    return [{"file": "{file}"}] if kind == "file" else language.places.get(kind, [])


@contextlib.contextmanager
def made(place):
    """A new place, as an adapter opens it."""
    with tempfile.TemporaryDirectory(prefix="contract-") as folder:
        name = f"contract_{secrets.token_hex(8)}"
        create(place.get("dsn", ""), name)
        words = {"file": f"{folder}/payments.db", "name": name, **servers()}
        yield {part: text.format(**words) for part, text in place.items()}


def create(dsn, name):
    if "{mariadb}" in dsn:
        socket = servers()["mariadb"]
        run("mariadb", f"--socket={socket}", "--user=root", "--execute", f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    elif "{name}" in dsn:
        # The template is not the default template, which other tests copy at the same time.
        command, host = f"CREATE DATABASE {name} TEMPLATE template0", servers()["postgresql"]
        run("psql", "--quiet", f"--host={host}", "--username=shop", "--dbname=postgres", "--command", command)


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
