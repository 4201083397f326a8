"""Separate test databases on the servers that `with-databases` has started, for each driver."""

import contextlib
import os
import secrets
import socket
import sqlite3

import merchantpay
import MySQLdb
import psycopg
import psycopg2
import pymysql

POSTGRESQL, PGBOUNCER, MARIADB = (os.environ[f"MERCHANTPAY_{name}"] for name in ("POSTGRESQL", "PGBOUNCER", "MARIADB"))


class Place:
    """A database, and a driver's way to connect to it."""

    module = None

    def __init__(self, folder):
        self.name = f"python_{secrets.token_hex(8)}"
        self.folder = folder
        self.create()

    def create(self):
        raise NotImplementedError

    def connect(self, **others):
        """A connection as a program would make it."""
        raise NotImplementedError

    def journal(self, client, connect=None, **settings):
        return merchantpay.Journal(client, connect or self.connect, create=True, **settings)

    def run(self, sql, *parameters):
        """Runs a statement on a separate connection, and returns its rows."""
        connection = self.connect()
        try:
            cursor = connection.cursor()
            cursor.execute(sql, parameters)
            rows = cursor.fetchall() if cursor.description else []
            connection.commit()
            return [tuple(row) for row in rows]
        finally:
            connection.close()


def restart_postgresql():
    with socket.socket(socket.AF_UNIX) as request:
        request.connect(f"{POSTGRESQL}/restart")
        assert request.recv(1) == b""


class Postgresql(Place):
    host = POSTGRESQL

    def create(self):
        with psycopg.connect(host=POSTGRESQL, user="shop", dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {self.name} TEMPLATE template0")

    def connect(self, **others):
        return self.module.connect(host=self.host, user="shop", dbname=self.name, **others)

    def kill(self):
        """Ends every connection to the database."""
        with psycopg.connect(host=POSTGRESQL, user="shop", dbname="postgres", autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [self.name])


class Psycopg(Postgresql):
    module = psycopg


class Psycopg2(Postgresql):
    module = psycopg2


class Pgbouncer(Psycopg):
    host = PGBOUNCER


class Mariadb(Place):
    def create(self):
        connection = pymysql.connect(unix_socket=MARIADB, user="root")
        with connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {self.name}")

    def connect(self, **others):
        return self.module.connect(unix_socket=MARIADB, user="root", database=self.name, **others)

    def kill(self):
        connection = pymysql.connect(unix_socket=MARIADB, user="root")
        with connection, connection.cursor() as cursor:
            cursor.execute("SELECT id FROM information_schema.processlist WHERE db = %s", [self.name])
            for (number,) in cursor.fetchall():
                # Ignores the error if the connection has already ended.
                with contextlib.suppress(pymysql.err.OperationalError):
                    cursor.execute(f"KILL {number}")


class PyMySQL(Mariadb):
    module = pymysql


class Mysqlclient(Mariadb):
    module = MySQLdb


class Sqlite(Place):
    """A SQLite file that the tests use too. This is for tests only: in production only the journal uses its file."""

    module = sqlite3

    def create(self):
        self.path = self.folder / f"{self.name}.db"

    def connect(self, **others):
        return sqlite3.connect(self.path, **others)


SERVERS = [Psycopg, Psycopg2, Pgbouncer, PyMySQL, Mysqlclient]
ALL = [*SERVERS, Sqlite]
