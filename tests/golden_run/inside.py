"""Everything of metra's inside that the recorder needs: the only imports that may move."""

from typing import Any

from metra.cli import cli as command_tree
from metra.cli import main
from metra.io.stream import forget as forget_standard_input

__all__ = [
    "command_tree",
    "forget_standard_input",
    "list_migrations",
    "main",
    "make_app",
    "open_store",
    "score_on_dask",
]


def open_store(path: str) -> Any:
    """Open a store of campaigns, or make one."""
    from metra.store import open as open_it

    return open_it(path)


def list_migrations() -> list[str]:
    """Give the SQL of each migration of the store, in order."""
    from metra.store.migrating import migrations

    return migrations()


def make_app(store: Any, **settings: Any) -> Any:
    """Make the web app over a store."""
    from metra.web.app import create_app

    return create_app(store, **settings)


def score_on_dask(paths: list[str], plan: dict[str, Any], **settings: Any) -> Any:
    """Score Parquet files on Dask."""
    from metra.engine import Plan
    from metra.engine.dask import score_with_dask

    return score_with_dask(paths, Plan(**plan), **settings)
