"""Segments before and after: the most changed as plain HTML, all of them by the script.

What the page's script works with: every text and score once, as compact JSON.
"""

import base64
import json
import math
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from metra.analysis.changes import ScoreChange, SegmentChange, SystemChanges
from metra.analysis.word_diff import OutputPiece
from metra.report.html.markup import Child, Html, join_markup, mark_safe, tag
from metra.report.html.tables import format_difference
from metra.report.pictures import grid
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
    found = study.findings.changes
    chosen = next((entry for entry in found if entry.system == study.rival), None)
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


ID = "data"


def embed_data(study: Study) -> Html:
    """Embed the data where no script can be smuggled in and nothing is executed."""
    text = json.dumps(convert_study(study), ensure_ascii=False, separators=(",", ":"))
    return mark_safe(
        f'<script type="application/json" id="{ID}">{_escape_json(text)}</script>'
    )


def _escape_json(text: str) -> str:
    """Keep JSON from ending its element or a line: it says the same with escapes.

    >>> _escape_json('"</script>"')
    '"\\\\u003c/script>"'
    """
    for sign in "<\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def convert_study(study: Study) -> dict[str, Any]:
    """Give texts and scores by system and segment."""
    results, texts = study.results, study.texts
    names = [system.name for system in results.systems]
    first = results.systems[0].scores
    documents = list(dict.fromkeys(texts.documents or ()))
    index = {name: at for at, name in enumerate(documents)}
    return {
        "systems": names,
        "baseline": names.index(study.baseline),
        "rival": names.index(study.rival) if study.rival is not None else None,
        "metrics": [
            {"spec": spec, "up": first[spec].higher_is_better} for spec in results.specs
        ],
        # By metric, then by system.
        "corpus": [
            _round_scores(system.scores[spec].score for system in results.systems)
            for spec in results.specs
        ],
        # Metric, first system, second, low end, high end, p corrected by Holm.
        "tests": [
            [
                results.specs.index(entry.metric),
                names.index(entry.baseline),
                names.index(entry.system),
                *_round_scores(entry.interval or (math.nan, math.nan)),
                entry.p_holm,
            ]
            for entry in results.comparisons
        ],
        # By metric, then by system, then by segment.
        "scores": [
            [
                _round_scores(_list_scores(system.scores[spec].segments))
                for system in results.systems
            ]
            for spec in results.specs
        ],
        "people": None
        if study.people is None
        else [_round_scores(study.people.segments[name].tolist()) for name in names],
        "source": None if texts.source is None else list(texts.source),
        "refs": [list(ref) for ref in texts.refs],
        "outputs": [list(texts.outputs[name]) for name in names],
        "documents": documents,
        "document": [index[name] for name in texts.documents or ()],
        "gridSpec": study.grids.spec,
        "grids": {
            str(at): _compress_pictures(
                {
                    names.index(system): grid.render_inline(aligned)
                    for system, aligned in segments.items()
                }
            )
            for at, segments in study.grids.segments.items()
        },
    }


def _list_scores(scores: Any) -> Sequence[float]:
    return scores.tolist()


def _round_scores(scores: Iterable[float]) -> list[float | int | None]:
    """Three digits tell scores apart, and a file of half the size opens sooner."""
    rounded = [round(score, 3) if math.isfinite(score) else None for score in scores]
    return [
        int(score) if score is not None and score.is_integer() else score
        for score in rounded
    ]


def _compress_pictures(pictures: dict[int, str]) -> str:
    """Pack pictures, which are long and repeat themselves."""
    text = json.dumps(pictures, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()
