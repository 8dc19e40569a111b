"""Analyses beyond the scores: sections below the tables, or keys of the JSON document.

Buckets and n-grams are tables; the most changed segments show their word differences.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal

from metra.analysis.buckets import SMALL, Bucket, Buckets, BucketScore
from metra.analysis.changes import SegmentChange, SystemChanges
from metra.analysis.findings import AnalysisOptions, AnalysisResults
from metra.analysis.ngrams import NgramChange, NgramChanges
from metra.analysis.word_diff import OutputPiece, ReferencePiece
from metra.errors import OptionError
from metra.report import terminal
from metra.report.table import (
    Style,
    convert_record,
    escape_markdown,
    format_count,
    format_score,
    format_signed,
    render_json,
    render_markdown_table,
)
from metra.report.writers.json import convert_results
from metra.report.writers.profiles import (
    render_profiles_markdown,
    render_profiles_terminal,
)
from metra.report.writers.results import render
from metra.scoring.results import Results
from metra.scoring.table import Cell, Column, Table, make_table

NARROWEST = 40
#: Lines that one text may take.
MOST_LINES = 12
SIGNS = (
    "[-only before-]  {+only after+}; in a reference: words that only one of them has."
)
CHANGES_NOTE = (
    f"{SIGNS} Red is a right word lost, green a right word won, yellow a word that no "
    "reference has."
)


def render_changes_terminal(changes: SystemChanges, style: Style) -> str:
    """Lay out the segments that improved, then those that worsened."""
    title = terminal.style_text(
        terminal.escape_controls(_format_title(changes)), terminal.BOLD, style
    )
    blocks = [f"{title}\n{_format_counts(changes)}"]
    for name, listed in (("better", changes.improved), ("worse", changes.worsened)):
        for rank, change in enumerate(listed, 1):
            blocks.append("\n".join(_format_change(change, name, rank, style)))
    if not changes.improved and not changes.worsened:
        blocks.append("No segment to show.")
    else:
        note = terminal.wrap_sentence(CHANGES_NOTE if style.color else SIGNS, style)
        blocks.append(
            terminal.style_text(f"{note}\n{changes.signature}", terminal.DIM, style)
        )
    return "\n\n".join(blocks)


def render_changes_markdown(changes: SystemChanges) -> str:
    """Write the segments as lists: what went is struck out, what came is bold."""
    blocks = [f"### {escape_markdown(_format_title(changes))}", _format_counts(changes)]
    for name, listed in (("better", changes.improved), ("worse", changes.worsened)):
        for change in listed:
            scores = _format_scores(change, 2)
            texts = "\n".join(
                f"- {label}: {text}" for label, text in _list_markdown_texts(change)
            )
            blocks.append(f"**Segment {change.number}**, {name}: {scores}\n\n{texts}")
    return "\n\n".join(blocks)


def _list_markdown_texts(change: SegmentChange) -> Iterator[tuple[str, str]]:
    if change.source:
        yield "source", escape_markdown(change.source)
    yield "before", _format_output_pieces(change.diff.before, "~~")
    yield "after", _format_output_pieces(change.diff.after, "**")
    for label, pieces in _list_references(change):
        yield label, _format_reference_pieces(pieces)


def _format_title(changes: SystemChanges) -> str:
    how = "" if changes.order == "gain" else ", by the change of the corpus score"
    return (
        f"What changed from {changes.baseline} to {changes.system}, "
        f"segments by {changes.spec}{how}"
    )


def _format_counts(changes: SystemChanges) -> str:
    counts = (
        f"{changes.improved_count:,} better, {changes.worsened_count:,} worse, "
        f"{changes.equal_count:,} equal"
    )
    if changes.short_count:
        counts += (
            f"; {format_count(changes.short_count, 'segment')} of fewer than "
            f"{changes.min_words} reference words left out"
        )
    if changes.min_change:
        counts += f"; changes of at least {changes.min_change:g} are shown"
    return counts


def _format_change(
    change: SegmentChange, name: str, rank: int, style: Style
) -> list[str]:
    room = max(style.width or 100, NARROWEST)
    place = f"segment {change.number}"
    if change.document is not None:
        place += f", {terminal.escape_controls(change.document)}"
    head = f"{name} {rank}: {place}"
    tone = terminal.TONES["good" if name == "better" else "bad"]
    lines = [
        f"{terminal.style_text(head, tone, style)}  {_format_scores(change, style.digits)}"
    ]

    def add(label: str, stretches: Sequence[terminal.MarkedText]) -> None:
        label = f"  {label:<7} "
        lines.extend(
            terminal.wrap_marked_text(
                terminal.merge_marks(stretches), label, room, MOST_LINES, style
            )
        )

    if change.source is not None:
        add("source", [terminal.MarkedText(change.source, False, color=terminal.DIM)])
    add(
        "before",
        [_mark_output_piece(piece, "[-", "-]", "bad") for piece in change.diff.before],
    )
    add(
        "after",
        [_mark_output_piece(piece, "{+", "+}", "good") for piece in change.diff.after],
    )
    for label, pieces in _list_references(change):
        add(label, [_mark_reference_piece(piece) for piece in pieces])
    if not change.diff.exact:
        lines.append(
            "  The texts are too long to compare word for word; more may agree."
        )
    return lines


def _format_scores(change: SegmentChange, digits: int) -> str:
    return ", ".join(
        f"{spec} {format_score(entry.before, digits)} → {format_score(entry.after, digits)} "
        f"({format_signed(entry.after - entry.before, digits)})"
        for spec, entry in change.scores.items()
    )


def _list_references(
    change: SegmentChange,
) -> list[tuple[str, Sequence[ReferencePiece]]]:
    """List the references that there are, with their labels."""
    several = len(change.diff.references) > 1
    return [
        (f"ref {number}" if several else "ref", pieces)
        for number, pieces in enumerate(change.diff.references, 1)
        if pieces is not None
    ]


def _mark_output_piece(
    piece: OutputPiece, opening: str, closing: str, tone: str
) -> terminal.MarkedText:
    """Mark the words that the other output does not have there."""
    space = bool(piece.space)
    if piece.kind == "kept":
        return terminal.MarkedText(piece.text, space)
    color = terminal.TONES[tone] if piece.in_reference else terminal.YELLOW
    return terminal.MarkedText(piece.text, space, opening, closing, color)


def _mark_reference_piece(piece: ReferencePiece) -> terminal.MarkedText:
    space = bool(piece.space)
    if piece.found_by == "before":
        return terminal.MarkedText(piece.text, space, "[-", "-]", terminal.TONES["bad"])
    if piece.found_by == "after":
        return terminal.MarkedText(
            piece.text, space, "{+", "+}", terminal.TONES["good"]
        )
    return terminal.MarkedText(piece.text, space)


def _format_output_pieces(pieces: Sequence[OutputPiece], sign: str) -> str:
    return _join_pieces(
        (p.text, p.space, sign if p.kind != "kept" else "") for p in pieces
    )


def _format_reference_pieces(pieces: Sequence[ReferencePiece]) -> str:
    signs = {"before": "~~", "after": "**"}
    return _join_pieces((p.text, p.space, signs.get(p.found_by, "")) for p in pieces)


def _join_pieces(marked: Iterable[tuple[str, str, str]]) -> str:
    """Join pieces, neighbours with the same sign under one; white space becomes a blank."""
    text = ""
    for sign, group in groupby(marked, key=lambda piece: piece[2]):
        words = "".join(
            f"{escape_markdown(word)}{' ' if space else ''}" for word, space, _ in group
        )
        inner = words.rstrip(" ")
        text += f"{sign}{inner}{sign}{words[len(inner) :]}" if inner else ""
    return text


BUCKETS_NOTE = (
    "▲ better, ▼ worse than {baseline} by a bootstrap of the bucket's segments; hollow △ ▽: it "
    "may be chance; ?: {small}, which say little. No correction for the number of buckets."
)
CORNERS = {
    "length": "words",
    "source-length": "words",
    "frequency": "frequency",
    "score": "score",
}
#: The lists of n-gram changes: what the counts are of, and the caption.
NGRAM_LISTS = {
    "gained": (
        "matched",
        "n-grams of the references that {system} has more often: better",
    ),
    "mended": (
        "wrong",
        "n-grams beyond those of the references that {system} has less often: better",
    ),
    "lost": (
        "matched",
        "n-grams of the references that {system} has less often: worse",
    ),
    "broken": (
        "wrong",
        "n-grams beyond those of the references that {system} has more often: worse",
    ),
}
NGRAMS_NOTE = (
    "Counts of both systems and of the references; in how many segments they rose and fell; "
    "weight = (rose − fell) / √(rose + fell + 1), which sorts. (+3): three n-grams inside, "
    "around or beside it tell of the same change."
)


def render_with_findings(
    results: Results, findings: AnalysisResults, form: str, style: Style
) -> str:
    """Write the results as `render` does, and what was analysed after them."""
    if not any(
        (findings.changes, findings.ngrams, findings.buckets, findings.profiles)
    ):
        return render(results, form, style)
    return WRITERS[form](results, findings, style)


def check_format(form: str, options: AnalysisOptions) -> None:
    """Refuse, before the work begins, a format that cannot show the analyses."""
    if form not in WRITERS and options.any:
        msg = (
            f"The format {form} has no room for changes, n-grams, buckets and profiles; "
            f"expected {', '.join(WRITERS)}."
        )
        raise OptionError(msg)


def _render_terminal(results: Results, findings: AnalysisResults, style: Style) -> str:
    blocks = [render(results, "table", style)]
    blocks += [render_changes_terminal(entry, style) for entry in findings.changes]
    for tables, notes in _build_sections(findings):
        blocks += [terminal.render_table(table, style) for table in tables]
        wrapped = "\n".join(terminal.wrap_sentence(line, style) for line in notes)
        blocks.append(terminal.style_text(wrapped, terminal.DIM, style))
    if findings.profiles is not None:
        blocks.append(render_profiles_terminal(findings.profiles, style))
    return "\n\n".join(blocks)


def _render_json(results: Results, findings: AnalysisResults, _: Style) -> str:
    analysed = {key: value for key, value in convert_record(findings).items() if value}
    return render_json(convert_results(results) | analysed)


def _render_markdown(results: Results, findings: AnalysisResults, style: Style) -> str:
    blocks = [render(results, "markdown", style)]
    blocks += [render_changes_markdown(entry) for entry in findings.changes]
    for tables, notes in _build_sections(findings):
        blocks += [render_markdown_table(table, style) for table in tables]
        blocks.append("\n".join(map(escape_markdown, notes)))
    if findings.profiles is not None:
        blocks.append(render_profiles_markdown(findings.profiles))
    return "\n\n".join(blocks)


#: The functions that write the formats that have room for texts.
WRITERS = {
    "table": _render_terminal,
    "json": _render_json,
    "markdown": _render_markdown,
}


def _build_sections(
    findings: AnalysisResults,
) -> Iterator[tuple[list[Table], list[str]]]:
    """Lay out what is tables in every format, each with what explains it."""
    for changes in findings.ngrams:
        tables = _build_ngram_tables(changes)
        if tables:
            yield tables, [NGRAMS_NOTE, changes.preparation]
        else:
            pair = f"{changes.baseline} to {changes.system}"
            yield [], [f"No n-gram changed from {pair}."]
    for buckets in findings.buckets:
        tables = [_build_bucket_table(buckets, spec) for spec in buckets.directions]
        yield tables, [_explain_buckets(buckets)]


def _explain_buckets(buckets: Buckets) -> str:
    """Explain the signs."""
    small = f"fewer than {SMALL} {buckets.unit}"
    if buckets.baseline is None:
        return f"?: {small}, which say little."
    return BUCKETS_NOTE.format(baseline=buckets.baseline, small=small)


def _build_bucket_table(buckets: Buckets, spec: str) -> Table:
    others = [name for name in buckets.systems if name != buckets.baseline]
    # Two systems leave room for the interval of their difference.
    pair = buckets.baseline is not None and len(others) == 1
    headings = [buckets.unit, *buckets.systems]
    if pair:
        headings += ["difference", "95% interval"]
    rows = []
    for bucket in buckets.buckets:
        scores = [bucket.scores[name][spec] for name in buckets.systems]
        cells = [_build_size_cell(bucket)]
        if pair:
            cells += [Cell(entry.score) for entry in scores]
            rival = bucket.scores[others[0]][spec]
            cells += _build_difference_cells(rival, buckets.directions[spec])
        else:
            cells += [_build_score_cell(entry, buckets, spec) for entry in scores]
        rows.append((bucket.label, cells))
    corner = CORNERS.get(buckets.kind, buckets.title)
    metric = Column(spec, higher_is_better=buckets.directions[spec]).title
    return make_table(corner, headings, rows, caption=f"{metric} by {buckets.title}")


def _build_size_cell(bucket: Bucket) -> Cell:
    return Cell(f"{bucket.count}{'?' if bucket.small else ' '}")


def _build_score_cell(score: BucketScore, buckets: Buckets, spec: str) -> Cell:
    if buckets.baseline is None:
        return Cell(score.score, score.interval)
    if score.difference is None:
        return Cell(score.score, suffix="  ")
    mark, tone = _mark_difference(score, buckets.directions[spec])
    return Cell(score.score, suffix=f" {mark}", tone=tone)


def _build_difference_cells(score: BucketScore, higher_is_better: bool) -> list[Cell]:
    mark, tone = _mark_difference(score, higher_is_better)
    difference = score.difference or 0.0
    return [
        Cell(difference, signed=True, prefix=f"{mark} ", tone=tone),
        Cell("", score.difference_interval, signed=True),
    ]


def _mark_difference(
    score: BucketScore, higher_is_better: bool
) -> tuple[str, Literal["", "good", "bad"]]:
    """Return the sign of a difference, and the tone of one that is significant."""
    difference = score.difference or 0.0
    if difference == 0:
        return "=", ""
    ends = score.difference_interval
    significant = ends is not None and (ends[0] > 0 or ends[1] < 0)
    if (difference > 0) == higher_is_better:
        return ("▲", "good") if significant else ("△", "")
    return ("▼", "bad") if significant else ("▽", "")


def _build_ngram_tables(changes: NgramChanges) -> list[Table]:
    """Lay out each list that has something in it: better first, then worse."""
    headings = [changes.baseline, changes.system, "references"]
    headings += ["rose", "fell", "weight", "segments"]
    return [
        make_table(
            name,
            headings,
            [
                (_format_ngram(entry), _build_ngram_cells(entry, what))
                for entry in entries
            ],
            caption=caption.format(system=changes.system),
        )
        for name, (what, caption) in NGRAM_LISTS.items()
        if (entries := getattr(changes, name))
    ]


def _format_ngram(entry: NgramChange) -> str:
    more = f"  (+{entry.stands_for})" if entry.stands_for else ""
    return " ".join(entry.words) + more


def _build_ngram_cells(entry: NgramChange, what: str) -> list[Cell]:
    more = ", …" if entry.rose + entry.fell > 3 else ""
    return [
        Cell(str(getattr(entry, f"{what}_before"))),
        Cell(str(getattr(entry, f"{what}_after"))),
        Cell(str(entry.reference)),
        Cell(str(entry.rose)),
        Cell(str(entry.fell)),
        Cell(format_signed(entry.weight, 2)),
        Cell(", ".join(map(str, entry.segments[:3])) + more),
    ]
