"""`metra judge serve`: the server that judges and admins reach in their browsers."""

import click

from metra.cli.judge.stores import open_store, store_option


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
    type=click.FloatRange(0),
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
    from metra.web.serving import Serving, refuse_taken, refuse_unsafe, serve_for_ever

    serving = Serving(url, host, port, base_url, workers, behind_proxy, away_after)
    refuse_unsafe(serving)
    refuse_taken(host, port)
    place = base_url or f"http://{host}:{port}"
    click.echo(f"Judges come in by their links, admins at {place.rstrip('/')}/admin")
    serve_for_ever(serving)
