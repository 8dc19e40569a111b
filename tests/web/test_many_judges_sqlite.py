"""Many judges at once on SQLite; in a file, and so in a worker, of its own."""

import pytest
from tests.web.many_judges import lose_nothing


@pytest.mark.slow
@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_many_judges_at_once(store, store_url, tmp_path):
    lose_nothing(store, store_url, tmp_path / "log", workers=1)
