"""The pages of commands, one per group, from click's declarations."""

import inspect
import re
from collections import Counter
from collections.abc import Iterator

import click

from metra.cli import CommandWithViews, GroupedCommand, cli
from metra.cli.help import GROUPS, TOPICS, find_group, walk_commands
from metra.cli.usage import describe_values

HEAD = "<!-- Written by docs/tools/generate.py; change the command's help instead. -->"
CALL = re.compile("metra [a-z]").match
CONTEXTS = tuple(walk_commands(cli))[1:]
#: The commands of each page; a command that is not here has its own.
PAGES = {
    "compare": ("compare", "gate", "rank"),
    "report": ("report", "open", "push", "profile", "grid"),
    "metrics": ("metrics", "parse", "evaltrans", "weights"),
    "files": ("convert", "segment", "testsets"),
    "judge": ("judge", "exercise"),
    "others": ("demo", "clir", "help"),
}
TITLES = {"files": "Files and test sets", "others": "Other commands"}
PAGE_OF = {command: page for page, commands in PAGES.items() for command in commands}
#: An option that so many commands of a page have is described once.
SHARED = 5


def write_pages() -> dict[str, str]:
    """Return every page by its path below docs/commands."""
    pages = {"index.md": _join(_list_index())}
    for page in _list_pages():
        pages[f"{page}.md"] = _join(_write_page(page))
    return pages


def find_page(context: click.Context) -> str:
    """Return the name of a command's page."""
    top = context.command_path.split()[1]
    return PAGE_OF.get(top, top)


def write_menu() -> str:
    """Write the entries of the pages in the site's menu."""
    return "\n".join(
        f'      {{ "{_write_title(page)}" = "commands/{page}.md" }},'
        for page in _list_pages()
    )


def _list_pages() -> list[str]:
    pages = dict.fromkeys(map(find_page, CONTEXTS))
    return sorted(pages, key=lambda page: page == "others")


def _write_title(page: str) -> str:
    return TITLES.get(page) or ", ".join(PAGES.get(page, (page,)))


def _write_page(page: str) -> Iterator[str]:
    """Describe the commands of a page, and options that many of them have once."""
    contexts = [context for context in CONTEXTS if find_page(context) == page]
    yield f"# {_write_title(page)}"
    if len(contexts) > 1:
        yield _list_commands(contexts, "")
    rows = {
        (id(context), _row(option)): option
        for context in contexts
        for options in group_options(context).values()
        for option in options
    }
    counts = Counter(row for _, row in rows)
    shared = {row for row, count in counts.items() if count >= SHARED}
    for context in contexts:
        yield from _describe(context, shared)
    if shared:
        yield "## Shared options"
        yield _tabulate([row for row in counts if row in shared])


def _join(blocks: Iterator[str]) -> str:
    return "\n\n".join([HEAD, *blocks]) + "\n"


def _list_index() -> Iterator[str]:
    """List every command, then the topics of `metra help`."""
    yield "# Commands"
    yield "`metra COMMAND --help` and `metra help TOPIC` print the same in the terminal."
    for page in _list_pages():
        contexts = [context for context in CONTEXTS if find_page(context) == page]
        yield f"## [{_write_title(page)}]({page}.md)"
        yield _list_commands(contexts, f"{page}.md")
    yield "## Topics"
    for name, topic in TOPICS.items():
        if name != "metrics":  # they have pages of their own
            yield f"### {name}"
            yield f"```text\n{topic.write()}\n```"


def _list_commands(contexts: list[click.Context], way: str) -> str:
    """List commands, each with a link and the first line of its help."""
    rows = []
    for context in contexts:
        if is_view(context):
            continue
        anchor = context.command_path.replace(" ", "-")
        link = f"[`{context.command_path}`]({way}#{anchor})"
        rows.append(f"| {link} | {list_paragraphs(context.command)[0]} |")
    return "\n".join(["| command | what it does |", "| :-- | :-- |", *rows])


def _describe(context: click.Context, shared: set[str]) -> Iterator[str]:
    """Explain a command with its options; every one of them has --help as well."""
    command, name = context.command, context.command_path
    yield f"## {name}"
    yield f"```text\n{name} {' '.join(command.collect_usage_pieces(context))}\n```"
    texts, examples = split_examples(list_paragraphs(command))
    yield from texts
    yield from (f"```text\n{block}\n```" for block in examples)
    others = []
    skipped = {_row(option) for option in _list_default_options(context)}
    for title, options in group_options(context).items():
        rows = [row for row in map(_row, options) if row not in skipped]
        others += [row for row in rows if row in shared]
        if own := [row for row in rows if row not in shared]:
            yield f"**{title or 'Options'}**"
            yield _tabulate(own)
    if is_view(context):
        path = name.partition(" --")[0]
        yield f"Its other options are among those of [`{path}`](#{path.replace(' ', '-')})."
    elif others:
        names = ", ".join(row.split(" | ")[0].removeprefix("| ") for row in others)
        yield f"[Shared options](#shared-options): {names}."


def is_view(context: click.Context) -> bool:
    """Return True for another answer of a command, whose options come after the default's."""
    command = context.command
    return isinstance(command, CommandWithViews) and not command.is_default


def _list_default_options(context: click.Context) -> list[click.Option]:
    """List the options of the command whose other answer this is."""
    if not is_view(context):
        return []
    default = next(iter(context.command.views.values()))
    return [param for param in default.params if isinstance(param, click.Option)]


def _tabulate(rows: list[str]) -> str:
    return "\n".join(["| option | meaning | default |", "| :-- | :-- | :-- |", *rows])


def group_options(context: click.Context) -> dict[str, list[click.Option]]:
    """Return a command's options but --help under the titles that its help has for them."""
    command = context.command
    is_grouped = isinstance(command, GroupedCommand)
    titles = ("", *GROUPS) if is_grouped else ("",)
    groups: dict[str, list[click.Option]] = {title: [] for title in titles}
    for option in command.get_params(context):
        is_shown = isinstance(option, click.Option) and not option.hidden
        if is_shown and "--help" not in option.opts:
            title = find_group(option.name or "") if is_grouped else ""
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
