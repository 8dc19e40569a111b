"""`metra judge`: campaigns in which people judge translations in their browsers.

campaigns: `init`, `links`, `status`, `settle`, `forget`, and the store they work on
files: `import`, `export`, `exercise`
server: `serve`, `demo`
"""

import sys
from collections.abc import Mapping
from typing import Any, ClassVar

import click

from metra.cli import LazyGroup


class _JudgeGroup(LazyGroup):
    """The commands of `metra judge`."""

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
        """Run a command; an error of the database becomes one sentence."""
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
