"""The question `task`: the protocols of WMT's metrics tasks, each in one word.

wmt23: system-level accuracy pooled over the language pairs, weighing as much as there are
pairs, and for each pair Pearson of systems, Pearson of segments and acc*_eq (Freitag et al.
2023, WMT). wmt24 and wmt25: soft pairwise accuracy and acc*_eq for each pair, all alike
(Freitag et al. 2024). Correlations are mapped to 0..1 before they are averaged. A study
(`metra.meta.study`) may have columns of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from metra.errors import CorpusError
from metra.meta.charts import ForestPanel, ForestPlot
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
from metra.meta.correlate import (
    CorrelationSpec,
    correlate_panel,
    describe_spa,
    draws_soft,
    parse_specs,
)
from metra.meta.findings import (
    MetaReport,
    build_count,
    build_figure,
    build_report,
    describe_differences,
    describe_tests,
    export_tests,
)
from metra.meta.options import TaskOptions
from metra.meta.question import Evidence, Question
from metra.meta.study import (
    MARKS,
    MetricNames,
    MetricStudy,
    StudyColumn,
    StudyScores,
    choose_metrics,
    list_columns,
    load_study,
    read_study,
)
from metra.scores.mqm import MqmWeighting
from metra.scores.registry import read_scores
from metra.scores.selection import DEFAULT
from metra.scores.table import Scores
from metra.scoring.table import Cell, Column, Table, mark_best
from metra.stats.arrays import Array, Codes
from metra.stats.bootstrap import bootstrap, compute_bounds
from metra.stats.correlation import Options
from metra.stats.multiplicity import CLUSTER_RULES
from metra.stats.panel import ScorePanel
from metra.stats.parallel import track_blocks
from metra.stats.permutation import (
    Swap,
    exchange_outcomes,
    exchange_systems,
    prepare_swaps,
)
from metra.stats.significance import (
    ExchangePart,
    Exchanges,
    PairTests,
    Unit,
    choose_draws,
    exchange_p_values,
)


@dataclass(frozen=True)
class ProtocolColumn:
    """One column of a protocol: a coefficient of one language pair, and its weight."""

    #: What it is of: language pairs, and a domain if it is of one.
    group: str
    panels: tuple[ScorePanel, ...]
    question: CorrelationSpec
    weight: float
    #: The second rater of each language pair, where there is one.
    ceilings: tuple[ScorePanel | None, ...] = ()

    @property
    def heading(self) -> str:
        """The level and the coefficient."""
        return f"{self.question.level} {self.question.options.coef}"

    @property
    def name(self) -> str:
        """All that tells it from other columns."""
        return f"{self.group} {self.heading}".strip()

    @property
    def pairs(self) -> Array:
        """The number of pairs of systems of each language pair."""
        return np.array(
            [math.comb(len(each.systems), 2) for each in self.panels], float
        )

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
    #: The clusters of a joint test of the averages, where it was asked for.
    clusters: list[int] | None
    #: That test, and what counts as a difference.
    tests: PairTests | None
    rule: DecisionRule | None
    #: Each column's ranks: clusters where tests were asked for, else places.
    ranks: list[list[int]]
    #: What the second raters come to in each column, NaN where there is none.
    ceiling: Array
    #: Metrics that not every language pair has.
    left_out: list[str]
    #: Bootstrap intervals of the average and of each column, where they were asked for.
    intervals: list[list[tuple[float, float] | None]] | None = None
    notes: tuple[str, ...] = ()
    study: MetricStudy | None = None

    @property
    def panels(self) -> list[ScorePanel]:
        """The panels of whole language pairs, each once."""
        panels: dict[str, ScorePanel] = {}
        for column in self.columns:
            for panel in column.panels:
                panels.setdefault(panel.lang, panel)
        return list(panels.values())


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
    kept = {panel.lang: panel.of_metrics(shared) for panel in panels}
    asked = list_columns(protocol, list(kept))
    columns = [
        build_column(each, [kept[lang] for lang in each.pairs], options)
        for each in asked
    ]
    return score_columns(protocol, columns, options, test=test, left_out=left_out)


def score_study(
    study: MetricStudy,
    loaded: Sequence[StudyScores],
    options: Options,
    *,
    test: DecisionRule | None = None,
) -> TaskScores:
    """Score the metrics of a study by its protocol, or by columns of its own."""
    metrics, left_out = choose_metrics(study, loaded)
    by_lang = {each.pair.lang: each for each in loaded}
    asked = study.columns or list_columns(study.protocol, sorted(by_lang))
    panels: dict[tuple[str, str, str], ScorePanel] = {}
    ceilings: dict[tuple[str, str, str], ScorePanel | None] = {}
    columns = []
    for each in asked:
        level = "doc" if each.level == "doc" else "seg"
        for group in [each.pairs] if each.pooled else [(lang,) for lang in each.pairs]:
            keys = [(lang, level, each.domain) for lang in group]
            for key in keys:
                of_pair = by_lang[key[0]]
                if key not in panels:
                    about = {"level": level, "domain": each.domain}
                    panels[key] = of_pair.build_panel(metrics, **about)
                    ceilings[key] = of_pair.build_ceiling(**about)
            column = build_column(each, [panels[key] for key in keys], options)
            own = tuple(ceilings[key] for key in keys)
            columns.append(replace(column, ceilings=own))
    notes = [f"{s.pair.lang}: {note}" for s in loaded for note in s.notes]
    scores = score_columns(
        study.protocol or "study",
        columns,
        options,
        test=test
        or (choose_rule(TaskOptions(wmt=options.wmt)) if study.test else None),
        left_out=left_out,
    )
    return replace(scores, study=study, notes=tuple(notes))


def score_columns(
    protocol: str,
    columns: Sequence[ProtocolColumn],
    options: Options,
    *,
    test: DecisionRule | None,
    left_out: Sequence[str] = (),
) -> TaskScores:
    """Score metrics by each column and by their weighted average, with tests if asked for."""
    values = np.array([_score_column(column, column.panels) for column in columns])
    weights = np.array([column.weight for column in columns])
    weights = weights / weights.sum()
    average = _average(columns, values, weights)
    order = np.argsort(-average, kind="stable")
    tests = clusters = None
    ranks = [_rank_values(row[order]) for row in values]
    if test:
        tests = _test_averages(columns, order, weights, options, test)
        clusters = CLUSTER_RULES["greedy"].split(
            tests.correct(test.correction), test.alpha
        )
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
        test,
        ranks,
        np.array([_score_ceiling(column) for column in columns]),
        list(left_out),
    )


def _rank_values(values: Array) -> list[int]:
    """Rank values, the highest first; equal ones share the best rank."""
    return [1 + int((values > value).sum()) for value in values]


def add_intervals(scores: TaskScores, options: Options) -> TaskScores:
    """Add bootstrap intervals: systems and segments are drawn, for each language pair anew.

    All columns of a language pair share the draws, so the average of the columns has an
    interval of its own.
    """
    drawn = np.array(
        [
            _draw_column(scores, scores.columns[at], options)
            for at in track_blocks(len(scores.columns))
        ]
    )
    weights = np.array([column.weight for column in scores.columns])
    averages = _average(
        scores.columns, drawn.reshape(len(drawn), -1), weights / weights.sum()
    ).reshape(drawn.shape[1:])
    intervals = [
        [compute_bounds(draws) for draws in rows] for rows in (averages, *drawn)
    ]
    return replace(scores, intervals=intervals)


def _draw_column(scores: TaskScores, column: ProtocolColumn, options: Options) -> Array:
    """Draw the coefficients of a column: metrics × draws."""
    total = np.zeros((len(scores.metrics), options.trials))
    for panel, pairs in zip(column.panels, column.pairs.tolist(), strict=True):
        place = [other.lang for other in scores.panels].index(panel.lang)
        seeded = replace(column.question.options, seed=options.seed + place)
        draws = bootstrap(panel, column.question.level, seeded)
        total += pairs * np.array([draws[name] for name in scores.metrics])
    return total / column.pairs.sum()


def ask_task(evidence: Evidence, options: TaskOptions) -> TaskScores:
    """Score metrics by a protocol or a study."""
    chosen, protocol = build_test_options(options), evidence.files[0]
    rule = choose_rule(options) if options.test else None
    if not protocol.endswith(".toml"):
        panels = evidence.build_panels()
        scores = score_task(protocol, panels, chosen, test=rule)
    else:
        study = read_study(protocol)

        def read(file: str, weights: MqmWeighting | None) -> Scores:
            scores = read_scores(file, wmt=options.wmt, mqm_weights=weights)
            return DEFAULT.select(scores)

        rule = choose_rule(options) if study.test else rule
        scores = score_study(study, load_study(study, read), chosen, test=rule)
    return add_intervals(scores, chosen) if options.ci else scores


def report_task(scores: TaskScores, options: TaskOptions) -> MetaReport:
    """Lay out the average and every column of the protocol."""
    notes = list(scores.notes)
    notes += [f"{panel.place}{note}" for panel in scores.panels for note in panel.notes]
    if scores.left_out:
        notes.append(
            "Excluded, because not in every language pair: "
            f"{', '.join(scores.left_out)}."
        )
    notes += _describe_ceilings(scores)
    questions = [column.question for column in scores.columns]
    tests, rule = scores.tests, scores.rule
    tested: dict[str, Any] = dict.fromkeys(("test", "sides", "correction", "alpha"))
    if tests and rule:
        notes.append(describe_differences(tests, rule.alpha))
        about = {"correction": rule.correction, "clusters": "greedy"}
        tested = describe_tests(tests, wmt=options.wmt) | about | {"alpha": rule.alpha}
    data: dict[str, object] = {
        "ranks": {
            name: {
                c.name: r[at] for c, r in zip(scores.columns, scores.ranks, strict=True)
            }
            for at, name in enumerate(scores.metrics)
        }
    }
    if tests:
        data |= export_tests(tests)
    golds = dict.fromkeys(panel.gold_name for panel in scores.panels)
    langs = [panel.lang for panel in scores.panels]
    each = map("=".join, zip(langs, (p.gold_name for p in scores.panels), strict=True))
    drawn = tests or draws_soft(questions) or scores.intervals
    report = build_report(
        [build_task_table(scores)],
        options,
        notes,
        data,
        task=scores.protocol,
        study=Path(scores.study.path).name if scores.study else None,
        gold=",".join(golds if len(golds) == 1 else each),
        lang=",".join(langs),
        sys=",".join(str(len(panel.systems)) for panel in scores.panels),
        spa_p=describe_spa(questions),
        **tested,
        boot=f"both k={build_test_options(options).trials}"
        if scores.intervals
        else None,
        seed=options.seed if drawn else None,
    )
    label = f"tab:{scores.study.name}" if scores.study else ""
    return replace(report, label=label, remarks=_explain_marks(scores))


def draw_task(scores: TaskScores, _: TaskOptions) -> list[ForestPlot]:
    """Draw the average and every column with intervals."""
    headings = ["average", *(column.name for column in scores.columns)]
    figures = [scores.average.tolist(), *scores.values.tolist()]
    none = [[None] * len(scores.metrics)] * len(figures)
    panels = [*map(ForestPanel, headings, figures, scores.intervals or none)]
    caption = "95 % bootstrap intervals over systems and segments"
    title = _write_caption(scores)
    return [ForestPlot(title, caption, scores.metrics, panels, scores.clusters or ())]


TASK = Question("task", ask_task, report_task, draw_task)


_PEOPLE = "§"
CEILING = "second rater"


def build_task_table(scores: TaskScores) -> Table:
    """Build the table of the protocol: averages, then groups of columns with ranks.

    The best of a column is marked; where it was tested, all of the first cluster.
    """
    tested = scores.clusters is not None
    average_ranks = scores.clusters or _rank_values(scores.average)
    figures = [scores.average, *scores.values]
    intervals = scores.intervals or [[None] * len(scores.metrics)] * len(figures)
    ranks = [average_ranks, *scores.ranks]
    rows_of_cells = [
        _build_cells(*each, tested)
        for each in zip(figures, intervals, ranks, strict=True)
    ]
    columns = [
        Column("average"),
        *(Column(c.heading, group=c.group) for c in scores.columns),
    ]
    if scores.clusters is not None:
        columns.insert(1, Column("cluster"))
        rows_of_cells.insert(1, [build_count(cluster) for cluster in scores.clusters])
    names = scores.study.metrics if scores.study else MetricNames()
    rows = [
        [Cell(name, marks=names.mark(name)), *cells]
        for name, cells in zip(
            scores.metrics, zip(*rows_of_cells, strict=True), strict=True
        )
    ]
    if np.isfinite(scores.ceiling).any():
        figures = [build_figure(value) for value in scores.ceiling]
        blank = [Cell(None)] * (len(columns) - len(figures))
        rows.append([Cell(CEILING, marks=_PEOPLE), *blank, *figures])
    columns.insert(0, Column("metric", "left"))
    return Table(columns, rows, _write_caption(scores), scores.protocol)


def _write_caption(scores: TaskScores) -> str:
    golds = dict.fromkeys(panel.gold_name for panel in scores.panels)
    name = scores.study.name if scores.study else f"{scores.protocol} protocol"
    return f"{name}, gold {', '.join(golds)}"


def _build_cells(
    values: Array,
    intervals: Sequence[tuple[float, float] | None],
    ranks: Sequence[int],
    tested: bool,
) -> list[Cell]:
    cells = [
        Cell(value, interval, marks=str(rank), best=rank == 1 and tested)
        for value, interval, rank in zip(values.tolist(), intervals, ranks, strict=True)
    ]
    return cells if tested else mark_best(cells)


def _explain_marks(scores: TaskScores) -> list[str]:
    """Say what bold and marks mean, of those that the table has."""
    metrics = scores.study.metrics if scores.study else MetricNames()
    marks = "".join(map(metrics.mark, scores.metrics))
    signs = [f"{mark} {title}" for title, mark in MARKS.items() if mark in marks]
    if np.isfinite(scores.ceiling).any():
        signs.append(f"{_PEOPLE} human scores, compared with the gold; not ranked")
    about = "; ".join(signs)
    ranked = "After each number: its rank in the column. Bold (* in a terminal): best."
    if scores.clusters is not None:
        ranked = (
            "After each number: the rank of its cluster in the column, by pairwise "
            "tests of metrics. Bold (* in a terminal): first cluster."
        )
    return [ranked, *([f"{about}."] if about else [])]


def _describe_ceilings(scores: TaskScores) -> list[str]:
    """Say whom the second rater is, and on how many segments both judged."""
    notes = {}
    for column in scores.columns:
        for panel, own in zip(column.panels, column.ceilings, strict=False):
            if own is not None:
                notes[panel.lang] = (
                    f"{own.place}{CEILING} is {own.names[0]}, on {own.compared:,} segments "
                    f"(metrics: {panel.compared:,})."
                )
    return list(notes.values())


def build_column(
    asked: StudyColumn, panels: Sequence[ScorePanel], options: Options
) -> ProtocolColumn:
    """Build a column of the panels of its language pairs."""
    (question,) = parse_specs([asked.coef], asked.level, options)
    group = ",".join(panel.lang for panel in panels)
    return ProtocolColumn(
        f"{group} {asked.domain}".strip(), tuple(panels), question, asked.weight
    )


def _score_column(column: ProtocolColumn, panels: Sequence[ScorePanel]) -> Array:
    """The coefficients of all metrics; pairs of systems are pooled over language pairs."""
    answers = [correlate_panel(panel, column.question) for panel in panels]
    for panel, results in zip(panels, answers, strict=True):
        for name, result in results.items():
            if result.reason:
                place = ", ".join(filter(None, (panel.lang, name, column.name)))
                msg = f"{place}: {result.reason}"
                raise CorpusError(msg)
    pairs = np.array([math.comb(len(panel.systems), 2) for panel in panels], float)
    each = np.array([[result.value for result in a.values()] for a in answers])
    return np.einsum("p,pm->m", pairs, each) / pairs.sum()


def _score_ceiling(column: ProtocolColumn) -> float:
    """Return what the second raters come to, NaN if a language pair has none."""
    panels = [panel for panel in column.ceilings if panel is not None]
    if not panels or len(panels) < len(column.panels):
        return math.nan
    return float(_score_column(column, panels)[0])


def _average(columns: Sequence[ProtocolColumn], scores: Array, weights: Array) -> Array:
    """Weigh the columns' scores, all mapped to 0..1: columns × metrics to metrics."""
    low = np.array([[each.lowest] for each in columns])
    rescaled = (scores - low) / (1 - low)
    return np.einsum("p,pm->m", weights, rescaled)


def _test_averages(
    columns: Sequence[ProtocolColumn],
    order: Codes,
    weights: Array,
    options: Options,
    rule: DecisionRule,
) -> PairTests:
    """Test the averages of each two metrics: one exchange of scores in all columns.

    Columns of a language pair share their draws, so that a system or a segment changes
    sides in all of them; language pairs are drawn apart. WMT's scorer draws for every
    column anew, and takes the systems of a pooled column for one sample: it puts scores of
    all language pairs on one scale, so that levels of language pairs change sides too.
    """
    asked = [
        replace(column, question=replace(question, options=question.options.in_tests))
        for column in columns
        for question in (column.question,)
    ]
    observed = np.array([_score_column(column, column.panels) for column in asked])
    langs = list(dict.fromkeys(p.lang for column in columns for p in column.panels))
    parts: list[ExchangePart] = []
    units: list[Unit] = []
    for column, weight in zip(columns, weights.tolist(), strict=True):
        names = [column.panels[0].names[place] for place in order]
        panels = [panel.of_metrics(names) for panel in column.panels]
        part = weight / (1 - column.lowest)
        if options.wmt and len(panels) > 1:
            exchanges = exchange_systems(panels, column.question.options)
            parts.append(ExchangePart(exchanges, part, len(parts)))
            units.append("system")
            continue
        shares = column.pairs / column.pairs.sum()
        for panel, share in zip(panels, shares.tolist(), strict=True):
            exchanges, unit = _prepare_exchanges(panel, column.question)
            stream = len(parts) if options.wmt else langs.index(panel.lang)
            parts.append(ExchangePart(exchanges, part * share, stream))
            units.append(unit)
    size = len(order)
    p, draws = exchange_p_values(
        parts,
        _average(columns, observed, weights)[order],
        sides=rule.sides,
        draws=options.draws or choose_draws(math.comb(size, 2), rule.alpha),
        seed=options.seed,
        wmt=options.wmt,
    )
    each = tuple(dict.fromkeys(units))
    return PairTests(p, "joint exchange", each, rule.sides, draws, len(each) > 1)


def _prepare_exchanges(
    panel: ScorePanel, question: CorrelationSpec
) -> tuple[Exchanges, Unit]:
    """Prepare the exchanges of one coefficient: those of its own test, if it has any.

    Formulas that take the place of exchanges give no draws to average: Williams' test
    stands for exchanges of systems, the test of pairs for those of pairs' outcomes.
    """
    options, test = question.options, choose_test(panel, question)
    if test == "pairs":
        return exchange_outcomes(*list_outcomes(panel, options)), "cell"
    swap: Swap = "sys" if test == "williams" else SWAPS[test]
    return prepare_swaps(panel, question.level, options, swap), UNITS[swap]


def _rank_column(
    column: ProtocolColumn, order: Codes, options: Options, rule: DecisionRule
) -> list[int]:
    """Rank metrics by the clusters of a test of this column, in the order of the table."""
    names = column.panels[0].names
    if len(column.panels) == 1:
        compared = compare(column.panels[0], column.question, **rule._asdict())
        clusters = dict(zip(compared.names, compared.clusters, strict=True))
    else:
        values = _score_column(column, column.panels)
        own = np.argsort(-values, kind="stable")
        tests = _test_averages([column], own, np.ones(1), options, rule)
        parted = CLUSTER_RULES["greedy"].split(
            tests.correct(rule.correction), rule.alpha
        )
        in_order = [names[place] for place in own]
        clusters = dict(zip(in_order, parted, strict=True))
    return [clusters[names[place]] for place in order]
