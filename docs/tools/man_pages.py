"""Write a man page for each command, from what click knows of it.

python docs/tools/man_pages.py FOLDER  writes FOLDER/man1/metra.1, metra-score.1, …
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from command_pages import group_options, is_view, list_paragraphs

from metra import __version__
from metra.cli import CommandWithViews, cli
from metra.cli.help import walk_commands


def main(folder: str) -> None:
    """Write the pages, and say how many."""
    place = Path(folder) / "man1"
    place.mkdir(parents=True, exist_ok=True)
    contexts = (context for context in walk_commands(cli) if not is_view(context))
    pages = dict(map(write_page, contexts))
    for name, text in pages.items():
        (place / f"{name}.1").write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(pages)} man pages in {place}; read them with man -M {folder} metra")


def write_page(context: click.Context) -> tuple[str, str]:
    """Return the name and the text of a command's page, in troff's man macros."""
    command, path = context.command, context.command_path
    name = path.replace(" ", "-")
    summary, *paragraphs = list_paragraphs(command)
    lines = [
        f'.TH "{name.upper()}" "1" "" "metra {__version__}" "User commands"',
        ".SH NAME",
        f"{name} \\- {_escape(summary)}",
        ".SH SYNOPSIS",
        f".B {path}",
        _escape(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        _escape(summary),
    ]
    for paragraph in paragraphs:
        lines += _write_paragraph(paragraph)
    lines += _list_options(context)
    if isinstance(command, click.Group):
        lines += [".SH COMMANDS"]
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found is not None:
                about = _escape(found.get_short_help_str(limit=sys.maxsize))
                lines += [".TP", f".BR {_escape(name)}\\-{_escape(inner)} (1)", about]
    return name, "\n".join(lines) + "\n"


def _write_paragraph(paragraph: str) -> Iterator[str]:
    """Write a paragraph, its lines as they are where click leaves them so."""
    if not paragraph.startswith("\b\n"):
        yield from (".PP", _escape(paragraph))
        return
    yield from (".PP", ".EX", _escape(paragraph[2:]), ".EE")


def _list_options(context: click.Context) -> Iterator[str]:
    """List the options under the titles that help has for them."""
    groups = group_options(context)
    if groups:
        yield ".SH OPTIONS"
    for title, options in groups.items():
        if title and len(groups) > 1:
            yield f".SS {_escape(title)}"
        yield from _describe_options(context, options)
    if isinstance(context.command, CommandWithViews):
        for choice, about, options in context.command.list_views(context):
            yield f".SS With {_escape(choice)}"
            for paragraph in about.split("\n\n"):
                yield from _write_paragraph(paragraph)
            yield from _describe_options(context, options)


def _describe_options(
    context: click.Context, options: Iterable[click.Option]
) -> Iterator[str]:
    for option in options:
        flags, meaning = option.get_help_record(context) or ("", "")
        yield from (".TP", f"\\fB{_escape(flags)}\\fR", _escape(meaning))


def _escape(text: str) -> str:
    """Mark what troff would take for its own: backslashes, hyphens, points at line starts."""
    marked = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(
        f"\\&{line}" if line[:1] in (".", "'") else line for line in marked.split("\n")
    )


if __name__ == "__main__":
    main(sys.argv[1])
