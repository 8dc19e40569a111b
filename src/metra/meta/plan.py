"""The question `plan`: how judgements vary, and the studies that they need."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np

from metra.errors import CorpusError, OptionError, format_count
from metra.meta import findings
from metra.meta.charts import CurvePlot
from metra.meta.options import PlanOptions
from metra.meta.question import Evidence, Question
from metra.scores.table import Scores
from metra.scores.views import orient_scores
from metra.scoring.table import Cell, Table
from metra.stats.arrays import Array, number_names
from metra.stats.power import (
    DifferenceError,
    StudyPlan,
    compute_ceilings,
    compute_error,
    compute_power,
    compute_reliability,
    find_detectable,
    find_segments,
)
from metra.stats.variance import (
    DOCUMENT,
    RATER,
    RATER_DOCUMENT,
    RATER_SEGMENT,
    RATING,
    SEGMENT,
    SYSTEM,
    SYSTEM_DOCUMENT,
    SYSTEM_RATER,
    SYSTEM_SEGMENT,
    TERMS,
    RatingFactors,
    VarianceComponents,
    average_repeats,
    estimate_components,
)

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
    names, numbers = number_names([item.document for item in scores.items])
    document = numbers[lines.item]
    has_documents = all(names[at] for at in np.unique(document).tolist())
    factors = RatingFactors(
        lines.value,
        lines.system,
        lines.item,
        lines.judge if (lines.judge >= 0).all() else None,
        document if has_documents else None,
    )
    return average_repeats(factors)


def _count_levels(components: VarianceComponents) -> dict[str, Any]:
    names = {"sys": SYSTEM, "seg": SEGMENT, "doc": DOCUMENT, "judges": RATER}
    return {key: components.levels.get(level) for key, level in names.items()}


def build_component_table(components: VarianceComponents, name: str) -> Table:
    """Build a line for each term: its variance, its deviation and its share."""
    total = components.total()
    rows = []
    for term in TERMS:
        if term not in components.values:
            continue
        value = components[term]
        variance = components.values[term], components.intervals.get(term)
        share = Cell(100 * value / total if total else None, digits=0)
        also = [other for other, kept in components.joined.items() if kept == term]
        joined = f"; with {', '.join(also)}" if also else ""
        rows.append(
            (term, [variance, math.sqrt(value), share, f"{_MEANINGS[term]}{joined}"])
        )
    heads = ["variance", "sd", "%", "meaning"]
    caption = f"Variance components of {name}"
    return findings.build_table("of", heads, rows, caption, "components")


def build_ceiling_table(
    components: VarianceComponents, ratings: Sequence[int]
) -> Table:
    """Build a line for each level: how two panels of so many raters would correlate."""
    ceilings = compute_ceilings(components, ratings)
    segments, size = components.levels[SEGMENT], components.segments_per_document
    ceilings[f"means of systems, {segments:,} segments"] = [
        compute_reliability(
            components, StudyPlan(segments, count, segments_per_document=size)
        )
        for count in ratings
    ]
    rows = [
        (level, [x for v in values for x in (v, math.sqrt(v) if v >= 0 else math.nan)])
        for level, values in ceilings.items()
    ]
    heads = [
        f"{k} and {other}" for k in ratings for other in (f"{k} other", "true scores")
    ]
    caption = (
        "Expected correlation of the mean of several raters with that of as many others, "
        "and with the true scores, by number of raters"
    )
    return findings.build_table("over", heads, rows, caption, "ceiling")


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


#: Variance components of published studies, as `metra meta plan` estimates them; where
#: they come from is told in docs/meta/sample-size.md.
PROFILES: dict[str, dict[str, float]] = {
    # WMT23 en-de, error span annotation: 13 systems, 207 segments, 30 raters.
    "esa": {
        SYSTEM: 57.4,
        SYSTEM_DOCUMENT: 28.8,
        SYSTEM_SEGMENT: 52.6,
        SYSTEM_RATER: 1.9,
        RATER: 33.2,
        RATER_DOCUMENT: 22.5,
        RATER_SEGMENT: 3.2,
        RATING: 154.9,
    },
    # WMT23 en-de, MQM side by side: 9 systems, 104 segments, three of 10 raters each.
    "mqm": {
        SYSTEM: 6.48,
        SYSTEM_DOCUMENT: 0.81,
        SYSTEM_SEGMENT: 9.58,
        SYSTEM_RATER: 0.09,
        RATER: 9.08,
        RATER_SEGMENT: 7.2,
        RATING: 12.76,
    },
    # WMT22 uk-en, direct assessment by the crowd, standardised by worker: 9 systems, 2,018
    # segments, 144 workers.
    "da": {
        SYSTEM: 0.0078,
        SYSTEM_SEGMENT: 0.0841,
        SYSTEM_RATER: 0.0384,
        RATING: 0.7474,
    },
}


@dataclass(frozen=True, slots=True)
class SystemPair:
    """Two systems, the better first: the difference to expect, and how far it varies."""

    better: str
    worse: str
    #: As it is in the pilot study, and as it is expected to be: closer to 0.
    observed: float
    difference: float
    #: The variance of this pair's differences by that of all pairs.
    spread: float

    @property
    def standard_difference(self) -> float:
        """Return the difference of a pair that varies as pairs do on average."""
        return self.difference / math.sqrt(self.spread) if self.spread else math.inf


@dataclass(frozen=True)
class PlannedStudy:
    """A plan, the error of differences under it, and the power for each pair."""

    plan: StudyPlan
    error: DifferenceError
    detectable: float
    reliability: float
    #: The power for each pair of systems, or for each difference that was asked about.
    power: Array


@dataclass(frozen=True)
class StudyPlans:
    """Power of plans of a study, from a pilot study or from assumed variances."""

    components: VarianceComponents
    pairs: list[SystemPair]
    studies: list[PlannedStudy]
    systems: int
    #: The factor of observed differences.
    shrinkage: float = 1.0
    scorer: str = ""

    def count_separated(self, study: PlannedStudy, power: float) -> int:
        """Count the pairs that a study separates with a power."""
        return int((study.power >= power).sum())


def ask_plan(evidence: Evidence, options: PlanOptions) -> StudyPlans:
    """Plan studies from the judgements of a pilot study, or from variances."""
    if not len(evidence.scores):
        return plan_from_variances(options)
    name = evidence.normalise(evidence.scorer, options.scaling)
    return plan_from_pilot(evidence.rows, name, options)


def plan_from_pilot(scores: Scores, name: str, options: PlanOptions) -> StudyPlans:
    """Compute what plans would find, from the judgements of a pilot study."""
    if options.assumed or options.like:
        msg = "Give either a pilot study or variances (`assumed` or `like`), not both."
        raise OptionError(msg)
    components = estimate_components(
        collect_factors(scores, name), studies=options.studies, seed=options.seed
    )
    judged = np.isfinite(orient_scores(scores, name)).sum(1)
    ratings = len(scores.lines(name)) / max(int(judged.sum()), 1)
    pilot = StudyPlan(
        max(round(float(judged.mean())), 2),
        max(round(ratings), 1),
        components.levels.get(RATER),
        components.segments_per_document,
    )
    # The reliability of the pilot's means; where nothing varies, nothing is expected.
    share = compute_reliability(components, pilot) if components.total() else 0.0
    pairs = _expect_differences(scores, name, share)
    curves = _plan_studies(components, pairs, len(scores.systems), options)
    return replace(curves, shrinkage=share, scorer=name)


def plan_from_variances(options: PlanOptions) -> StudyPlans:
    """Compute what plans would find before there are any judgements."""
    if bool(options.like) == bool(options.assumed):
        msg = (
            "Without scores of a pilot study, give variances: a published study with "
            "`like`, or standard deviations with `assumed`."
        )
        raise OptionError(msg)
    variances = {term: deviation**2 for term, deviation in options.assumed}
    if options.like:
        variances = PROFILES[options.like]
    components = VarianceComponents(
        {term: variances[term] for term in TERMS if term in variances},
        segments_per_document=options.segments_per_document or 1.0,
    )
    return _plan_studies(components, [], options.systems, options)


def _expect_differences(scores: Scores, name: str, share: float) -> list[SystemPair]:
    """Take the differences of a pilot study, drawn towards 0 by how unreliable they are.

    A large observed difference is large by chance as well. With normal effects the expected
    true difference is the observed one times the reliability of the pilot's means.
    """
    values = orient_scores(scores, name)
    gaps: list[tuple[int, int, float, float]] = []
    for first, second in combinations(range(len(values)), 2):
        gap = values[first] - values[second]
        gap = gap[np.isfinite(gap)]
        if len(gap) >= 2:
            gaps.append((first, second, float(gap.mean()), float(gap.var(ddof=1))))
    if not gaps:
        msg = "No two systems share two segments, which a pilot study needs."
        raise CorpusError(msg)
    usual = float(np.mean([spread for *_, spread in gaps]))
    pairs = []
    for first, second, mean, spread in gaps:
        better, worse = (first, second) if mean >= 0 else (second, first)
        pairs.append(
            SystemPair(
                scores.systems[better],
                scores.systems[worse],
                abs(mean),
                abs(mean) * share,
                spread / usual if usual else 1.0,
            )
        )
    return sorted(pairs, key=lambda pair: -pair.difference)


def _plan_studies(
    components: VarianceComponents,
    pairs: list[SystemPair],
    systems: int,
    options: PlanOptions,
) -> StudyPlans:
    alpha = options.alpha
    studies = []
    for ratings, segments in product(options.raters, options.segments):
        plan = StudyPlan(
            segments,
            ratings,
            options.pool or components.levels.get(RATER),
            options.segments_per_document or components.segments_per_document,
            other_raters=not options.these_raters,
        )
        error = compute_error(components, plan)
        wanted = [pair.standard_difference for pair in pairs] or options.differences
        power = compute_power(wanted, error, alpha=alpha)
        studies.append(
            PlannedStudy(
                plan,
                error,
                find_detectable(error, power=options.power, alpha=alpha),
                compute_reliability(components, plan),
                power,
            )
        )
    return StudyPlans(components, pairs, studies, systems)


def report_plan(curves: StudyPlans, options: PlanOptions) -> findings.MetaReport:
    """Lay out how judgements vary, the plans, and the pairs of systems in the largest plan."""
    tables = [build_plan_table(curves, options)]
    components, is_pilot = curves.components, bool(curves.pairs)
    data: dict[str, object] = {}
    if is_pilot:
        data = {
            "components": dict(components.values),
            "joined": dict(components.joined),
        }
        tables = [
            build_component_table(components, curves.scorer),
            build_ceiling_table(components, options.raters),
            *tables,
            build_pair_table(curves, options),
        ]
    data["studies"] = [
        {
            "segments": study.plan.segments,
            "ratings": study.plan.ratings,
            "raters": study.plan.pool,
            "standard error": math.sqrt(study.error.variance),
            "df": study.error.df,
            "power": study.power.tolist(),
        }
        for study in curves.studies
    ]
    raters = "" if options.these_raters else " and raters"
    drawn = options.studies if is_pilot else 0
    return findings.build_report(
        tables,
        options,
        _explain_plan(curves, options),
        data,
        scorer=curves.scorer,
        like=options.like,
        **_count_levels(components) | {"sys": curves.systems},
        method="henderson-1" if is_pilot else None,
        interval=f"simulated k={drawn}" if drawn else None,
        seed=options.seed if drawn else None,
        about=f"other segments{raters}",
    )


def draw_plan(curves: StudyPlans, options: PlanOptions) -> list[CurvePlot]:
    """Draw the share of separated pairs, or the detectable difference."""
    power, pairs = f"power {options.power:g}", len(curves.pairs)
    title = f"Smallest detectable difference with {power}"
    lines: dict[str, list[float]] = {}
    for study in curves.studies:
        share = curves.count_separated(study, options.power) / max(pairs, 1)
        lines.setdefault(format_count(study.plan.ratings, "rater"), []).append(
            100 * share if pairs else study.detectable
        )
    return [
        CurvePlot(
            f"Pairs of systems separated with {power}" if pairs else title,
            f"{curves.systems} systems, alpha {options.alpha:g}",
            "segments",
            f"% of {pairs} pairs" if pairs else "difference",
            [f"{count:,}" for count in options.segments],
            lines,
        )
    ]


PLAN = Question("plan", ask_plan, report_plan, draw_plan)


def build_plan_table(curves: StudyPlans, options: PlanOptions) -> Table:
    """Build a line for each plan: what it costs, and what it finds."""
    rows = []
    for study in curves.studies:
        plan, error = study.plan, study.error
        outcomes: list[Any] = study.power.tolist()
        if curves.pairs:
            outcomes = [curves.count_separated(study, options.power)]
        judgements = plan.segments * plan.ratings * curves.systems
        figures = [math.sqrt(error.variance), study.detectable, study.reliability]
        cells = [judgements, *figures, *outcomes, error.false_positives]
        raters = format_count(plan.ratings, "rater")
        rows.append((f"{raters} × {plan.segments:,} segments", cells))
    heads = ["judgements", "standard error", "detectable difference", "reliability"]
    if curves.pairs:
        heads.append(f"pairs found of {len(curves.pairs)}")
    else:
        heads += [f"power for {difference:g}" for difference in options.differences]
    heads.append("false positives")
    caption = (
        f"Study plans that find a difference in {100 * options.power:g} % of cases"
    )
    return findings.build_table("plan", heads, rows, caption, "plans")


def build_pair_table(curves: StudyPlans, options: PlanOptions) -> Table:
    """Build a line for each pair of systems: its power, and the segments that it needs."""
    study = curves.studies[-1]
    plan, aims = study.plan, {"power": options.power, "alpha": options.alpha}
    rows = []
    order = np.argsort(np.abs(study.power - options.power), kind="stable")
    for at in np.sort(order[: options.most_pairs or None]).tolist():
        pair = curves.pairs[at]
        cells: list[Any] = [pair.observed, pair.difference, float(study.power[at])]
        for count in options.raters:
            wanted = replace(plan, ratings=count)
            needed = find_segments(
                pair.standard_difference, curves.components, wanted, **aims
            )
            cells.append("never" if needed is None else Cell(needed, digits=0))
        rows.append((f"{pair.better} – {pair.worse}", cells))
    heads = ["observed", "expected", "power"]
    heads += [
        f"segments for {format_count(count, 'rater')}" for count in options.raters
    ]
    caption = (
        f"Pairs of systems: power with {plan.ratings} × {plan.segments:,} judgements, "
        f"and segments needed for a power of {options.power:g}"
    )
    return findings.build_table("systems", heads, rows, caption, "pairs")


def _explain_plan(curves: StudyPlans, options: PlanOptions) -> list[str]:
    notes = []
    last = curves.studies[-1]
    plan = f"{last.plan.ratings} × {last.plan.segments:,} judgements a system"
    if curves.pairs:
        count = curves.count_separated(last, options.power)
        notes.append(
            f"With {plan}, {count} of {len(curves.pairs)} differences between systems "
            f"are found in at least {100 * options.power:g} % of studies."
        )
        notes.append(
            "Large observed differences are partly due to chance: expected differences "
            f"are {100 * curves.shrinkage:.1f} % of them, the reliability of the pilot study."
        )
        hidden = len(curves.pairs) - options.most_pairs
        if options.most_pairs and hidden > 0:
            notes.append(
                f"{hidden} more pairs, further from that power; `most_pairs` 0 shows "
                "all."
            )
    about = "other segments than these, and other raters"
    if not last.plan.other_raters:
        about = "other segments than these, judged by the same raters"
    notes.append(
        f"The plans hold for {about}. False positives are those of a test at .05 that "
        "treats segments as independent."
    )
    if any(
        one.plan.ratings == other.plan.ratings and one.detectable < other.detectable
        for one, other in pairwise(curves.studies)
    ):
        notes.append(
            "With few raters the detectable difference grows with the number of "
            "segments although the error falls: the remaining error comes from the "
            "raters, and so few raters leave hardly any degrees of freedom. Use more "
            "raters; more segments do not help."
        )
    if last.plan.other_raters and last.plan.pool == 1:
        notes.append(
            "One rater does not generalise to other raters; give `pool`, or "
            "`these_raters`."
        )
    return notes + (explain_components(curves.components) if curves.pairs else [])
