"""`metra help`: topics that several commands share; the groups of options in their help.

The texts come from the tables that the code itself uses; the page of the commands shows the
same texts.
"""

from collections.abc import Callable, Iterator

import click

from metra.errors import UnknownNameError, no_such

#: The options of long helps by the parameters that they set. What stands in no group is an
#: option of its command alone, and comes first.
GROUPS = {
    "Input": """references source test_name test_set language_pair subset test_references
        documents docs input_format outputs lang domain units columns system_names without
        judgements selection question labels queries qrels number system
        frequency_corpus frequencies url campaigns unblind names left_out bad classes
        contrasts errors only drop baseline wrapped sentences strict""",
    "Tables as input": """hyp_columns ref_columns source_column doc_column score_columns
        sheet delimiter quotes encoding nulls""",
    "Large tables": "group_by scores_out resume engine master spark_conf",
    "Metrics": """metrics scores models spec specs model tok case stem gold gold_from name
        scorers lower mqm_weights human automated scales estimate k lend key""",
    "Statistics": """level ci no_ci ci_method ci_unit interval trials seed test unit alpha
        correction corrected resample sides absolute coefficients coefficient coef average
        nan eps eps_from folds spa_p wmt all_pairs tolerance conditions expected power
        scaling method studies macro""",
    "Analyses": """changes changes_by changes_order min_change min_words ngrams buckets
        profiles alignments aligned_segments details show grids outliers worst""",
    "Output": """form out digits to sort save score_only verbose title page folder report
        markdown junit github setid srclang trglang most_pairs most_judges""",
    "Tables for papers": "caption label rename column_groups signature methods",
    "Pictures": "plot plot_width plot_points plot_font plot_no_title",
}
_GROUP_OF = {name: title for title, names in GROUPS.items() for name in names.split()}


def find_group(parameter: str) -> str:
    """Return the title above an option in help; nothing for an option of one command."""
    return _GROUP_OF.get(parameter, "")


@click.command("help")
@click.argument("topics", nargs=-1, metavar="[TOPIC | COMMAND...]")
@click.pass_context
def help_(ctx: click.Context, topics: tuple[str, ...]) -> None:
    """Explain a TOPIC, such as formats or specs, or a COMMAND.

    \b
    metra help
    metra help formats
    metra help meta correlate
    """
    root = ctx.find_root()
    if not topics:
        width = max(map(len, TOPICS))
        lines = [f"  {name:{width}}  {topic.title}" for name, topic in TOPICS.items()]
        known = "\n".join(lines)
        click.echo(f"{root.get_help()}\n\nTopics, for metra help TOPIC:\n{known}")
    elif topics[0] in TOPICS:
        click.echo(TOPICS[topics[0]].write())
    else:
        click.echo(_find_command(root, topics).get_help())


def _find_command(root: click.Context, names: tuple[str, ...]) -> click.Context:
    """Return the context of a command by its names, from the first on."""
    context = root
    for name in names:
        group = context.command
        if not isinstance(group, click.Group):
            msg = f"{context.command_path} has no commands; leave {name!r} out."
            raise click.UsageError(msg)
        known, owner = group.list_commands(context), context.command_path
        if name not in known and context is root:
            topics = {*TOPICS, *known}
            raise UnknownNameError(no_such("topic or command", name, topics))
        if name not in known:
            raise UnknownNameError(no_such("command", name, known, owner=owner))
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
            found = command.get_command(context, inner)
            if found is not None:
                yield from walk_commands(found, inner, context)


class Topic:
    """A topic: its title, and a function that writes the text."""

    def __init__(self, title: str, write: Callable[[], str]) -> None:
        self.title = title
        self.write = write


def _explain_specs() -> str:
    from metra.metrics.describe import read_description

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

The format is detected from the name and the first bytes; --input-format NAME overrides it.
Names may also end in .gz, .xz or .zst. Plain text has one segment per line. Tables have a
column for each system, and columns called ref, source and doc; --hyp-column, --ref-column,
--source-column and --doc-column name others. metra convert turns one format into another.

Scores and judgements, which metra meta reads, have formats of their own: see
metra meta correlate --help, --input-format."""


def _explain_signatures() -> str:
    from metra.metrics.describe import read_description
    from metra.metrics.registry import metric

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
    from metra.metrics.describe import format_overview

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
    "specs": Topic("How to name metrics and their options.", _explain_specs),
    "metrics": Topic("All metrics, one line each.", _list_metrics),
    "tokenizers": Topic("How text is split into words.", _explain_tokenizers),
    "signatures": Topic(
        "What the parts of a score's signature mean.", _explain_signatures
    ),
    "environment": Topic("Environment variables.", _list_variables),
    "exit-codes": Topic("Exit codes and output streams.", _explain_exit_codes),
}
