"""The options for tables: which columns are what, groups, and work in parts.

The options that say where a table is scored: on this machine, or by Spark.
Options that are the same in every command: files, metrics, formats, seeds.
The options that ask what lies behind the scores, and how they become wishes.
The options that say which segments' alignments to show.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from metra import report
from metra.cli.derive import FiniteRange
from metra.formats.recognise import FORMATS, PARQUET

if TYPE_CHECKING:
    from metra.analysis.findings import AnalysisOptions
    from metra.cli.output import ProgressLine
    from metra.formats.texts.columns import ColumnNames
    from metra.scoring.results import Results


TABLE_OPTIONS = (
    click.option(
        "--hyp-column",
        "hyp_columns",
        multiple=True,
        metavar="[NAME=]COLUMN",
        help="Column with a system's outputs, in a table. May be given several times.",
    ),
    click.option(
        "--ref-column",
        "ref_columns",
        multiple=True,
        metavar="COLUMN",
        help="Column with references, in a table. May be given several times.",
    ),
    click.option(
        "--source-column", metavar="COLUMN", help="Column with the source, in a table."
    ),
    click.option(
        "--doc-column", metavar="COLUMN", help="Column with documents, in a table."
    ),
    click.option(
        "--group-by",
        "group_by",
        multiple=True,
        metavar="COLUMN[,COLUMN]",
        help="Scores of each group of segments beside the total: by language pair, domain …",
    ),
    click.option(
        "--nulls",
        type=click.Choice(["refuse", "empty"]),
        default="refuse",
        show_default=True,
        help="A null where a text has to be, in Parquet: an error, or an empty text.",
    ),
    click.option(
        "--scores-out",
        metavar="FOLDER",
        help="Write each Parquet file here with a column of segment scores for each metric.",
    ),
    click.option(
        "--resume",
        metavar="FOLDER",
        help="Keep the totals of each finished Parquet file here; go on from what is kept.",
    ),
)


def add_options(
    options: Sequence[Callable[..., Any]],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds these options to a command, in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


class TableOptions(NamedTuple):
    """What was said about the table to be scored."""

    #: None where no column was named.
    names: "ColumnNames | None"
    group_by: tuple[str, ...]
    scores_out: str | None
    resume: str | None

    @property
    def in_parts(self) -> bool:
        """Whether each file is to be finished by itself."""
        return bool(self.scores_out or self.resume)


def build_table_options(
    *,
    hyp_columns: tuple[str, ...],
    ref_columns: tuple[str, ...],
    source_column: str | None,
    doc_column: str | None,
    group_by: tuple[str, ...],
    nulls: Literal["refuse", "empty"],
    scores_out: str | None,
    resume: str | None,
) -> TableOptions:
    """Make sense of the options."""
    from metra.formats.texts.columns import ColumnNames

    groups = [name.strip() for entry in group_by for name in entry.split(",")]
    names = ColumnNames(
        outputs=tuple(map(_split_column, hyp_columns)),
        references=ref_columns,
        source=source_column,
        document=doc_column,
        labels=tuple(groups),
        nulls=nulls,
    )
    given = names if names != ColumnNames() else None
    return TableOptions(given, tuple(dict.fromkeys(groups)), scores_out, resume)


def _split_column(column: str) -> tuple[str, str]:
    """Give the system whose outputs are in a column, and the column.

    >>> _split_column("online=hyp_a"), _split_column("hyp_a"), _split_column("output:ours")
    (('online', 'hyp_a'), ('hyp_a', 'hyp_a'), ('ours', 'output:ours'))
    """
    from metra.formats.texts.columns import recognise_fields

    name, equals, rest = column.partition("=")
    if equals and name and rest:
        return name, rest
    return recognise_fields([column], column)[0].name, column


def is_parquet(outputs: Sequence[str], input_format: str) -> bool:
    """Whether all that is to be scored is Parquet."""
    from metra.formats.texts.sources import list_sources

    files = list_sources(outputs, input_format=input_format)
    return all(file.format is PARQUET for file in files)


def check_table_options(table: TableOptions, unwanted: Mapping[str, object]) -> None:
    """Refuse options that groups and parts have no answer to."""
    mine = {
        "--group-by": table.group_by,
        "--scores-out": table.scores_out,
        "--resume": table.resume,
    }
    one = next((name for name, value in mine.items() if value), None)
    other = next((name for name, value in unwanted.items() if value), None)
    if one and other:
        msg = f"{other} and {one} cannot be given together; leave one of them out."
        raise click.UsageError(msg)


def score_in_parts(
    outputs: Sequence[str],
    table: TableOptions,
    specs: Sequence[str],
    input_format: str,
    progress: "ProgressLine",
) -> "Results":
    """Score a table in Parquet file by file."""
    from metra.errors import OptionError
    from metra.formats.texts.sources import list_sources
    from metra.text.columns import import_pyarrow

    files = list_sources(outputs, input_format=input_format)
    if len(files) != 1 or files[0].format is not PARQUET:
        msg = (
            "--scores-out and --resume are for a table in Parquet files, with a column for "
            "each system; `metra convert` makes one of files in other formats."
        )
        raise OptionError(msg)
    import_pyarrow("Scoring Parquet in parts")
    from metra.scoring.tables import score_table

    def say(done: int, share: float) -> None:
        progress.share = lambda: share
        progress(done)

    return score_table(
        files[0].shards or (files[0].path,),
        specs,
        columns=table.names,
        group_by=table.group_by,
        scores_out=table.scores_out,
        resume=table.resume,
        system=files[0].name,
        progress=say,
    )


ENGINE_OPTIONS = (
    click.option(
        "--engine",
        type=click.Choice(["local", "spark"]),
        default="local",
        show_default=True,
        help="Who does the work: this machine, or Spark, for tables in Parquet.",
    ),
    click.option(
        "--master",
        metavar="URL",
        help="Where Spark is; local[*], if not given: all cores of this machine.",
    ),
    click.option(
        "--spark-conf",
        "spark_conf",
        multiple=True,
        metavar="KEY=VALUE",
        help="Setting for Spark. May be given several times.",
    ),
)


def check_engine_options(
    engine: str,
    master: str | None,
    spark_conf: Sequence[str],
    others: Mapping[str, Any],
) -> None:
    """Refuse options that the engine has no use for, or no answer to."""
    if engine == "local" and (master or spark_conf):
        name = "--master" if master else "--spark-conf"
        msg = f"{name} is for Spark; give --engine spark as well, or leave it out."
        raise click.UsageError(msg)
    other = next((name for name, value in others.items() if value), None)
    if engine == "spark" and other:
        msg = (
            f"{other} and --engine spark cannot be given together; Spark scores tables in "
            "Parquet by their columns: leave one of them out."
        )
        raise click.UsageError(msg)


def score_on_spark(
    paths: Sequence[str],
    table: "TableOptions",
    specs: Sequence[str],
    master: str | None,
    spark_conf: Sequence[str],
    progress: "ProgressLine",
) -> "Results":
    """Score a table in Parquet wherever Spark finds it."""
    import logging

    from metra.text.columns import import_pyarrow

    settings = dict(map(_parse_setting, spark_conf))
    import_pyarrow("Scoring on Spark")
    from metra.scoring.tables import score_table

    def say(done: int, share: float) -> None:
        progress.share = lambda: share
        progress(done)

    # The bridge to Java logs in what it was interrupted; what happened is said by us.
    logging.disable()
    try:
        return score_table(
            paths,
            specs,
            columns=table.names,
            group_by=table.group_by,
            scores_out=table.scores_out,
            engine="spark",
            progress=say,
            master=master,
            conf=settings,
            # What Java took to start says nothing about the rest.
            started=progress.begin,
        )
    finally:
        logging.disable(logging.NOTSET)


def _parse_setting(given: str) -> tuple[str, str]:
    key, equals, value = given.partition("=")
    if not equals:
        msg = f"--spark-conf {given}: expected KEY=VALUE, as spark.executor.memory=4g."
        raise click.UsageError(msg)
    return key, value


references = click.option(
    "-r",
    "--reference",
    "references",
    multiple=True,
    metavar="FILE",
    help="Reference, one segment a line or in any format. May be given several times.",
)

source = click.option(
    "-s",
    "--source",
    metavar="FILE",
    help="Source text, one segment a line or in any format.",
)

documents = click.option(
    "--docs",
    metavar="FILE",
    help="Document ids, one a line; a tab and the segment's id may follow.",
)


def input_format_of(*formats: str) -> Callable[..., Any]:
    """Make the option that names the format of files, for what the command can read."""
    return click.option(
        "--input-format",
        type=click.Choice(["auto", *formats]),
        default="auto",
        show_default=True,
        help="Format of all input files; auto goes by name and content.",
    )


input_format = input_format_of(*FORMATS)


def metrics_of(*default: str) -> Callable[..., Any]:
    """Make the option that names measures; a command that is given none takes these."""
    return click.option(
        "-m",
        "--metric",
        "metrics",
        multiple=True,
        metavar="SPEC",
        show_default=", ".join(default),
        help="NAME or NAME:option=value,… (see `metra metrics`). May be given several times.",
    )


metrics = metrics_of("bleu")

seed = click.option(
    "--seed",
    type=click.IntRange(0),
    default=12345,
    show_default=True,
    help="Seed of the random draws.",
)

form = click.option(
    "--format",
    "form",
    type=click.Choice(report.FORMATS),
    default="table",
    show_default=True,
    help="How the results are written.",
)

table_or_json = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How the results are written.",
)

out = click.option(
    "-o", "--out", metavar="FILE", help="Write here instead of to the screen."
)


def digits_of(default: int) -> Callable[..., Any]:
    """Make the option that says how many digits tables have."""
    return click.option(
        "--digits",
        type=click.IntRange(0, 15),
        default=default,
        show_default=True,
        help="Digits after the point in tables.",
    )


digits = digits_of(2)

labels = click.option(
    "--labels",
    multiple=True,
    metavar="NAME=FILE",
    help="Scores by label, one a line for each segment. May be given several times.",
)


ANALYSIS_OPTIONS = (
    click.option(
        "--changes",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Show the N segments that improved most and the N that worsened most.",
    ),
    click.option(
        "--changes-by",
        metavar="SPEC",
        help="Which metric sorts them; the first if not given.",
    ),
    click.option(
        "--changes-order",
        type=click.Choice(["gain", "impact"]),
        default="gain",
        show_default=True,
        help="Sort by the change of the segment's score, or of the corpus score by it.",
    ),
    click.option(
        "--min-change",
        type=FiniteRange(0),
        default=0.0,
        metavar="POINTS",
        help="Show only segments whose score changed by so much.",
    ),
    click.option(
        "--min-words",
        type=click.IntRange(0),
        default=5,
        show_default=True,
        metavar="N",
        help="Show only segments whose references have so many words.",
    ),
    click.option(
        "--ngrams",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Show the N n-grams that were gained, lost, mended and broken most.",
    ),
    click.option(
        "--bucket",
        "buckets",
        multiple=True,
        metavar="KIND",
        help="Scores by length, source-length, frequency, document or score; with bounds as in "
        "length:10,20,40. May be given several times.",
    ),
    labels,
    click.option(
        "--frequency-corpus",
        metavar="FILE",
        help="Where words are counted for --bucket frequency; the references if not given.",
    ),
    click.option("--profiles", is_flag=True, help="Describe each system's output."),
)


def read_analysis_options(
    *,
    changes: int,
    changes_by: str | None,
    changes_order: str,
    min_change: float,
    min_words: int,
    ngrams: int,
    buckets: tuple[str, ...],
    labels: tuple[str, ...],
    frequency_corpus: str | None,
    profiles: bool,
    seed: int,
) -> "AnalysisOptions":
    """Read the files that the options name, and say what is to be found out."""
    from metra.analysis.findings import AnalysisOptions
    from metra.formats.lines import read_lines
    from metra.scoring.files import read_labels

    return AnalysisOptions(
        changes=changes,
        changes_by=changes_by,
        changes_order=changes_order,
        min_change=min_change,
        min_words=min_words,
        ngrams=ngrams,
        buckets=buckets,
        labels=read_labels(labels),
        frequency_corpus=read_lines(frequency_corpus) if frequency_corpus else None,
        profiles=profiles,
        seed=seed,
    )


def parse_segment_numbers(
    _: click.Context, __: click.Parameter, value: str | None
) -> list[range] | None:
    """Read numbers and ranges of segments, counted from 1, such as 1,3-5."""
    if value is None:
        return None
    found = []
    for piece in value.split(","):
        numbers = re.fullmatch(r"\s*([0-9]{1,18})(?:-([0-9]{1,18}))?\s*", piece)
        first = int(numbers[1]) if numbers else 0
        last = int(numbers[2] or first) if numbers else 0
        if not 1 <= first <= last:
            msg = (
                f"{piece!r} names no segments; expected numbers from 1 and ranges such "
                "as 3-5, separated by commas."
            )
            raise click.BadParameter(msg)
        found.append(range(first, last + 1))
    return found


def check_alignment_options(
    show: bool, segments: list[range] | None, form: str, *, details: bool = False
) -> None:
    """Refuse options that do not go together."""
    if segments is not None and not show:
        msg = "--segments says which alignments to show; add --show-alignment."
        raise click.UsageError(msg)
    for option, given in {"--show-alignment": show, "--details": details}.items():
        if given and form not in ("table", "json"):
            msg = (
                f"{option} does not work with --format {form}; "
                "expected --format table or json."
            )
            raise click.UsageError(msg)
