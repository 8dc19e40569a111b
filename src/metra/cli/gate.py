"""`metra gate`: outputs checked against a saved baseline, for continuous integration."""

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from metra.cli import options, output
from metra.cli.options import FiniteRange, option

if TYPE_CHECKING:
    from metra.scoring.baseline import GateConditions
    from metra.scoring.files import CorpusFiles


@click.command(cls=options.FileCommand)
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@option(
    "--baseline FILE",
    "Baseline file written by `metra score --save FILE`.",
    required=True,
)
@options.input_files(*options.CORPUS)
@option(
    "--scores NAME=FILE",
    "New scores from another program for the metric NAME of the baseline. May be "
    "given several times.",
    multiple=True,
)
@option(
    "--fail-if conditions CONDITION",
    "worse: significantly worse than the baseline; below=N or below=METRIC:N: a "
    "score below N, an error rate above N, or a score farther from its target than N. "
    "May be given several times.",
    multiple=True,
    show_default="worse",
)
@option(
    "--tolerance POINTS",
    "Accept a drop up to this size even if it is significant.",
    0.0,
    type=FiniteRange(0),
)
@options.significance
@option("--format form", "Output format.", choices=["table", "markdown", "json"])
@options.out
@options.strict
def gate(
    files: "CorpusFiles", baseline: str, form: str, out: str | None, **given: Any
) -> None:
    """Check OUTPUTs against a saved baseline; exit with code 1 if a check fails.

    The metrics and the references must be those of the baseline. Each OUTPUT is compared
    with the baseline system of the same name, or with the only one in the baseline. P-values
    are corrected for the number of OUTPUTs, as by `metra compare`. In GitHub Actions,
    failed checks are printed as annotations, too.

    \b
    metra score old.txt -r ref.txt -m bleu -m chrf --save base.json
    metra gate new.txt -r ref.txt --baseline base.json
    metra gate new.txt -r ref.txt --baseline base.json --fail-if worse --fail-if below=bleu:30
    metra gate new.txt -r ref.txt --baseline base.json --format markdown -o gate.md
    metra gate new.txt -r ref.txt --baseline base.json --scores comet=new.json
    """
    from metra.metrics.outside import list_specs
    from metra.report.writers import gate as writers
    from metra.scoring.baseline import check_outputs, read_baseline
    from metra.scoring.compare import ComparisonSettings

    saved = read_baseline(baseline)
    conditions = _read_conditions(given["conditions"], given["tolerance"], saved.specs)
    names = ("test", "trials", "seed", "unit", "alpha")
    settings = ComparisonSettings(**{name: given[name] for name in names})
    corpus = files.open()
    with (
        output.show_text_warnings(strict=given["strict"]),
        output.show_progress() as progress,
    ):
        checks = check_outputs(
            corpus,
            saved,
            conditions,
            settings,
            scores=list_specs(given["scores"]) if given["scores"] else (),
            progress=progress,
        )
    style = output.build_style(out)
    output.write_output(writers.GATE_WRITERS[form](checks, style), out)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in writers.format_annotations(checks):
            click.echo(line, err=True)
    if not all(check.passed for check in checks):
        sys.exit(1)


def _read_conditions(
    given: tuple[str, ...], tolerance: float, specs: list[str]
) -> "GateConditions":
    """Read when an output fails; a bound without a metric is for the only one."""
    from metra.scoring.baseline import GateConditions

    bounds = {}
    for condition in given:
        kind, _, bound = condition.partition("=")
        spec, _, number = bound.rpartition(":")
        if condition == "worse":
            continue
        if kind == "below" and not spec and len(specs) == 1:
            spec = specs[0]
        try:
            value = float(number)
        except ValueError:
            value = float("nan")
        if kind != "below" or value - value != 0:
            msg = (
                f"{condition!r} is not a condition; expected worse, below=N or "
                "below=METRIC:N."
            )
            raise click.BadParameter(msg, param_hint="'--fail-if'")
        if not spec:
            msg = (
                f"{condition!r} is for one metric, but the baseline has "
                f"{', '.join(specs)}; write below=METRIC:{number}."
            )
            raise click.BadParameter(msg, param_hint="'--fail-if'")
        bounds[spec] = value
    is_worse = not given or "worse" in given
    return GateConditions(worse=is_worse, bounds=bounds, tolerance=tolerance)
