"""Comparison of systems: differences, intervals, p-values and clusters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil
from typing import NamedTuple

from metra import __version__
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, OptionError, UnknownNameError, no_such
from metra.metrics.options import format_value
from metra.metrics.record import Metric
from metra.scoring.evaluate import (
    CI_UNITS,
    NO_DOCUMENTS,
    EvaluationOptions,
    build_options,
    build_samples,
    choose_unit,
    evaluate_statistics,
    make_metrics,
)
from metra.scoring.guards import TextGuard, list_toks
from metra.scoring.results import Results
from metra.scoring.statistics import CorpusStatistics, count_corpus
from metra.stats import defaults, multiplicity, significance
from metra.stats.defaults import LEAST_UNITS
from metra.stats.parallel import Progress
from metra.stats.resampling import check_settings
from metra.stats.significance import Sides
from metra.text.columns import Segments

CORRECTIONS = ("holm", "bh", "none")

#: Resamples behind the intervals, where the test does not bring its own.
RESAMPLES = defaults.TRIALS


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSettings:
    """Which systems to compare, and how to test the differences."""

    #: The system that the others are held against; the first if None.
    baseline: str | None = None
    all_pairs: bool = False
    test: defaults.Test = "ar"
    #: As many as are usual, or as many comparisons need, if None.
    trials: int | None = None
    seed: int = defaults.SEED
    unit: str = "auto"
    alpha: float = 0.05
    correction: str = "holm"

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        units, corrections = ", ".join(CI_UNITS), ", ".join(CORRECTIONS)
        share = "a share between 0 and 1, such as 0.05"
        checks = {
            f"unit={self.unit!r}": (self.unit in CI_UNITS, f"one of {units}"),
            f"correction={self.correction!r}": (
                self.correction in CORRECTIONS,
                f"one of {corrections}",
            ),
            f"alpha={self.alpha}": (0 < self.alpha < 1, share),
        }
        check_settings("A comparison", checks)


class SignificanceSettings(NamedTuple):
    """How systems were compared: the test, its units and the threshold."""

    test: str
    unit: str
    units: int
    trials: int
    seed: int
    alpha: float
    correction: str
    #: Both tests ask whether two systems differ, whichever is the better one.
    sides: Sides = "two-sided"

    def signature(self) -> str:
        """Write everything that the p-values depend on in one line."""
        listed = (
            f"{key}:{format_value(getattr(self, key))}" for key in self._fields[1:]
        )
        return "|".join([self.test, *listed, f"version:{__version__}"])


class SystemComparison(NamedTuple):
    """The difference of two systems by one metric, with its interval and significance."""

    metric: str
    baseline: str
    system: str
    #: The system's score minus the baseline's.
    difference: float
    #: None for a metric with a target.
    higher_is_better: bool | None
    #: Of the difference, by the bootstrap.
    interval: tuple[float, float] | None
    #: Of the difference, by the jackknife.
    standard_error: float | None
    #: The difference in standard deviations of what single units contribute to it.
    effect: float | None
    p_value: float | None
    #: The same, corrected for all comparisons by this metric.
    p_holm: float | None
    significant: bool
    #: The terms as one line.
    test: str
    #: Why there is no p-value.
    reason: str | None = None
    #: The p-value, corrected by Benjamini and Hochberg.
    p_bh: float | None = None
    #: For a metric with a target: how much closer to it the system is than the baseline.
    closer: float | None = None

    @property
    def gain(self) -> float:
        """How much better the system is, whatever the direction of the metric."""
        if self.closer is not None:
            return self.closer
        return self.difference if self.higher_is_better else -self.difference

    def correct(self, correction: str) -> float | None:
        """Return the p-value that counts: corrected by holm or bh, or as it is."""
        counting = {"holm": self.p_holm, "bh": self.p_bh}
        return counting.get(correction, self.p_value)


def compare(
    evalset: EvalSet,
    outputs: Mapping[str, Segments],
    metrics: Sequence[str | Metric],
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    test: defaults.Test = "ar",
    trials: int | None = None,
    seed: int = defaults.SEED,
    unit: str = "auto",
    alpha: float = 0.05,
    correction: str = "holm",
    levels: Sequence[str] = ("system",),
) -> Results:
    """Compare systems with the baseline (by default the first), or all pairs.

    Return the results of `evaluate` with intervals and `comparisons`; with `all_pairs` also
    with `clusters`.

    >>> refs = [f"{at} is the number of this line" for at in range(12)]
    >>> better = [ref.replace("is the", "is a") for ref in refs]
    >>> worse = [ref.replace("number of this", "") for ref in refs]
    >>> results = compare(EvalSet(refs), {"old": worse, "new": better}, ["chrf"])
    >>> (comparison,) = results.comparisons
    >>> comparison.system, comparison.difference > 0, comparison.significant
    ('new', True, True)
    """
    settings = ComparisonSettings(
        baseline=baseline,
        all_pairs=all_pairs,
        test=test,
        trials=trials,
        seed=seed,
        unit=unit,
        alpha=alpha,
        correction=correction,
    )
    options = build_options(levels)
    chosen = make_metrics(metrics)
    corpus = Outputs(evalset, outputs)
    choose_trials(corpus.systems, settings)  # what cannot be is refused before the work
    if options.documents and not corpus.has_documents:
        raise CorpusError(NO_DOCUMENTS)
    guard = TextGuard(list_toks(chosen))
    statistics = count_corpus(corpus, chosen, keep=True, visitors=[guard.visit])
    guard.warn()
    return compare_statistics(statistics, settings, options)


def compare_statistics(
    statistics: CorpusStatistics,
    settings: ComparisonSettings,
    options: EvaluationOptions = EvaluationOptions(),  # noqa: B008, it cannot change
    *,
    progress: Progress = lambda *_: None,
) -> Results:
    """Compare systems whose rows are counted and kept; of the options, the levels count.

    `progress` receives the number of trials done, and their share of all.
    """
    trials = choose_trials(statistics.systems, settings)
    metrics = statistics.metrics
    options = options._replace(
        ci=True,
        ci_method="percentile",
        ci_unit=settings.unit,
        trials=trials if settings.test == "bootstrap" else RESAMPLES,
        seed=settings.seed,
    )
    # One unit for all metrics, so that they can share their draws.
    unit = choose_unit(options, statistics, metrics.values())
    options = options._replace(ci_unit=unit)
    samples = build_samples(statistics, unit, metrics)
    places = {key: place for place, key in enumerate(statistics.tallies)}
    pairs = _list_pairs(statistics.systems, settings)
    intervals, contrasts = significance.contrasts(
        samples,
        [
            (places[baseline, spec], places[system, spec])
            for spec in metrics
            for baseline, system in pairs
        ],
        test=settings.test,
        trials=trials,
        resamples=RESAMPLES,
        seed=settings.seed,
        progress=progress,
    )
    by_tally = dict(zip(statistics.tallies, intervals, strict=True))
    results = evaluate_statistics(statistics, options, by_tally)
    terms = SignificanceSettings(
        test=settings.test,
        unit=unit,
        units=len(samples[0].rows),
        trials=trials,
        seed=settings.seed,
        alpha=settings.alpha,
        correction=settings.correction,
    )
    comparisons: list[SystemComparison] = []
    for number, (spec, metric) in enumerate(metrics.items()):
        own = contrasts[number * len(pairs) : (number + 1) * len(pairs)]
        comparisons += _build_comparisons(spec, metric, pairs, own, terms, results)
    return replace(
        results,
        comparisons=comparisons,
        terms=terms,
        clusters=_find_clusters(results, comparisons) if settings.all_pairs else None,
    )


def choose_baseline(systems: Sequence[str], settings: ComparisonSettings) -> str:
    """Choose the baseline."""
    if len(systems) < 2:
        msg = (
            f"The input has only one system, {systems[0]!r}; a comparison needs a "
            "baseline and at least one other output."
        )
        raise CorpusError(msg)
    if settings.baseline is None:
        return systems[0]
    if settings.baseline not in systems:
        raise UnknownNameError(no_such("system", settings.baseline, systems))
    return settings.baseline


def _list_pairs(
    systems: Sequence[str], settings: ComparisonSettings
) -> list[tuple[str, str]]:
    """List who meets whom."""
    baseline = choose_baseline(systems, settings)
    others = [name for name in systems if name != baseline]
    if settings.all_pairs:
        return list(combinations([baseline, *others], 2))
    return [(baseline, name) for name in others]


def choose_trials(systems: Sequence[str], settings: ComparisonSettings) -> int:
    """Settle the number of trials; refuse so few that no p-value could be small enough."""
    corrected = settings.correction != "none"
    count = len(_list_pairs(systems, settings)) if corrected else 1
    least = ceil(count / settings.alpha) - 1
    if settings.trials is None:
        return significance.choose_draws(count, settings.alpha)
    if settings.trials < least:
        after = f" after the correction for {count} comparisons" if count > 1 else ""
        msg = (
            f"With {settings.trials} trials no p-value can be as low as "
            f"{settings.alpha}{after}; expected at least {least} trials."
        )
        raise OptionError(msg)
    return settings.trials


def _build_comparisons(
    spec: str,
    metric: Metric,
    met: Sequence[tuple[str, str]],
    contrasts: Sequence[significance.Contrast],
    terms: SignificanceSettings,
    results: Results,
) -> list[SystemComparison]:
    """Build the comparisons by one metric, with p-values corrected for their number."""
    p_values = [contrast.p_value for contrast in contrasts]
    by_holm, by_bh = (
        [None if p != p else p for p in correct(p_values).tolist()]
        for correct in (multiplicity.holm, multiplicity.benjamini_hochberg)
    )
    too_few = (
        f"{terms.units} {terms.unit}{' is' if terms.units == 1 else 's are'} too few for "
        f"a test; it needs at least {LEAST_UNITS}."
    )
    no_score = f"{spec} has no score for one of the two systems."
    comparisons = []
    every = zip(met, contrasts, by_holm, by_bh, strict=True)
    for meeting, contrast, p_holm, p_bh in every:
        counting = {"holm": p_holm, "bh": p_bh}
        judged = counting.get(terms.correction, contrast.p_value)
        missing = None
        if not contrast.enough:
            is_scored = contrast.difference == contrast.difference
            missing = too_few if is_scored else no_score
        closer = None
        if metric.direction.target is not None:
            before, after = (
                metric.direction.orient(results[name][spec].score) for name in meeting
            )
            closer = after - before
        comparisons.append(
            SystemComparison(
                metric=spec,
                baseline=meeting[0],
                system=meeting[1],
                difference=contrast.difference,
                higher_is_better=metric.higher_is_better,
                interval=contrast.interval,
                standard_error=contrast.standard_error,
                effect=contrast.effect,
                p_value=contrast.p_value,
                p_holm=p_holm,
                p_bh=p_bh,
                significant=judged is not None and judged <= terms.alpha,
                test=terms.signature(),
                reason=missing,
                closer=closer,
            )
        )
    return comparisons


def _find_clusters(
    results: Results, comparisons: Sequence[SystemComparison]
) -> dict[str, list[list[str]]]:
    """Part each metric's ranking where all above differ from all below."""
    clusters = {}
    for spec in results.specs:
        ranked = [entry.name for entry in results.ranked(spec)]
        differ = _list_differences(comparisons, spec, ranked)
        clusters[spec] = multiplicity.part_ranking(ranked, differ)
    return clusters


def group_systems(results: Results, spec: str) -> list[list[str]]:
    """Group systems, best first, so that two share a group exactly if they do not differ.

    This is for results of all pairs. A system may be in several groups; one without a
    score is in none.
    """
    scores = {entry.name: entry.scores[spec].score for entry in results.ranked(spec)}
    ranked = [name for name, score in scores.items() if score == score]
    differ = _list_differences(results.comparisons, spec, ranked)
    groups = multiplicity.group_similar(differ)
    return [[ranked[place] for place in group] for group in groups]


def _list_differences(
    comparisons: Sequence[SystemComparison], spec: str, systems: Sequence[str]
) -> list[list[bool]]:
    """Say of each pair of systems whether it differs significantly by a metric."""
    apart = {
        frozenset((entry.baseline, entry.system))
        for entry in comparisons
        if entry.metric == spec and entry.significant
    }
    return [[frozenset((one, two)) in apart for two in systems] for one in systems]
