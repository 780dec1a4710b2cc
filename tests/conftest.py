"""What holds for every test."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# No test depends on a time: on a busy machine one example may take long.
settings.register_profile(
    "patient", parent=settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("patient")


@pytest.fixture(scope="session", autouse=True)
def _nothing_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps every server, however it is started, away from what its user has stored and chosen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SG_STORE", str(tmp_path_factory.mktemp("store") / "entries.sqlite3"))
        patch.setenv("SG_CONFIG", str(tmp_path_factory.mktemp("config") / "signal-grep.json"))
        yield
