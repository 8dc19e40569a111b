"""`metra open`: the workbench in the browser, on this machine and for its user alone."""

import os
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metra.cli import options, output
from metra.cli.options import option
from metra.errors import require_package
from metra.metrics import REPORT_METRICS

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles


@click.command(cls=options.FileCommand)
@click.argument("outputs", nargs=-1, metavar="[OUTPUT]...")
@options.input_files(*options.CORPUS)
@options.metrics(", ".join(REPORT_METRICS))
@option("--name", "Name of the test set; by default that of the first file.")
@option(
    "--store",
    "Keep the workbench in this file or PostgreSQL database; by default in a file of "
    "your own.",
)
@option(
    "--port", "Port to listen on; by default a free one.", 0, type=click.IntRange(0)
)
@option("--no-browser", "Print the address, but open no browser.", is_flag=True)
def open(
    files: "CorpusFiles",
    metrics: tuple[str, ...],
    name: str | None,
    store: str | None,
    port: int,
    no_browser: bool,
) -> None:
    """Open the workbench in your browser: test sets, runs, leaderboards and reports.

    With OUTPUTs, they are imported as a test set first. The workbench keeps everything for
    the next time. Only this machine can reach it, and only with the printed address, which
    can be used once. Press Ctrl+C to end.

    \b
    metra open
    metra open sysA.txt sysB.txt -r ref.txt -s source.txt
    metra open spreadsheet.xlsx --name "Release 12"
    """
    with require_package("metra open", "fastapi", "judge"):
        from metra import store as stores
        from metra.store.database import new_token
        from metra.web.server import ServerOptions, choose_port, run_server

    url = store or find_store()
    with closing(stores.open(url)) as opened:
        prepare_account(opened)
        page = "/w"
        if files.outputs:
            page = import_outputs(opened, files, metrics or REPORT_METRICS, name)
    secret, port = new_token(), choose_port(port)
    address = f"http://127.0.0.1:{port}/open/{secret}"
    click.echo(f"Workbench: {address}\nKept in {url}. Press Ctrl+C to end.")
    serving = ServerOptions(
        url, port=port, opening=secret, page=page, browser=not no_browser
    )
    run_server(serving)


def find_store() -> str:
    """Return the path of the user's own workbench, whose folder exists then."""
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        home = "~/Library/Application Support"
    else:
        home = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    folder = Path(home).expanduser() / "metra"
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder / "workbench.db")


def prepare_account(store: Any) -> None:
    """Create the account of this machine's user, whose password nobody knows."""
    from metra.store import access
    from metra.store.database import new_token
    from metra.workbench.imports import ACCOUNT

    with store.transaction() as db:
        if ACCOUNT not in access.list_admins(db):
            access.set_password(db, ACCOUNT, new_token(), now=time.time(), who=ACCOUNT)


def import_outputs(
    store: Any, files: "CorpusFiles", metrics: tuple[str, ...], name: str | None
) -> str:
    """Import outputs as a test set; return the path of its page."""
    from metra.campaign.uploads import read_campaign_texts
    from metra.formats.stream import name_system
    from metra.store.workspaces import MAIN
    from metra.workbench.imports import ACCOUNT, import_texts

    with output.show_text_warnings(strict=False):
        texts = read_campaign_texts(files.open())
    title = name or (files.test_set.title if files.test_set else "")
    title = title or name_system(files.outputs[0].rpartition("=")[2])
    with store.transaction() as db:
        stored = import_texts(
            db, MAIN, title, texts, specs=metrics, now=time.time(), who=ACCOUNT
        )
    return f"/w/{MAIN}/sets/{stored.id}"
