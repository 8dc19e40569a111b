"""The most changed segments for the terminal and in Markdown, with their word diffs."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from metra.insight.changes import Change, Changes
from metra.insight.word_diff import Piece, ReferencePiece
from metra.report.comparison import signed
from metra.report.layout import Style, counted, number
from metra.report.markdown import escaped
from metra.report.table import BOLD, DIM, TONES, printable, styled
from metra.report.wrapped import Stretch, fitted, lines, merged

NARROWEST = 40
#: Lines that one text may take.
MOST_LINES = 12
SIGNS = (
    "[-only before-]  {+only after+}; in a reference: words that only one of them has."
)
NOTE = (
    f"{SIGNS} Red is a right word lost, green a right word won, yellow a word that no "
    "reference has."
)
YELLOW = "\x1b[33m"


def terminal(changes: Changes, style: Style) -> str:
    """Lay out the segments that improved, then those that worsened."""
    blocks = [f"{styled(printable(_title(changes)), BOLD, style)}\n{_counts(changes)}"]
    for name, found in (("better", changes.improved), ("worse", changes.worsened)):
        for rank, change in enumerate(found, 1):
            blocks.append("\n".join(_block(change, name, rank, style)))
    if not changes.improved and not changes.worsened:
        blocks.append("No segment to show.")
    else:
        note = fitted(NOTE if style.color else SIGNS, style)
        blocks.append(styled(f"{note}\n{changes.signature}", DIM, style))
    return "\n\n".join(blocks)


def in_markdown(changes: Changes) -> str:
    """Write the segments as lists: what went is struck out, what came is bold."""
    blocks = [f"### {escaped(_title(changes))}", _counts(changes)]
    for name, found in (("better", changes.improved), ("worse", changes.worsened)):
        for change in found:
            heading = f"**Segment {change.number}**, {name}: {_scores(change, 2)}"
            texts = [
                *([("source", escaped(change.source))] if change.source else []),
                ("before", _struck(change.diff.before, "~~")),
                ("after", _struck(change.diff.after, "**")),
                *(
                    (label, _reference(entry))
                    for label, entry in _references(change)
                    if entry is not None
                ),
            ]
            listed = "\n".join(f"- {label}: {text}" for label, text in texts)
            blocks.append(f"{heading}\n\n{listed}")
    return "\n\n".join(blocks)


def _title(changes: Changes) -> str:
    how = "" if changes.order == "gain" else ", by the change of the corpus score"
    return (
        f"What changed from {changes.baseline} to {changes.system}, "
        f"segments by {changes.spec}{how}"
    )


def _counts(changes: Changes) -> str:
    said = (
        f"{changes.improved_count:,} better, {changes.worsened_count:,} worse, "
        f"{changes.equal_count:,} equal"
    )
    if changes.short_count:
        said += (
            f"; {counted(changes.short_count, 'segment')} of fewer than "
            f"{changes.min_words} reference words left out"
        )
    if changes.min_change:
        said += f"; changes of at least {changes.min_change:g} are shown"
    return said


def _block(change: Change, name: str, rank: int, style: Style) -> list[str]:
    room = max(style.width or 100, NARROWEST)
    place = f"segment {change.number}"
    if change.document is not None:
        place += f", {printable(change.document)}"
    head = f"{name} {rank}: {place}"
    tone = TONES["good" if name == "better" else "bad"]
    found = [f"{styled(head, tone, style)}  {_scores(change, style.digits)}"]

    def add(label: str, stretches: Sequence[Stretch]) -> None:
        label = f"  {label:<7} "
        found.extend(lines(merged(stretches), label, room, MOST_LINES, style))

    if change.source is not None:
        add("source", [Stretch(change.source, False, color=DIM)])
    add("before", [_only(piece, "[-", "-]", "bad") for piece in change.diff.before])
    add("after", [_only(piece, "{+", "+}", "good") for piece in change.diff.after])
    for label, entry in _references(change):
        if entry is not None:
            add(label, [_of_reference(piece) for piece in entry])
    if not change.diff.exact:
        found.append(
            "  The texts are too long to compare word for word; more may agree."
        )
    return found


def _scores(change: Change, digits: int) -> str:
    return ", ".join(
        f"{spec} {number(entry.before, digits)} → {number(entry.after, digits)} "
        f"({signed(entry.after - entry.before, digits)})"
        for spec, entry in change.scores.items()
    )


def _references(
    change: Change,
) -> list[tuple[str, Sequence[ReferencePiece] | None]]:
    several = len(change.diff.references) > 1
    return [
        (f"ref {at}" if several else "ref", entry)
        for at, entry in enumerate(change.diff.references, 1)
    ]


def _only(piece: Piece, opening: str, closing: str, tone: str) -> Stretch:
    """Mark the words that the other output does not have there."""
    space = bool(piece.space)
    if piece.kind == "kept":
        return Stretch(piece.text, space)
    color = TONES[tone] if piece.in_reference else YELLOW
    return Stretch(piece.text, space, opening, closing, color)


def _of_reference(piece: ReferencePiece) -> Stretch:
    space = bool(piece.space)
    if piece.found_by == "before":
        return Stretch(piece.text, space, "[-", "-]", TONES["bad"])
    if piece.found_by == "after":
        return Stretch(piece.text, space, "{+", "+}", TONES["good"])
    return Stretch(piece.text, space)


def _struck(pieces: Sequence[Piece], sign: str) -> str:
    return _joined((p.text, p.space, sign if p.kind != "kept" else "") for p in pieces)


def _reference(pieces: Sequence[ReferencePiece]) -> str:
    signs = {"before": "~~", "after": "**"}
    return _joined((p.text, p.space, signs.get(p.found_by, "")) for p in pieces)


def _joined(marked: Iterable[tuple[str, str, str]]) -> str:
    """Join pieces, neighbours with the same sign under one; white space becomes a blank."""
    text = ""
    for sign, group in groupby(marked, key=lambda piece: piece[2]):
        words = "".join(
            f"{escaped(word)}{' ' if space else ''}" for word, space, _ in group
        )
        inner = words.rstrip(" ")
        text += f"{sign}{inner}{sign}{words[len(inner) :]}" if inner else ""
    return text
