"""Tests the one line with which the journal uses a framework's connections, and acknowledgements in the
framework's transaction."""

import django
import merchantpay
import places
import pytest
import sqlalchemy
from django.conf import settings as django_settings
from own_sandbox import SETTINGS, merchant

NEW = {"sum": "10", "payment_method": "sbp", "customer_account": "79001234567"}
SHIPPED = "CREATE TABLE shipped (reference VARCHAR(120))"
INSERT = "INSERT INTO shipped (reference) VALUES ('order')"


@pytest.fixture(scope="module")
def client():
    with merchant() as (_, client):
        yield client


def check(journal, place, acknowledge):
    """Takes a payment, and acknowledges it in two transactions of a framework: the first is rolled back, the
    second is committed."""
    place.run(SHIPPED)
    entry = journal.pay("order", **NEW)
    assert entry.standing == "open"
    with pytest.raises(ZeroDivisionError):
        acknowledge(entry, lambda: 1 / 0)
    assert place.run("SELECT COUNT(*) FROM shipped") == [(0,)]
    acknowledge(entry, lambda: None)
    with pytest.raises(merchantpay.ConflictError, match="another worker"):
        acknowledge(entry, lambda: None)
    assert place.run("SELECT COUNT(*) FROM shipped") == [(1,)] and journal.news() == []


@pytest.mark.parametrize(
    "kind, url",
    [
        (places.Psycopg, "postgresql+psycopg://shop@/{name}?host={socket}"),
        (places.Psycopg2, "postgresql+psycopg2://shop@/{name}?host={socket}"),
        (places.PyMySQL, "mysql+pymysql://root@/{name}?unix_socket={socket}"),
        (places.Mysqlclient, "mysql+mysqldb://root@/{name}?unix_socket={socket}"),
    ],
)
def test_sqlalchemy(client, tmp_path, kind, url):
    place = kind(tmp_path)
    socket = places.MARIADB if issubclass(kind, places.Mariadb) else places.POSTGRESQL
    engine = sqlalchemy.create_engine(url.format(name=place.name, socket=socket), pool_size=1, max_overflow=0)
    with merchantpay.Journal(client, engine.raw_connection, create=True, **SETTINGS) as journal:

        def acknowledge(entry, then):
            with engine.begin() as connection:
                journal.acknowledge(entry, connection.connection)
                connection.execute(sqlalchemy.text(INSERT))
                then()

        check(journal, place, acknowledge)
        # The connections of SQLAlchemy's pool still have their own settings.
        with engine.connect() as connection:
            assert connection.get_isolation_level() != "AUTOCOMMIT" and not engine.pool.checkedin()
    engine.dispose()


@pytest.fixture(scope="module")
def databases(tmp_path_factory):
    """The databases of Django, which can be set up only once per process."""
    folder = tmp_path_factory.mktemp("django")
    postgresql, mariadb = places.Psycopg(folder), places.Mysqlclient(folder)
    shop = {"ENGINE": "django.db.backends.postgresql", "NAME": postgresql.name, "HOST": places.POSTGRESQL, "USER": "shop"}
    django_settings.configure(
        DATABASES={
            "default": shop,
            "pooled": {**shop, "OPTIONS": {"pool": {"min_size": 1, "max_size": 1, "timeout": 5}}},
            "mariadb": {"ENGINE": "django.db.backends.mysql", "NAME": mariadb.name, "HOST": places.MARIADB, "USER": "root"},
        }
    )
    django.setup()
    yield {"default": postgresql, "mariadb": mariadb}
    django.db.connections.close_all()
    django.db.connections["pooled"].close_pool()


@pytest.mark.parametrize("alias", ["default", "mariadb"])
def test_django(client, databases, alias):
    from django.db import connections, transaction

    connection = connections[alias]
    with merchantpay.Journal(client, connection.copy, create=True, **SETTINGS) as journal:

        def acknowledge(entry, then):
            with transaction.atomic(using=alias):
                journal.acknowledge(entry, connection)
                with connection.cursor() as cursor:
                    cursor.execute(INSERT)
                then()

        check(journal, databases[alias], acknowledge)
    assert connection.get_autocommit()


def test_the_journal_takes_no_connection_of_djangos_pool(client, databases):
    from django.db import connections

    connection = connections["pooled"]
    with merchantpay.Journal(client, connection.copy, create=True, **SETTINGS) as journal:
        assert journal.find("nobody") is None
        with connection.cursor() as cursor:  # Fails if the journal has taken the pool's only connection.
            cursor.execute("SELECT 1")
            assert cursor.fetchone() == (1,)
    connection.close()
