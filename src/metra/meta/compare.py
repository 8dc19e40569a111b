"""The question `compare`: which metrics are better than which, and is that more than luck?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from metra.errors import OptionError
from metra.meta.correlate import CorrelationSpec, correlate_panel, group_by_reason
from metra.meta.findings import MetaReport, build_count, build_signature
from metra.scoring.table import Cell, Table, make_table
from metra.stats.arrays import Array
from metra.stats.correlation import Options, compute_thresholds
from metra.stats.exact_tests import pairs_p, wilcoxon_p, williams_p
from metra.stats.multiplicity import clusters_greedy, clusters_wmt, holm
from metra.stats.panel import ScorePanel
from metra.stats.permutation import (
    Swap,
    choose_swap,
    p_values,
    prepare_swaps,
    segment_values,
)

Test: TypeAlias = Literal[
    "auto", "perm-both", "perm-sys", "perm-input", "pairs", "williams", "wilcoxon"
]
Rule: TypeAlias = Literal["wmt", "greedy"]


@dataclass(frozen=True)
class MetricComparison:
    """Metrics in falling order of a coefficient, and p-values of each against those below."""

    names: list[str]
    values: Array
    p: Array
    test: str
    clusters: list[int]
    notes: tuple[str, ...] = ()


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
    options = question.options
    found = correlate_panel(panel, question)
    notes = [
        f"Not compared: {', '.join(names)}. {reason}"
        for reason, names in group_by_reason(found).items()
    ]
    known = [name for name, r in found.items() if np.isfinite(r.value)]
    if len(known) < 2:
        msg = f"A comparison needs two metrics; found: {len(known)}. {' '.join(notes)}"
        raise OptionError(msg.strip())
    names = sorted(known, key=lambda name: -found[name].value)
    panel = panel.of_metrics(names)
    falling = np.array([found[name].value for name in names])
    p, test_name = _test_pairs(panel, question, test, absolute)
    chosen = clusters_greedy if rule == "greedy" else clusters_wmt
    p = np.where(np.triu(np.ones(p.shape, bool), 1), p, np.nan)
    if options.wmt and test_name != "williams":
        notes.append("p-values as WMT's scorer counts them may be 0.")
    return MetricComparison(
        names, falling, p, test_name, chosen(p, alpha), tuple(notes)
    )


def _test_pairs(
    panel: ScorePanel, question: CorrelationSpec, test: Test, absolute: bool
) -> tuple[Array, str]:
    options, level = question.options, question.level
    if test == "williams":
        gold, metrics = _select_vectors(panel, question)
        return williams_p(gold, metrics, absolute=absolute), test
    if test == "wilcoxon":
        each, _ = segment_values(panel, _group_by_segment(question, test))
        return _test_each_pair(each), test
    if test == "pairs":
        return pairs_p(*_compare_outcomes(panel, question)), test
    swap: Swap = choose_swap(panel, level, options)
    if test != "auto":
        swap = test.removeprefix("perm-")  # type: ignore[assignment]
        if (
            level == "sys"
            and swap != "sys"
            and choose_swap(panel, level, options) == "sys"
        ):
            msg = (
                f"{test} exchanges segments, but system scores are given that are no means "
                "over segments; use perm-sys, or leave those scores out."
            )
            raise OptionError(msg)
    after = prepare_swaps(panel, level, options, swap)
    found = correlate_panel(panel, replace(question, options=options.in_tests))
    observed = np.array([result.value for result in found.values()])
    name = f"perm-{swap}"
    return p_values(after, observed, options.trials, wmt=options.wmt), name


def report_comparison(
    panels: Sequence[ScorePanel],
    question: CorrelationSpec,
    *,
    test: Test = "auto",
    alpha: float = 0.05,
    rule: Rule = "greedy",
    absolute: bool = False,
) -> tuple[MetaReport, list[MetricComparison]]:
    """Answer for each language pair: a ranking with clusters, and the p-values."""
    tables: list[Table] = []
    notes: list[str] = []
    found, data = [], []
    for panel in panels:
        one = compare(
            panel, question, test=test, alpha=alpha, rule=rule, absolute=absolute
        )
        found.append(one)
        tables += _build_tables(panel, question, one, alpha)
        place = f"{panel.lang}: " if panel.lang else ""
        adjusted = int((holm(one.p) < alpha).sum())
        plain = int((one.p < alpha).sum())
        notes += [f"{place}{note}" for note in [*panel.notes, *one.notes]]
        notes.append(
            f"{place}{plain} of {int(np.isfinite(one.p).sum())} differences have "
            f"p < {alpha:g}; {adjusted} after Holm's correction for their number."
        )
        data.append(_export_data(panel, one))
    options = question.options
    drawn = found[0].test.startswith("perm")
    line = build_signature(
        panels[0] if len(panels) == 1 else None,
        level=question.level,
        coef=question.heading.replace(" ", ":"),
        test=f"{found[0].test} k={options.trials}" if drawn else found[0].test,
        p=("b/k" if options.wmt else "(b+1)/(k+1)") if drawn else None,
        spa_p=options.swapped_p if drawn and options.coef == "spa" else None,
        eps=options.eps_said,
        clusters=rule,
        alpha=alpha,
        seed=options.seed if drawn or options.folds else None,
        lang=",".join(panel.lang for panel in panels) if len(panels) > 1 else None,
    )
    return MetaReport(tables, line, notes, {"comparisons": data}), found


def _build_tables(
    panel: ScorePanel, question: CorrelationSpec, found: MetricComparison, alpha: float
) -> list[Table]:
    place = f"{panel.lang}: " if panel.lang else ""
    below = [int((row < alpha).sum()) for row in found.p]
    ranking = [
        (name, [Cell(float(value)), build_count(cluster), build_count(wins)])
        for name, value, cluster, wins in zip(
            found.names, found.values, found.clusters, below, strict=True
        )
    ]
    numbered = [str(at) for at in range(1, len(found.names) + 1)]
    p = [
        (
            f"{at} {name}",
            [Cell(float(x)) if np.isfinite(x) else Cell("") for x in row],
        )
        for at, name, row in zip(numbered, found.names, found.p, strict=True)
    ]
    tag = panel.lang or "metrics"
    return [
        make_table(
            "metric",
            [question.heading, "cluster", "better than"],
            ranking,
            caption=f"{place}{question.heading} with {panel.gold_name}",
            name=f"{tag} ranking",
        ),
        make_table(
            "better",
            numbered,
            p,
            caption=f"{place}p-values that the row is no better than the column ({found.test})",
            name=f"{tag} p-values",
            names=found.names,
        ),
    ]


def _select_vectors(
    panel: ScorePanel, question: CorrelationSpec
) -> tuple[Array, Array]:
    if (
        question.options.coefficient.name != "pearson"
        or question.options.group != "none"
    ):
        msg = "The Williams test is of Pearson's r without groups."
        raise OptionError(msg)
    if question.level == "sys":
        return panel.system_gold, panel.system_stack
    return panel.gold.ravel(), panel.stack.reshape(len(panel.names), -1)


def _group_by_segment(question: CorrelationSpec, test: str) -> Options:
    if question.level == "sys" or question.options.group != "item":
        msg = f"The {test} test needs a coefficient of each segment: --level seg, NAME:item."
        raise OptionError(msg)
    return question.options


def _test_each_pair(each: Array) -> Array:
    return np.array([[wilcoxon_p(a - b) for b in each] for a in each])


def _compare_outcomes(
    panel: ScorePanel, question: CorrelationSpec
) -> tuple[Array, Array]:
    """Whether each metric orders each pair of outputs as the gold, and what pairs weigh."""
    options = _group_by_segment(question, "pairs")
    if not options.coefficient.pairs:
        msg = "The pairs test is of accuracies: acc_eq:item or acc*_eq:item."
        raise OptionError(msg)
    eps = compute_thresholds(panel.gold, panel.metrics, options)
    first, second = np.triu_indices(len(panel.systems), 1)
    dg = panel.gold[first] - panel.gold[second]
    there = np.isfinite(dg)
    right = []
    for name, metric in panel.metrics.items():
        dm = metric[first] - metric[second]
        order = np.where(np.abs(dm) <= eps[name], 0.0, np.sign(dm))
        right.append((np.sign(dg) == order)[there])
    count = there.sum(0)
    weights = np.broadcast_to(1.0 / np.maximum(count, 1), there.shape)[there]
    return np.array(right, np.float64), weights


def _export_data(panel: ScorePanel, found: MetricComparison) -> dict[str, object]:
    adjusted = holm(found.p)
    return {
        "lang": panel.lang,
        "gold": panel.gold_name,
        "test": found.test,
        "metrics": [
            {"metric": name, "value": float(value), "cluster": cluster}
            for name, value, cluster in zip(
                found.names, found.values, found.clusters, strict=True
            )
        ],
        "pairs": [
            {
                "better": found.names[i],
                "worse": found.names[j],
                "difference": float(found.values[i] - found.values[j]),
                "p_value": float(found.p[i, j]),
                "holm": float(adjusted[i, j]),
            }
            for i in range(len(found.names))
            for j in range(i + 1, len(found.names))
        ],
    }
