"""`metra judge`: campaigns in which people judge translations, in their browsers."""

import click

from metra.cli import LazyGroup


class _JudgeGroup(LazyGroup):
    """The steps of a campaign, one file each."""

    names = (
        "init",
        "serve",
        "links",
        "status",
        "settle",
        "export",
        "exercise",
        "import",
        "forget",
        "demo",
    )
    package = "metra.cli.judge"


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
