"""`metra score`: outputs against references, by any metrics, at any level."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from metra.cli import options
from metra.cli.options import option
from metra.stats import defaults

if TYPE_CHECKING:
    from metra.metrics.record import Metric
    from metra.report.table import Style
    from metra.scoring.evaluate import ScoringRequest
    from metra.scoring.results import Results
    from metra.stats.parallel import Progress

LEVELS = ("system", "document", "segment")


@click.command(cls=options.FileCommand)
@click.argument("outputs", nargs=-1, metavar="[OUTPUT]...")
@options.references
@options.source
@options.test_set
@options.metrics("bleu")
@option(
    "--model models FILE",
    "Quality model in TOML: adds its overall score and its metrics. May be given "
    "several times.",
    multiple=True,
)
@options.documents
@option("--level", "Levels to score: any of system,document,segment.", LEVELS[0])
@option(
    "--ci", "Add 95% bootstrap confidence intervals to system scores.", is_flag=True
)
@option(
    "--ci-method",
    "Method for the interval.",
    choices=["percentile", "bca"],
)
@option(
    "--ci-unit",
    "Unit of resampling; auto: documents if there are at least 20, else segments.",
    choices=["auto", "segment", "document"],
)
@option("--trials", "Number of resamples.", defaults.TRIALS, least=1)
@options.seed
@option(
    "--show-alignment alignments",
    "Show word alignments between outputs and references (wer, cer and similar "
    "metrics).",
    is_flag=True,
)
@option(
    "--segments aligned_segments LIST",
    "Show alignments of these segments only, for example 1,3-5.",
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
@options.tables
@options.SCORE_COLUMN
@option(
    "--group-by COLUMN[,COLUMN]",
    "Also score each group of segments, such as each language pair or domain.",
    multiple=True,
)
@option(
    "--nulls",
    "Treat a null in a Parquet text column as an error or as an empty text.",
    choices=["refuse", "empty"],
)
@option(
    "--scores-out FOLDER",
    "Copy each Parquet file to this folder, with a column of segment scores for each "
    "metric.",
)
@option(
    "--resume FOLDER",
    "Save the totals of each finished Parquet file in this folder and resume from them; on "
    "Spark, the first pass of metrics with two passes.",
)
@option(
    "--part NUMBER/PARTS",
    "Process one part of the Parquet files, such as 3/20, and save it in --resume "
    "FOLDER; when all parts are done, run the same command without --part for the "
    "scores.",
)
@option(
    "--engine",
    "Compute on this machine, or on Spark (Parquet tables only).",
    choices=["local", "spark"],
)
@option("--master URL", "Spark master; by default local[*], all cores of this machine.")
@option(
    "--spark-conf KEY=VALUE",
    "Spark setting. May be given several times.",
    multiple=True,
)
@options.result_form
@options.out
@options.input_format
@options.result_digits
@option("--sort", "Sort systems by the first metric, best first.", is_flag=True)
@option("--save FILE", "Also save a baseline for `metra gate`.")
@option("-b --score-only", "Print only the scores.", is_flag=True)
@option(
    "--verbose",
    "Show the components of each score, such as BLEU's precisions.",
    is_flag=True,
)
@options.add_paper_options
@options.strict
def score(
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
    systems. Several Parquet files are read as one table of any size.

    \b
    metra score sysA.txt sysB.txt -r ref.txt --ci
    metra score sysA.txt -r ref1.txt -r ref2.txt -m bleu:tok=intl --level segment --format tsv
    metra score test.tsv -m bleu -m bleu:stem=english
    metra score test.xlsx --sheet Texts --hyp-column MT --ref-column Human
    metra score sysA.txt -r ref.txt -m wer --show-alignment --segments 1,3-5
    metra score sysA.sgm sysB.sgm -r ref.sgm -s src.sgm --level system,document
    metra score sysA.txt -r ref.txt --model gisting.toml --ci
    metra score sysA.txt -t wmt23 -l en-de --subset origlang=en
    metra score data/*.parquet --hyp-column A=mt_a --ref-column ref --group-by lp,domain
    metra score sysA.txt sysB.txt -r ref.txt -m bleu -m comet@comet.json --ci
    metra score --scores automatic_scores --sort
    """
    from metra.cli.output import (
        build_result_style,
        show_progress,
        show_text_warnings,
        write_output,
    )
    from metra.scoring.evaluate import (
        check_first_rows,
        evaluate_files,
        make_metrics,
    )

    levels = [level.strip() for level in given["level"].split(",")]
    for level in levels:
        if level not in LEVELS:
            msg = f"{level!r} is not a level; expected some of {', '.join(LEVELS)}."
            raise click.BadParameter(msg, param_hint="'--level'")
    specs, described = [*metrics], []
    for path in models:
        from metra.formats.annotations.quality_model import read_quality_model

        model = read_quality_model(path)
        described.append(model)
        # The figure of each model, then the metrics that it is made of.
        specs += [f"quality:model={path}", *(member.spec for member in model.members)]
    options.require_outputs(given["outputs"], specs)
    if not specs and not given["score_columns"]:
        specs.append("bleu")
    request = _build_request(make_metrics(specs) if specs else {}, levels, given)
    _check_request(request, form, levels)
    _check_look(given, form, levels)
    style = build_result_style(form, out, given, sort=sort)
    if given["estimate"]:
        write_output(_estimate(request, form, style), out)
        return
    if request.engine == "local" and request.is_table:
        # Before anything is written to the folders of --scores-out and --resume.
        with show_text_warnings(strict=given["strict"]):
            check_first_rows(request)
    if given["part"] is not None:
        _count_part(request, given | {"out": out})
        return
    work = "segments" if request.engine == "local" else "tasks"
    with (
        show_text_warnings(strict=given["strict"]),
        show_progress(work) as progress,
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
        write_output(saved, given["save"])
    write_output(text, out)


def _estimate(request: "ScoringRequest", form: str, style: "Style") -> str:
    from metra.report.writers.details import render_estimates
    from metra.scoring.evaluate import estimate_files

    if form not in ("table", "json"):
        msg = (
            f"--estimate does not work with --format {form}; "
            "expected --format table or json."
        )
        raise click.UsageError(msg)
    if not any(metric.notes.estimate for metric in request.metrics.values()):
        msg = "--estimate needs a metric that sends requests; add -m llm:…"
        raise click.UsageError(msg)
    return render_estimates(estimate_files(request), form, style)


def _count_part(request: "ScoringRequest", given: dict[str, Any]) -> None:
    """Count one part of a table, and say what comes next."""
    from metra.cli.output import show_progress
    from metra.scoring.evaluate import count_files_part

    numbers = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", given["part"])
    number, parts = map(int, numbers.groups()) if numbers else (0, 0)
    if not 1 <= number <= parts:
        msg = f"{given['part']!r} is not a part; expected NUMBER/PARTS, such as 3/20."
        raise click.BadParameter(msg, param_hint="'--part'")
    if request.engine != "local":
        msg = "--part works on this machine only; leave out --engine or --part."
        raise click.UsageError(msg)
    if not request.resume:
        msg = "--part needs a folder for its results; add --resume FOLDER."
        raise click.UsageError(msg)
    if given["save"] or given["out"] is not None:
        other = "--save" if given["save"] else "-o"
        msg = (
            f"--part computes no scores; give {other} with the final command, "
            "without --part."
        )
        raise click.UsageError(msg)
    with show_progress() as progress:
        note = count_files_part(request, (number, parts), progress)
    click.echo(f"metra: {note}", err=True)


def _evaluate_and_save(
    request: "ScoringRequest", progress: "Progress"
) -> "tuple[Results, str]":
    """Score the files, and write a baseline of them as JSON."""
    from dataclasses import replace

    from metra.report.writers.gate import render_baseline
    from metra.scoring.baseline import count_baseline

    options = request.options
    others = {
        "--group-by": request.group_by,
        "--scores-out": request.scores_out,
        "--resume": request.resume,
        "--engine spark": request.engine != "local",
        "--show-alignment": options.alignments,
        "--details": options.details,
    }
    other = next(filter(others.get, others), None)
    if other:
        msg = f"--save and {other} cannot be given together; leave one of them out."
        raise click.UsageError(msg)
    corpus, metrics = request.open()
    results, baseline = count_baseline(
        corpus,
        metrics,
        options,
        progress=progress,
    )
    results = replace(results, layouts=corpus.layouts)
    return results, render_baseline(results, baseline)


def _render(
    results: "Results", form: str, style: "Style", given: dict[str, Any]
) -> str | bytes | Iterator[str]:
    from metra.report.writers import results as writers

    if given["methods"]:
        from metra.report.writers.methods import describe_methods

        return describe_methods(results, form, style)
    if given["score_only"]:
        return writers.render_scores_only(results, style)
    if form == "xlsx":
        from metra.report.writers.paper import render_xlsx

        return render_xlsx(results, style)
    if form == "table":  # what models consist of may follow
        return writers.render(results, form, style)
    return writers.write(results, form, style)


def _check_look(given: dict[str, Any], form: str, levels: list[str]) -> None:
    """Refuse ways to show the scores that do not go together."""
    alone = {"-b": given["score_only"], "--verbose": given["verbose"]}
    for flag, is_given in alone.items():
        if is_given and form != "table":
            msg = f"{flag} does not work with --format {form}; leave one of them out."
            raise click.UsageError(msg)
    if given["score_only"] and levels != ["system"]:
        msg = (
            "-b prints system scores only; leave out --level, or use --format tsv "
            "instead of -b."
        )
        raise click.UsageError(msg)
    if given["score_only"] and (given["verbose"] or given["methods"]):
        other = "--verbose" if given["verbose"] else "--methods"
        msg = f"-b and {other} cannot be given together; leave one of them out."
        raise click.UsageError(msg)


def _build_request(
    metrics: "dict[str, Metric]", levels: list[str], given: dict[str, Any]
) -> "ScoringRequest":
    """Make sense of the options."""
    from metra.formats.texts.columns import ColumnNames
    from metra.scoring.evaluate import EvaluationOptions, ScoringRequest

    groups = [name.strip() for entry in given["group_by"] for name in entry.split(",")]
    named = given["columns"] or ColumnNames()
    columns = named._replace(labels=tuple(groups), nulls=given["nulls"])
    numbers = given["aligned_segments"]
    asked = given | {
        "documents": "document" in levels,
        "segments": "segment" in levels,
        "aligned_segments": None if numbers is None else _parse_segments(numbers),
    }
    conf = dict(map(_parse_setting, given["spark_conf"]))
    request = given | {
        "metrics": metrics,
        "columns": None if columns == ColumnNames() else columns,
        "options": EvaluationOptions(
            *(asked[name] for name in EvaluationOptions._fields)
        ),
        "group_by": tuple(dict.fromkeys(groups)),
        "settings": {"master": given["master"], "conf": conf},
    }
    return ScoringRequest(*(request[name] for name in ScoringRequest._fields))


def _parse_segments(text: str) -> list[range]:
    """Read numbers and ranges of segments, counted from 1, such as 1,3-5."""
    chosen = []
    for piece in text.split(","):
        numbers = re.fullmatch(r"\s*([0-9]{1,18})(?:-([0-9]{1,18}))?\s*", piece)
        first = int(numbers[1]) if numbers else 0
        last = int(numbers[2] or first) if numbers else 0
        if not 1 <= first <= last:
            msg = (
                f"{piece!r} is not a list of segments; expected numbers from 1 and "
                "ranges such as 3-5, separated by commas."
            )
            raise click.BadParameter(msg, param_hint="'--segments'")
        chosen.append(range(first, last + 1))
    return chosen


def _parse_setting(given: str) -> tuple[str, str]:
    key, equals, value = given.partition("=")
    if not equals:
        msg = (
            f"--spark-conf {given}: expected KEY=VALUE, such as "
            "spark.executor.memory=4g."
        )
        raise click.UsageError(msg)
    return key, value


def _check_request(request: "ScoringRequest", form: str, levels: list[str]) -> None:
    """Refuse options that do not go together."""
    options, is_spark = request.options, request.engine == "spark"
    if options.aligned_segments is not None and not options.alignments:
        msg = "--segments selects alignments to show; add --show-alignment."
        raise click.UsageError(msg)
    explained = {"--show-alignment": options.alignments, "--details": options.details}
    for flag, given in explained.items():
        if given and form not in ("table", "json"):
            msg = (
                f"{flag} does not work with --format {form}; "
                "expected --format table or json."
            )
            raise click.UsageError(msg)
    for name, flag in {"master": "--master", "conf": "--spark-conf"}.items():
        if request.settings[name] and not is_spark:
            msg = f"{flag} is for Spark; give --engine spark as well, or leave it out."
            raise click.UsageError(msg)
    alone: dict[str, object] = {"--ci": options.ci, **explained}
    alone |= {f"--level {level}": True for level in levels if level != "system"}
    files: dict[str, object] = {
        "-r": request.references,
        "-s": request.source,
        "--docs": request.documents,
        "-t": request.test_set,
    }
    parts: dict[str, object] = {
        "--group-by": request.group_by,
        "--scores-out": request.scores_out,
        "--resume": request.resume,
    }
    excluded = [(alone, parts, "; leave")]
    if is_spark:
        not_parquet = request.input_format not in ("auto", "parquet")
        more = {"--input-format": not_parquet}
        reason = "; Spark scores tables in Parquet by their columns: leave"
        excluded.append((alone | files | more, {"--engine spark": True}, reason))
    elif any(files.values()) and any(parts.values()) and request.is_table:
        excluded.append((files, parts, "; leave"))
    for some, others, reason in excluded:
        # The first two that were given and exclude each other.
        one = next(filter(some.get, some), None)
        other = next(filter(others.get, others), None)
        if one and other:
            msg = f"{one} and {other} cannot be given together{reason} one of them out."
            raise click.UsageError(msg)
