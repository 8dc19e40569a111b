"""Everything of metra's inside that the recorder needs: the only imports that may move."""

from typing import Any

from metra.cli import cli as command_tree
from metra.cli import main
from metra.formats.stream import PIPES

__all__ = [
    "command_tree",
    "forget_standard_input",
    "list_migrations",
    "main",
    "make_app",
    "open_store",
]


def forget_standard_input() -> None:
    """Forget what was read from pipes, so that they are read anew."""
    PIPES.clear()


def open_store(path: str) -> Any:
    """Open a store of campaigns, or make one."""
    from metra.store.database import open as open_it

    return open_it(path)


def list_migrations() -> list[str]:
    """Give the SQL of each migration of the store, in order."""
    from metra.store import database

    return database.list_migrations()


def make_app(store: Any, **settings: Any) -> Any:
    """Make the web app over a store."""
    from metra.web.app import create_app

    return create_app(store, **settings)
