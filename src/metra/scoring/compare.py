"""Comparison of systems: differences, intervals, p-values and clusters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, comb, nan
from typing import Literal, NamedTuple, TypeAlias

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
    count_guarded,
    evaluate_statistics,
    make_metrics,
)
from metra.scoring.results import Results
from metra.scoring.statistics import CorpusStatistics
from metra.stats import defaults, multiplicity, significance
from metra.stats.defaults import LEAST_UNITS
from metra.stats.parallel import Progress
from metra.stats.resampling import check_settings
from metra.stats.significance import Sides
from metra.text.columns import Segments

CORRECTIONS = ("holm", "bh", "none")
#: The comparisons by one metric whose p-values are corrected together: each system against
#: the baseline, or every two systems.
Family: TypeAlias = Literal["baseline", "all_pairs"]
Pair: TypeAlias = tuple[str, str]

#: Resamples behind the intervals, where the test does not bring its own.
RESAMPLES = defaults.TRIALS


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSettings:
    """Systems to compare, and the test of their differences."""

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
        """Refuse settings out of range."""
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

    @property
    def family(self) -> Family:
        """The comparisons for which p-values are corrected."""
        return "all_pairs" if self.all_pairs else "baseline"


class SignificanceSettings(NamedTuple):
    """The test of a comparison, its units, the threshold and the family of p-values."""

    test: str
    unit: str
    units: int
    trials: int
    seed: int
    alpha: float
    correction: str
    family: Family
    #: Comparisons of the family, by each metric.
    family_size: int
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
    higher_is_better: bool | None
    #: Of the difference, by the bootstrap.
    interval: tuple[float, float] | None
    #: Of the difference, by the jackknife.
    standard_error: float | None
    #: The difference in standard deviations of what single units contribute to it.
    effect: float | None
    p_value: float | None
    #: The same, corrected for the family by Holm.
    p_holm: float | None = None
    significant: bool = False
    #: The terms as one line.
    test: str = ""
    #: Why there is no p-value.
    reason: str | None = None
    #: The p-value, corrected for the family by Benjamini and Hochberg.
    p_bh: float | None = None
    family: Family = "baseline"
    #: Comparisons of the family, by this metric.
    family_size: int = 1
    #: The difference in the metric's direction: above 0 if the system is better. With a
    #: target, the points by which the system is closer to it.
    gain: float = nan

    @property
    def verdict(self) -> Literal["better", "worse", ""]:
        """The result for the system; empty if the difference is not significant."""
        if not self.significant:
            return ""
        return "better" if self.gain > 0 else "worse"

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
    with `clusters`. P-values are corrected for the comparisons by one metric, which are a
    family: each system against the baseline, or all pairs.

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
    statistics = count_guarded(corpus, chosen, keep=True)
    return compare_statistics(statistics, settings, options)


def compare_statistics(
    statistics: CorpusStatistics,
    settings: ComparisonSettings,
    options: EvaluationOptions = EvaluationOptions(),  # noqa: B008, it cannot change
    *,
    pairs: Sequence[Pair] | None = None,
    progress: Progress = lambda *_: None,
) -> Results:
    """Compare systems whose rows are counted and kept; of the options, the levels count.

    `pairs` of a baseline and a system replace those of the settings. `progress` receives
    the number of trials done, and their share of all.
    """
    pairs = pairs or _list_pairs(statistics.systems, settings)
    trials = choose_trials(statistics.systems, settings, len(pairs))
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
        family=settings.family,
        family_size=len(pairs),
    )
    keys = [(spec, *pair) for spec in metrics for pair in pairs]
    comparisons = [
        _build_comparison(key, metrics[key[0]], contrast, terms)
        for key, contrast in zip(keys, contrasts, strict=True)
    ]
    return _correct_family(results, comparisons, terms)


def select_baseline_family(results: Results, baseline: str) -> Results:
    """Return results of all pairs with the comparisons against their baseline only.

    These are a family of their own, and their p-values are those of a comparison without
    the other pairs.
    """
    if results.terms is None:
        return results
    selected = [each for each in results.comparisons if each.baseline == baseline]
    size = len(selected) // len(results.specs)
    terms = results.terms._replace(family="baseline", family_size=size)
    return _correct_family(results, selected, terms)


def _correct_family(
    results: Results,
    comparisons: Sequence[SystemComparison],
    terms: SignificanceSettings,
) -> Results:
    """Add a family of comparisons to results, its p-values corrected metric by metric."""
    corrected: list[SystemComparison] = []
    for spec in results.specs:
        family = [each for each in comparisons if each.metric == spec]
        p_values = [each.p_value for each in family]
        by_holm, by_bh = (
            [None if p != p else p for p in correct(p_values).tolist()]
            for correct in (multiplicity.holm, multiplicity.benjamini_hochberg)
        )
        for each, p_holm, p_bh in zip(family, by_holm, by_bh, strict=True):
            entry = each._replace(
                p_holm=p_holm,
                p_bh=p_bh,
                family=terms.family,
                family_size=terms.family_size,
                test=terms.signature(),
            )
            p = entry.correct(terms.correction)
            is_significant = p is not None and p <= terms.alpha
            corrected.append(entry._replace(significant=is_significant))
    results = replace(results, comparisons=corrected, terms=terms, clusters=None)
    if terms.family == "baseline":
        return results
    clusters = {spec: _find_clusters(results, spec) for spec in results.specs}
    return replace(results, clusters=clusters)


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


def _list_pairs(systems: Sequence[str], settings: ComparisonSettings) -> list[Pair]:
    """List the pairs of a family, the baseline first."""
    baseline = choose_baseline(systems, settings)
    others = [name for name in systems if name != baseline]
    if settings.all_pairs:
        return list(combinations([baseline, *others], 2))
    return [(baseline, name) for name in others]


def choose_trials(
    systems: Sequence[str], settings: ComparisonSettings, comparisons: int | None = None
) -> int:
    """Settle the number of trials; refuse so few that no p-value could be small enough.

    By default there are enough for all pairs of the systems, whatever the family, so that
    p-values without a correction do not depend on it.
    """
    if comparisons is None:
        comparisons = len(_list_pairs(systems, settings))
    if settings.trials is None:
        return significance.choose_draws(comb(len(systems), 2), settings.alpha)
    count = comparisons if settings.correction != "none" else 1
    least = ceil(count / settings.alpha) - 1
    if settings.trials < least:
        after = f" after the correction for {count} comparisons" if count > 1 else ""
        msg = (
            f"With {settings.trials} trials no p-value can be as low as "
            f"{settings.alpha}{after}; expected at least {least} trials."
        )
        raise OptionError(msg)
    return settings.trials


def _build_comparison(
    key: tuple[str, str, str],
    metric: Metric,
    contrast: significance.Contrast,
    terms: SignificanceSettings,
) -> SystemComparison:
    """Build a comparison by one metric, without the corrections of its p-value."""
    spec, baseline, system = key
    missing = None
    if not contrast.enough and contrast.difference != contrast.difference:
        missing = f"{spec} has no score for one of the two systems."
    elif not contrast.enough:
        missing = (
            f"{terms.units} {terms.unit}{' is' if terms.units == 1 else 's are'} too few "
            f"for a test; it needs at least {LEAST_UNITS}."
        )
    figures = contrast._asdict() | {"reason": missing}
    del figures["enough"]
    return SystemComparison(
        spec, baseline, system, higher_is_better=metric.higher_is_better, **figures
    )


def _find_clusters(results: Results, spec: str) -> list[list[str]]:
    """Part a metric's ranking where all above differ from all below."""
    ranked = [entry.name for entry in results.rank_systems(spec)]
    differ = _list_differences(results.comparisons, spec, ranked)
    return multiplicity.part_ranking(ranked, differ)


def group_systems(results: Results, spec: str) -> list[list[str]]:
    """Group systems, best first, so that two share a group exactly if they do not differ.

    This is for results of all pairs. A system may be in several groups; one without a
    score is in none.
    """
    scores = {
        entry.name: entry.scores[spec].score for entry in results.rank_systems(spec)
    }
    ranked = [name for name, score in scores.items() if score == score]
    differ = _list_differences(results.comparisons, spec, ranked)
    groups = multiplicity.group_similar(differ)
    return [[ranked[place] for place in group] for group in groups]


def _list_differences(
    comparisons: Sequence[SystemComparison], spec: str, systems: Sequence[str]
) -> list[list[bool]]:
    """Tell for each pair of systems whether it differs significantly by a metric."""
    apart = {
        frozenset((entry.baseline, entry.system))
        for entry in comparisons
        if entry.metric == spec and entry.significant
    }
    return [[frozenset((one, two)) in apart for two in systems] for one in systems]
