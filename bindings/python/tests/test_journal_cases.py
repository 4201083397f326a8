"""The shared table of the journal's cases, over a file."""

import journal_cases
import merchantpay
import pytest


def test_the_table_is_whole():
    assert len(journal_cases.CASES["cases"]) == journal_cases.CASES["count"]


@pytest.mark.parametrize("case", journal_cases.CASES["cases"], ids=lambda case: case["name"])
def test_over_a_file(case, tmp_path):
    journal_cases.run(case, lambda client, **settings: merchantpay.Journal(client, tmp_path / "payments.db", create=True, **settings))
