"""Journals with many rows: copies of rows that the journal has written, by statements that SQLite and PostgreSQL share."""

TABLE = "merchantpay_journal"
# In no order, as random ones: tokens and order ids of rows 0 to a billion.
SCATTERED = "(n + 1) * 2654435761 & 4294967295"


def copies(columns, template, first, end, values):
    """The statements that copy the row of a reference for each number n from `first` on, with these values of its own, as SQL."""
    row = ", ".join(values.get(column, column) for column in columns)
    # A table of its own, so that what is written is not read meanwhile.
    yield f"CREATE TEMPORARY TABLE template AS SELECT * FROM {TABLE} WHERE reference = '{template}'"
    yield (
        f"INSERT INTO {TABLE} ({', '.join(columns)}) WITH RECURSIVE numbers (n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers "
        f"WHERE n < {end - 1}) SELECT {row} FROM template, numbers"
    )
    yield "DROP TABLE template"
