"""`metra score`: outputs against references, by any metrics, at any level."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from metra.cli import options
from metra.stats import defaults

if TYPE_CHECKING:
    from metra.formats.annotations.quality_model import QualityModel
    from metra.scoring.evaluate import ScoringRequest

LEVELS = ("system", "document", "segment")


def _parse_levels(_: click.Context, __: click.Parameter, value: str) -> list[str]:
    levels = [level.strip() for level in value.split(",")]
    for level in levels:
        if level not in LEVELS:
            msg = f"{level!r} is no level; expected some of {', '.join(LEVELS)}."
            raise click.BadParameter(msg)
    return levels


def _parse_segments(
    _: click.Context, __: click.Parameter, value: str | None
) -> list[range] | None:
    """Read numbers and ranges of segments, counted from 1, such as 1,3-5."""
    if value is None:
        return None
    chosen = []
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
        chosen.append(range(first, last + 1))
    return chosen


@click.command()
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.references
@options.source
@options.metrics
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="FILE",
    help="Quality model in TOML: its figure, and its measures. May be given several times.",
)
@options.documents
@click.option(
    "--level",
    "levels",
    default="system",
    callback=_parse_levels,
    show_default=True,
    help="Some of system,document,segment: which scores to give.",
)
@click.option(
    "--ci", is_flag=True, help="95% bootstrap intervals of the system scores."
)
@click.option(
    "--ci-method",
    type=click.Choice(["percentile", "bca"]),
    default="percentile",
    show_default=True,
    help="How the interval is read off the resamples.",
)
@click.option(
    "--ci-unit",
    type=click.Choice(["auto", "segment", "document"]),
    default="auto",
    show_default=True,
    help="What is resampled; auto: documents where at least 20 are known.",
)
@click.option(
    "--trials",
    type=click.IntRange(1),
    default=defaults.TRIALS,
    show_default=True,
    help="Number of resamples.",
)
@options.seed
@click.option(
    "--show-alignment",
    is_flag=True,
    help="Show word by word how outputs differ from references (wer, cer and the like).",
)
@click.option(
    "--segments",
    callback=_parse_segments,
    metavar="LIST",
    help="Show the alignments of these segments only, for example 1,3-5.",
)
@click.option(
    "--details",
    is_flag=True,
    help="List what measures noted, such as names and terms that are missing.",
)
@click.option(
    "--hyp-column",
    "hyp_columns",
    multiple=True,
    metavar="[NAME=]COLUMN",
    help="Column with a system's outputs, in a table. May be given several times.",
)
@click.option(
    "--ref-column",
    "ref_columns",
    multiple=True,
    metavar="COLUMN",
    help="Column with references, in a table. May be given several times.",
)
@click.option(
    "--source-column", metavar="COLUMN", help="Column with the source, in a table."
)
@click.option(
    "--doc-column", metavar="COLUMN", help="Column with documents, in a table."
)
@click.option(
    "--group-by",
    "group_by",
    multiple=True,
    metavar="COLUMN[,COLUMN]",
    help="Scores of each group of segments beside the total: by language pair, domain …",
)
@click.option(
    "--nulls",
    type=click.Choice(["refuse", "empty"]),
    default="refuse",
    show_default=True,
    help="A null where a text has to be, in Parquet: an error, or an empty text.",
)
@click.option(
    "--scores-out",
    metavar="FOLDER",
    help="Write each Parquet file here with a column of segment scores for each metric.",
)
@click.option(
    "--resume",
    metavar="FOLDER",
    help="Keep the totals of each finished Parquet file here; go on from what is kept.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    show_default=True,
    help="Who does the work: this machine, or Spark, for tables in Parquet.",
)
@click.option(
    "--master",
    metavar="URL",
    help="Where Spark is; local[*], if not given: all cores of this machine.",
)
@click.option(
    "--spark-conf",
    "spark_conf",
    multiple=True,
    metavar="KEY=VALUE",
    help="Setting for Spark. May be given several times.",
)
@options.form
@options.out
@options.input_format
@options.digits
@click.option("--sort", is_flag=True, help="Best system first, by the first metric.")
def score(
    form: str,
    out: str | None,
    digits: int,
    sort: bool,
    models: tuple[str, ...],
    **given: Any,
) -> None:
    """Score one or more OUTPUTs against one or more references.

    An OUTPUT is a file, one segment a line; its name without the ending names the system,
    or write NAME=FILE. "-" is standard input. Files packed with gzip, xz or zstd are read
    as they are. A .tsv, .jsonl, .parquet, .sgm or .xml file (NIST's SGML, WMT's XML) may
    carry the source, the references, the documents and several systems at once. Several
    Parquet files are one table, of any size.

    \b
    metra score sysA.txt sysB.txt -r ref.txt --ci
    metra score sysA.txt -r ref1.txt -r ref2.txt -m bleu:tok=intl --level segment --format tsv
    metra score test.tsv -m bleu -m bleu:stem=english
    metra score sysA.txt -r ref.txt -m wer --show-alignment --segments 1,3-5
    metra score sysA.sgm sysB.sgm -r ref.sgm -s src.sgm --level system,document
    metra score sysA.txt -r ref.txt --model gisting.toml --ci
    metra score data/*.parquet --hyp-column A=mt_a --ref-column ref --group-by lp,domain
    """
    from metra.cli.output import ProgressLine, build_style, write_output
    from metra.report.writers.results import render
    from metra.scoring.evaluate import evaluate_files

    members = _read_models(models)
    request = _build_request(form, members, **given)
    with ProgressLine("segments" if request.engine == "local" else "tasks") as progress:
        results = evaluate_files(request, progress)
    text = render(results, form, build_style(digits, out, sort=sort))
    write_output(_add_legend(text, form, members.values()), out)


def _read_models(paths: Iterable[str]) -> "dict[str, QualityModel]":
    models = {}
    for path in paths:
        from metra.formats.annotations.quality_model import read_quality_model

        models[path] = read_quality_model(path)
    return models


def _build_request(
    form: str,
    models: "Mapping[str, QualityModel]",
    *,
    metrics: tuple[str, ...],
    levels: list[str],
    master: str | None,
    spark_conf: tuple[str, ...],
    **given: Any,
) -> "ScoringRequest":
    """Make sense of the options; refuse those that do not go together."""
    from metra.formats.texts.columns import ColumnNames
    from metra.scoring.evaluate import EvaluationOptions, ScoringRequest, make_metrics

    specs = list(metrics)
    for path, model in models.items():
        # The figure of each model, then the metrics that it is made of.
        specs += [f"quality:model={path}", *(member.spec for member in model.members)]
    chosen = make_metrics(specs or ["bleu"])
    groups = [name.strip() for entry in given["group_by"] for name in entry.split(",")]
    columns = ColumnNames(
        outputs=tuple(map(_split_column, given["hyp_columns"])),
        references=given["ref_columns"],
        source=given["source_column"],
        document=given["doc_column"],
        labels=tuple(groups),
        nulls=given["nulls"],
    )
    request = ScoringRequest(
        given["outputs"],
        chosen,
        references=given["references"],
        source=given["source"],
        documents=given["docs"],
        input_format=given["input_format"],
        columns=columns if columns != ColumnNames() else None,
        options=EvaluationOptions(
            documents="document" in levels,
            segments="segment" in levels,
            **{name: given[name] for name in _INTERVALS},
        ),
        group_by=tuple(dict.fromkeys(groups)),
        alignments=given["show_alignment"],
        aligned_segments=given["segments"],
        details=given["details"],
        scores_out=given["scores_out"],
        resume=given["resume"],
        engine=given["engine"],
        settings={"master": master, "conf": dict(map(_parse_setting, spark_conf))},
    )
    _check_request(request, form, levels)
    return request


_INTERVALS = ("ci", "ci_method", "ci_unit", "trials", "seed")


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


def _check_request(request: "ScoringRequest", form: str, levels: list[str]) -> None:
    """Refuse options that do not go together."""
    if request.aligned_segments is not None and not request.alignments:
        msg = "--segments says which alignments to show; add --show-alignment."
        raise click.UsageError(msg)
    explained = {"--show-alignment": request.alignments, "--details": request.details}
    for option, given in explained.items():
        if given and form not in ("table", "json"):
            msg = (
                f"{option} does not work with --format {form}; "
                "expected --format table or json."
            )
            raise click.UsageError(msg)
    for option, value in {"master": "--master", "conf": "--spark-conf"}.items():
        if request.engine == "local" and request.settings.get(option):
            msg = f"{value} is for Spark; give --engine spark as well, or leave it out."
            raise click.UsageError(msg)
    alone = {"--ci": request.options.ci, **explained}
    alone |= {f"--level {level}": True for level in levels if level != "system"}
    files = {
        "-r": request.references,
        "-s": request.source,
        "--docs": request.documents,
    }
    parts = {
        "--group-by": request.group_by,
        "--scores-out": request.scores_out,
        "--resume": request.resume,
    }
    _refuse_both(alone, parts)
    if request.engine == "spark":
        parquet = request.input_format in ("auto", "parquet")
        others = {"--resume": request.resume, "--input-format": not parquet}
        _refuse_both(
            {**alone, **files, **others},
            {"--engine spark": True},
            "; Spark scores tables in Parquet by their columns: leave",
        )
    elif any(files.values()) and any(parts.values()) and request.is_table:
        _refuse_both(files, parts)


def _refuse_both(
    options: Mapping[str, object],
    others: Mapping[str, object],
    reason: str = "; leave",
) -> None:
    """Refuse the first two options that were given and exclude each other."""
    option = next((name for name, value in options.items() if value), None)
    other = next((name for name, value in others.items() if value), None)
    if option and other:
        msg = f"{option} and {other} cannot be given together{reason} one of them out."
        raise click.UsageError(msg)


def _parse_setting(given: str) -> tuple[str, str]:
    key, equals, value = given.partition("=")
    if not equals:
        msg = f"--spark-conf {given}: expected KEY=VALUE, as spark.executor.memory=4g."
        raise click.UsageError(msg)
    return key, value


def _add_legend(text: str, form: str, models: "Iterable[QualityModel]") -> str:
    """Say below a table what the quality models are."""
    described = list(models)
    if not described or form != "table":
        return text
    from metra.report.writers.details import describe_models

    return f"{text}\n\n{describe_models(described)}"
