"""The question `compare`: which metrics are better than which, and is that more than luck?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, get_args

import numpy as np

from metra.errors import OptionError
from metra.meta.correlate import CorrelationSpec, correlate_panel, parse_specs
from metra.meta.findings import (
    MetaReport,
    build_count,
    build_matrix,
    build_signature,
    group_names,
)
from metra.meta.options import CompareOptions, Rule, Test
from metra.scoring.table import Cell, Table, make_table
from metra.stats.arrays import Array, order_pairs, pair_gaps
from metra.stats.correlation import Options, compute_thresholds
from metra.stats.exact_tests import pairs_p, wilcoxon_p, williams_p
from metra.stats.multiplicity import CLUSTER_RULES, holm
from metra.stats.panel import ScorePanel
from metra.stats.permutation import (
    Swap,
    choose_swap,
    p_values,
    prepare_swaps,
    segment_values,
)

#: Of a panel whose metrics are in falling order, a question, and whether r is absolute.
MetricTest: TypeAlias = Callable[[ScorePanel, CorrelationSpec, bool], Array]


@dataclass(frozen=True)
class MetricComparison:
    """Metrics in falling order of a coefficient, and p-values of each against those below."""

    names: list[str]
    values: Array
    p: Array
    test: str
    clusters: list[int]
    notes: tuple[str, ...] = ()

    @property
    def ranking(self) -> list[tuple[str, float, int]]:
        """Each metric with its coefficient and its cluster."""
        return list(zip(self.names, self.values.tolist(), self.clusters, strict=True))


def compare(
    panel: ScorePanel,
    question: CorrelationSpec,
    *,
    test: Test = "auto",
    alpha: float = 0.05,
    rule: Rule = "greedy",
    absolute: bool = False,
) -> MetricComparison:
    """Test every metric against every one that has a lower coefficient."""
    results = correlate_panel(panel, question)
    reasons = group_names({name: result.reason for name, result in results.items()})
    notes = [
        f"Not compared: {', '.join(names)}. {reason}"
        for reason, names in reasons.items()
    ]
    known = [name for name, result in results.items() if np.isfinite(result.value)]
    if len(known) < 2:
        msg = f"A comparison needs two metrics; found: {len(known)}. {' '.join(notes)}"
        raise OptionError(msg.strip())
    names = sorted(known, key=lambda name: -results[name].value)
    values = np.array([results[name].value for name in names])
    panel, name = panel.of_metrics(names), str(test)
    if name == "auto":
        name = f"perm-{choose_swap(panel, question.level, question.options)}"
    p = METRIC_TESTS[name](panel, question, absolute)
    p = np.where(np.triu(np.ones(p.shape, bool), 1), p, np.nan)
    if question.options.wmt and name != "williams":
        notes.append("p-values as WMT's scorer counts them may be 0.")
    clusters = CLUSTER_RULES[rule].split(p, alpha)
    return MetricComparison(names, values, p, name, clusters, tuple(notes))


def parse_question(options: CompareOptions) -> tuple[CorrelationSpec, Test]:
    """Read the coefficient that is compared by, and the test that its level calls for."""
    coefficient = options.coefficient or (
        "pearson" if options.level == "sys" else "acc*_eq:item"
    )
    test: Test = options.test
    if options.wmt and test == "auto" and options.level == "sys":
        test = "perm-both" if coefficient == "spa" else "perm-sys"
    elif options.wmt and test == "auto" and coefficient.startswith("acc"):
        test = "pairs"
    chosen = Options(
        trials=options.trials,
        seed=options.seed,
        wmt=options.wmt,
        eps=options.eps,
        folds=options.folds or 0,
        swapped_p=options.spa_p,
    )
    return parse_specs([coefficient], options.level, chosen)[0], test


def report_comparison(
    panels: Sequence[ScorePanel],
    question: CorrelationSpec,
    comparisons: Sequence[MetricComparison],
    *,
    alpha: float = 0.05,
    rule: Rule = "greedy",
) -> MetaReport:
    """Lay out a ranking with clusters, and the p-values, for each language pair."""
    tables: list[Table] = []
    notes: list[str] = []
    data = []
    for panel, comparison in zip(panels, comparisons, strict=True):
        corrected = holm(comparison.p)
        better = (comparison.p < alpha).sum(1).tolist()
        rows = [
            (name, [Cell(value), build_count(cluster), build_count(count)])
            for (name, value, cluster), count in zip(
                comparison.ranking, better, strict=True
            )
        ]
        heading, tag = question.heading, panel.lang or "metrics"
        caption = f"{panel.place}{heading} with {panel.gold_name}"
        heads = [heading, "cluster", "better than"]
        tables += [
            make_table("metric", heads, rows, caption=caption, name=f"{tag} ranking"),
            build_matrix(
                "better",
                comparison.names,
                comparison.p,
                caption=f"{panel.place}p-values that the row is no better than the column "
                f"({comparison.test})",
                name=f"{tag} p-values",
                missing="",
            ),
        ]
        notes += [f"{panel.place}{note}" for note in [*panel.notes, *comparison.notes]]
        notes.append(
            f"{panel.place}{int((comparison.p < alpha).sum())} of "
            f"{int(np.isfinite(comparison.p).sum())} differences have p < {alpha:g}; "
            f"{int((corrected < alpha).sum())} after Holm's correction for their number."
        )
        data.append(_export_data(panel, comparison, corrected))
    options = question.options
    test = comparisons[0].test
    drawn = test.startswith("perm")
    signature = build_signature(
        panels[0] if len(panels) == 1 else None,
        level=question.level,
        coef=question.heading.replace(" ", ":"),
        test=f"{test} k={options.trials}" if drawn else test,
        p=("b/k" if options.wmt else "(b+1)/(k+1)") if drawn else None,
        spa_p=options.swapped_p if drawn and options.coefficient.soft else None,
        eps=options.eps_said,
        clusters=rule,
        alpha=alpha,
        seed=options.seed if drawn or options.folds else None,
        lang=",".join(panel.lang for panel in panels) if len(panels) > 1 else None,
    )
    return MetaReport(tables, signature, notes, {"comparisons": data})


def _exchange_scores(
    panel: ScorePanel, question: CorrelationSpec, _: bool, *, swap: Swap
) -> Array:
    """Exchange the scores of two metrics: cells, systems or segments."""
    options, level = question.options, question.level
    best = choose_swap(panel, level, options)
    if level == "sys" and swap != "sys" and best == "sys":
        msg = (
            f"perm-{swap} exchanges segments, but system scores are given that are no "
            "means over segments; use perm-sys, or leave those scores out."
        )
        raise OptionError(msg)
    after = prepare_swaps(panel, level, options, swap)
    results = correlate_panel(panel, replace(question, options=options.in_tests))
    observed = np.array([result.value for result in results.values()])
    return p_values(after, observed, options.trials, wmt=options.wmt)


def _test_williams(
    panel: ScorePanel, question: CorrelationSpec, absolute: bool
) -> Array:
    if not question.options.coefficient.linear or question.options.group != "none":
        msg = "The Williams test is of Pearson's r without groups."
        raise OptionError(msg)
    gold, metrics = panel.system_gold, panel.system_stack
    if question.level != "sys":
        gold, metrics = panel.gold.ravel(), panel.stack.reshape(len(panel.names), -1)
    return williams_p(gold, metrics, absolute=absolute)


def _test_wilcoxon(panel: ScorePanel, question: CorrelationSpec, _: bool) -> Array:
    values, _weights = segment_values(panel, _group_by_segment(question, "wilcoxon"))
    return np.array([[wilcoxon_p(a - b) for b in values] for a in values])


def _test_outcomes(panel: ScorePanel, question: CorrelationSpec, _: bool) -> Array:
    """Test whether metrics order as many pairs of outputs as the gold does."""
    options = _group_by_segment(question, "pairs")
    if not options.coefficient.pairs:
        msg = "The pairs test is of accuracies: acc_eq:item or acc*_eq:item."
        raise OptionError(msg)
    return pairs_p(*list_outcomes(panel, options))


def list_outcomes(panel: ScorePanel, options: Options) -> tuple[Array, Array]:
    """List which pairs of outputs each metric orders as the gold does, and their weights.

    The accuracy of a metric is the sum of the weights of pairs that it gets right, over
    that of all weights.
    """
    eps = compute_thresholds(panel.gold, panel.metrics, options)
    gold_gaps = pair_gaps(panel.gold)
    there = np.isfinite(gold_gaps)
    gold_order = order_pairs(gold_gaps)
    right = []
    for name, metric in panel.metrics.items():
        order = order_pairs(pair_gaps(metric), eps[name])
        right.append((gold_order == order)[there])
    count = there.sum(0)
    weights = np.broadcast_to(1.0 / np.maximum(count, 1), there.shape)[there]
    return np.array(right, np.float64), weights


#: p-values that each metric is no better than each other.
METRIC_TESTS: dict[str, MetricTest] = {
    **{f"perm-{s}": partial(_exchange_scores, swap=s) for s in get_args(Swap)},
    "pairs": _test_outcomes,
    "williams": _test_williams,
    "wilcoxon": _test_wilcoxon,
}


def _group_by_segment(question: CorrelationSpec, test: str) -> Options:
    if question.level == "sys" or question.options.group != "item":
        msg = f"The {test} test needs a coefficient of each segment: `level` seg, NAME:item."
        raise OptionError(msg)
    return question.options


def _export_data(
    panel: ScorePanel, comparison: MetricComparison, corrected: Array
) -> dict[str, object]:
    return {
        "lang": panel.lang,
        "gold": panel.gold_name,
        "test": comparison.test,
        "metrics": [
            {"metric": name, "value": value, "cluster": cluster}
            for name, value, cluster in comparison.ranking
        ],
        "pairs": [
            {
                "better": comparison.names[i],
                "worse": comparison.names[j],
                "difference": float(comparison.values[i] - comparison.values[j]),
                "p_value": float(comparison.p[i, j]),
                "holm": float(corrected[i, j]),
            }
            for i in range(len(comparison.names))
            for j in range(i + 1, len(comparison.names))
        ],
    }
