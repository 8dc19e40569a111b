"""`metra push`: outputs sent to a workbench, where they are scored and compared."""

import os
from typing import TYPE_CHECKING, Any

import click

from metra.cli import options, output
from metra.cli.options import option
from metra.errors import MetraError, OptionError

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles

_SECONDS = 60


class PushError(MetraError):
    """A server that could not be reached, or that refused what was pushed."""


@click.command(cls=options.FileCommand)
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.input_files(*options.CORPUS)
@options.metrics("those of the test set")
@option(
    "--to URL",
    "Address of the server, such as https://metra.example.org.",
    required=True,
    envvar="METRA_SERVER",
)
@option("--set test_set NAME", "Name of the test set.", required=True)
@option("--note", "Note to keep with the runs.", "")
@option("--tag tags", "Tag of the runs. May be given several times.", multiple=True)
def push(
    files: "CorpusFiles",
    metrics: tuple[str, ...],
    to: str,
    test_set: str,
    note: str,
    tags: tuple[str, ...],
) -> None:
    """Push OUTPUTs to a workbench as runs of a test set; they are scored there.

    The token of the workspace is read from the environment variable METRA_TOKEN. With
    references (-r), a source or documents, the test set is created if it does not exist.

    \b
    metra push system.txt --to https://metra.example.org --set newstest
    metra push A.txt B.txt -r ref.txt -s src.txt --to http://127.0.0.1:8000 --set new
    """
    from metra.campaign.uploads import read_campaign_texts

    token = os.environ.get("METRA_TOKEN", "").strip()
    if not token:
        msg = (
            "No token was given; create one in the settings of the workspace and set "
            "METRA_TOKEN to it."
        )
        raise OptionError(msg)
    with output.show_text_warnings(strict=False):
        texts = read_campaign_texts(files.open())
    given = {
        "references": texts.references,
        "source": texts.source,
        "documents": texts.documents,
        "metrics": [*metrics],
        "note": note,
        "tags": [*tags],
    }
    body: dict[str, Any] = {"test_set": test_set, "outputs": texts.outputs}
    body |= {key: value for key, value in given.items() if value}
    reply = send_json(f"{check_server(to)}/api/w/runs", body, token)
    runs = ", ".join(texts.outputs)
    click.echo(f"Pushed {runs} to {reply['name']}: {check_server(to)}{reply['page']}")


def check_server(url: str) -> str:
    """Return the address of a server; other machines must be reached by https."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    is_near = parts.hostname in ("127.0.0.1", "localhost", "::1")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_near):
        msg = (
            f"--to is {url!r}; expected https://NAME, or http:// on this machine, because "
            "others could read the token."
        )
        raise OptionError(msg)
    return url.rstrip("/")


def send_json(url: str, body: object, token: str) -> Any:
    """Send JSON with a token; return the reply, or raise an error with its message."""
    import json
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = Request(url, json.dumps(body).encode(), headers)
    try:
        with urlopen(request, timeout=_SECONDS) as reply:
            return json.load(reply)
    except HTTPError as error:
        text = error.read(10_000).decode("utf-8", "replace")
        try:
            message = json.loads(text)["error"]
        except (ValueError, KeyError, TypeError):
            message = f"HTTP status {error.code}"
        msg = f"The server refused the runs: {message.rstrip('.')}."
        raise PushError(msg) from None
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        msg = f"{url} cannot be reached ({reason}); check the address and the server."
        raise PushError(msg) from None
