"""A real server over any store, for admins and judges in real browsers."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from tests.browser.judge.conftest import Server, visit  # noqa: F401

PASSWORD = "correct horse battery"


@contextmanager
def running(url: str) -> Iterator[Server]:
    """Serve a store until the block ends; its admin is called admin."""
    uvicorn = pytest.importorskip("uvicorn", reason="needs metra[judge]")
    pytest.importorskip("sqlalchemy", reason="needs metra[judge]")
    from metra import store as stores
    from metra.store import admins
    from metra.web.app import create_app

    made = Server(stores.open(url))
    with made.store.transaction() as db:
        admins.set_password(db, "admin", PASSWORD, now=time.time(), who="test")
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    made.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    app = create_app(made.store, base_url=made.url, clock=made.now)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield made
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
        made.store.close()


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
