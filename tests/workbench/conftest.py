"""Passwords are hashed quickly: that guessing is slow is tested where they are kept."""

import pytest


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    access = pytest.importorskip("metra.store.access", reason="needs metra[judge]")
    monkeypatch.setitem(access._COST, "n", 2**4)
