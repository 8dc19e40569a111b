"""`metra judge serve` and `demo`: the judging app on this machine."""

import secrets
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from metra.cli.judge.campaigns import open_store, store_option
from metra.cli.options import FiniteRange, option
from metra.cli.output import name_stages
from metra.errors import OptionError, no_such

_port = option("--port", default=8000, type=click.IntRange(0, 65535))


@click.command()
@click.argument("folder", default="metra-judge-demo", type=click.Path(file_okay=False))
@option(
    "-p --protocol protocols NAME",
    "Protocol to show; by default all. May be given several times.",
    multiple=True,
)
@_port
@option("--no-serve", "Create the store without starting the server.", is_flag=True)
def demo(folder: str, protocols: tuple[str, ...], port: int, no_serve: bool) -> None:
    """Start a server with half-finished example campaigns by simulated judges.

    The store is created in FOLDER (default: metra-judge-demo) and replaced each time. The
    printed links open the admin pages and the tasks of a judge who has not finished.

    \b
    metra judge demo
    metra judge demo -p esa -p mqm --port 8080
    """
    from metra.campaign.demo_data import list_demo_protocols
    from metra.store import access
    from metra.store.demo import fill_store
    from metra.web.server import ServerOptions, check_port_free, run_server

    if not no_serve:
        check_port_free("127.0.0.1", port)
    protocol_names = list_demo_protocols()
    for name in protocols:
        if name not in protocol_names:
            raise OptionError(no_such("protocol", name, protocol_names))
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    path = home / "judge.db"
    for old in (path, *(home / f"judge.db-{end}" for end in ("wal", "shm"))):
        old.unlink(missing_ok=True)
    store = open_store(str(path), create=True)
    password = secrets.token_urlsafe(9)
    now = time.time()
    with store.transaction() as db:
        access.set_password(db, "admin", password, now=now, who="demo")
    with name_stages() as name_stage:
        filled = fill_store(
            store, protocols or protocol_names, now=now, tell=name_stage
        )
    store.close()
    base = f"http://127.0.0.1:{port}"
    click.echo(f"\nAdmin   {base}/admin   name: admin   password: {password}\n")
    for one in filled:
        click.echo(f"{one.judge} in {one.name!r}\n        {base}/j/{one.token}")
    if no_serve:
        click.echo(f"\nServe it with: metra judge serve --store {path} --port {port}")
        return
    click.echo("\nServing until you press Ctrl+C.\n")
    run_server(ServerOptions(str(path), port=port))


@click.command()
@store_option
@option("--host", "Address to listen on.", "127.0.0.1")
@_port
@option(
    "--base-url",
    "Public address of the server, such as https://judge.example.org; required if "
    "--host is not local.",
    envvar="METRA_BASE_URL",
)
@option("--workers", "Number of server processes.", 1, type=click.IntRange(1, 64))
@option(
    "--behind-proxy proxy ADDRESS",
    "Trust the X-Forwarded-For header of a proxy at this address.",
)
@option(
    "--away-after away_hours HOURS",
    "Reassign a judge's open tasks after this many hours of inactivity.",
    72.0,
    type=FiniteRange(0),
)
def serve(url: str, host: str, port: int, base_url: str | None, **given: Any) -> None:
    """Serve the campaigns of a store until interrupted.

    \b
    metra judge serve
    metra judge serve --store postgresql://metra@localhost/judging --workers 2 \\
        --base-url https://judge.example.org --behind-proxy 127.0.0.1
    """
    with closing(open_store(url)) as store:
        store.check_integrity()
        store.check_writable()
    from metra.web import server

    serving = server.ServerOptions(url, host, port, base_url, **given)
    server.check_encryption(serving)
    server.check_port_free(host, port)
    place = base_url or f"http://{host}:{port}"
    click.echo(
        f"Judges open their own links; admins sign in at {place.rstrip('/')}/admin"
    )
    server.run_server(serving)
