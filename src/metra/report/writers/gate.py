"""Checks against a baseline: a table, Markdown, JSON, GitHub's annotations."""

from collections.abc import Sequence

from metra.errors import format_count
from metra.report.table import (
    Style,
    escape_markdown,
    format_p_value,
    format_score,
    format_signed,
    render_markdown_table,
)
from metra.report.terminal import escape_controls, render_table
from metra.report.writers.headings import describe_family, shorten_specs
from metra.scoring.baseline import Baseline, GateCheck, convert_baseline
from metra.scoring.json import (
    convert_comparison,
    convert_record,
    convert_results,
    render_json,
)
from metra.scoring.results import Results
from metra.scoring.table import Cell, Column, Table, make_table

SUITE = "metra gate"
HOLM = "p (Holm)"
_FIELDS = ("system", "metric", "condition", "passed", "score", "expected")


def render_baseline(results: Results, baseline: Baseline) -> str:
    """Write the results as JSON, with what `metra gate` needs beside them."""
    saved = {"baseline": convert_baseline(baseline)}
    return render_json(convert_results(results) | saved)


def render_gate_table(checks: Sequence[GateCheck], style: Style) -> str:
    """Lay out the checks, then say what failed and why."""
    table = render_table(_build_table(checks), style)
    lines = map(escape_controls, [count_failures(checks), *describe_failures(checks)])
    return "\n\n".join([table, *_explain_correction(checks), "\n".join(lines)])


def render_gate_markdown(checks: Sequence[GateCheck], style: Style) -> str:
    """Write the checks for a pull request."""
    title = f"### Translation quality: {count_failures(checks)}"
    failures = "\n".join(f"- {escape_markdown(s)}" for s in describe_failures(checks))
    signatures = dict.fromkeys(
        check.comparison.test for check in checks if check.comparison
    )
    signed = "\n".join(f"`{signature}`" for signature in signatures)
    table = render_markdown_table(_build_table(checks), style)
    blocks = [title, failures, table, *_explain_correction(checks), signed]
    return "\n\n".join(filter(None, blocks))


def render_gate_json(checks: Sequence[GateCheck], _: Style) -> str:
    """Write the checks for other programs."""
    listed = []
    for check in checks:
        comparison = check.comparison
        about = {name: getattr(check, name) for name in _FIELDS} | {
            "p_value": comparison and comparison.p_value,
            "test": comparison and comparison.test,
            "message": describe_check(check),
            "comparison": comparison and convert_record(convert_comparison(comparison)),
        }
        listed.append(about)
    passed = all(check.passed for check in checks)
    return render_json({"passed": passed, "checks": listed})


GATE_WRITERS = {
    "table": render_gate_table,
    "markdown": render_gate_markdown,
    "json": render_gate_json,
}


def format_annotations(checks: Sequence[GateCheck]) -> list[str]:
    """Write failures as annotations of GitHub's workflows, or one notice if there is none."""
    failed = [check for check in checks if not check.passed]
    if not failed:
        return [f"::notice title={SUITE}::{_escape_command(count_failures(checks))}"]
    lines = []
    for check in failed:
        name = shorten_specs([check.metric])[check.metric]
        title = _escape_command(f"{SUITE}: {name}", is_property=True)
        lines.append(f"::error title={title}::{_escape_command(describe_check(check))}")
    return lines


def count_failures(checks: Sequence[GateCheck]) -> str:
    """Say how many checks failed."""
    failed = sum(not check.passed for check in checks)
    if not failed:
        return f"passed {format_count(len(checks), 'check')}"
    return f"failed {failed:,} of {format_count(len(checks), 'check')}"


def describe_failures(checks: Sequence[GateCheck]) -> list[str]:
    """Say in a sentence each which checks failed."""
    return [describe_check(check) for check in checks if not check.passed]


def describe_check(check: GateCheck) -> str:
    """Say in a sentence how one check ended."""
    name = shorten_specs([check.metric])[check.metric]
    digits = 2 + check.more_digits
    score, expected = (format_score(n, digits) for n in (check.score, check.expected))
    if check.condition == "below":
        how = "no worse than" if check.passed else "worse than"
        return f"{check.system}: {name} {score}, {how} the bound {expected}."
    comparison = check.comparison
    if comparison is None or comparison.reason:
        reason = comparison.reason if comparison else ""
        return f"{check.system}: {name} {score}, baseline {expected}; no test: {reason}"
    verdict = "no significant difference from"
    if comparison.verdict:
        verdict = f"significantly {comparison.verdict} than"
    difference = format_signed(comparison.difference, digits)
    p_name = HOLM if comparison.family_size > 1 else "p"
    return (
        f"{check.system}: {name} {score}, {verdict} the baseline {expected} "
        f"({difference}, {p_name} = {format_p_value(comparison.p_holm)})."
    )


def _explain_correction(checks: Sequence[GateCheck]) -> list[str]:
    """Name the family of the p-values, if they are corrected."""
    compared = [check.comparison for check in checks if check.comparison]
    if not compared or compared[0].family_size == 1:
        return []
    return [f"{HOLM}: after Holm's correction for {describe_family(compared[0])}"]


def _build_table(checks: Sequence[GateCheck]) -> Table:
    names = shorten_specs(list(dict.fromkeys(check.metric for check in checks)))
    p_values = {"p_value": "p"}
    if _explain_correction(checks):
        p_values["p_holm"] = HOLM
    rows = []
    for check in checks:
        comparison = check.comparison
        outcome = "passed" if check.passed else "failed"
        tested = "baseline" if check.condition == "worse" else "bound"
        digits = 2 + check.more_digits
        cells = [
            Cell(names[check.metric]),
            Cell(check.score, digits=digits),
            Cell(tested),
            Cell(check.expected, digits=digits),
            Cell(check.difference, digits=digits, signed=True),
            *(Cell(comparison and getattr(comparison, name)) for name in p_values),
            Cell(outcome, tone="" if check.passed else "bad"),
        ]
        rows.append((check.system, cells))
    headings = [
        *(Column("metric", "left"), Column("score"), Column("against", "left")),
        *(Column("expected"), Column("difference")),
        *(Column(heading, p_values=True) for heading in p_values.values()),
        Column("result", "left"),
    ]
    return make_table("system", headings, rows)


def _escape_command(text: str, *, is_property: bool = False) -> str:
    """Escape what would end a workflow command or one of its properties."""
    escapes: dict[str, str | int | None] = {"%": "%25", "\r": "%0D", "\n": "%0A"}
    if is_property:
        escapes |= {":": "%3A", ",": "%2C"}
    return text.translate(str.maketrans(escapes))
