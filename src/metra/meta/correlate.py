"""The question `correlate`: every metric by several coefficients, with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metra.errors import OptionError
from metra.meta.findings import MetaReport, build_figure, build_signature, group_names
from metra.meta.options import CorrelateOptions
from metra.scores.selection import Selection
from metra.scores.table import Scores, concatenate_scores
from metra.scores.views import build_panel, promote_documents
from metra.scoring.table import Cell, Column, Table, make_table, mark_best
from metra.stats import bootstrap
from metra.stats.arrays import drop_nan, row_means
from metra.stats.correlation import (
    CorrelationResult,
    Options,
    correlate_all,
    find_coefficient,
    group_scores,
)
from metra.stats.panel import ScorePanel, SegmentStatistics
from metra.stats.soft_pairwise import WMT_SEED

#: Pairs of values that are gone through for intervals at the most: about a minute.
MOST_DRAWN = 10**10
#: What is asked where nothing is: the coefficients that a level is usually judged by.
DEFAULTS = {
    "sys": ("pearson", "spearman", "accuracy", "spa"),
    "seg": ("acc*_eq:item", "kendall-b:item", "pearson"),
    "doc": ("acc*_eq:item", "kendall-b:item", "pearson"),
}


@dataclass(frozen=True)
class CorrelationSpec:
    """A coefficient and its grouping, as `NAME` or `NAME:GROUP`."""

    options: Options
    level: str

    @property
    def heading(self) -> str:
        """Name it: coefficient and, for segments, grouping."""
        grouped = self.options.group if self.level != "sys" else ""
        return f"{self.options.coef} {grouped}".strip()


@dataclass(frozen=True)
class MetricCorrelations:
    """The answers to several questions about one language pair."""

    panel: ScorePanel
    questions: list[CorrelationSpec]
    #: For each question, each metric's coefficient.
    answers: list[dict[str, CorrelationResult]]
    #: Why coefficients have no interval.
    refused: list[str]


def parse_questions(options: CorrelateOptions) -> list[CorrelationSpec]:
    """Read the coefficients that were asked for, with all options."""
    chosen = Options(
        average=options.average,
        nan=options.nan,
        eps=options.eps,
        folds=options.folds or 0,
        p=options.spa_p,
        trials=options.trials,
        seed=options.seed,
        wmt=options.wmt,
    )
    return parse_specs(options.coefficients, options.level, chosen)


def parse_specs(
    specs: Sequence[str], level: str, options: Options
) -> list[CorrelationSpec]:
    """Read the coefficients that were asked for; none stands for the usual ones."""
    questions = []
    for spec in specs or DEFAULTS[level]:
        name, _, group = spec.partition(":")
        chosen = find_coefficient(name)
        if chosen.of_segments and group:
            msg = f"{spec}: {chosen.name} has no groups; write {chosen.name} alone."
            raise OptionError(msg)
        group = group or ("none" if level == "sys" else options.group)
        each = replace(options, coef=chosen.name, group=group)  # type: ignore[arg-type]
        if not chosen.calibrated:
            each = replace(each, folds=0)
        if not chosen.ties:
            each = replace(each, eps=None)
        questions.append(CorrelationSpec(each.check_values(), level))
    if options.folds and not any(each.options.folds for each in questions):
        msg = "Cross-fitting needs acc*_eq among the coefficients."
        raise OptionError(msg)
    if options.eps is not None and all(each.options.eps is None for each in questions):
        replace(options, coef=questions[0].options.coef, group="none").check_values()
    return questions


def transfer_thresholds(
    questions: Sequence[CorrelationSpec], panel: ScorePanel, source: str
) -> list[CorrelationSpec]:
    """Give calibrated coefficients the thresholds of other scores, each metric its own."""
    transferred = []
    for question in questions:
        options = question.options
        if options.calibrates:
            results = correlate_all(panel.gold, panel.metrics, options)
            eps = {name: r.eps for name, r in results.items() if not r.reason}
            options = replace(options, eps=eps, eps_from=source)  # type: ignore[arg-type]
        transferred.append(replace(question, options=options))
    return transferred


def correlate_panel(
    panel: ScorePanel, question: CorrelationSpec
) -> dict[str, CorrelationResult]:
    """Answer one question for all metrics of a panel."""
    options = question.options
    if question.level == "sys" and not options.coefficient.of_segments:
        return correlate_all(panel.system_gold, panel.system_metrics, options)
    if not np.isfinite(panel.gold).any():
        reason = f"{panel.gold_name} has no segment scores to compare with."
        return {
            name: CorrelationResult(np.nan, 0, reason=reason) for name in panel.names
        }
    return correlate_all(panel.gold, panel.metrics, options)


def correlate_metrics(
    panel: ScorePanel, questions: Sequence[CorrelationSpec], options: CorrelateOptions
) -> MetricCorrelations:
    """Answer all questions for the metrics of one language pair, with intervals."""
    answers, refused = [], []
    for question in questions:
        results = correlate_panel(panel, question)
        if options.no_ci:
            pass
        elif options.interval == "fisher":
            results = _add_fisher(question, results)
        elif reason := explain_no_interval(panel, question):
            refused.append(reason)
        else:
            results = add_bootstrap(panel, question, results, options.resample)
        answers.append(results)
    return MetricCorrelations(panel, list(questions), answers, refused)


def report_correlation(
    correlations: Sequence[MetricCorrelations], options: CorrelateOptions
) -> MetaReport:
    """Lay out a table for each language pair, best metrics first."""
    notes: list[str] = []
    panels = [each.panel for each in correlations]
    questions = correlations[0].questions
    tables = []
    for each in correlations:
        panel, names = each.panel, sort_metrics(each.answers[0])
        told = [*panel.notes, *explain_missing(questions, each.answers), *each.refused]
        if options.level == "sys" and len(panel.systems) == 2:
            told.append(
                "With two systems the order is either right or wrong; chance "
                "alone is right half of the time."
            )
        notes += [f"{panel.place}{note}" for note in told]
        table = make_table(
            "metric",
            [question.heading for question in questions],
            list(zip(names, build_columns(names, each.answers), strict=True)),
            caption=f"{panel.place}Agreement with {panel.gold_name}",
            name=panel.lang or "correlations",
        )
        tables.append(table)
    boot = options.interval == "bootstrap" and not options.no_ci
    fisher = options.interval == "fisher" and not options.no_ci
    first = questions[0].options
    pooled = options.level != "sys" or all(map(bootstrap.resamples_segments, panels))
    signature = build_signature(
        panels[0] if len(panels) == 1 else None,
        level=options.level,
        coef=",".join(question.heading.replace(" ", ":") for question in questions),
        average=first.average,
        empty=first.nan,
        spa_p=describe_spa(questions),
        eps=next(filter(None, (q.options.eps_said for q in questions)), None),
        boot=f"{options.resample if pooled else 'sys'} k={first.trials}"
        if boot
        else None,
        interval="fisher" if fisher else None,
        seed=first.seed if boot or first.folds or draws_soft(questions) else None,
        lang=",".join(panel.lang for panel in panels) if len(panels) > 1 else None,
    )
    data = {"correlations": [_export_data(each) for each in correlations]}
    return MetaReport(tables, signature, notes, data)


def sort_metrics(results: Mapping[str, CorrelationResult]) -> list[str]:
    """Return the metrics in falling order of a coefficient; those without it come last."""
    return sorted(
        results, key=lambda name: np.nan_to_num(-results[name].value, nan=np.inf)
    )


def build_columns(
    names: Sequence[str],
    answers: Sequence[Mapping[str, CorrelationResult]],
    *more: Sequence[Cell],
) -> list[list[Cell]]:
    """Build a row of cells for each metric, the best of each column marked."""
    columns = [
        [build_figure(results[name].value, results[name].interval) for name in names]
        for results in answers
    ]
    marked = [mark_best(column) for column in (*columns, *more)]
    return [list(cells) for cells in zip(*marked, strict=True)]


def explain_no_interval(panel: ScorePanel, question: CorrelationSpec) -> str:
    """Say why a coefficient has no interval, if so: ties of long groups cost too much."""
    options = question.options
    long_groups = question.level != "sys" and options.group != "item"
    if not (long_groups and options.coefficient.ties):
        return ""
    if options.folds:
        return (
            f"{question.heading} has no interval: a resampled segment would be used "
            "both to fit and to evaluate; use acc*_eq:item."
        )
    rows = group_scores(panel.gold, options.group)
    pairs = rows.shape[0] * rows.shape[1] ** 2 // 2
    cheap = pairs * options.trials * len(panel.names) <= MOST_DRAWN
    if cheap or not (options.calibrates or options.eps):
        return ""
    return (
        f"{question.heading} has no interval: each resample needs {pairs:,} pairs for "
        f"every metric; use {options.coef}:item, or fewer `trials`."
    )


def _add_fisher(
    question: CorrelationSpec, results: Mapping[str, CorrelationResult]
) -> dict[str, CorrelationResult]:
    """Add intervals from a formula, of coefficients that are one sample each."""
    options = question.options
    name = options.coefficient.name
    if question.level != "sys":
        what = "outputs of one segment, and of one system, are not independent"
        msg = (
            f"Fisher's interval assumes independent values, but {what}; use the "
            "bootstrap."
        )
        raise OptionError(msg)
    return {
        metric: replace(
            result, interval=bootstrap.fisher_interval(result.value, result.n, name)
        )
        for metric, result in results.items()
    }


def add_bootstrap(
    panel: ScorePanel,
    question: CorrelationSpec,
    results: Mapping[str, CorrelationResult],
    drawn: bootstrap.Drawn = "both",
) -> dict[str, CorrelationResult]:
    """Add intervals from resamples of systems, segments or both, if there are enough."""
    known = any(np.isfinite(result.value) for result in results.values())
    if not known or len(panel.systems) < 3:
        return dict(results)
    draws = bootstrap.bootstrap(panel, question.level, question.options, drawn=drawn)
    return {
        name: replace(result, interval=bootstrap.compute_bounds(draws[name]))
        if np.isfinite(result.value)
        else result
        for name, result in results.items()
    }


def explain_missing(
    questions: Sequence[CorrelationSpec],
    answers: Sequence[Mapping[str, CorrelationResult]],
) -> list[str]:
    """Say why figures are missing, and what looks upside down."""
    notes = []
    for question, results in zip(questions, answers, strict=True):
        reasons = {name: result.reason for name, result in results.items()}
        for reason, names in group_names(reasons).items():
            notes.append(f"{question.heading} of {', '.join(names)}: {reason}")
        empty = max((r.empty for r in results.values() if not r.reason), default=0)
        if empty:
            groups = next(iter(results.values())).groups
            what = "counted as 0" if question.options.nan == "zero" else "left out"
            notes.append(
                f"{question.heading}: up to {empty:,} of {groups:,} groups are constant "
                f"({what})."
            )
        if question.options.coefficient.lowest < 0:
            below = [name for name, result in results.items() if result.value < -0.5]
            if below:
                notes.append(
                    f"{question.heading} of {', '.join(below)} is far below zero; if "
                    "lower values are better, give `lower_is_better`."
                )
    return list(dict.fromkeys(notes))


def describe_spa(questions: Sequence[CorrelationSpec]) -> str | None:
    """Return the source of the p-values of soft pairwise accuracy, for a signature."""
    soft = [each.options for each in questions if each.options.coefficient.soft]
    if not soft:
        return None
    if soft[0].wmt:
        return f"wmt k={soft[0].trials} seed={WMT_SEED}"
    drawn = soft[0].p != "normal"
    return f"perm k={soft[0].trials} mid-p" if drawn else soft[0].p


def draws_soft(questions: Sequence[CorrelationSpec]) -> bool:
    """Return True if the p-values of soft pairwise accuracy depend on the seed."""
    each = (question.options for question in questions)
    return any(o.coefficient.soft and o.p != "normal" and not o.wmt for o in each)


_EXPORTED = ("value", "interval", "eps", "n", "groups", "empty_groups")


def _export_data(correlations: MetricCorrelations) -> dict[str, object]:
    panel = correlations.panel
    return {
        "lang": panel.lang,
        "gold": panel.gold_name,
        "systems": list(panel.systems),
        "segments": panel.compared,
        "metrics": {
            name: {
                question.heading: {
                    key: getattr(results[name], key.removesuffix("_groups"))
                    for key in _EXPORTED
                }
                for question, results in zip(
                    correlations.questions, correlations.answers, strict=True
                )
            }
            for name in panel.names
        },
    }


@dataclass(frozen=True, slots=True)
class PeopleCorrelation:
    """Agreement of a metric with people by one scorer; None if a figure is undefined."""

    scorer: str
    metric: str
    systems: int
    outputs: int
    #: Pearson's r of systems and of outputs; None for two systems, which lie on a line.
    by_system: float | None
    by_segment: float | None
    #: Share of pairs of systems' outputs of a segment that both put in the same order.
    pairs: float | None


def correlate_people(
    scores: Scores,
    selection: Selection,
    automatic: Scores,
    statistics: Mapping[str, SegmentStatistics] | None = None,
) -> list[PeopleCorrelation]:
    """Correlate metrics with each scorer of people, on the outputs that count."""
    selected = selection.select(scores)
    people = [scorer.name for scorer in selected.scorers if scorer.human]
    both = concatenate_scores([selected, automatic]) if people else selected
    rows = []
    for gold in people:
        panel = build_gold_panel(both, gold, automatic.names, statistics)
        specs = [
            *parse_specs(["pearson"], "sys", Options()),
            *parse_specs(["pearson"], "seg", Options()),
            *parse_specs(["acc_eq:item"], "seg", Options(average="micro")),
        ]
        systems, segments, pairs = (correlate_panel(panel, spec) for spec in specs)
        several = len(panel.systems) > 2
        rows += [
            PeopleCorrelation(
                *(gold, name, len(panel.systems), segments[name].n),
                drop_nan(systems[name].value) if several else None,
                *(drop_nan(each[name].value) for each in (segments, pairs)),
            )
            for name in panel.names
        ]
    return rows


def build_gold_panel(
    scores: Scores,
    gold: str,
    metrics: Sequence[str] | None,
    statistics: Mapping[str, SegmentStatistics] | None = None,
) -> ScorePanel:
    """Line up people with metrics, by document if people judged whole documents."""
    promoted = promote_documents(scores, gold)
    pooled = statistics if promoted is scores else None
    return build_panel(promoted, gold, metrics, statistics=pooled)


def tabulate_means(rankings: Sequence[Any], automatic: Scores) -> Table:
    """Put people's means beside the means of metrics, people's best first."""
    people = [dict(zip(each.systems, each.means, strict=True)) for each in rankings]
    systems = dict.fromkeys(name for means in people for name in means)
    systems |= dict.fromkeys(automatic.systems)
    metrics = {
        scorer.name: dict(
            zip(
                automatic.systems, row_means(automatic.matrix(scorer.name)), strict=True
            )
        )
        for scorer in automatic.scorers
    }
    rows = []
    for name in systems:
        cells = [build_figure(means.get(name, np.nan)) for means in people]
        # Scores of many programs lie between 0 and 1.
        cells += [
            Cell(drop_nan(means.get(name, np.nan)), digits=4)
            for means in metrics.values()
        ]
        rows.append((name, cells))
    heads: list[str | Column] = [f"people: {each.scorer.name}" for each in rankings]
    heads += [f"{s.name} {s.direction.arrow}" for s in automatic.scorers]
    caption = "People and scores from other programs"
    return make_table("system", heads, rows, caption=caption, name="means")
