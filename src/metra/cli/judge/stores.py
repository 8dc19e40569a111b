"""The store that a command works on: the option, and opening it."""

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from metra.errors import MissingResourceError

if TYPE_CHECKING:
    from metra.store import Store

#: Who did what is said at a keyboard, for the audit log.
AT_KEYBOARD = "command line"

store_option = click.option(
    "--store",
    "url",
    default="judge.db",
    show_default=True,
    envvar="METRA_STORE",
    metavar="STORE",
    help="A file, or postgresql://USER@HOST/DATABASE; $METRA_STORE if not given.",
)


def campaign_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Name a campaign, which is not needed where there is only one."""
    return click.argument("campaign", required=False)(function)


def open_store(url: str, *, create: bool = False) -> "Store":
    """Open the store, or say what is missing."""
    need_extra()
    from metra import store

    return store.open(url, create=create)


def need_extra() -> None:
    """Say what is missing, if anything is."""
    missing = [
        name for name in ("sqlalchemy", "fastapi", "uvicorn") if find_spec(name) is None
    ]
    if missing:
        msg = f"metra judge needs {missing[0]}; install it with: pip install 'metra[judge]'"
        raise MissingResourceError(msg)


def this_moment() -> float:
    """Seconds since 1970."""
    return time.time()
