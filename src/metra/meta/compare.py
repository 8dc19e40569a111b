"""The question `compare`: which metrics are better than which, and is that more than luck?"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import comb
from typing import Any, NamedTuple, get_args

import numpy as np

from metra.errors import OptionError
from metra.meta import correlate, findings
from metra.meta.charts import Heatmap
from metra.meta.options import CompareOptions, Correction, Rule, TaskOptions, Test
from metra.meta.question import Evidence, Question
from metra.scoring.table import Cell, Table
from metra.stats import permutation
from metra.stats.arrays import Array, Mask, order_pairs, pair_gaps
from metra.stats.bootstrap import bootstrap, resamples_segments
from metra.stats.correlation import Options, compute_thresholds
from metra.stats.defaults import TRIALS
from metra.stats.exact_tests import pairs_p, rank_test_p_values, williams_p
from metra.stats.multiplicity import CLUSTER_RULES
from metra.stats.panel import ScorePanel
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


USUAL_RULE = DecisionRule()


def choose_rule(options: CompareOptions | TaskOptions) -> DecisionRule:
    """Read the rule; WMT's scorer tests one-sided and corrects nothing."""
    if options.wmt:
        return DecisionRule("one-sided", "none", options.alpha)
    return DecisionRule(options.sides, options.correction, options.alpha)


@dataclass(frozen=True)
class MetricComparison:
    """Metrics in falling order of a coefficient, and tests of each against those below."""

    panel: ScorePanel
    question: correlate.CorrelationSpec
    names: list[str]
    values: Array
    tests: PairTests
    clusters: list[int]
    #: The correction and the level by which a difference counts.
    rule: DecisionRule
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
    def better(self) -> Mask:
        """True where the row's metric is significantly better than the column's."""
        return self.tests.correct(self.rule.correction) < self.rule.alpha

    @property
    def description(self) -> str:
        """Say what was tested, how, and for whom the answer holds."""
        tests = self.tests
        how = "all exchanges" if tests.test.startswith("perm") else "by formula"
        how = f"{tests.draws:,} draws" if tests.draws else how
        return f"{tests.test}, {tests.sides}, {how}; holds for {tests.population}"


def compare(
    panel: ScorePanel,
    question: correlate.CorrelationSpec,
    rule: DecisionRule = USUAL_RULE,
    *,
    test: Test = "auto",
    clusters: Rule = "greedy",
) -> MetricComparison:
    """Test every metric against every one that has a lower coefficient."""
    results = correlate.correlate_panel(panel, question)
    reasons = findings.group_names(
        {name: result.reason for name, result in results.items()}
    )
    notes = [
        f"Not compared: {', '.join(names)}. {reason}"
        for reason, names in reasons.items()
    ]
    defined = [name for name, result in results.items() if np.isfinite(result.value)]
    if len(defined) < 2:
        needs = f"A comparison needs two metrics; found: {len(defined)}."
        msg = " ".join([needs, *notes])
        raise OptionError(msg)
    names = sorted(defined, key=lambda name: -results[name].value)
    values = np.array([results[name].value for name in names])
    name = choose_test(panel, question) if test == "auto" else str(test)
    setting = _Setting(panel.of_metrics(names), question, values, rule)
    tests = METRIC_TESTS[name](setting)
    upper = np.triu(np.ones(tests.p.shape, bool), 1)
    tests = replace(tests, p=np.where(upper, tests.p, np.nan))
    if question.options.wmt and name.startswith("perm"):
        notes.append("p-values computed as in WMT's scorer may be 0.")
    if name == "perm-sys" and not tests.draws:
        # So few systems may change sides that nothing can be significant.
        systems = len(panel.systems)
        least = (2.0 if tests.sides == "two-sided" else 1.0) / 2**systems
        count = int(np.isfinite(tests.p).sum()) if rule.correction != "none" else 1
        if least * count >= rule.alpha:
            notes.append(
                f"Swapping {systems} systems cannot give a p-value below {least:.2g}, "
                "which is not significant; other tests refer to other populations."
            )
    if name in _WARNINGS and not question.options.wmt:
        notes.append(_WARNINGS[name])
    corrected = tests.correct(rule.correction)
    parted = CLUSTER_RULES[clusters](corrected, rule.alpha)
    return MetricComparison(
        panel, question, names, values, tests, parted, rule, tuple(notes)
    )


#: What to say of tests whose rate of false positives is not the level.
_WARNINGS = {
    "boot-both": "boot-both is conservative: it misses differences that other tests find.",
    "pairs": (
        "pairs finds too many differences, because it takes the pairs of a segment for "
        "independent; use perm-input."
    ),
}


def choose_test(panel: ScorePanel, question: correlate.CorrelationSpec) -> str:
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


def build_test_options(options: CompareOptions | TaskOptions) -> Options:
    """Return the options of coefficients and their tests; WMT's scorer draws less."""
    return Options(
        trials=options.trials or TRIALS,
        draws=options.trials or (TRIALS if options.wmt else None),
        seed=options.seed,
        wmt=options.wmt,
    )


def ask_comparison(evidence: Evidence, options: CompareOptions) -> MetricComparison:
    """Compare the metrics of one language pair; `wmt` is one-sided and uncorrected."""
    usual = "pearson" if options.level == "sys" else "acc*_eq:item"
    folds = options.folds or 0
    chosen = replace(build_test_options(options), eps=options.eps, folds=folds)
    coefficients = [options.coefficient or usual]
    (question,) = correlate.parse_specs(coefficients, options.level, chosen)
    return compare(
        evidence.panel,
        question,
        choose_rule(options),
        test=options.test,
        clusters=options.rule,
    )


def report_comparison(
    comparison: MetricComparison, options: CompareOptions
) -> findings.MetaReport:
    """Lay out a ranking with clusters, and every pair of metrics."""
    panel, question = comparison.panel, comparison.question
    chosen, tests, rule = question.options, comparison.tests, comparison.rule
    notes = [*comparison.notes, findings.describe_differences(tests, rule.alpha)]
    pairs = _list_pairs(comparison)
    if options.most_pairs and len(pairs) > options.most_pairs:
        notes.append(
            f"{len(pairs)} pairs; `most_pairs` 0 lists each with both corrections."
        )
    soft = comparison.test.startswith("perm") and chosen.coefficient.soft
    ranking = zip(
        comparison.names, comparison.values.tolist(), comparison.clusters, strict=True
    )
    data = {
        "lang": panel.lang,
        "gold": panel.gold_name,
        "test": comparison.test,
        "sides": tests.sides,
        "draws": tests.draws,
        "population": tests.population,
        "metrics": [
            dict(zip(("metric", "value", "cluster"), row, strict=True))
            for row in ranking
        ],
        "pairs": pairs,
    }
    return findings.build_report(
        _build_tables(comparison, pairs, options.most_pairs),
        options,
        notes,
        {"comparisons": [data]},
        panel=panel,
        level=question.level,
        coef=question.spec,
        **findings.describe_tests(tests, wmt=chosen.wmt),
        correction=rule.correction,
        spa_p="normal" if soft else None,
        eps=chosen.eps_said,
        clusters=options.rule,
        alpha=rule.alpha,
        seed=chosen.seed if tests.draws or chosen.folds else None,
    )


def draw_comparison(
    comparison: MetricComparison, options: CompareOptions
) -> list[Heatmap]:
    """Draw the p-values as a heat map with clusters."""
    coefficient = options.coefficient or comparison.question.spec
    gold = comparison.panel.gold_name
    title = f"{coefficient} with {gold}: which metrics are better"
    caption = f"p-values ({comparison.test}, {comparison.tests.sides}); clusters framed"
    names, p = comparison.names, comparison.p.tolist()
    return [Heatmap(title, caption, names, p, "p", comparison.clusters)]


COMPARE = Question("compare", ask_comparison, report_comparison, draw_comparison)


def _build_tables(
    comparison: MetricComparison, pairs: list[dict[str, Any]], most_pairs: int
) -> list[Table]:
    panel, heading = comparison.panel, comparison.question.heading
    tag = panel.lang or "metrics"
    figures = comparison.values.tolist(), comparison.clusters, comparison.better.sum(1)
    rows = zip(comparison.names, zip(*figures, strict=True), strict=True)
    caption = f"{panel.place}{heading} with {panel.gold_name}"
    heads = [heading, "cluster", "better than"]
    tables = [findings.build_table("metric", heads, rows, caption, f"{tag} ranking")]
    test = findings.TESTS.get(comparison.test, comparison.test)
    tested = f"({test}, {comparison.tests.sides})"
    if len(pairs) <= most_pairs or not most_pairs:
        heads = ["difference", "effect", "p", "p Holm", "p BH"]
        pair_rows = []
        for pair in pairs:
            better, worse, *values = pair.values()
            cells = [*values[:2], *(Cell(p, digits=4) for p in values[2:])]
            pair_rows.append((f"{better} > {worse}", cells))
        caption = f"{panel.place}Pairs of metrics {tested}"
        return [
            *tables,
            findings.build_table("better", heads, pair_rows, caption, f"{tag} pairs"),
        ]
    both = comparison.p.copy()
    below = np.tril_indices(len(both), -1)
    both[below] = comparison.tests.holm.T[below]
    caption = (
        f"{panel.place}p-values, below the diagonal after Holm's correction {tested}"
    )
    name = f"{tag} p-values"
    matrix = findings.build_matrix(
        "metric", comparison.names, both, caption=caption, name=name, missing=""
    )
    return [*tables, matrix]


def _list_pairs(comparison: MetricComparison) -> list[dict[str, Any]]:
    """List each two metrics with difference, effect and p-values."""
    names, tests = comparison.names, comparison.tests
    values = comparison.values.tolist()
    lowest = comparison.question.options.coefficient.lowest
    plain, holm, bh = tests.p.tolist(), tests.holm.tolist(), tests.bh.tolist()
    return [
        {
            "better": names[i],
            "worse": names[j],
            "difference": values[i] - values[j],
            "effect": compare_coefficients(values[i], values[j], lowest),
            "p_value": plain[i][j],
            "holm": holm[i][j],
            "bh": bh[i][j],
        }
        for i, j in combinations(range(len(names)), 2)
    ]


@dataclass(frozen=True)
class _Setting:
    """Input of a test: a panel whose metrics are in falling order, and the settings."""

    panel: ScorePanel
    question: correlate.CorrelationSpec
    values: Array
    rule: DecisionRule

    @property
    def draws(self) -> int:
        """The number of draws: as given, or as the number of tests needs."""
        tests = comb(len(self.values), 2)
        return self.question.options.draws or choose_draws(tests, self.rule.alpha)

    def observe(self) -> Array:
        """Return the coefficients that draws are compared with."""
        results = correlate.correlate_panel(self.panel, self.question.in_tests)
        return np.array([result.value for result in results.values()])

    def finish(self, test: str, unit: Unit, p: Array) -> PairTests:
        """Make the result of one-sided p-values of both directions."""
        p = make_two_sided(p) if self.rule.sides == "two-sided" else p
        return PairTests(p, test, (unit,), self.rule.sides)

    def group_by_segment(self, test: str) -> Options:
        """Return the options, or refuse a coefficient without a value for each segment."""
        if self.question.level == "sys" or self.question.options.group != "item":
            msg = (
                f"The {test} test needs a coefficient for each segment: `level` seg and "
                "NAME:item."
            )
            raise OptionError(msg)
        return self.question.options


#: What changes sides together in each test of exchanges, and what the unit is called.
SWAPS: dict[str, permutation.Swap] = {
    f"perm-{swap}": swap for swap in get_args(permutation.Swap)
}
UNITS: dict[permutation.Swap, Unit] = {
    "both": "cell",
    "sys": "system",
    "input": "segment",
    "doc": "document",
}


def _exchange_scores(setting: _Setting, *, swap: permutation.Swap) -> PairTests:
    """Exchange the scores of two metrics: cells, systems, segments or documents."""
    panel, level, sides = setting.panel, setting.question.level, setting.rule.sides
    if level == "sys" and swap != "sys" and not permutation.swaps_segments(panel):
        msg = (
            f"perm-{swap} swaps segments, but some system scores are not means over "
            "segments; use perm-sys, or leave those scores out."
        )
        raise OptionError(msg)
    options = setting.question.options
    p, draws = exchange_p_values(
        [ExchangePart(permutation.prepare_swaps(panel, level, options, swap))],
        setting.observe(),
        sides=sides,
        draws=setting.draws,
        seed=options.seed,
        wmt=options.wmt,
    )
    return PairTests(p, f"perm-{swap}", (UNITS[swap],), sides, draws)


def _test_resamples(setting: _Setting) -> PairTests:
    """Draw systems and segments with replacement, crossed, and shift the differences."""
    panel, question, sides = setting.panel, setting.question, setting.rule.sides
    options = replace(question.options.in_tests, trials=setting.draws)
    drawn = bootstrap(panel, question.level, options)
    p = shifted_p_values(list(drawn.values()), setting.observe().tolist(), sides)
    units: tuple[Unit, ...] = ("system", "segment")
    if question.level == "sys" and not resamples_segments(panel):
        units = ("system",)
    return PairTests(p, "boot-both", units, sides, setting.draws)


def _test_williams(setting: _Setting) -> PairTests:
    panel, options = setting.panel, setting.question.options
    if not options.coefficient.linear or options.group != "none":
        msg = "Williams' test needs Pearson's r without groups."
        raise OptionError(msg)
    if setting.question.level == "sys":
        p = williams_p(panel.system_gold, panel.system_stack)
        return setting.finish("williams", "system", p)
    p = williams_p(panel.gold.ravel(), panel.stack.reshape(len(panel.names), -1))
    return setting.finish("williams", "cell", p)


def _test_wilcoxon(setting: _Setting) -> PairTests:
    options = setting.group_by_segment("wilcoxon")
    values, _weights = permutation.segment_values(setting.panel, options)
    p = rank_test_p_values(values, paired=True)
    return setting.finish("wilcoxon", "segment", p)


def _test_outcomes(setting: _Setting) -> PairTests:
    """Test whether metrics order as many pairs of outputs as the gold does."""
    options = setting.group_by_segment("pairs")
    if not options.coefficient.pairs:
        msg = "The pairs test needs an accuracy: acc_eq:item or acc*_eq:item."
        raise OptionError(msg)
    p = pairs_p(*list_outcomes(setting.panel, options))
    return setting.finish("pairs", "cell", p)


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


METRIC_TESTS: dict[str, Callable[[_Setting], PairTests]] = {
    **{name: partial(_exchange_scores, swap=swap) for name, swap in SWAPS.items()},
    "boot-both": _test_resamples,
    "pairs": _test_outcomes,
    "williams": _test_williams,
    "wilcoxon": _test_wilcoxon,
}
