"""The question `task`: the protocols of WMT's metrics tasks, each in one word.

wmt23: system-level accuracy pooled over the language pairs, weighing as much as there are
pairs, and for each pair Pearson of systems, Pearson of segments and acc*_eq (Freitag et al.
2023, WMT). wmt24, wmt25 and wmt26: soft pairwise accuracy and acc*_eq for each pair, all
alike (Freitag et al. 2024). Correlations are mapped to 0..1 before they are averaged. The
other tasks are in `detection` and `corrections`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metra.errors import CorpusError, UnknownNameError, no_such
from metra.meta import corrections, correlate, detection, findings
from metra.meta.compare import (
    SWAPS,
    UNITS,
    DecisionRule,
    build_test_options,
    choose_rule,
    choose_test,
    compare,
    list_outcomes,
)
from metra.meta.options import TaskOptions
from metra.meta.question import Evidence, Question
from metra.meta.questions import FILE_PROTOCOLS
from metra.scoring.table import Cell, Column, Table, mark_best
from metra.stats import permutation, significance
from metra.stats.arrays import Array, Codes
from metra.stats.correlation import Options
from metra.stats.multiplicity import CLUSTER_RULES
from metra.stats.panel import ScorePanel
from metra.stats.parallel import track_blocks

#: Level and coefficient of the columns of each language pair, by protocol.
_SOFT = (("sys", "spa"), ("seg", "acc*_eq:item"))
PROTOCOLS: dict[str, tuple[tuple[str, str], ...]] = {
    "wmt23": (("sys", "pearson"), ("seg", "pearson"), ("seg", "acc*_eq:item")),
    "wmt24": _SOFT,
    "wmt25": _SOFT,
    "wmt26": _SOFT,
}
#: The protocol of detection.
ERROR_FREE = "wmt26-error-free"


@dataclass(frozen=True)
class ProtocolColumn:
    """One column of a protocol: a coefficient of language pairs, and its weight."""

    panels: tuple[ScorePanel, ...]
    question: correlate.CorrelationSpec
    weight: float = 1.0

    @property
    def group(self) -> str:
        """The language pairs."""
        return ",".join(panel.lang for panel in self.panels)

    @property
    def heading(self) -> str:
        """The level and the coefficient."""
        return f"{self.question.level} {self.question.options.coef}"

    @property
    def name(self) -> str:
        """All that tells it from other columns."""
        return f"{self.group} {self.heading}".strip()

    @property
    def shares(self) -> Array:
        """The share of each language pair in all pairs of systems."""
        pairs = [math.comb(len(each.systems), 2) for each in self.panels]
        return np.array(pairs, float) / sum(pairs)

    @property
    def lowest(self) -> float:
        """The lowest value that the coefficient can have."""
        return self.question.options.coefficient.lowest


@dataclass(frozen=True)
class TaskScores:
    """Metrics in falling order of their average over the columns of a protocol."""

    protocol: str
    columns: list[ProtocolColumn]
    metrics: list[str]
    average: Array
    #: The coefficients of each column: columns × metrics.
    values: Array
    #: The clusters of a joint test of the averages where it was asked for, and the test.
    clusters: list[int] | None
    tests: significance.PairTests | None
    #: Each column's ranks: clusters where tests were asked for, else places.
    ranks: list[list[int]]
    #: Metrics that not every language pair has.
    left_out: list[str]

    @property
    def panels(self) -> list[ScorePanel]:
        """The panels of whole language pairs, each once."""
        panels = {each.lang: each for column in self.columns for each in column.panels}
        return list(panels.values())

    @property
    def caption(self) -> str:
        """The name of the protocol, and its gold."""
        return f"{self.protocol} protocol, gold {self.panels[0].gold_name}"

    def list_figures(self) -> Iterator[tuple[list[float], list[int]]]:
        """Yield values and ranks of the average, then of each column."""
        ranks = self.clusters or _rank_values(self.average)
        values = [self.average.tolist(), *self.values.tolist()]
        return zip(values, [ranks, *self.ranks], strict=True)


def score_task(
    protocol: str,
    panels: Sequence[ScorePanel],
    options: Options,
    *,
    test: DecisionRule | None = None,
) -> TaskScores:
    """Score all metrics that every language pair has, and rank them by the average."""
    panels = sorted(panels, key=lambda panel: panel.lang)
    shared = [n for n in panels[0].names if all(n in panel.names for panel in panels)]
    if not shared:
        msg = "No metric has scores of every language pair; the protocol averages over them."
        raise CorpusError(msg)
    left_out = sorted({name for panel in panels for name in panel.names} - set(shared))
    kept = [panel.of_metrics(shared) for panel in panels]
    columns = build_columns(protocol, kept, options)
    return score_columns(protocol, columns, options, test=test, left_out=left_out)


def build_columns(
    protocol: str, panels: Sequence[ScorePanel], options: Options
) -> list[ProtocolColumn]:
    """Build the columns of a protocol for some language pairs."""
    if protocol not in PROTOCOLS:
        names = [*PROTOCOLS, ERROR_FREE, *FILE_PROTOCOLS]
        raise UnknownNameError(no_such("protocol", protocol, names))
    columns = [
        ProtocolColumn((panel,), correlate.parse_specs([coef], level, options)[0])
        for panel in panels
        for level, coef in PROTOCOLS[protocol]
    ]
    if protocol == "wmt23":
        (pooled,) = correlate.parse_specs(["accuracy"], "sys", options)
        columns.insert(0, ProtocolColumn(tuple(panels), pooled, len(panels)))
    return columns


def score_columns(
    protocol: str,
    columns: Sequence[ProtocolColumn],
    options: Options,
    *,
    test: DecisionRule | None,
    left_out: Sequence[str] = (),
) -> TaskScores:
    """Score metrics by each column and by their weighted average, with tests if asked for."""
    values = np.array([_score_column(column) for column in columns])
    average = _average(columns, values)
    order = np.argsort(-average, kind="stable")
    tests = clusters = None
    ranks = [_rank_values(row[order]) for row in values]
    if test:
        tests, clusters = _test_averages(columns, order, options, test)
        ranks = [
            _rank_column(columns[at], order, options, test)
            for at in track_blocks(len(columns))
        ]
    names = columns[0].panels[0].names
    return TaskScores(
        protocol,
        list(columns),
        [names[place] for place in order],
        average[order],
        values[:, order],
        clusters,
        tests,
        ranks,
        list(left_out),
    )


def _rank_values(values: Array) -> list[int]:
    """Rank values, the highest first; equal ones share the best rank."""
    return [1 + int((values > value).sum()) for value in values]


def ask_task(evidence: Evidence, options: TaskOptions) -> Any:
    """Score metrics by a protocol, or what takes part in a task of another kind."""
    if evidence.files[0] == ERROR_FREE:
        return detection.ask_detection(evidence, options)
    if evidence.files[0] in FILE_PROTOCOLS:
        return corrections.ask_corrections(evidence, options)
    chosen = build_test_options(options)
    test = choose_rule(options) if options.test else None
    panels = evidence.build_panels()
    return score_task(evidence.files[0], panels, chosen, test=test)


def report_task(scores: TaskScores, options: TaskOptions) -> findings.MetaReport:
    """Lay out the average and every column of the protocol."""
    panels, questions = scores.panels, [column.question for column in scores.columns]
    notes = [f"{panel.place}{note}" for panel in panels for note in panel.notes]
    if scores.left_out:
        listed = ", ".join(scores.left_out)
        notes.append(f"Excluded, because not in every language pair: {listed}.")
    ranks = {
        name: {c.name: r[at] for c, r in zip(scores.columns, scores.ranks, strict=True)}
        for at, name in enumerate(scores.metrics)
    }
    data: dict[str, object] = {"ranks": ranks}
    tests, rule = scores.tests, choose_rule(options)
    tested: dict[str, Any] = dict.fromkeys(("test", "sides", "correction", "alpha"))
    if tests:
        notes.append(findings.describe_differences(tests, rule.alpha))
        tested = findings.describe_tests(tests, wmt=options.wmt)
        tested |= {"correction": rule.correction, "clusters": "greedy"}
        tested |= {"alpha": rule.alpha}
        data |= findings.export_tests(tests)
    drawn = tests or correlate.draws_soft(questions)
    report = findings.build_report(
        [build_task_table(scores)],
        options,
        notes,
        data,
        task=scores.protocol,
        gold=panels[0].gold_name,
        lang=",".join(panel.lang for panel in panels),
        sys=",".join(str(len(panel.systems)) for panel in panels),
        spa_p=correlate.describe_spa(questions),
        **tested,
        seed=options.seed if drawn else None,
    )
    return replace(report, remarks=[_explain_marks(scores)])


def _lay_out(answer: Any, options: TaskOptions) -> findings.MetaReport:
    if isinstance(answer, TaskScores):
        return report_task(answer, options)
    if isinstance(answer[0], detection.DetectionScores):
        return detection.report_detection(answer, options)
    return corrections.report_corrections(answer, options)


TASK = Question("task", ask_task, _lay_out)


def build_task_table(scores: TaskScores) -> Table:
    """Build the table of the protocol: averages, then groups of columns with ranks.

    The best of a column is marked; where it was tested, all of the first cluster.
    """
    columns = [
        Column("average"),
        *(Column(c.heading, group=c.group) for c in scores.columns),
    ]
    cells_of_columns = []
    is_tested = scores.clusters is not None
    for values, ranks in scores.list_figures():
        cells = [
            Cell(value, marks=str(rank), best=rank == 1 and is_tested)
            for value, rank in zip(values, ranks, strict=True)
        ]
        cells_of_columns.append(cells if is_tested else mark_best(cells))
    if scores.clusters is not None:
        columns.insert(1, Column("cluster"))
        cells_of_columns.insert(1, [*map(findings.build_count, scores.clusters)])
    cells_by_metric = zip(*cells_of_columns, strict=True)
    rows = [
        [Cell(name), *cells]
        for name, cells in zip(scores.metrics, cells_by_metric, strict=True)
    ]
    columns.insert(0, Column("metric", "left"))
    return Table(columns, rows, scores.caption, scores.protocol)


def _explain_marks(scores: TaskScores) -> str:
    """Say what bold numbers and ranks mean."""
    if scores.clusters is None:
        return (
            "After each number: its rank in the column. Bold (* in a terminal): best."
        )
    return (
        "After each number: the rank of its cluster in the column, by pairwise "
        "tests of metrics. Bold (* in a terminal): first cluster."
    )


def _score_column(column: ProtocolColumn) -> Array:
    """The coefficients of all metrics; pairs of systems are pooled over language pairs."""
    panels, question = column.panels, column.question
    answers = [correlate.correlate_panel(panel, question) for panel in panels]
    for panel, results in zip(panels, answers, strict=True):
        for name, result in results.items():
            if result.reason:
                place = ", ".join(filter(None, (panel.lang, name, column.name)))
                msg = f"{place}: {result.reason}"
                raise CorpusError(msg)
    pairs = np.array([math.comb(len(panel.systems), 2) for panel in panels], float)
    each = np.array([[result.value for result in a.values()] for a in answers])
    return np.einsum("p,pm->m", pairs, each) / pairs.sum()


def _average(columns: Sequence[ProtocolColumn], scores: Array) -> Array:
    """Weigh the columns' scores, all mapped to 0..1: columns × metrics to metrics."""
    low = np.array([[each.lowest] for each in columns])
    return np.einsum("p,pm->m", _weigh(columns), (scores - low) / (1 - low))


def _weigh(columns: Sequence[ProtocolColumn]) -> Array:
    weights = np.array([column.weight for column in columns])
    return weights / weights.sum()


def _test_averages(
    columns: Sequence[ProtocolColumn],
    order: Codes,
    options: Options,
    rule: DecisionRule,
) -> tuple[significance.PairTests, list[int]]:
    """Test the averages of each two metrics, and form clusters.

    There is one exchange of scores in all columns: columns of a language pair share their
    draws, so that a system or a segment changes sides in all of them; language pairs are
    drawn apart. WMT's scorer draws for every column anew, and takes the systems of a pooled
    column for one sample: it puts scores of all language pairs on one scale, so that levels
    of language pairs change sides too.
    """
    asked = [replace(column, question=column.question.in_tests) for column in columns]
    observed = np.array([_score_column(column) for column in asked])
    langs = list(dict.fromkeys(p.lang for column in columns for p in column.panels))
    parts: list[significance.ExchangePart] = []
    units: list[significance.Unit] = []
    for column, weight in zip(columns, _weigh(columns).tolist(), strict=True):
        names = [column.panels[0].names[place] for place in order]
        panels = [panel.of_metrics(names) for panel in column.panels]
        part = weight / (1 - column.lowest)
        if options.wmt and len(panels) > 1:
            exchanges = permutation.exchange_systems(panels, column.question.options)
            parts.append(significance.ExchangePart(exchanges, part, len(parts)))
            units.append("system")
            continue
        for panel, share in zip(panels, column.shares.tolist(), strict=True):
            exchanges, unit = _prepare_exchanges(panel, column.question)
            stream = len(parts) if options.wmt else langs.index(panel.lang)
            parts.append(significance.ExchangePart(exchanges, part * share, stream))
            units.append(unit)
    p, draws = significance.exchange_p_values(
        parts,
        _average(columns, observed)[order],
        sides=rule.sides,
        draws=options.draws
        or significance.choose_draws(math.comb(len(order), 2), rule.alpha),
        seed=options.seed,
        wmt=options.wmt,
    )
    each = tuple(dict.fromkeys(units))
    tests = significance.PairTests(
        p, "permutation of all columns at once", each, rule.sides, draws, len(each) > 1
    )
    corrected = tests.correct(rule.correction)
    return tests, CLUSTER_RULES["greedy"](corrected, rule.alpha)


def _prepare_exchanges(
    panel: ScorePanel, question: correlate.CorrelationSpec
) -> tuple[significance.Exchanges, significance.Unit]:
    """Prepare the exchanges of one coefficient: those of its own test, if it has any.

    Formulas that take the place of exchanges give no draws to average: Williams' test
    stands for exchanges of systems, the test of pairs for those of pairs' outcomes.
    """
    options, test = question.options, choose_test(panel, question)
    if test == "pairs":
        return permutation.exchange_outcomes(*list_outcomes(panel, options)), "cell"
    swap: permutation.Swap = "sys" if test == "williams" else SWAPS[test]
    return permutation.prepare_swaps(panel, question.level, options, swap), UNITS[swap]


def _rank_column(
    column: ProtocolColumn, order: Codes, options: Options, rule: DecisionRule
) -> list[int]:
    """Rank metrics by the clusters of a test of this column, in the order of the table."""
    names = column.panels[0].names
    if len(column.panels) == 1:
        compared = compare(column.panels[0], column.question, rule)
        clusters = dict(zip(compared.names, compared.clusters, strict=True))
    else:
        own = np.argsort(-_score_column(column), kind="stable")
        _, parted = _test_averages([column], own, options, rule)
        clusters = dict(zip((names[place] for place in own), parted, strict=True))
    return [clusters[names[place]] for place in order]
