"""The most changed segments with their word differences, for the terminal and in Markdown."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from metra.analysis.changes import SegmentChange, SystemChanges
from metra.analysis.word_diff import OutputPiece, ReferencePiece
from metra.report.table import (
    Style,
    escape_markdown,
    format_count,
    format_score,
    format_signed,
)
from metra.report.terminal import (
    BOLD,
    DIM,
    TONES,
    YELLOW,
    MarkedText,
    escape_controls,
    merge_marks,
    style_text,
    wrap_marked_text,
    wrap_sentence,
)

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
    title = style_text(escape_controls(_format_title(changes)), BOLD, style)
    blocks = [f"{title}\n{_format_counts(changes)}"]
    for name, listed in (("better", changes.improved), ("worse", changes.worsened)):
        for rank, change in enumerate(listed, 1):
            blocks.append("\n".join(_format_change(change, name, rank, style)))
    if not changes.improved and not changes.worsened:
        blocks.append("No segment to show.")
    else:
        note = wrap_sentence(CHANGES_NOTE if style.color else SIGNS, style)
        blocks.append(style_text(f"{note}\n{changes.signature}", DIM, style))
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
        place += f", {escape_controls(change.document)}"
    head = f"{name} {rank}: {place}"
    tone = TONES["good" if name == "better" else "bad"]
    lines = [f"{style_text(head, tone, style)}  {_format_scores(change, style.digits)}"]

    def add(label: str, stretches: Sequence[MarkedText]) -> None:
        label = f"  {label:<7} "
        lines.extend(
            wrap_marked_text(merge_marks(stretches), label, room, MOST_LINES, style)
        )

    if change.source is not None:
        add("source", [MarkedText(change.source, False, color=DIM)])
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
) -> MarkedText:
    """Mark the words that the other output does not have there."""
    space = bool(piece.space)
    if piece.kind == "kept":
        return MarkedText(piece.text, space)
    color = TONES[tone] if piece.in_reference else YELLOW
    return MarkedText(piece.text, space, opening, closing, color)


def _mark_reference_piece(piece: ReferencePiece) -> MarkedText:
    space = bool(piece.space)
    if piece.found_by == "before":
        return MarkedText(piece.text, space, "[-", "-]", TONES["bad"])
    if piece.found_by == "after":
        return MarkedText(piece.text, space, "{+", "+}", TONES["good"])
    return MarkedText(piece.text, space)


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
