"""`metra judge`: campaigns in which people judge translations in their browsers.

campaigns: `init`, `links`, `status`, `settle`, `forget`, `admin`, and their store
files: `import`, `export`
server: `serve`, `demo`
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from metra.cli import LazyGroup


@contextmanager
def describe_store_errors() -> Iterator[None]:
    """Turn an error of the database into one sentence."""
    try:
        yield
    except Exception as error:
        if "sqlalchemy" not in sys.modules:
            raise
        from sqlalchemy.exc import SQLAlchemyError

        from metra.errors import StoreError
        from metra.store.database import describe_error

        if not isinstance(error, SQLAlchemyError):
            raise
        raise StoreError(describe_error(error)) from error


class _JudgeGroup(LazyGroup):
    """The commands of `metra judge`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error of the database becomes one sentence."""
        with describe_store_errors():
            return super().invoke(ctx)


_MODULES = {
    **{"init": "campaigns", "serve": "server"},
    **dict.fromkeys(("links", "status", "settle"), "campaigns"),
    **dict.fromkeys(("export", "import"), "files"),
    **{"forget": "campaigns", "admin": "campaigns", "demo": "server"},
}


@click.group(cls=_JudgeGroup, package="metra.cli.judge", modules=_MODULES)
def judge() -> None:
    """Let people judge translations in their browsers.

    Everything is kept in a store: a file, or a PostgreSQL database by its address. Needs the
    extra judge: pip install 'metra[judge]'

    \b
    metra judge init campaign.toml
    metra judge links
    metra judge serve
    """
