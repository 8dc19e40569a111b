"""`metra help`: topics that several commands share; the groups of options in their help.

The texts come from the tables that the code itself uses; the page of the commands shows the
same texts.
"""

from collections.abc import Callable, Collection, Iterator
from itertools import chain

import click

from metra.cli import COMMANDS
from metra.errors import UnknownNameError, no_such

#: The options of long helps by the parameters that they set, everyday options first. What
#: stands in no group is an option of its command alone, and comes before all groups.
GROUPS = {
    "Input": """references source test_name language_pair documents docs read
        test_set outputs lang judgements selection labels url campaigns unblind
        names bad only drop baseline sentences strict""",
    "Metrics": """metrics scores models specs model text gold scorer human
        automated scales estimate""",
    "Statistics": """level ci ci_method test trials seed unit alpha correction coefficients
        coefficient coef wmt all_pairs tolerance conditions expected scaling
        method studies settings""",
    "Analyses": """changes ngrams buckets profiles alignments details show""",
    "Large tables": "group_by scores_out resume engine",
    "Output": """form out digits sort score_only verbose save to title html page folder
        report junit plot paper signature methods about""",
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
    """Yield the context of a command and, if it is a group, of all commands below it."""
    # Click keeps the help option that it makes first, so the settings have to be those in use.
    settings = command.context_settings
    context = click.Context(command, info_name=name, parent=parent, **settings)
    yield context
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            loaded = command.get_command(context, inner)
            if loaded is not None:
                yield from walk_commands(loaded, inner, context)


class Topic:
    """A topic: its title, and a function that writes the text."""

    def __init__(self, title: str, write: Callable[[], str]) -> None:
        self.title = title
        self.write = write


def _explain_specs() -> str:
    from metra.metrics.registry import read_description

    options = read_description("bleu").options[:3]
    listed = "\n".join(f"  {option.name:5} {option.meaning}" for option in options)
    return f"""\
A spec is a metric with its options: NAME or NAME:option=value,option=value

  metra score out.txt -r ref.txt -m bleu
  metra score out.txt -r ref.txt -m bleu:tok=intl,case=lower -m chrf:word_order=2
  metra score out.txt -r ref.txt -m bleu -m comet@comet.json

Give each metric its own -m, or write several without options as -m bleu,chrf,ter. Letter
case and hyphens in names do not matter, and chrF++ is chrf:word_order=2. NAME@FILE takes
the scores of segments that another program wrote. Options that are not given have their
defaults, and every score is printed with the signature that says all of them.

metra metrics lists the metrics, metra metrics NAME the options of one. Those of bleu begin:
{listed}"""


def _explain_formats() -> str:
    from metra.formats.recognise import FORMATS

    rows = [("format", "file extensions", "")]
    for form in FORMATS.values():
        use = "read and written" if form.is_written else "read"
        rows.append((form.name, " ".join(form.suffixes) or "any other", use))
    lines = "\n".join(
        f"  {name:9} {ends:28} {use}".rstrip() for name, ends, use in rows
    )
    return f"""\
Outputs, references, sources and test sets come in these formats:

{lines}

The format is detected from the name and the first bytes; --read format=NAME overrides it.
Names may also end in .gz, .xz or .zst. Plain text has one segment per line. Tables have a
column for each system, and columns called ref, source and doc; --read names others (see
metra help read). metra convert turns one format into another.

Scores and judgements, which metra meta reads, have formats of their own: see
metra meta correlate --help, --read."""


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
        rows = "Bilingual segments: the source, and its translation."
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


def _explain_reading() -> str:
    from metra.cli.options import READ_SETTINGS

    formatter = click.HelpFormatter(width=88)
    with formatter.indentation():
        formatter.write_dl(list(READ_SETTINGS.items()))
    return f"""\
--read KEY=VALUE,KEY=VALUE sets how input files are read:

{formatter.getvalue()}
  metra score test.tsv --read hyp=MT,ref=Human
  metra score out.csv -r ref.txt --read "delimiter=;,encoding=cp1252"

-t wmt23 -l en-de --read subset=origlang=en selects segments of a test set."""


def _explain_signatures() -> str:
    from metra.metrics.registry import metric, read_description

    options = read_description("bleu").options
    listed = "\n".join(f"  {option.name:12}  {option.meaning}" for option in options)
    return f"""\
A signature records every setting that a score depends on. Two scores with the same
signature are comparable:

  {metric("bleu").signature()}

It starts with the metric, followed by all its options, including defaults; for bleu:

{listed}

nrefs is the number of references of each segment (var if it varies); ci, unit, trials and
seed describe the interval; version is metra's. --signature short leaves defaults out,
--signature sacrebleu writes it as sacreBLEU does."""


def _explain_tokenizers() -> str:
    from metra.text.tokenizers import list_tokenizers

    listed = "\n".join(f"  {name}" for name in list_tokenizers())
    return f"""\
Word-based metrics have the option tok, which selects the tokeniser:

{listed}

  metra score out.txt -r ref.txt -m bleu:tok=intl"""


def _list_metrics() -> str:
    from metra.metrics.registry import format_overview

    return format_overview()


#: The variables that every command, or all of a kind, look at.
VARIABLES = {
    "METRA_THREADS": "Number of threads; all cores if not set.",
    "METRA_LIMITS": "Limits on input files, such as line=1GB,depth=200.",
    "METRA_TESTSETS": "File with the registered test sets.",
    "METRA_STORE": "Store of metra judge: a file, or a PostgreSQL address.",
    "METRA_BASE_URL": "Public address of metra judge serve.",
    "METRA_ADMIN_PASSWORD": "Password of the admin that metra judge init creates.",
    "METRA_CACHE": "Folder for cached model scores and answers; off disables the "
    "cache.",
    "METRA_DEVICES": "Devices of neural metrics, such as cuda:0,cuda:1 or cpu.",
    "METRA_TOKENS": "Tokens per batch of a neural metric.",
    "METRA_LLM_KEY": "API key of the endpoint of -m llm.",
    "WNSEARCHDIR": "Folder of the WordNet files, for meteor's synonyms.",
    "DICPATH": "Folders of Hunspell dictionaries.",
    "NO_COLOR": "Disables colour in tables.",
}


def _list_variables() -> str:
    width = max(map(len, VARIABLES))
    lines = (f"  {name:{width}}  {meaning}" for name, meaning in VARIABLES.items())
    return "\n".join(["Environment variables:", "", *lines])


def _explain_exit_codes() -> str:
    return """\
Results go to standard output, progress and messages to standard error. The exit code is

  0    after success
  1    if an output does not pass metra gate
  2    if the input or the command line is wrong; the message says how to correct it
  70   after an internal error; the message names a file to send with a bug report
  130  if it was interrupted"""


#: What `metra help` explains, by name.
TOPICS = {
    "formats": Topic("Input formats and how they are recognised.", _explain_formats),
    "read": Topic("How to read files: columns, sheets, encodings.", _explain_reading),
    "specs": Topic("How to name metrics and their options.", _explain_specs),
    "metrics": Topic("All metrics, one line each.", _list_metrics),
    "tokenizers": Topic("How text is split into words.", _explain_tokenizers),
    "signatures": Topic(
        "What the parts of a score's signature mean.", _explain_signatures
    ),
    "environment": Topic("Environment variables.", _list_variables),
    "exit-codes": Topic("Exit codes and output streams.", _explain_exit_codes),
}
