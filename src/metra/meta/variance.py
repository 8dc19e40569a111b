"""The question `variance`: what judgements vary with, and how far people agree at best."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metra.errors import CorpusError
from metra.meta.findings import MetaReport, build_figure, build_report
from metra.meta.judge_options import VarianceOptions
from metra.meta.question import Evidence, Question
from metra.scores.table import Scores
from metra.scoring.table import Cell, Table, make_table
from metra.stats.power import (
    StudyPlan,
    compute_ceilings,
    compute_reliability,
)
from metra.stats.variance import (
    DOCUMENT,
    RATER,
    RATING,
    SEGMENT,
    SYSTEM,
    SYSTEM_SEGMENT,
    TERMS,
    RatingFactors,
    VarianceComponents,
    average_repeats,
    estimate_components,
)

#: The meaning of each term, in a table.
_MEANINGS = {
    SYSTEM: "differences between systems",
    DOCUMENT: "difficulty of documents",
    SEGMENT: "difficulty of segments",
    RATER: "severity of raters",
    "system × document": "systems that are better on some documents",
    SYSTEM_SEGMENT: "systems that are better on some segments",
    "system × rater": "raters who favour some systems",
    "rater × document": "raters who are stricter on some documents",
    "rater × segment": "raters who are stricter on some segments",
    RATING: "residual: variation between judgements",
}


def collect_factors(scores: Scores, name: str) -> RatingFactors:
    """Gather a scorer's judgements of segments."""
    lines = scores.lines(name)
    lines = lines.keep_lines(np.isin(lines.item, scores.segments))
    if not len(lines):
        msg = f"{name!r} has no segment values, which the variances are estimated from."
        raise CorpusError(msg)
    documents = [item.document for item in scores.items]
    numbers = {text: at for at, text in enumerate(dict.fromkeys(documents))}
    of_item = np.array([numbers[document] for document in documents])
    has_documents = all(documents[item] for item in np.unique(lines.item).tolist())
    has_raters = bool((lines.judge >= 0).all())
    factors = RatingFactors(
        lines.value,
        lines.system,
        lines.item,
        lines.judge if has_raters else None,
        of_item[lines.item] if has_documents else None,
    )
    return average_repeats(factors)


class ScorerVariance(NamedTuple):
    """The variance components of a scorer's judgements."""

    scorer: str
    components: VarianceComponents


def ask_variance(evidence: Evidence, options: VarianceOptions) -> ScorerVariance:
    """Estimate the variance components of a scorer's judgements."""
    name = evidence.normalise(evidence.scorer, options.scaling)
    factors = collect_factors(evidence.rows, name)
    components = estimate_components(
        factors, studies=options.studies, seed=options.seed
    )
    return ScorerVariance(name, components)


def report_variance(found: ScorerVariance, options: VarianceOptions) -> MetaReport:
    """Lay out the components, and how far panels of raters agree."""
    name, components = found
    drawn, levels = options.studies, components.levels
    return build_report(
        [
            build_component_table(components, name),
            build_ceiling_table(components, options.raters),
        ],
        options,
        explain_components(components),
        {"components": dict(components.values), "joined": dict(components.joined)},
        scorer=name,
        sys=levels[SYSTEM],
        seg=levels[SEGMENT],
        doc=levels.get(DOCUMENT),
        judges=levels.get(RATER),
        method="henderson-1",
        interval=f"simulated k={drawn}" if drawn else None,
        seed=options.seed if drawn else None,
    )


VARIANCE = Question("variance", ask_variance, report_variance)


def build_component_table(components: VarianceComponents, name: str) -> Table:
    """Build a line for each term: its variance, its deviation and its share."""
    total = components.total()
    rows = []
    for term in TERMS:
        if term not in components.values:
            continue
        value = components[term]
        cells = [
            build_figure(components.values[term], components.intervals.get(term)),
            build_figure(math.sqrt(value)),
            Cell(100 * value / total if total else None, digits=0),
            Cell(_describe_term(components, term)),
        ]
        rows.append((term, cells))
    heads = ["variance", "sd", "%", "meaning"]
    caption = f"Variance components of {name}"
    return make_table("of", heads, rows, caption=caption, name="components")


def _describe_term(components: VarianceComponents, term: str) -> str:
    also = [other for other, kept in components.joined.items() if kept == term]
    joined = f"; with {', '.join(also)}" if also else ""
    return f"{_MEANINGS[term]}{joined}"


def build_ceiling_table(
    components: VarianceComponents, ratings: Sequence[int]
) -> Table:
    """Build a line for each level: how two panels of so many raters would correlate."""
    rows = []
    ceilings = compute_ceilings(components, ratings)
    segments = components.levels[SEGMENT]
    ceilings[f"means of systems, {segments:,} segments"] = [
        compute_reliability(
            components,
            StudyPlan(
                segments,
                count,
                segments_per_document=components.segments_per_document,
            ),
        )
        for count in ratings
    ]
    for level, values in ceilings.items():
        cells = [
            build_figure(figure)
            for value in values
            for figure in (value, math.sqrt(value) if value >= 0 else math.nan)
        ]
        rows.append((level, cells))
    heads = [head for k in ratings for head in (f"{k} with {k}", f"{k} with truth")]
    caption = "Expected correlation between panels, by number of raters"
    return make_table("over", heads, rows, caption=caption, name="ceiling")


def explain_components(components: VarianceComponents) -> list[str]:
    """Name terms that cannot be separated, and those below zero."""
    notes = []
    below = [term for term, value in components.values.items() if value < 0]
    if below:
        notes.append(f"Estimated below zero and set to 0: {', '.join(below)}.")
    if SYSTEM_SEGMENT in components.joined:
        notes.append(
            "No output has two judgements, so differences between raters cannot be "
            "separated from differences between segments, and more ratings of a "
            "segment are assumed to gain nothing."
        )
    if RATER not in components.levels:
        notes.append(
            "The judgements have no judges, so rater variances cannot be estimated."
        )
    few = [name for name in (SYSTEM, RATER) if 1 < components.levels.get(name, 9) < 5]
    if few:
        counts = ", ".join(f"{components.levels[name]} {name}s" for name in few)
        notes.append(
            f"Small samples for variance estimates: {counts}; see the intervals."
        )
    return notes
