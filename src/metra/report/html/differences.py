"""How far the systems differ, and whether that may be chance."""

from collections.abc import Sequence

from metra.insight.study import Study
from metra.report.html.markup import Child, Html, joined, tag
from metra.report.html.tables import (
    Num,
    num,
    ranged,
    row_heading,
    scrolling,
    signed,
    table,
)
from metra.report.layout import counted, number
from metra.results import Comparison, Terms

TESTS = {
    "ar": "paired approximate randomisation",
    "bootstrap": "the paired bootstrap",
}


def differences(study: Study) -> Html | None:
    """Lay out every system against the baseline, and all pairs folded away."""
    terms = study.results.terms
    if terms is None:
        return None
    found = study.results.comparisons
    refused = next((entry.reason for entry in found if entry.reason), None)
    return joined(
        tag("h3", "Against the baseline, ", tag("bdi", study.baseline)),
        _against(study),
        tag("p", refused or _explained(terms), class_="note"),
        tag("details", tag("summary", "All pairs"), _pairs(found)),
    )


def _explained(terms: Terms) -> str:
    test = TESTS.get(terms.test, terms.test)
    return (
        f"p by {test} over {counted(terms.units, terms.unit)}, {terms.trials:,} trials, "
        "corrected by Holm for all pairs of systems. ▲ better and ▼ worse than the baseline "
        f"with p ≤ {terms.alpha:g}; where there is no such sign, the difference may be "
        "chance."
    )


def _against(study: Study) -> Html:
    specs = study.results.specs
    found = {
        (entry.system, entry.metric): entry
        for entry in study.results.comparisons
        if entry.baseline == study.baseline
    }
    order = [entry.name for entry in study.results.ranked(specs[0])]
    rows = [
        tag(
            "tr",
            row_heading(name),
            [_cells(found[name, spec]) for spec in specs],
        )
        for name in order
        if name != study.baseline
    ]
    caption = "Differences from the baseline, with 95% intervals"
    heads = [
        [
            tag("th", spec, scope="col", class_="num"),
            tag("th", "p", scope="col", class_="num"),
        ]
        for spec in specs
    ]
    inside = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", tag("th", "system", scope="col"), heads)),
        tag("tbody", rows),
        class_="scores",
        data_csv="differences",
        data_sortable=True,
    )
    return scrolling(inside, caption)


def _cells(entry: Comparison) -> list[Html]:
    sign: Child = None
    if entry.significant:
        kind = "better" if entry.gain > 0 else "worse"
        sign = tag(
            "span",
            "▲ " if kind == "better" else "▼ ",
            tag("span", f"{kind} ", class_="unseen"),
            class_=kind,
        )
    below = tag("small", _range(entry.interval)) if entry.interval else None
    shown = ranged(
        entry.difference, entry.interval, sign, signed(entry.difference, 2), below
    )
    return [shown, probability(entry.p_holm)]


def _range(ends: tuple[float, float]) -> str:
    return f"{signed(ends[0], 2)} to {signed(ends[1], 2)}"


def probability(p: float | None) -> Html:
    """Make a cell of a p-value; small ones say no more than that they are small."""
    if p is None:
        return num(Num(None))
    shown = "< 0.001" if p < 0.001 else number(p, 3)
    return tag("td", shown, class_="num", data_v=f"{p:.6g}")


def _pairs(found: Sequence[Comparison]) -> Html:
    return table(
        [
            "metric",
            "system",
            "minus",
            "difference",
            "low",
            "high",
            "p",
            "p, Holm",
            "differ",
        ],
        [
            [
                entry.metric,
                entry.system,
                entry.baseline,
                Num(entry.difference, 2, signed=True),
                Num(entry.interval[0] if entry.interval else None, 2, signed=True),
                Num(entry.interval[1] if entry.interval else None, 2, signed=True),
                probability(entry.p_value),
                probability(entry.p_holm),
                "yes" if entry.significant else "no",
            ]
            for entry in found
        ],
        caption="Every pair of systems by every metric",
        name="pairs",
    )
