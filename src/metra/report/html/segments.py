"""Segments before and after: the most changed as plain HTML, all of them by the script."""

from collections.abc import Sequence

from metra.analysis.changes import ScoreChange, SegmentChange, SystemChanges
from metra.analysis.word_diff import OutputPiece
from metra.report.html.markup import Child, Html, join_markup, tag
from metra.report.html.tables import format_difference
from metra.report.study import Study
from metra.report.table import format_count, format_score

#: Longer texts are cut in the plain list; the script shows them whole.
LONG = 1500


def build_segments_section(study: Study) -> Html:
    """Give the script its place, filled with what can be read without it."""
    return join_markup(
        _explain_marks(study),
        tag("div", _build_static_list(study), id="segments"),
    )


def _explain_marks(study: Study) -> Html | None:
    if study.rival is None:
        return tag(
            "p",
            "Words that no reference has have a ",
            tag("mark", "wavy line", class_="miss"),
            " below them.",
        )
    return tag(
        "p",
        "Two systems on the same segments. Words that the two outputs do not share are "
        "marked: ",
        tag("mark", "solid line", class_="hit"),
        " if a reference has them too, ",
        tag("mark", "wavy line", class_="miss"),
        " if none has.",
    )


def _build_static_list(study: Study) -> Child:
    changes = study.findings.changes
    chosen = next((entry for entry in changes if entry.system == study.rival), None)
    if chosen is None:
        return tag("p", "The list of segments needs JavaScript.", class_="note")
    return [
        tag(
            "p",
            f"By {chosen.spec}, ",
            tag("bdi", chosen.system),
            f" improves {format_count(chosen.improved_count, 'segment')} over ",
            tag("bdi", chosen.baseline),
            f", worsens {chosen.worsened_count:,} and leaves {chosen.equal_count:,} as they "
            f"are{_format_short_count(chosen)}. These changed most; with JavaScript "
            "this list has every "
            "segment and any two systems, can be sorted, filtered and searched.",
            class_="note",
        ),
        _list_cards("Most improved", chosen, chosen.improved),
        _list_cards("Most worsened", chosen, chosen.worsened),
    ]


def _format_short_count(changes: SystemChanges) -> str:
    if not changes.short_count:
        return ""
    short = format_count(changes.short_count, "segment")
    return f"; {short} of fewer than {changes.min_words} words are left out"


def _list_cards(
    title: str, changes: SystemChanges, chosen: Sequence[SegmentChange]
) -> Child:
    if not chosen:
        return None
    cards = [build_card(changes, change) for change in chosen]
    return [tag("h3", title), tag("div", cards, class_="cards")]


def build_card(changes: SystemChanges, change: SegmentChange) -> Html:
    """Show one segment, as the script would."""
    texts: list[Child] = []
    if change.source is not None:
        texts += [tag("dt", "source"), tag("dd", format_passage(change.source))]
    several = len(change.references) > 1
    for at, reference in enumerate(change.references):
        if reference is not None:
            name = f"reference {at + 1}" if several else "reference"
            texts += [tag("dt", name), tag("dd", format_passage(reference))]
    for name, pieces in (
        (changes.baseline, change.diff.before),
        (changes.system, change.diff.after),
    ):
        texts.append(tag("dt", tag("bdi", name), class_="output"))
        texts.append(tag("dd", _mark_pieces(pieces), class_="output"))
    return tag(
        "article",
        tag(
            "header",
            tag(
                "h4", tag("a", f"Segment {change.number}", href=f"#seg-{change.number}")
            ),
            tag("bdi", change.document, class_="doc") if change.document else None,
            tag(
                "p",
                [
                    _format_score_change(spec, score, changes)
                    for spec, score in change.scores.items()
                ],
                class_="changes",
            ),
        ),
        tag("dl", texts, class_="texts"),
        class_="seg",
        id=f"seg-{change.number}",
    )


def format_passage(text: str) -> Html:
    """Show a text, cut where it is very long."""
    if not text:
        return tag("p", "(empty)", class_="text empty")
    rest = len(text) - LONG
    cut = f" … and {rest:,} more characters" if rest > 0 else None
    return tag(
        "p", text[:LONG], tag("em", cut) if cut else None, class_="text", dir="auto"
    )


def _mark_pieces(pieces: Sequence[OutputPiece]) -> Html:
    if not any(piece.text for piece in pieces):
        return format_passage("")
    shown: list[Child] = []
    room = LONG
    for piece in pieces:
        text = piece.text[:room]
        if piece.kind == "kept" or not piece.text:
            shown.append(text)
        else:
            kind = "hit" if piece.in_reference else "miss"
            shown.append(tag("mark", text, class_=kind))
        shown.append(piece.space[:room])
        room -= len(piece.text) + len(piece.space)
        if room <= 0:
            shown.append(tag("em", " … cut here"))
            break
    return tag("p", shown, class_="text", dir="auto")


def _format_score_change(spec: str, score: ScoreChange, changes: SystemChanges) -> Html:
    kind = "better" if score.gain > 0 else "worse" if score.gain < 0 else "equal"
    sign = {"better": "▲", "worse": "▼", "equal": "="}[kind]
    chosen = " chosen" if spec == changes.spec else ""
    return tag(
        "span",
        tag("span", f"{spec} ", class_="spec"),
        f"{format_score(score.before, 2)} → {format_score(score.after, 2)} ",
        tag(
            "b",
            f"{sign} {format_difference(score.after - score.before, 2)}",
            tag("span", f" {kind}", class_="unseen"),
            class_=kind,
        ),
        class_=f"score{chosen}",
    )
