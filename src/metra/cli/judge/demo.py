"""`metra judge demo`: filled campaigns on our own example, served at once on this machine."""

import click

from metra.cli.judge.stores import need_extra, open_store, this_moment
from metra.cli.progress import Stages


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

    need_extra()
    from metra.judging.demonstration import demonstrable, fill
    from metra.store import admins
    from metra.web.serving import Serving, free_port, serve_for_ever

    known = demonstrable()
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
    now = this_moment()
    with store.transaction() as db:
        admins.set_password(db, "admin", password, now=now, who="demo")
    with Stages() as stages:
        filled = fill(store, protocols or known, now=now, tell=stages)
    store.close()
    port = port if no_serve else free_port(port)
    base = f"http://127.0.0.1:{port}"
    click.echo(f"\nAdmin   {base}/admin   name: admin   password: {password}\n")
    for one in filled:
        click.echo(f"{one.judge} in {one.name!r}\n        {base}/j/{one.token}")
    if no_serve:
        click.echo(f"\nServe it with: metra judge serve --store {path} --port {port}")
        return
    click.echo("\nServing until you press Ctrl+C.\n")
    serve_for_ever(Serving(str(path), port=port))
