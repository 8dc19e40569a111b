"""The pages of the commands, one each, from what click knows of them."""

import inspect
import re
from collections.abc import Iterator

import click

from metra.cli import GroupedCommand, cli
from metra.cli.help import TOPICS, walk_commands
from metra.cli.usage import describe_values

HEAD = "<!-- Written by docs/generate.py; change the command's help instead. -->"
CALL = re.compile("metra [a-z]").match
CONTEXTS = tuple(walk_commands(cli))[1:]


def write_pages() -> dict[str, str]:
    """Return every page by its path below docs/commands."""
    pages = {"index.md": _join(_list_index())}
    for context in CONTEXTS:
        pages[find_page(context)] = _join(_describe(context))
    return pages


def find_page(context: click.Context) -> str:
    """Return the path of a command's page below docs/commands."""
    name = "-".join(context.command_path.split()[1:])
    is_group = isinstance(context.command, click.Group)
    return f"{name}/index.md" if is_group else f"{name}.md"


def write_menu() -> str:
    """Write the commands' entries in the site's menu; those of a group stand in it."""
    lines = []
    for context in _list_below(""):
        page = f"commands/{find_page(context)}"
        title = context.command_path.removeprefix("metra ")
        if not isinstance(context.command, click.Group):
            lines.append(f'{{ "{title}" = "{page}" }},')
            continue
        lines += [f'{{ "{title}" = [', f'  "{page}",']
        for below in _list_below(title):
            name = below.command_path.removeprefix("metra ")
            lines.append(f'  {{ "{name}" = "commands/{find_page(below)}" }},')
        lines.append("] },")
    return "\n".join(f"      {line}" for line in lines)


def _list_below(group: str) -> list[click.Context]:
    """Return the commands right below a group, or all that stand in none."""
    above = f"metra {group}".strip()
    return [
        context
        for context in CONTEXTS
        if context.command_path.rpartition(" ")[0] == above
    ]


def _join(blocks: Iterator[str]) -> str:
    return "\n\n".join([HEAD, *blocks]) + "\n"


def _list_index() -> Iterator[str]:
    """List every command, then write what `metra help TOPIC` prints."""
    yield "# Commands"
    yield "`metra COMMAND --help` and `metra help TOPIC` print the same in the terminal."
    yield _list_commands(_list_below(""), "")
    yield "## Topics"
    for name, topic in TOPICS.items():
        if name != "metrics":  # they have pages of their own
            yield f"### {name}"
            yield f"```text\n{topic.write()}\n```"


def _list_commands(contexts: list[click.Context], way: str) -> str:
    """List commands, each with a link and the first line of its help."""
    rows = [
        f"| [`{context.command_path}`]({way}{find_page(context)}) "
        f"| {list_paragraphs(context.command)[0]} |"
        for context in contexts
    ]
    return "\n".join(["| command | what it does |", "| :-- | :-- |", *rows])


def _describe(context: click.Context) -> Iterator[str]:
    """Explain a command with its options; every one of them has --help as well."""
    command, name = context.command, context.command_path
    yield f"# {name}"
    yield f"```text\n{name} {' '.join(command.collect_usage_pieces(context))}\n```"
    texts, examples = split_examples(list_paragraphs(command))
    yield from texts
    if isinstance(command, click.Group):
        yield _list_commands(_list_below(name.removeprefix("metra ")), "../")
    if examples:
        yield "## Examples"
        yield from (f"```text\n{block}\n```" for block in examples)
    groups = group_options(context)
    if groups:
        yield "## Options"
    for title, rows in groups.items():
        if title and len(groups) > 1:
            yield f"### {title}"
        yield "\n".join(
            ["| option | meaning | default |", "| :-- | :-- | :-- |", *map(_row, rows)]
        )


def group_options(context: click.Context) -> dict[str, list[click.Option]]:
    """Return a command's options but --help under the titles that its help has for them."""
    command = context.command
    is_grouped = isinstance(command, GroupedCommand)
    titles = ("", *command.list_groups()) if is_grouped else ("",)
    groups: dict[str, list[click.Option]] = {title: [] for title in titles}
    for option in command.get_params(context):
        is_shown = isinstance(option, click.Option) and not option.hidden
        if is_shown and "--help" not in option.opts:
            title = command.find_group(option) if is_grouped else ""
            groups.setdefault(title, []).append(option)
    return {title: options for title, options in groups.items() if options}


def list_paragraphs(command: click.Command) -> list[str]:
    """Cut the help into paragraphs, lines joined unless click is told to leave them."""
    text = inspect.cleandoc(command.help or "").partition("\f")[0]
    blocks = text.strip().split("\n\n")
    return [block if _is_kept(block) else block.replace("\n", " ") for block in blocks]


def split_examples(paragraphs: list[str]) -> tuple[list[str], list[str]]:
    """Part the help into what it says and the calls that it shows."""
    texts, examples = [], []
    for block in paragraphs:
        lines = block.removeprefix("\b\n")
        if _is_kept(block) and any(map(CALL, lines.split("\n"))):
            examples.append(lines)
        else:
            texts.append(f"```text\n{lines}\n```" if _is_kept(block) else block)
    return texts, examples


def _is_kept(block: str) -> bool:
    return block.startswith("\b\n")


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    if option.metavar:
        names += f" *{option.metavar}*"
    meaning = f"{option.help or ''}{_values(option)}".replace("|", "\\|")
    return f"| {names} | {meaning} | {_default(option)} |"


def _default(option: click.Option) -> str:
    if option.required:
        return "required"
    default = option.show_default
    if default is True:
        default = str(option.default)
    return f"`{default}`" if default else ""


def _values(option: click.Option) -> str:
    kind = option.type
    if isinstance(kind, click.Choice):
        return f" One of {', '.join(f'`{choice}`' for choice in kind.choices)}."
    values = describe_values(kind) if not option.is_flag else ""
    return f" {values[0].upper()}{values[1:]}." if values else ""
