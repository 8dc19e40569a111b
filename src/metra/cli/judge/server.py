"""`metra judge serve` and `demo`: the judging app on this machine."""

import click

from metra.cli.derive import FiniteRange
from metra.cli.judge.campaigns import get_time, open_store, require_extra, store_option
from metra.cli.output import ProgressLine


@click.command()
@click.argument("folder", default="metra-judge-demo", type=click.Path(file_okay=False))
@click.option(
    "-p",
    "--protocol",
    "protocols",
    multiple=True,
    metavar="NAME",
    help="Which protocol to show; may be given several times. All of them if not given.",
)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option("--no-serve", is_flag=True, help="Make the store and stop.")
def demo(folder: str, protocols: tuple[str, ...], port: int, no_serve: bool) -> None:
    """Look around in campaigns that made-up judges have half finished.

    A store is made in FOLDER (metra-judge-demo if not given), anew each time. The links that
    are printed lead to the admin's pages and to the work of a judge who has not finished.
    """
    import secrets
    from pathlib import Path

    from metra.errors import OptionError, no_such

    require_extra()
    from metra.campaign.demo_data import list_demo_protocols
    from metra.store import access
    from metra.store.demo import fill_store
    from metra.web.server import ServerOptions, find_free_port, run_server

    known = list_demo_protocols()
    for name in protocols:
        if name not in known:
            raise OptionError(no_such("protocol", name, known))
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    path = home / "judge.db"
    for old in (path, *(home / f"judge.db-{end}" for end in ("wal", "shm"))):
        old.unlink(missing_ok=True)
    store = open_store(str(path), create=True)
    password = secrets.token_urlsafe(9)
    now = get_time()
    with store.transaction() as db:
        access.set_password(db, "admin", password, now=now, who="demo")
    with ProgressLine() as progress:
        filled = fill_store(
            store, protocols or known, now=now, tell=progress.name_stage
        )
    store.close()
    port = port if no_serve else find_free_port(port)
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
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--base-url",
    envvar="METRA_BASE_URL",
    help="How browsers reach the server, such as https://judge.example.org; needed where "
    "--host is not this machine alone.",
)
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Processes that serve at once.",
)
@click.option(
    "--behind-proxy",
    metavar="ADDRESS",
    help="Believe what a proxy at this address says about who asks (X-Forwarded-For).",
)
@click.option(
    "--away-after",
    default=72.0,
    show_default=True,
    type=FiniteRange(0),
    metavar="HOURS",
    help="After how long without a sign of a judge others may take over her tasks.",
)
def serve(
    url: str,
    host: str,
    port: int,
    base_url: str | None,
    workers: int,
    behind_proxy: str | None,
    away_after: float,
) -> None:
    """Serve the campaigns of a store until interrupted.

    \b
    metra judge serve
    metra judge serve --store postgresql://metra@localhost/judging --workers 2 \\
        --base-url https://judge.example.org --behind-proxy 127.0.0.1
    """
    open_store(url).close()
    from metra.web.server import (
        ServerOptions,
        check_encryption,
        check_port_free,
        run_server,
    )

    serving = ServerOptions(
        url, host, port, base_url, workers, behind_proxy, away_after
    )
    check_encryption(serving)
    check_port_free(host, port)
    place = base_url or f"http://{host}:{port}"
    click.echo(f"Judges come in by their links, admins at {place.rstrip('/')}/admin")
    run_server(serving)
