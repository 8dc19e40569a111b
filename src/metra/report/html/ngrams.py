"""Word sequences that one system gets right, or wrong, more often than the other."""

from collections.abc import Sequence

from metra.insight.ngrams import NgramChange, NgramChanges
from metra.insight.study import Study
from metra.report.html.markup import Html, joined, tag
from metra.report.html.tables import Cell, table

#: Segments to jump to from an n-gram.
LINKS = 3


def section(study: Study) -> Html | None:
    """List the n-grams of every system against the baseline, the best rival's unfolded."""
    found = [entry for entry in study.findings.ngrams if _any(entry)]
    if not found:
        return None
    found.sort(key=lambda entry: entry.system != study.rival)
    return joined(
        tag(
            "p",
            "Sequences of up to "
            f"{found[0].order} words whose counts changed most one-sidedly. Matched means "
            "that a reference of the segment has them too. Shorter sequences that changed "
            "in just the same places are not listed beside the longer one.",
        ),
        [
            tag(
                "details",
                tag(
                    "summary",
                    tag("bdi", entry.system),
                    " against ",
                    tag("bdi", entry.baseline),
                ),
                tag("div", _lists(entry), class_="pair"),
                open=entry.system == study.rival,
                class_="block",
            )
            for entry in found
        ],
    )


def _any(entry: NgramChanges) -> bool:
    return bool(entry.gained or entry.lost or entry.mended or entry.broken)


def _lists(entry: NgramChanges) -> list[Html]:
    better, worse = "better", "worse"
    return [
        made
        for title, kind, matched, changes in (
            ("▲ Matched more often", better, True, entry.gained),
            ("▼ Matched less often", worse, True, entry.lost),
            ("▲ Wrong less often", better, False, entry.mended),
            ("▼ Wrong more often", worse, False, entry.broken),
        )
        if (made := _list(entry, title, kind, matched, changes)) is not None
    ]


def _list(
    entry: NgramChanges,
    title: str,
    kind: str,
    matched: bool,
    changes: Sequence[NgramChange],
) -> Html | None:
    if not changes:
        return None
    name = "-".join(title.lower().split()[1:])
    rows: list[list[Cell]] = [
        [
            tag("td", tag("bdi", " ".join(change.words)), class_="words"),
            change.matched_before if matched else change.wrong_before,
            change.matched_after if matched else change.wrong_after,
            change.reference,
            tag("td", _links(change), class_="links"),
        ]
        for change in changes
    ]
    return tag(
        "div",
        tag("h3", title, class_=kind),
        table(
            [
                "words",
                tag("th", tag("bdi", entry.baseline), scope="col", class_="num"),
                tag("th", tag("bdi", entry.system), scope="col", class_="num"),
                tag("th", "references", scope="col", class_="num"),
                "segments",
            ],
            rows,
            caption=f"{title[2:]} in {entry.system} than in {entry.baseline}",
            name=f"{name}-{entry.system}",
        ),
    )


def _links(change: NgramChange) -> Html:
    links = [
        tag("a", number, href=f"#seg-{number}") for number in change.segments[:LINKS]
    ]
    more = " …" if len(change.segments) > LINKS else None
    return joined([[link, " "] for link in links], more)
