"""The shared table of the journal's cases, through each driver."""

from concurrent.futures import ThreadPoolExecutor

import journal_cases
import places
import pytest

# Most of their time is waiting.
AT_ONCE = 6


@pytest.mark.parametrize("kind", places.ALL)
def test_every_case(kind, tmp_path):
    def run(case):
        place = kind(tmp_path)
        try:
            journal_cases.run(case, place.journal)
        except AssertionError as error:
            return str(error)
        return None

    cases = journal_cases.CASES["cases"]
    assert len(cases) == journal_cases.CASES["count"]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        failed = [said for said in pool.map(run, cases) if said is not None]
    assert not failed, "\n".join(failed)
