"""Segments before and after: the most changed as plain HTML, all of them by the script."""

from collections.abc import Sequence

from metra.analysis.changes import ScoreChange, SegmentChange, SystemChanges
from metra.analysis.word_diff import OutputPiece
from metra.errors import format_count
from metra.report.html.markup import Child, Html, join_markup, tag
from metra.report.html.tables import format_difference
from metra.report.study import Study
from metra.report.table import format_score

#: Longer texts are cut in the plain list; the script shows them whole.
LONG = 1500


def build_segments_section(study: Study) -> Html:
    """Give the script its place, filled with what can be read without it."""
    hit, miss = (
        tag("mark", f"{line} line", class_=kind)
        for line, kind in (("solid", "hit"), ("wavy", "miss"))
    )
    if not study.texts.refs:
        other = tag("mark", "line", class_="other")
        explained = [
            "Compare two systems segment by segment. Words that differ between the "
            "outputs have a ",
            other,
            " under them.",
        ]
        if study.rival is None:
            explained = ["Outputs by segment."]
    elif study.rival is None:
        explained = ["Words that are in no reference have a ", miss, " under them."]
    else:
        explained = [
            "Compare two systems segment by segment. Words that differ between the "
            "outputs are underlined: ",
            hit,
            " if a reference contains them, ",
            miss,
            " if none does.",
        ]
    segments = tag("div", _build_static_list(study), id="segments")
    return join_markup(tag("p", explained), segments)


def _build_static_list(study: Study) -> Child:
    changes = study.findings.changes
    chosen = next((entry for entry in changes if entry.system == study.rival), None)
    if chosen is None:
        return tag("p", "The list of segments needs JavaScript.", class_="note")
    left_out = ""
    if chosen.short_count:
        short = format_count(chosen.short_count, "segment")
        left_out = f"; {short} with fewer than {chosen.min_words} words not counted"
    listed: list[Child] = [
        tag(
            "p",
            f"By {chosen.spec}, ",
            tag("bdi", chosen.system),
            f" improves {format_count(chosen.improved_count, 'segment')} over ",
            tag("bdi", chosen.baseline),
            f", worsens {chosen.worsened_count:,} and leaves {chosen.equal_count:,} "
            f"unchanged{left_out}. The largest changes are listed here; with "
            "JavaScript you can sort, filter and search all segments for any two "
            "systems.",
            class_="note",
        )
    ]
    for title, changed in (
        ("Most improved", chosen.improved),
        ("Most worsened", chosen.worsened),
    ):
        if changed:
            cards = [_build_card(study, chosen, change) for change in changed]
            listed += [tag("h3", title), tag("div", cards, class_="cards")]
    return listed


def _build_card(study: Study, changes: SystemChanges, change: SegmentChange) -> Html:
    """Show one segment, as the script would."""
    texts: list[Child] = []
    if change.source is not None:
        texts += [tag("dt", "source"), tag("dd", _format_passage(change.source))]
    several = len(change.references) > 1
    for at, reference in enumerate(change.references, 1):
        if reference is not None:
            name = f"reference {at}" if several else "reference"
            texts += [tag("dt", name), tag("dd", _format_passage(reference))]
    for name, pieces in (
        (changes.baseline, change.diff.before),
        (changes.system, change.diff.after),
    ):
        texts.append(tag("dt", tag("bdi", name), class_="output"))
        marked = _mark_pieces(pieces, bool(change.references))
        texts.append(tag("dd", marked, class_="output"))
    link = tag("a", f"Segment {change.number}", href=f"#seg-{change.number}")
    scores = [
        _format_score_change(spec, score, study.get_digits(spec), spec == changes.spec)
        for spec, score in change.scores.items()
    ]
    return tag(
        "article",
        tag(
            "header",
            tag("h4", link),
            tag("bdi", change.document, class_="doc") if change.document else None,
            tag("p", scores, class_="changes"),
        ),
        tag("dl", texts, class_="texts"),
        class_="seg",
        id=f"seg-{change.number}",
    )


def _format_passage(text: str) -> Html:
    """Show a text, cut where it is very long."""
    if not text:
        return tag("p", "(empty)", class_="text empty")
    rest = len(text) - LONG
    cut = tag("em", f" … and {rest:,} more characters") if rest > 0 else None
    return tag("p", text[:LONG], cut, class_="text", dir="auto")


def _mark_pieces(pieces: Sequence[OutputPiece], has_references: bool) -> Html:
    if not any(piece.text for piece in pieces):
        return _format_passage("")
    shown: list[Child] = []
    room = LONG
    for piece in pieces:
        text = piece.text[:room]
        if piece.kind == "kept" or not piece.text:
            shown.append(text)
        else:
            kind = "hit" if piece.in_reference else "miss"
            shown.append(tag("mark", text, class_=kind if has_references else "other"))
        shown.append(piece.space[:room])
        room -= len(piece.text) + len(piece.space)
        if room <= 0:
            shown.append(tag("em", " … cut here"))
            break
    return tag("p", shown, class_="text", dir="auto")


def _format_score_change(
    spec: str, score: ScoreChange, digits: int, chosen: bool
) -> Html:
    kind, sign = "equal", "="
    if score.gain and score.gain == score.gain:
        kind, sign = ("better", "▲") if score.gain > 0 else ("worse", "▼")
    change = f"{sign} {format_difference(score.after - score.before, digits)}"
    word = tag("span", f" {kind}", class_="unseen")
    return tag(
        "span",
        tag("span", f"{spec} ", class_="spec"),
        f"{format_score(score.before, digits)} → {format_score(score.after, digits)} ",
        tag("b", change, word, class_=kind),
        class_="score chosen" if chosen else "score",
    )
