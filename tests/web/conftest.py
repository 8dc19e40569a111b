"""An open campaign behind the app, of each kind of store in turn or in a file."""

import pytest
from tests.campaigns import House, made, opened


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash them quickly: that guessing is slow is tested once, where they are kept."""
    admins = pytest.importorskip("metra.store.access", reason="needs metra[judge]")
    monkeypatch.setitem(admins._COST, "n", 2**4)


@pytest.fixture
def house(store) -> House:
    """A small campaign, fluency then adequacy, on each kind of store in turn."""
    return opened(store, made())


@pytest.fixture
def light_house(sqlite_store) -> House:
    """The same on SQLite alone, for what has nothing to do with the store."""
    return opened(sqlite_store, made())
