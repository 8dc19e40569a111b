"""`metra judge`: campaigns in which people judge translations in their browsers.

backup: `backup`, `restore`
campaigns: `init`, `links`, `status`, `settle`, `forget`, `admin`, and their store
files: `import`, `export`
server: `serve`, `demo`
"""

import click

from metra.cli import LazyGroup

_MODULES = {
    **{"init": "campaigns", "serve": "server"},
    **dict.fromkeys(("links", "status", "settle"), "campaigns"),
    **dict.fromkeys(("export", "import"), "files"),
    **dict.fromkeys(("backup", "restore"), "backup"),
    **{"forget": "campaigns", "admin": "campaigns", "demo": "server"},
}


@click.group(cls=LazyGroup, package="metra.cli.judge", modules=_MODULES)
def judge() -> None:
    """Let people judge translations in their browsers.

    Everything is kept in a store: a file, or a PostgreSQL database by its address. Needs the
    extra judge: pip install 'metra[judge]'

    \b
    metra judge init campaign.toml
    metra judge links
    metra judge serve
    """
