"""`metra judge`: campaigns in which people judge translations in their browsers.

backup: `backup`, `restore`
campaigns: `init`, `links`, `status`, `settle`, `forget`, `admin`, and their store
files: `import`, `export`, and the formats of both
server: `serve`, `demo`
"""

from typing import Any

import click

from metra.cli import LazyGroup
from metra.errors import MissingResourceError, missing_package

_MODULES = {
    **{"init": "campaigns", "serve": "server"},
    **dict.fromkeys(("links", "status", "settle"), "campaigns"),
    **dict.fromkeys(("export", "import"), "files"),
    **dict.fromkeys(("backup", "restore"), "backup"),
    **{"forget": "campaigns", "admin": "campaigns", "demo": "server"},
}


#: The packages of the extra, by the names of their modules.
_EXTRA = ("sqlalchemy", "fastapi", "uvicorn", "jinja2", "starlette", "multipart")


class _JudgeGroup(LazyGroup):
    """Commands that say which package is missing, if the extra is not installed."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; most packages are imported when it begins."""
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            if error.name not in _EXTRA:
                raise
            msg = missing_package("metra judge", error.name or "", "judge")
            raise MissingResourceError(msg) from None


@click.group(cls=_JudgeGroup, package="metra.cli.judge", modules=_MODULES)
def judge() -> None:
    """Run human evaluation campaigns in the browser.

    Campaigns and judgements are stored in a file or in a PostgreSQL database. Needs the
    extra judge: run pip install '.[judge]' in metra's source folder.

    \b
    metra judge init campaign.toml
    metra judge links
    metra judge serve
    """
