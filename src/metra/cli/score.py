"""`metra score`: outputs against references, by any metrics, at any level."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from metra.cli import options, output
from metra.cli.options import option
from metra.errors import not_possible
from metra.metrics import DEFAULT_METRIC
from metra.stats import defaults

if TYPE_CHECKING:
    from metra.metrics.record import Metric
    from metra.report.table import Style
    from metra.scoring.evaluate import ScoringRequest
    from metra.scoring.files import CorpusFiles
    from metra.scoring.results import Results
    from metra.stats.parallel import Progress


@click.command(cls=options.FileCommand)
@click.argument("outputs", nargs=-1, metavar="[OUTPUT]...")
@options.input_files(*options.CORPUS)
@options.metrics(DEFAULT_METRIC)
@option(
    "--model models FILE",
    "Quality model in TOML: adds its overall score and its metrics. May be given "
    "several times.",
    multiple=True,
)
@option("--level", "Levels to score: any of system,document,segment.", "system")
@option(
    "--ci", "Add 95% bootstrap confidence intervals to system scores.", is_flag=True
)
@option("--ci-method", "Method for the interval.", choices=["percentile", "bca"])
@options.unit
@option("--trials", "Number of resamples.", defaults.TRIALS, least=1)
@options.seed
@option(
    "--show-alignment alignments",
    "Show word alignments between outputs and references (wer, cer and similar "
    "metrics).",
    is_flag=True,
)
@option(
    "--details",
    "List the errors that metrics found, such as missing names, missing terms or "
    "wrong words.",
    is_flag=True,
)
@option(
    "--estimate",
    "Estimate the requests and the cost of -m llm without sending anything.",
    is_flag=True,
)
@option(
    "--group-by COLUMN[,COLUMN]",
    "Also score each group of segments, such as each language pair or domain.",
    multiple=True,
)
@option(
    "--scores-out FOLDER",
    "Copy each Parquet file to this folder, with a column of segment scores for each "
    "metric.",
)
@option(
    "--resume FOLDER",
    "Save the totals of each finished Parquet file in this folder and resume from them.",
)
@option(
    "--engine",
    "Compute on this machine, or on Spark (Parquet tables only), whose master is all "
    "cores of this machine or the one named.",
    "local",
    metavar="local|spark[:MASTER]",
)
@options.result_form
@options.out
@options.result_digits
@option("--sort", "Sort systems by the first metric, best first.", is_flag=True)
@option("--save FILE", "Also save a baseline for `metra gate`.")
@option("-b --score-only", "Print only the scores.", is_flag=True)
@option(
    "--verbose",
    "Show the components of each score, such as BLEU's precisions.",
    is_flag=True,
)
@options.paper
@options.strict
def score(
    files: "CorpusFiles",
    metrics: tuple[str, ...],
    models: tuple[str, ...],
    form: str,
    out: str | None,
    sort: bool,
    **given: Any,
) -> None:
    """Score one or more OUTPUTs against one or more references.

    An OUTPUT is a file, one segment per line; its name without the extension names the
    system, or write NAME=FILE. "-" is standard input. Files compressed with gzip, xz or
    zstd are read directly. A .csv, .tsv, .xlsx, .json, .jsonl, .parquet, .sgm or .xml file
    (NIST's SGML, WMT's XML) may also contain the source, references, documents and several
    systems. Parts of a table in Parquet are read as one, of any size.

    \b
    metra score sysA.txt sysB.txt -r ref.txt --ci
    metra score sysA.txt -r ref1.txt -r ref2.txt -m bleu:tok=intl --level segment --format tsv
    metra score test.tsv -m bleu -m bleu:stem=english
    metra score test.xlsx --read sheet=Texts,hyp=MT,ref=Human
    metra score sysA.txt -r ref.txt -m wer --show-alignment
    metra score sysA.sgm sysB.sgm -r ref.sgm -s src.sgm --level system,document
    metra score sysA.txt -r ref.txt --model gisting.toml --ci
    metra score sysA.txt -t wmt23 -l en-de --read subset=origlang=en
    metra score data/*.parquet --read hyp=A=mt_a,ref=ref --group-by lp,domain
    metra score sysA.txt sysB.txt -r ref.txt -m bleu -m comet@comet.json --ci
    metra score --scores automatic_scores --sort
    """
    from metra.scoring.evaluate import check_first_rows, evaluate_files, make_metrics

    levels = [level.strip() for level in given["level"].split(",")]
    specs, described = [*metrics], []
    for path in models:
        from metra.formats.annotations.quality_model import read_quality_model

        model = read_quality_model(path)
        described.append(model)
        # The figure of each model, then the metrics that it is made of.
        specs += [f"quality:model={path}", *(member.spec for member in model.members)]
    options.require_outputs(files.outputs, specs)
    if not specs and not files.score_columns:
        specs.append(DEFAULT_METRIC)
    chosen = make_metrics(specs) if specs else {}
    request = _build_request(files, chosen, levels, given)
    _check_together(request, form, levels, given)
    style = output.build_result_style(form, out, given, sort=sort)
    if given["estimate"]:
        output.write_output(_estimate(request, form, style), out)
        return
    if request.engine == "local" and request.is_table:
        # Before anything is written to the folders of --scores-out and --resume.
        with output.show_text_warnings(strict=given["strict"]):
            check_first_rows(request)
    with (
        output.show_text_warnings(strict=given["strict"]),
        output.show_progress() as progress,
    ):
        if given["save"]:
            results, saved = _evaluate_and_save(request, progress)
        else:
            results = evaluate_files(request, progress)
    text = _render(results, form, style, given)
    if described and isinstance(text, str) and form == "table":
        from metra.report.writers.details import describe_models

        text += f"\n\n{describe_models(described)}"
    if given["save"]:
        output.write_output(saved, given["save"])
    output.write_output(text, out)


def _estimate(request: "ScoringRequest", form: str, style: "Style") -> str:
    from metra.report.writers.details import build_estimate_report
    from metra.report.writers.meta import render
    from metra.scoring.evaluate import estimate_files

    if not any(metric.notes.estimate for metric in request.metrics.values()):
        msg = "--estimate needs a metric that sends requests; add -m llm:…"
        raise click.UsageError(msg)
    return render(build_estimate_report(estimate_files(request)), form, style)


def _evaluate_and_save(
    request: "ScoringRequest", progress: "Progress"
) -> "tuple[Results, str]":
    """Score the files, and write a baseline of them as JSON."""
    from dataclasses import replace

    from metra.report.writers.gate import render_baseline
    from metra.scoring.baseline import count_baseline

    corpus, metrics = request.open()
    results, baseline = count_baseline(
        corpus, metrics, request.options, progress=progress
    )
    results = replace(results, layouts=corpus.layouts, joined=corpus.joined)
    return results, render_baseline(results, baseline)


def _render(
    results: "Results", form: str, style: "Style", given: dict[str, Any]
) -> str | bytes | Iterator[str]:
    from metra.report.writers import results as writers

    if given["methods"]:
        from metra.report.writers.paper import describe_methods

        return describe_methods(results, form, style)
    if given["score_only"]:
        return writers.render_scores_only(results, style)
    if form == "xlsx":
        from metra.report.writers.paper import render_xlsx

        return render_xlsx(results, style)
    if form == "table":  # what models consist of may follow
        return writers.render_terminal(results, style)
    return writers.write(results, form, style)


def _build_request(
    files: "CorpusFiles",
    metrics: "dict[str, Metric]",
    levels: list[str],
    given: dict[str, Any],
) -> "ScoringRequest":
    """Make sense of the options."""
    from metra.formats.texts.columns import ColumnNames
    from metra.scoring.evaluate import ScoringRequest, build_options

    groups = [name.strip() for entry in given["group_by"] for name in entry.split(",")]
    if groups:
        columns = (files.columns or ColumnNames())._replace(labels=tuple(groups))
        files = files._replace(columns=columns)
    names = ("ci", "ci_method", "trials", "seed", "alignments", "details")
    asked = build_options(levels)._replace(
        **{name: given[name] for name in names}, ci_unit=given["unit"]
    )
    engine, _, master = given["engine"].partition(":")
    if engine not in ("local", "spark") or (master and engine == "local"):
        problem = not_possible(f"--engine {given['engine']}", "local or spark[:MASTER]")
        raise click.UsageError(problem)
    return ScoringRequest(
        files,
        metrics,
        asked,
        tuple(dict.fromkeys(groups)),
        given["scores_out"],
        given["resume"],
        engine,
        {"master": master or None},
    )


#: Formats that can show what a flag asks for.
_FORMATS = {
    "--show-alignment": ("table", "json"),
    "--details": ("table", "json"),
    "--estimate": ("table", "json"),
    "-b": ("table",),
    "--verbose": ("table",),
}
_FILES = ("-r", "-s", "--docs", "-t")
_PARTS = ("--group-by", "--scores-out", "--resume")
_EXPLAINED = ("--show-alignment", "--details")
_LEVELS = ("--level document", "--level segment")
_SPARK = "Spark scores tables in Parquet by their columns: "
#: Flags of which none goes together with any of the others, and the reason.
_EXCLUDED = (
    (("--ci", *_EXPLAINED, *_LEVELS), _PARTS, ""),
    (
        ("--ci", *_EXPLAINED, *_LEVELS, *_FILES, "--read format", "--resume"),
        ("--engine spark",),
        _SPARK,
    ),
    (("--save",), (*_PARTS, "--engine spark", *_EXPLAINED), ""),
    (("-b",), (*_LEVELS, "--verbose", "--methods"), ""),
)


def _check_together(
    request: "ScoringRequest", form: str, levels: list[str], given: dict[str, Any]
) -> None:
    """Refuse options that do not go together."""
    names = ("ci", "details", "estimate", "verbose", "save", "methods")
    files = request.files
    flags: dict[str, object] = {f"--{name}": given[name] for name in names} | {
        "--show-alignment": given["alignments"],
        "-b": given["score_only"],
        **dict(zip(_FILES, (*files[1:4], files.test_set), strict=True)),
        "--read format": files.input_format not in ("auto", "parquet"),
        **dict(zip(_PARTS, request[3:6], strict=True)),
        "--engine spark": request.engine == "spark",
        **{flag: flag.removeprefix("--level ") in levels for flag in _LEVELS},
    }
    for flag, forms in _FORMATS.items():
        if flags[flag] and form not in forms:
            problem = f"{flag} does not work with --format {form}"
            msg = f"{problem}; expected --format {' or '.join(forms)}."
            raise click.UsageError(msg)
    excluded = [*_EXCLUDED]
    if any(map(flags.get, _FILES)) and any(map(flags.get, _PARTS)) and request.is_table:
        excluded.append((_FILES, _PARTS, ""))
    for some, others, reason in excluded:
        first = next(filter(flags.get, some), None)
        second = next(filter(flags.get, others), None)
        if first and second:
            problem = f"{first} and {second} cannot be given together"
            msg = f"{problem}; {reason}leave one of them out."
            raise click.UsageError(msg)
