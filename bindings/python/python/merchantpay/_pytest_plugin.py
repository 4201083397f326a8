"""The pytest plugin. Its fixture loads `merchantpay.testing` only in tests that use the fixture."""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .testing import Sandbox


def pytest_configure(config: pytest.Config) -> None:
    line = "merchantpay_sandbox(**settings): the settings of the fixture's Sandbox, such as clock='manual'"
    config.addinivalue_line("markers", line)


@pytest.fixture
def merchantpay_sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """A `merchantpay.testing.Sandbox` for one test, with its `MERCHANTPAY_…` variables in the environment."""
    from .testing import Sandbox

    marker = request.node.get_closest_marker("merchantpay_sandbox")
    with Sandbox(**(marker.kwargs if marker else {})) as sandbox:
        sandbox.set_environment(monkeypatch)
        yield sandbox
