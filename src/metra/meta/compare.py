"""The question `compare`: which metrics are better than which, and is that more than luck?"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import NamedTuple, TypeAlias, get_args

import numpy as np

from metra.errors import OptionError
from metra.meta.charts import Heatmap
from metra.meta.correlate import (
    CorrelationSpec,
    correlate_panel,
    fit_thresholds,
    parse_specs,
)
from metra.meta.findings import (
    MetaReport,
    build_count,
    build_figure,
    build_matrix,
    build_report,
    describe_differences,
    describe_tests,
    group_names,
)
from metra.meta.option_fields import Correction, Rule, Test
from metra.meta.options import CompareOptions, TaskOptions
from metra.meta.question import Evidence, Question
from metra.scoring.table import Cell, Table, make_table
from metra.stats.arrays import Array, Mask, order_pairs, pair_gaps
from metra.stats.bootstrap import bootstrap, resamples_segments
from metra.stats.correlation import Options, compute_thresholds
from metra.stats.defaults import TRIALS
from metra.stats.exact_tests import pairs_p, signed_rank_p, williams_p
from metra.stats.multiplicity import CLUSTER_RULES
from metra.stats.panel import ScorePanel
from metra.stats.permutation import (
    Swap,
    prepare_swaps,
    segment_values,
    swaps_segments,
)
from metra.stats.significance import (
    ExchangePart,
    PairTests,
    Sides,
    Unit,
    choose_draws,
    compare_coefficients,
    exchange_p_values,
    make_two_sided,
    shifted_p_values,
)


class DecisionRule(NamedTuple):
    """Sides and correction of tests, and the level of a difference."""

    sides: Sides = "two-sided"
    correction: Correction = "holm"
    alpha: float = 0.05


def choose_rule(options: CompareOptions | TaskOptions) -> DecisionRule:
    """Read the rule; WMT's scorer tests one-sided and corrects nothing."""
    if options.wmt:
        return DecisionRule("one-sided", "none", options.alpha)
    return DecisionRule(options.sides, options.correction, options.alpha)


@dataclass(frozen=True)
class MetricComparison:
    """Metrics in falling order of a coefficient, and tests of each against those below."""

    names: list[str]
    values: Array
    tests: PairTests
    clusters: list[int]
    #: What counts as a difference: p-values after this correction, below alpha.
    correction: Correction
    alpha: float
    #: The lowest value that the coefficient can have.
    lowest: float = -1
    notes: tuple[str, ...] = ()

    @property
    def p(self) -> Array:
        """p-values of each metric against those below it, uncorrected."""
        return self.tests.p

    @property
    def test(self) -> str:
        """The name of the test."""
        return self.tests.test

    @property
    def ranking(self) -> list[tuple[str, float, int]]:
        """Each metric with its coefficient and its cluster."""
        return list(zip(self.names, self.values.tolist(), self.clusters, strict=True))

    @property
    def better(self) -> Mask:
        """True where the row's metric is significantly better than the column's."""
        return self.tests.correct(self.correction) < self.alpha

    @property
    def description(self) -> str:
        """Say what was tested, how, and for whom the answer holds."""
        tests = self.tests
        how = "all exchanges" if tests.test.startswith("perm") else "by formula"
        how = f"{tests.draws:,} draws" if tests.draws else how
        return f"{tests.test}, {tests.sides}, {how}; holds for {tests.population}"


def compare(
    panel: ScorePanel,
    question: CorrelationSpec,
    *,
    test: Test = "auto",
    sides: Sides = "two-sided",
    correction: Correction = "holm",
    alpha: float = 0.05,
    rule: Rule = "greedy",
) -> MetricComparison:
    """Test every metric against every one that has a lower coefficient."""
    results = correlate_panel(panel, question)
    reasons = group_names({name: result.reason for name, result in results.items()})
    notes = [
        f"Not compared: {', '.join(names)}. {reason}"
        for reason, names in reasons.items()
    ]
    defined = [name for name, result in results.items() if np.isfinite(result.value)]
    if len(defined) < 2:
        msg = (
            f"A comparison needs two metrics; found: {len(defined)}. {' '.join(notes)}"
        )
        raise OptionError(msg.strip())
    names = sorted(defined, key=lambda name: -results[name].value)
    values = np.array([results[name].value for name in names])
    name = choose_test(panel, question) if test == "auto" else str(test)
    setting = _Setting(panel.of_metrics(names), question, values, sides, alpha)
    tests = METRIC_TESTS[name](setting)
    upper = np.triu(np.ones(tests.p.shape, bool), 1)
    tests = replace(tests, p=np.where(upper, tests.p, np.nan))
    if question.options.wmt and name.startswith("perm"):
        notes.append("p-values computed as in WMT's scorer may be 0.")
    notes += _explain_least_p(tests, len(panel.systems), correction, alpha)
    return MetricComparison(
        names,
        values,
        tests,
        CLUSTER_RULES[rule].split(tests.correct(correction), alpha),
        correction,
        alpha,
        question.options.coefficient.lowest,
        tuple(notes),
    )


def choose_test(panel: ScorePanel, question: CorrelationSpec) -> str:
    """Choose the test whose answer holds beyond the systems or segments at hand.

    Coefficients of systems are tested with systems as units: a metric that likes one system
    for no reason of quality must not pass for better. For Pearson's r, Williams' formula
    does that, whose p-values can be as small as many tests need; exchanges of a dozen
    systems cannot. Coefficients of segments are tested with segments as units.

    WMT's scorer exchanges the outcomes of pairs for accuracies of segments, cells for soft
    pairwise accuracy and for other coefficients of segments, and systems otherwise.
    """
    options = question.options
    if options.wmt:
        if question.level == "sys":
            return "perm-both" if options.coefficient.soft else "perm-sys"
        by_pair = options.coefficient.pairs and options.group == "item"
        return "pairs" if by_pair else "perm-both"
    if question.level != "sys":
        return "perm-input"
    few = len(panel.systems) < 4
    return "perm-sys" if few or not options.coefficient.linear else "williams"


def parse_question(options: CompareOptions) -> CorrelationSpec:
    """Read the coefficient of a comparison."""
    coefficient = options.coefficient or (
        "pearson" if options.level == "sys" else "acc*_eq:item"
    )
    folds = options.folds or 0
    chosen = replace(build_test_options(options), eps=options.eps, folds=folds)
    return parse_specs([coefficient], options.level, chosen)[0]


def build_test_options(options: CompareOptions | TaskOptions) -> Options:
    """Return the options of coefficients and their tests; WMT's scorer draws less."""
    return Options(
        trials=options.trials or TRIALS,
        draws=options.trials or (TRIALS if options.wmt else None),
        seed=options.seed,
        wmt=options.wmt,
    )


class ComparedMetrics(NamedTuple):
    """The comparison of the metrics of one language pair by a coefficient."""

    panel: ScorePanel
    question: CorrelationSpec
    comparison: MetricComparison


def ask_comparison(evidence: Evidence, options: CompareOptions) -> ComparedMetrics:
    """Compare the metrics of one language pair; `wmt` is one-sided and uncorrected."""
    specs = [parse_question(options)]
    (question,) = fit_thresholds(evidence, specs, options.eps_from)
    rule = choose_rule(options)._asdict()
    comparison = compare(
        evidence.panel, question, test=options.test, **rule, rule=options.rule
    )
    return ComparedMetrics(evidence.panel, question, comparison)


def report_comparison(compared: ComparedMetrics, options: CompareOptions) -> MetaReport:
    """Lay out a ranking with clusters, and every pair of metrics."""
    panel, question, comparison = compared
    chosen, tests = question.options, comparison.tests
    notes = [
        *comparison.notes,
        describe_differences(tests, comparison.alpha),
    ]
    total = int(np.isfinite(comparison.p).sum())
    if options.most_pairs and total > options.most_pairs:
        notes.append(f"{total} pairs; `most_pairs` 0 lists each with both corrections.")
    drawn = tests.draws
    soft = comparison.test.startswith("perm") and chosen.coefficient.soft
    return build_report(
        _build_tables(compared, options.most_pairs),
        options,
        notes,
        {"comparisons": [_export_data(panel, comparison)]},
        panel=panel,
        level=question.level,
        coef=question.heading.replace(" ", ":"),
        **describe_tests(tests, wmt=chosen.wmt),
        correction=comparison.correction,
        spa_p=chosen.swapped_p if soft else None,
        eps=chosen.eps_said,
        clusters=options.rule,
        alpha=comparison.alpha,
        seed=chosen.seed if drawn or chosen.folds else None,
    )


def draw_comparison(
    compared: ComparedMetrics, options: CompareOptions
) -> list[Heatmap]:
    """Draw the p-values as a heat map with clusters."""
    panel, question, comparison = compared
    coefficient = options.coefficient or question.heading.replace(" ", ":")
    title = f"{coefficient} with {panel.gold_name}: which metrics are better"
    caption = f"p-values ({comparison.test}, {comparison.tests.sides}); clusters framed"
    names, p = comparison.names, comparison.p.tolist()
    return [Heatmap(title, caption, names, p, "p", comparison.clusters)]


COMPARE = Question("compare", ask_comparison, report_comparison, draw_comparison)


def _build_tables(compared: ComparedMetrics, most_pairs: int) -> list[Table]:
    panel, question, comparison = compared
    heading, tag = question.heading, panel.lang or "metrics"
    better = comparison.better.sum(1).tolist()
    rows = [
        (name, [Cell(value), build_count(cluster), build_count(count)])
        for (name, value, cluster), count in zip(
            comparison.ranking, better, strict=True
        )
    ]
    caption = f"{panel.place}{heading} with {panel.gold_name}"
    heads = [heading, "cluster", "better than"]
    tested = f"({comparison.test}, {comparison.tests.sides})"
    tables = [make_table("metric", heads, rows, caption=caption, name=f"{tag} ranking")]
    pairs = _list_pairs(comparison)
    if len(pairs) <= most_pairs or not most_pairs:
        heads = ["difference", "effect", "p", "p Holm", "p BH"]
        rows = [
            (
                f"{one} > {other}",
                [
                    *map(build_figure, figures[:2]),
                    *(Cell(p, digits=4) for p in figures[2:]),
                ],
            )
            for (one, other), figures in pairs
        ]
        caption = f"{panel.place}Pairs of metrics {tested}"
        name = f"{tag} pairs"
        return [*tables, make_table("better", heads, rows, caption=caption, name=name)]
    both = comparison.p.copy()
    below = np.tril_indices(len(both), -1)
    both[below] = comparison.tests.holm.T[below]
    caption = (
        f"{panel.place}p-values, below the diagonal after Holm's correction {tested}"
    )
    name = f"{tag} p-values"
    matrix = build_matrix(
        "metric", comparison.names, both, caption=caption, name=name, missing=""
    )
    return [*tables, matrix]


def _list_pairs(
    comparison: MetricComparison,
) -> list[tuple[tuple[str, str], tuple[float, ...]]]:
    """List each two metrics with difference, effect and p-values."""
    names, values, tests = (
        comparison.names,
        comparison.values.tolist(),
        comparison.tests,
    )
    matrices = (tests.p, tests.holm, tests.bh)
    return [
        (
            (names[i], names[j]),
            (
                values[i] - values[j],
                compare_coefficients(values[i], values[j], comparison.lowest),
                *(float(matrix[i, j]) for matrix in matrices),
            ),
        )
        for i, j in combinations(range(len(names)), 2)
    ]


def _explain_least_p(
    tests: PairTests, systems: int, correction: str, alpha: float
) -> list[str]:
    """Say so where so few systems change sides that nothing can be significant."""
    if tests.test != "perm-sys" or tests.draws:
        return []
    least = (2.0 if tests.sides == "two-sided" else 1.0) / 2**systems
    count = int(np.isfinite(tests.p).sum()) if correction != "none" else 1
    if least * count < alpha:
        return []
    return [
        f"Swapping {systems} systems cannot give a p-value below {least:.2g}, which "
        "is not significant; other tests refer to other populations."
    ]


@dataclass(frozen=True)
class _Setting:
    """Input of a test: a panel whose metrics are in falling order, and the settings."""

    panel: ScorePanel
    question: CorrelationSpec
    values: Array
    sides: Sides
    alpha: float

    @property
    def draws(self) -> int:
        """The number of draws: as given, or as the number of tests needs."""
        size = len(self.values)
        return self.question.options.draws or choose_draws(
            size * (size - 1) // 2, self.alpha
        )

    def finish(
        self, test: str, unit: Unit | tuple[Unit, ...], p: Array, draws: int = 0
    ) -> PairTests:
        """Make the result of one-sided p-values of both directions."""
        p = make_two_sided(p) if self.sides == "two-sided" else p
        units = unit if isinstance(unit, tuple) else (unit,)
        return PairTests(p, test, units, self.sides, draws)


#: A test of a panel's metrics.
MetricTest: TypeAlias = Callable[[_Setting], PairTests]

#: What changes sides together in each test of exchanges, and what the unit is called.
SWAPS: dict[str, Swap] = {f"perm-{swap}": swap for swap in get_args(Swap)}
UNITS: dict[Swap, Unit] = {
    "both": "cell",
    "sys": "system",
    "input": "segment",
    "doc": "document",
}


def _exchange_scores(setting: _Setting, *, swap: Swap) -> PairTests:
    """Exchange the scores of two metrics: cells, systems, segments or documents."""
    panel, question = setting.panel, setting.question
    options, level = question.options, question.level
    if level == "sys" and swap != "sys" and not swaps_segments(panel):
        msg = (
            f"perm-{swap} swaps segments, but some system scores are not means over "
            "segments; use perm-sys, or leave those scores out."
        )
        raise OptionError(msg)
    exchanges = prepare_swaps(panel, level, options, swap)
    results = correlate_panel(panel, replace(question, options=options.in_tests))
    observed = np.array([result.value for result in results.values()])
    p, draws = exchange_p_values(
        [ExchangePart(exchanges)],
        observed,
        sides=setting.sides,
        draws=setting.draws,
        seed=options.seed,
        wmt=options.wmt,
    )
    return PairTests(p, f"perm-{swap}", (UNITS[swap],), setting.sides, draws)


def _test_resamples(setting: _Setting) -> PairTests:
    """Draw systems and segments with replacement, crossed, and shift the differences."""
    panel, question = setting.panel, setting.question
    options = replace(question.options.in_tests, trials=setting.draws)
    drawn = bootstrap(panel, question.level, options)
    results = correlate_panel(
        panel, replace(question, options=question.options.in_tests)
    )
    observed = [result.value for result in results.values()]
    p = shifted_p_values(list(drawn.values()), observed, setting.sides)
    units: tuple[Unit, ...] = ("system", "segment")
    if question.level == "sys" and not resamples_segments(panel):
        units = ("system",)
    return PairTests(p, "boot-both", units, setting.sides, setting.draws)


def _test_williams(setting: _Setting) -> PairTests:
    panel, question = setting.panel, setting.question
    if not question.options.coefficient.linear or question.options.group != "none":
        msg = "Williams' test needs Pearson's r without groups."
        raise OptionError(msg)
    gold, metrics = panel.system_gold, panel.system_stack
    unit: Unit = "system"
    if question.level != "sys":
        gold, metrics = panel.gold.ravel(), panel.stack.reshape(len(panel.names), -1)
        unit = "cell"
    p = williams_p(gold, metrics)
    return setting.finish("williams", unit, p)


def _test_wilcoxon(setting: _Setting) -> PairTests:
    options = _group_by_segment(setting.question, "wilcoxon")
    values, _weights = segment_values(setting.panel, options)
    p = np.array([[signed_rank_p(a - b) for b in values] for a in values])
    return setting.finish("wilcoxon", "segment", p)


def _test_outcomes(setting: _Setting) -> PairTests:
    """Test whether metrics order as many pairs of outputs as the gold does."""
    panel = setting.panel
    options = _group_by_segment(setting.question, "pairs")
    if not options.coefficient.pairs:
        msg = "The pairs test needs an accuracy: acc_eq:item or acc*_eq:item."
        raise OptionError(msg)
    return setting.finish("pairs", "cell", pairs_p(*list_outcomes(panel, options)))


def list_outcomes(panel: ScorePanel, options: Options) -> tuple[Array, Array]:
    """List which pairs of outputs each metric orders as the gold does, and their weights.

    The accuracy of a metric is the sum of the weights of pairs that it gets right, over
    that of all weights.
    """
    eps = compute_thresholds(panel.gold, panel.metrics, options)
    gold_gaps = pair_gaps(panel.gold)
    judged = np.isfinite(gold_gaps)
    gold_order = order_pairs(gold_gaps)
    right = []
    for name, metric in panel.metrics.items():
        order = order_pairs(pair_gaps(metric), eps[name])
        right.append((gold_order == order)[judged])
    count = judged.sum(0)
    weights = np.broadcast_to(1.0 / np.maximum(count, 1), judged.shape)[judged]
    return np.array(right, np.float64), weights


#: The tests by name.
METRIC_TESTS: dict[str, MetricTest] = {
    **{name: partial(_exchange_scores, swap=swap) for name, swap in SWAPS.items()},
    "boot-both": _test_resamples,
    "pairs": _test_outcomes,
    "williams": _test_williams,
    "wilcoxon": _test_wilcoxon,
}


def _group_by_segment(question: CorrelationSpec, test: str) -> Options:
    if question.level == "sys" or question.options.group != "item":
        msg = (
            f"The {test} test needs a coefficient for each segment: `level` seg and "
            "NAME:item."
        )
        raise OptionError(msg)
    return question.options


def _export_data(panel: ScorePanel, comparison: MetricComparison) -> dict[str, object]:
    keys = ("difference", "effect", "p_value", "holm", "bh")
    return {
        "lang": panel.lang,
        "gold": panel.gold_name,
        "test": comparison.test,
        "sides": comparison.tests.sides,
        "draws": comparison.tests.draws,
        "population": comparison.tests.population,
        "metrics": [
            {"metric": name, "value": value, "cluster": cluster}
            for name, value, cluster in comparison.ranking
        ],
        "pairs": [
            {"better": one, "worse": other, **dict(zip(keys, figures, strict=True))}
            for (one, other), figures in _list_pairs(comparison)
        ],
    }
