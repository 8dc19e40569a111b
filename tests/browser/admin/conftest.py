"""A real server over any store, for admins and judges in real browsers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from tests.browser.judge.conftest import Server, running, visit  # noqa: F401

PASSWORD = "correct horse battery"


@contextmanager
def administered(url: str) -> Iterator[Server]:
    """Serve a store whose admin is called admin."""
    from metra.store import access

    with running(url) as made:
        with made.store.transaction() as db:
            access.set_password(db, "admin", PASSWORD, now=made.now(), who="test")
        yield made


@pytest.fixture
def tab_to() -> Callable[..., None]:
    """Press Tab until something has the focus: no mouse, no script."""

    def press(page, target, most: int = 80) -> None:
        for _ in range(most):
            if target.evaluate("(one) => one === document.activeElement"):
                return
            page.keyboard.press("Tab")
        pytest.fail(f"{target} cannot be reached by the keyboard")

    return press
