"""`metra judge`: campaigns in which people judge translations, in their browsers."""

import sys
from collections.abc import Mapping
from typing import Any, ClassVar

import click

from metra.cli import LazyGroup


class _JudgeGroup(LazyGroup):
    """The steps of a campaign, one file each."""

    modules: ClassVar[Mapping[str, str]] = {
        "init": "campaigns",
        "serve": "server",
        "links": "campaigns",
        "status": "campaigns",
        "settle": "campaigns",
        "export": "files",
        "exercise": "files",
        "import": "files",
        "forget": "campaigns",
        "demo": "server",
    }
    package = "metra.cli.judge"

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the database says against it becomes one sentence."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if "sqlalchemy" not in sys.modules:
                raise
            from sqlalchemy.exc import SQLAlchemyError

            from metra.errors import StoreError
            from metra.store.database import describe_error

            if not isinstance(error, SQLAlchemyError):
                raise
            raise StoreError(describe_error(error)) from error


@click.group(cls=_JudgeGroup)
def judge() -> None:
    """Let people judge translations in their browsers.

    Everything is kept in a store: a file, or a PostgreSQL database by its address. Needs the
    extra judge: pip install 'metra[judge]'

    \b
    metra judge init campaign.toml
    metra judge links
    metra judge serve
    """
