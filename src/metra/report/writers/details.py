"""Findings of metrics, and the parts of scores and quality models."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, fields
from textwrap import fill
from typing import TYPE_CHECKING

from metra.meta.findings import MetaReport
from metra.metrics.options import format_value
from metra.metrics.units import Finding
from metra.report import terminal
from metra.report.table import Style, format_score
from metra.report.writers.headings import order_systems, shorten_specs
from metra.scoring.results import Results
from metra.scoring.table import Cell, Column, Table, make_table

if TYPE_CHECKING:
    from metra.formats.annotations.quality_model import QualityModel
    from metra.metrics.evaltrans import SentenceIndex
    from metra.metrics.llm.endpoint import Estimate

MOST = 20
SEGMENTS = 8


def render_details(results: Results, style: Style) -> Iterator[str]:
    """Lay out what metrics noted, a block for each system and metric."""
    short_names = shorten_specs(results.specs)
    for system in order_systems(results, style):
        for spec, score in system.scores.items():
            if score.details is not None:
                title = terminal.escape_controls(f"{system.name}, {short_names[spec]}")
                lines = _format_details(score.details, style)
                yield "\n".join(
                    [terminal.style_text(title, terminal.BOLD, style), *lines]
                )


def describe_parts(results: Results, style: Style) -> Iterator[str]:
    """Say what each score is made of, in a line each: BLEU's as sacreBLEU writes it."""
    short_names = shorten_specs(results.specs)
    for system in order_systems(results, style):
        name = terminal.escape_controls(system.name)
        for spec, score in system.scores.items():
            number = format_score(score.score, style.digits)
            parts = dict(score.parts)
            text = f"{name}: {short_names[spec]} = {number}"
            precisions = parts.get("precisions")
            if isinstance(precisions, list) and "bp" in parts:
                text += " " + "/".join(f"{share:.1f}" for share in precisions)
                parts = {key: parts[key] for key in _BESIDE_PRECISIONS}
            if parts:
                inner = (
                    f"{_PART_NAMES.get(key, key)} = {_format_part(key, value)}"
                    for key, value in parts.items()
                )
                text += f" ({' '.join(inner)})"
            yield text


_BESIDE_PRECISIONS = ("bp", "ratio", "hyp_len", "ref_len")
_PART_NAMES = {"bp": "BP"}
_DIGITS = {"bp": 3, "ratio": 3, "alpha": 3, "cost": 4}


def _format_part(key: str, value: float | list[float]) -> str:
    if isinstance(value, list):
        return "/".join(_format_part(key, entry) for entry in value)
    if key in _DIGITS:
        return f"{value:.{_DIGITS[key]}f}"
    is_whole = value - value == 0 and value == int(value)
    return f"{value:.10g}" if is_whole else f"{value:.2f}"


def build_sentence_index(
    sentences: "Mapping[str, Sequence[SentenceIndex]]", signature: str
) -> MetaReport:
    """Lay out EvalTrans's index of each system's sentences, a table a system."""
    from metra.metrics.evaltrans import SentenceIndex

    _, _, *names = [field.name for field in fields(SentenceIndex)]
    columns = [
        Column("how", "left"),
        *(Column(name, digits=_WHOLE.get(name)) for name in names),
    ]
    tables = []
    for system, entries in sentences.items():
        rows = [(str(one.segment), [*map(Cell, astuple(one)[1:])]) for one in entries]
        about = {"caption": system, "name": system}
        tables.append(make_table("segment", columns, rows, **about))
    note = "mwer: per cent; distance: edits to the nearest judged output; relative: per word."
    return MetaReport(tables, signature, [note])


def build_estimate_report(estimates: "Mapping[str, Estimate]") -> MetaReport:
    """Lay out what judges would be asked and cost."""
    names = shorten_specs(list(estimates))
    headings = ("questions", "known", "requests", "tokens in", "tokens out", "cost")
    rows = []
    for spec, entry in estimates.items():
        counts = entry.questions, entry.known, entry.requests
        cells = [
            *(Cell(count, digits=0) for count in counts),
            Cell(entry.input_tokens, digits=0, prefix="≈ "),
            Cell(entry.output_tokens, digits=0, prefix="≤ "),
            Cell(entry.cost, digits=4),
        ]
        rows.append((names[spec], cells))
    note = (
        "No request was sent. Input tokens are estimated as a quarter of the bytes; "
        "output tokens are the upper limit of the answers. Failed requests are "
        "repeated, which costs more."
    )
    return MetaReport(
        [make_table("metric", headings, rows, name="estimates")], "", [note]
    )


#: What is counted and has no digits after the point.
_WHOLE = {"perfect": 0, "distance": 0}


def describe_models(models: "Sequence[QualityModel]") -> str:
    """Say of each model what it is for, which metrics it has and how much each counts."""
    return "\n\n".join(map(_describe_model, models))


def _format_details(details: Sequence[Finding], style: Style) -> list[str]:
    if not details:
        return ["no findings"]
    lines = [terminal.render_table(_build_details_table(details), style)]
    left = len(details) - MOST
    if left > 0:
        more = f"and {left} more; --format json lists all"
        lines.append(terminal.style_text(more, terminal.DIM, style))
    return lines


def _build_details_table(details: Sequence[Finding]) -> Table:
    names = list(dict.fromkeys(name for entry in details for name in entry.about))
    rows = []
    for entry in details[:MOST]:
        about = [entry.about.get(name, "") for name in names]
        numbers = list(map(str, dict.fromkeys(entry.segments)))
        more = ["…"] if len(numbers) > SEGMENTS else []
        segments = ", ".join([*numbers[:SEGMENTS], *more])
        texts = [str(entry.count), entry.note, entry.text, *about, segments]
        rows.append([Cell(text) for text in texts])
    headings = ["what", "words", *names, "segments"]
    return Table([Column("count"), *(Column(name, "left") for name in headings)], rows)


def _describe_model(model: "QualityModel") -> str:
    short_names = shorten_specs([member.spec for member in model.members])
    total = sum(member.weight for member in model.members)
    context = " ".join(model.context.split())
    lines = [fill(f"{model.name}: {context}", 88)]
    for member in model.members:
        lines.append(
            f"{100 * member.weight / total:6.1f} %  {short_names[member.spec]}, 0 at "
            f"{format_value(member.worst)}, 100 at {format_value(member.best)}"
        )
    return "\n".join(lines)
