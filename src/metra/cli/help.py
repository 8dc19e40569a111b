"""`metra help`: topics that several commands share; the groups of options in their help.

The texts are in topics.toml, with lists from the tables that the code itself uses; the page
of the commands shows the same texts.
"""

import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import click

from metra.cli import COMMANDS, CommandWithInit, CommandWithViews
from metra.errors import UnknownNameError, no_such

#: The options of long helps by the parameters that they set, everyday options first. What
#: stands in no group is an option of its command alone, and comes before all groups.
GROUPS = {
    "Input": """references source test_name language_pair documents docs read
        test_set outputs lang judgements selection labels url campaigns unblind
        bad only drop baseline sentences strict""",
    "Metrics": """metrics scores models specs model text gold scorer human
        automated scales estimate""",
    "Statistics": """level ci ci_method test trials seed unit alpha correction coefficients
        coefficient coef wmt all_pairs tolerance conditions expected scaling
        method studies settings""",
    "Analyses": """changes alignments details show""",
    "Large tables": "group_by scores_out resume engine",
    "Output": """form out digits sort score_only verbose save to title folder
        report plot paper signature methods""",
}
_GROUP_OF = {name: title for title, names in GROUPS.items() for name in names.split()}


def find_group(parameter: str) -> str:
    """Return the title above an option in help; nothing for an option of one command."""
    return _GROUP_OF.get(parameter, "")


@click.command("help")
@click.argument("topics", nargs=-1, metavar="[TOPIC | COMMAND... | NAME]")
@click.pass_context
def help_(ctx: click.Context, topics: tuple[str, ...]) -> None:
    """Explain a TOPIC, a COMMAND, a metric, a protocol of judges or a file format.

    \b
    metra help
    metra help formats
    metra help bleu
    metra help cloze
    metra help parquet
    metra help meta correlate
    """
    root = ctx.find_root()
    if not topics:
        width = max(map(len, TOPICS))
        lines = [f"  {name:{width}}  {topic.title}" for name, topic in TOPICS.items()]
        listed = "\n".join(lines)
        click.echo(f"{root.get_help()}\n\nTopics, for metra help TOPIC:\n{listed}")
    elif topics[0] in TOPICS:
        click.echo(TOPICS[topics[0]].write())
    elif topics[1:] or topics[0] in COMMANDS:
        click.echo(_find_command(root, topics).get_help())
    else:
        click.echo(explain_name(topics[0]))


@click.command()
@click.argument("name", required=False)
def metrics(name: str | None) -> None:
    """List all metrics, or explain NAME: its definition, options and sources.

    \b
    metra metrics
    metra metrics bleu
    """
    from metra.campaign.protocols.registry import PROTOCOLS
    from metra.metrics.registry import describe_metric, format_overview, list_metrics

    is_protocol = name in {*PROTOCOLS}.difference(list_metrics())
    explain = _explain_protocol if is_protocol else describe_metric
    click.echo(explain(name) if name else format_overview())


def explain_name(name: str) -> str:
    """Explain a metric, a protocol of human judgement or a file format.

    >>> explain_name("cloze").partition(".")[0]
    'cloze (Cloze test) is a protocol of metra judge'
    """
    from metra.campaign.protocols.registry import PROTOCOLS
    from metra.formats.recognise import FORMATS
    from metra.metrics.registry import describe_metric, list_metrics

    kinds: dict[Collection[str], Callable[[str], str]] = {
        tuple(list_metrics()): describe_metric,
        tuple(PROTOCOLS): _explain_protocol,
        tuple(FORMATS): _explain_format,
    }
    for names, explain in kinds.items():
        if name.lower() in names:
            return explain(name.lower())
    names_of_all = {*TOPICS, *COMMANDS, *chain(*kinds)}
    raise UnknownNameError(no_such("topic or command", name, sorted(names_of_all)))


def _find_command(root: click.Context, names: tuple[str, ...]) -> click.Context:
    """Return the context of a command by its names, from the first on."""
    context = root
    for name in names:
        group = context.command
        if isinstance(group, CommandWithInit) and name == "init":
            path = f"{context.info_name} init"
            context = click.Context(group.load_init(), info_name=path, parent=root)
            continue
        if not isinstance(group, click.Group):
            msg = f"{context.command_path} has no commands; leave {name!r} out."
            raise click.UsageError(msg)
        commands, owner = group.list_commands(context), context.command_path
        if name not in commands:
            raise UnknownNameError(no_such("command", name, commands, owner=owner))
        command = group.get_command(context, name)
        context = click.Context(command or group, info_name=name, parent=context)
    return context


def walk_commands(
    command: click.Command, name: str = "metra", parent: click.Context | None = None
) -> Iterator[click.Context]:
    """Yield the context of a command, and of all commands and answers below it."""
    # Click keeps the help option that it makes first, so the settings have to be those in use.
    settings = command.context_settings
    context = click.Context(command, info_name=name, parent=parent, **settings)
    yield context
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            loaded = command.get_command(context, inner)
            if loaded is not None:
                yield from walk_commands(loaded, inner, context)
    elif isinstance(command, CommandWithInit):
        yield from walk_commands(command.load_init(), f"{name} init", parent)
    elif isinstance(command, CommandWithViews):
        for value, view in [*command.views.items()][1:]:
            info_name = f"{name} {command.chooser} {value}"
            yield click.Context(view, info_name=info_name, parent=parent)


class Topic(NamedTuple):
    """A topic: its title, and its text with the names of lists in braces."""

    title: str
    text: str

    def write(self) -> str:
        """Fill the lists in."""
        names = re.findall(r"\{(\w+)\}", self.text)
        return self.text.format_map({name: _LISTS[name]() for name in names})


_TEXTS = Path(__file__).with_name("topics.toml")
TOPICS = {
    name: Topic(**entry)
    for name, entry in tomllib.loads(_TEXTS.read_text("utf-8")).items()
}


def _list_formats() -> str:
    from metra.formats.recognise import FORMATS

    rows = [("format", "file extensions", "")]
    for form in FORMATS.values():
        use = "read and written" if form.is_written else "read"
        ends = " ".join(form.suffixes)
        ends = ends or ("by content" if form.is_localised else "any other")
        rows.append((form.name, ends, use))
    return "\n".join(
        f"  {name:10} {ends:38} {use}".rstrip() for name, ends, use in rows
    )


def _list_protocols() -> str:
    from metra.campaign.protocols.registry import PROTOCOLS

    return "\n".join(f"  {name:22} {asked.title}" for name, asked in PROTOCOLS.items())


def _list_settings() -> str:
    from metra.cli.options import READ_SETTINGS

    formatter = click.HelpFormatter(width=88)
    with formatter.indentation():
        formatter.write_dl(list(READ_SETTINGS.items()))
    return formatter.getvalue()


def _list_options(count: int | None = None, width: int = 13) -> str:
    from metra.metrics.registry import read_description

    options = read_description("bleu").options[:count]
    return "\n".join(f"  {option.name:{width}} {option.meaning}" for option in options)


def _list_tokenizers() -> str:
    from metra.text.tokenizers import list_tokenizers

    return "\n".join(f"  {name}" for name in list_tokenizers())


def _list_metrics() -> str:
    from metra.metrics.registry import format_overview

    return format_overview()


def _write_signature() -> str:
    from metra.metrics.registry import metric

    return metric("bleu").signature()


_LISTS: dict[str, Callable[[], str]] = {
    "formats": _list_formats,
    "protocols": _list_protocols,
    "settings": _list_settings,
    "first_options": lambda: _list_options(3, 5),
    "metrics": _list_metrics,
    "tokenizers": _list_tokenizers,
    "signature": _write_signature,
    "options": _list_options,
}


def _explain_format(name: str) -> str:
    from metra.formats.recognise import FORMATS

    form = FORMATS[name]
    ends = f", files that end in {', '.join(form.suffixes)}" if form.suffixes else ""
    if name == "plain":
        rows = (
            "One segment per line; a line ends at a line feed, and empty lines count."
        )
    elif form.has_column_names:
        rows = (
            "A row, or an object, for each segment. Columns called source, doc, ref or "
            "ref:NAME, and output:NAME are recognised; --read names others."
        )
    elif form.has_ids:
        rows = "Documents and segments have ids, by which files are joined."
    else:
        rows = "Units with ids: originals and translations, or texts in one language."
    shards = (
        " Several files, or a folder, are one table of any size, also on Spark."
        if form.has_shards
        else ""
    )
    use = "reads and writes" if form.is_written else "reads"
    return (
        f"{name} is a format of texts{ends}; metra {use} it.\n\n"
        f"{click.wrap_text(rows + shards, 88)}\n\n"
        "See metra help formats for all formats, and metra help read for --read."
    )


def _explain_protocol(name: str) -> str:
    from metra.campaign.protocols.registry import PROTOCOLS

    asked = PROTOCOLS[name]
    steps = []
    for step in asked.steps:
        question = step.question.replace("{language}", "language")
        about = step.asks.document().replace("{language}", "language")
        steps.append(f"{step.name}: {question}\n\n{about}")
    shown = {1: "one output", 2: "two outputs"}.get(asked.outputs, "all outputs")
    return (
        f"{name} ({asked.title}) is a protocol of metra judge. A screen shows {shown}"
        f"{' of a whole document' if asked.whole else ''}.\n\n"
        + "\n\n".join(steps)
        + f'\n\nWrite protocol = "{name}" in a campaign file; see metra judge init --help.'
    )
