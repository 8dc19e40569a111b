"""The page of the commands, from what click knows of them."""

import inspect
from collections.abc import Iterator

import click

from metra.cli import cli
from metra.cli.help import TOPICS, walk_commands
from metra.cli.usage import describe_values


def page() -> str:
    """Explain every command with its options."""
    blocks = [
        "<!-- Written by docs/generate.py; change the command's help instead. -->",
        "# Commands",
        "`metra COMMAND --help` and `metra help TOPIC` say in the terminal what this page "
        "says.",
        listed(),
        *(block for context in walk_commands(cli) for block in _section(context)),
        "## Topics",
        *_topics(),
    ]
    return "\n\n".join(blocks) + "\n"


def listed() -> str:
    """Name every command with the first line of its help."""
    return "\n".join(
        f"- `{context.command_path}`: {list_paragraphs(context.command)[0]}"
        for context in walk_commands(cli)
        if context.command_path.count(" ") == 1
    )


def _section(context: click.Context) -> Iterator[str]:
    """Explain a command; every one of them has --help as well."""
    command, name = context.command, context.command_path
    depth = len(name.split())
    if depth > 1:
        yield f"{'#' * depth} {name}"
    yield f"```text\n{name} {' '.join(command.collect_usage_pieces(context))}\n```"
    yield from map(_fenced, list_paragraphs(command))
    rows = [
        _row(parameter)
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option) and "--help" not in parameter.opts
    ]
    if rows:
        yield "\n".join(
            ["| option | meaning | default |", "| :-- | :-- | :-- |", *rows]
        )


def _topics() -> Iterator[str]:
    """Write what `metra help TOPIC` prints; the metrics have pages of their own."""
    for name, topic in TOPICS.items():
        if name != "metrics":
            yield f"### {name}"
            yield f"```text\n{topic.write()}\n```"


def list_paragraphs(command: click.Command) -> list[str]:
    """Cut the help into paragraphs, lines joined unless click is told to leave them."""
    text = inspect.cleandoc(command.help or "").partition("\f")[0]
    blocks = text.strip().split("\n\n")
    return [block if _is_kept(block) else block.replace("\n", " ") for block in blocks]


def _is_kept(block: str) -> bool:
    return block.startswith("\b\n")


def _fenced(block: str) -> str:
    return f"```text\n{block[2:]}\n```" if _is_kept(block) else block


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    meaning = f"{option.help or ''}{_values(option)}".replace("|", "\\|")
    default = option.show_default if isinstance(option.show_default, str) else ""
    if option.show_default is True:
        default = str(option.default)
    return f"| {names} | {meaning} | {f'`{default}`' if default else ''} |"


def _values(option: click.Option) -> str:
    kind = option.type
    if isinstance(kind, click.Choice):
        return f" One of {', '.join(f'`{choice}`' for choice in kind.choices)}."
    values = describe_values(kind) if not option.is_flag else ""
    return f" {values[0].upper()}{values[1:]}." if values else ""
