"""`metra score`: outputs against references, by any measures, at any level."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from metra.cli import options
from metra.cli.options import check_alignment_options, parse_segment_numbers

if TYPE_CHECKING:
    from metra.formats.annotations.quality_model import QualityModel

LEVELS = ("system", "document", "segment")
PARQUET = ("auto", "parquet")


def _parse_levels(_: click.Context, __: click.Parameter, value: str) -> list[str]:
    levels = [level.strip() for level in value.split(",")]
    for level in levels:
        if level not in LEVELS:
            msg = f"{level!r} is no level; expected some of {', '.join(LEVELS)}."
            raise click.BadParameter(msg)
    return levels


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
    default=1000,
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
    callback=parse_segment_numbers,
    metavar="LIST",
    help="Show the alignments of these segments only, for example 1,3-5.",
)
@click.option(
    "--details",
    is_flag=True,
    help="List what measures noted, such as names and terms that are missing.",
)
@options.add_options(options.TABLE_OPTIONS)
@options.add_options(options.ENGINE_OPTIONS)
@options.form
@options.out
@options.input_format
@options.digits
@click.option("--sort", is_flag=True, help="Best system first, by the first metric.")
def score(
    outputs: tuple[str, ...],
    references: tuple[str, ...],
    source: str | None,
    metrics: tuple[str, ...],
    models: tuple[str, ...],
    docs: str | None,
    levels: list[str],
    ci: bool,
    ci_method: str,
    ci_unit: str,
    trials: int,
    seed: int,
    show_alignment: bool,
    segments: list[range] | None,
    details: bool,
    form: str,
    out: str | None,
    input_format: str,
    digits: int,
    sort: bool,
    engine: str,
    master: str | None,
    spark_conf: tuple[str, ...],
    **columns: Any,
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
    from metra.cli.output import (
        ProgressLine,
        get_screen_width,
        wants_color,
        write_output,
    )
    from metra.report.table import Style
    from metra.report.writers.results import render
    from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus, make_metrics
    from metra.scoring.files import open_corpus

    described = _read_models(models)
    chosen = make_metrics([*metrics, *_list_model_specs(models, described)] or ["bleu"])
    check_alignment_options(show_alignment, segments, form, details=details)
    aligned = noting = None
    if show_alignment:
        from metra.scoring.alignments import add_alignments, find_aligners

        aligned = find_aligners(chosen)
    if details:
        from metra.scoring.details import add_details, select_detailed

        noting = select_detailed(chosen)
    questions = EvaluationOptions(
        documents="document" in levels,
        segments="segment" in levels,
        ci=ci,
        ci_method=ci_method,  # type: ignore[arg-type]  # click has checked it
        ci_unit=ci_unit,
        trials=trials,
        seed=seed,
    )
    table = options.build_table_options(**columns)
    alone = {"--ci": ci, "--show-alignment": show_alignment, "--details": details}
    alone |= {f"--level {level}": True for level in levels if level != "system"}
    options.check_table_options(table, alone)
    files = {"-r": references, "-s": source, "--docs": docs}
    parts = {"--resume": table.resume, "--input-format": input_format not in PARQUET}
    options.check_engine_options(
        engine, master, spark_conf, {**alone, **files, **parts}
    )
    if engine == "spark":
        with ProgressLine("tasks") as progress:
            results = options.score_on_spark(
                outputs, table, list(chosen), master, spark_conf, progress
            )
    elif table.in_parts or (
        table.group_by and options.is_parquet(outputs, input_format)
    ):
        options.check_table_options(table, files)
        with ProgressLine() as progress:
            results = options.score_in_parts(
                outputs, table, list(chosen), input_format, progress
            )
    else:
        corpus = open_corpus(
            outputs,
            references,
            source,
            docs,
            input_format=input_format,
            columns=table.names,
        )
        with ProgressLine() as progress:
            progress.share = corpus.share
            results = evaluate_corpus(
                corpus, chosen, questions, group_by=table.group_by, progress=progress
            )
            if aligned:
                results = add_alignments(results, corpus, aligned, segments)
            if noting:
                results = add_details(results, corpus, noting)
    style = Style(
        digits=digits,
        color=wants_color() and not out,
        sort=sort,
        width=None if out else get_screen_width(),
    )
    text = render(results, form, style)
    if described and form == "table":
        from metra.report.writers.details import describe_models

        text += f"\n\n{describe_models(described)}"
    write_output(text, out)


def _read_models(paths: Sequence[str]) -> "list[QualityModel]":
    if not paths:
        return []
    from metra.formats.annotations.quality_model import read_quality_model

    return [read_quality_model(path) for path in paths]


def _list_model_specs(
    paths: Sequence[str], models: "Sequence[QualityModel]"
) -> Iterator[str]:
    """Give the figure of each model, then the measures that it is made of."""
    for path, model in zip(paths, models, strict=True):
        yield f"quality:model={path}"
        yield from (member.spec for member in model.members)
