"""Coefficients of metrics with people, for the question `correlate` and others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metra.errors import OptionError
from metra.meta.charts import ForestPanel, ForestPlot
from metra.meta.findings import (
    MetaReport,
    build_figure,
    build_report,
    build_table,
    describe_draws,
    group_names,
)
from metra.meta.options import CorrelateOptions
from metra.meta.question import Evidence, build_gold_panel
from metra.scores.selection import Selection
from metra.scores.table import Scores, concatenate_scores
from metra.scoring.table import Cell, Table, mark_best
from metra.stats import bootstrap, correlation
from metra.stats.arrays import drop_nan
from metra.stats.correlation import Results
from metra.stats.defaults import TRIALS
from metra.stats.distributions import student_tail
from metra.stats.panel import ScorePanel, SegmentStatistics
from metra.stats.significance import POPULATIONS, Unit
from metra.stats.soft_pairwise import WMT_SEED

#: Pairs of values that are gone through for intervals at the most: about a minute.
MOST_DRAWN = 10**10
#: Systems that intervals of coefficients of segments and of systems need.
LEAST_SYSTEMS = 3, 5
#: Systems from which on intervals of coefficients hold what they promise.
ENOUGH_SYSTEMS = 12
DEFAULTS = {
    "sys": ("pearson", "spearman", "accuracy", "spa"),
    "seg": ("acc*_eq:item", "kendall-b:item", "pearson"),
    "doc": ("acc*_eq:item", "kendall-b:item", "pearson"),
}


@dataclass(frozen=True)
class CorrelationSpec:
    """A coefficient and its grouping, as `NAME` or `NAME:GROUP`."""

    options: correlation.Options
    level: str

    @property
    def heading(self) -> str:
        """Name it: coefficient and, for segments, grouping."""
        grouped = self.options.group if self.level != "sys" else ""
        return f"{self.options.coef} {grouped}".strip()

    @property
    def spec(self) -> str:
        """Name it as it is given."""
        return self.heading.replace(" ", ":")

    @property
    def in_tests(self) -> "CorrelationSpec":
        """The same as tests compute it."""
        return replace(self, options=self.options.in_tests)


@dataclass(frozen=True)
class MetricCorrelations:
    """Several coefficients of the metrics of one language pair."""

    panel: ScorePanel
    questions: list[CorrelationSpec]
    answers: list[Results]
    refused: list[str]

    @property
    def pairs(self) -> list[tuple[CorrelationSpec, Results]]:
        """Each question with its answers."""
        return list(zip(self.questions, self.answers, strict=True))

    @property
    def metrics(self) -> list[str]:
        """The metrics in falling order of the first coefficient."""
        return sort_metrics(self.answers[0])

    @property
    def coefficients(self) -> str:
        """The coefficients with their groups, for a signature."""
        return ",".join(question.spec for question in self.questions)

    def build_rows(self, *more: Sequence[Cell]) -> Iterable[tuple[str, Sequence[Cell]]]:
        """Build a row of cells for each metric, the best of each column marked."""
        columns = [
            [build_figure(r[name].value, r[name].interval) for name in self.metrics]
            for r in self.answers
        ]
        marked = [mark_best(column) for column in (*columns, *more)]
        return zip(self.metrics, zip(*marked, strict=True), strict=True)

    def build_table(self, caption: str, name: str) -> Table:
        """Build a row for each metric and a column for each coefficient."""
        heads = [question.heading for question in self.questions]
        return build_table("metric", heads, self.build_rows(), caption, name)

    def explain_missing(self) -> list[str]:
        """Say why figures are missing, and what looks upside down."""
        notes = []
        for question, results in self.pairs:
            heading, options = question.heading, question.options
            reasons = {name: result.reason for name, result in results.items()}
            for reason, names in group_names(reasons).items():
                notes.append(f"{heading} of {', '.join(names)}: {reason}")
            empty = max((r.empty for r in results.values() if not r.reason), default=0)
            if empty:
                groups = next(iter(results.values())).groups
                notes.append(
                    f"{heading}: up to {empty:,} of {groups:,} groups are constant (left "
                    "out)."
                )
            below = [name for name, result in results.items() if result.value < -0.5]
            if below and options.coefficient.lowest < 0:
                notes.append(
                    f"{heading} of {', '.join(below)} is far below zero; if lower values "
                    "are better, give `lower_is_better`."
                )
        return list(dict.fromkeys(notes))


def parse_specs(
    specs: Sequence[str], level: str, options: correlation.Options
) -> list[CorrelationSpec]:
    """Read the coefficients that were asked for; none stands for the usual ones."""
    questions = []
    for spec in specs or DEFAULTS[level]:
        name, _, group = spec.partition(":")
        chosen = correlation.find_coefficient(name)
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


def correlate_panel(panel: ScorePanel, question: CorrelationSpec) -> Results:
    """Answer one question for all metrics of a panel."""
    options = question.options
    if question.level == "sys" and not options.coefficient.of_segments:
        return correlation.correlate_all(
            panel.system_gold, panel.system_metrics, options
        )
    if not np.isfinite(panel.gold).any():
        reason = f"{panel.gold_name} has no segment scores to compare with."
        return {
            name: correlation.CorrelationResult(np.nan, 0, reason=reason)
            for name in panel.names
        }
    return correlation.correlate_all(panel.gold, panel.metrics, options)


def ask_correlation(
    evidence: Evidence, options: CorrelateOptions
) -> MetricCorrelations:
    """Correlate the metrics of one language pair with people."""
    chosen = correlation.Options(
        average=options.average,
        eps=options.eps,
        folds=options.folds or 0,
        trials=options.trials or TRIALS,
        seed=options.seed,
        wmt=options.wmt,
    )
    specs = parse_specs(options.coefficients, options.level, chosen)
    return correlate_metrics(evidence.panel, specs, options.trials, options.resample)


def correlate_metrics(
    panel: ScorePanel,
    questions: Sequence[CorrelationSpec],
    trials: int,
    drawn: bootstrap.Drawn = "both",
) -> MetricCorrelations:
    """Compute every coefficient for the metrics of one language pair.

    With trials, they have intervals over systems, segments or both.
    """
    answers, refused = [], []
    for question in questions:
        results = correlate_panel(panel, question)
        reason = explain_no_interval(panel, question) if trials else ""
        if trials and not reason:
            results = add_bootstrap(panel, question, results, drawn)
        answers.append(results)
        refused += [reason] if reason else []
    return MetricCorrelations(panel, list(questions), answers, refused)


def report_correlation(
    found: MetricCorrelations, options: CorrelateOptions
) -> MetaReport:
    """Lay out a table, best metrics first."""
    panel, questions = found.panel, found.questions
    notes = [*found.explain_missing(), *found.refused]
    if options.level == "sys" and len(panel.systems) == 2:
        notes.append(
            "With two systems the order is either right or wrong; chance alone is right "
            "half of the time."
        )
    for question, results in found.pairs:
        p_values = {name: find_p(question, result) for name, result in results.items()}
        unsure = [name for name, p in p_values.items() if p is not None and p >= 0.05]
        if unsure:
            notes.append(
                f"By {question.heading}, {', '.join(unsure)} may agree with "
                f"{panel.gold_name} only by chance (p ≥ 0.05; {len(panel.systems)} systems)."
            )
    caption = f"{panel.place}Agreement with {panel.gold_name}"
    units = bootstrap.choose_units(panel, options.level, options.resample)
    notes += describe_intervals(found, units) if options.trials else []
    drawn = options.trials or questions[0].options.folds or draws_soft(questions)
    metrics = {
        name: {
            question.heading: {
                key: getattr(results[name], key.removesuffix("_groups"))
                for key in ("value", "interval", "eps", "n", "groups", "empty_groups")
            }
            | {"p": find_p(question, results[name])}
            for question, results in found.pairs
        }
        for name in panel.names
    }
    data = {
        "lang": panel.lang,
        "gold": panel.gold_name,
        "systems": list(panel.systems),
        "segments": panel.compared,
        "metrics": metrics,
    }
    return build_report(
        [found.build_table(caption, panel.lang or "correlations")],
        options,
        notes,
        {"correlations": [data]},
        panel=panel,
        level=options.level,
        coef=found.coefficients,
        spa_p=describe_spa(questions),
        eps=next(filter(None, (q.options.eps_said for q in questions)), None),
        **describe_draws(options, units, "interval")
        | {"seed": options.seed if drawn else None, "resample": None},
    )


def describe_intervals(found: MetricCorrelations, drawn: bootstrap.Drawn) -> list[str]:
    """Say for whom intervals hold, and if they come from few systems."""
    results = [each for results in found.answers for each in results.values()]
    count = len(found.panel.systems)
    if not any(each.interval for each in results):
        least = LEAST_SYSTEMS[found.questions[0].level == "sys"]
        needs = f"Intervals need {least} systems; there are {count}."
        return [needs] if count < least else []
    units: tuple[Unit, ...] = ("system", "segment")
    if drawn != "both":
        units = ("system",) if drawn == "sys" else ("segment",)
    notes = [f"Brackets are 95 % intervals for {POPULATIONS[units]}."]
    if drawn != "item" and count < ENOUGH_SYSTEMS:
        notes.append(
            f"Intervals from {count} systems are rough: below {ENOUGH_SYSTEMS} systems "
            "they are too wide for accuracies and ranks, and may be too narrow otherwise."
        )
    return notes


def find_p(
    question: CorrelationSpec, result: correlation.CorrelationResult
) -> float | None:
    """Return the two-sided p-value of no correlation over systems; None if not tested."""
    is_tested = question.level == "sys" and question.options.coef in _TESTED
    if not is_tested or result.n < 4 or not np.isfinite(result.value):
        return None
    rest = max(1 - result.value**2, 1e-300)
    t = abs(result.value) * ((result.n - 2) / rest) ** 0.5
    return 2 * student_tail(t, result.n - 2)


#: Coefficients whose null distribution is that of Student's t, for Spearman's nearly.
_TESTED = ("pearson", "spearman")


def draw_correlation(
    found: MetricCorrelations, options: CorrelateOptions
) -> list[ForestPlot]:
    """Draw a panel for each coefficient, with the intervals."""
    panel, names = found.panel, found.metrics
    panels = [
        ForestPanel(
            question.heading,
            [results[name].value for name in names],
            [results[name].interval for name in names],
        )
        for question, results in found.pairs
    ]
    caption = f"{len(panel.systems)} systems"
    caption += ", 95 % intervals" if options.trials else ""
    title = f"Agreement of metrics with {panel.place}{panel.gold_name}"
    return [ForestPlot(title, caption, names, panels)]


def sort_metrics(results: Results) -> list[str]:
    """Return the metrics in falling order of a coefficient; those without it come last."""
    return sorted(
        results, key=lambda name: np.nan_to_num(-results[name].value, nan=np.inf)
    )


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
    rows = correlation.group_scores(panel.gold, options.group)
    pairs = rows.shape[0] * rows.shape[1] ** 2 // 2
    cheap = pairs * options.trials * len(panel.names) <= MOST_DRAWN
    if cheap or not (options.calibrates or options.eps):
        return ""
    return (
        f"{question.heading} has no interval: each resample needs {pairs:,} pairs for "
        f"every metric; use {options.coef}:item, or fewer `trials`."
    )


def add_bootstrap(
    panel: ScorePanel,
    question: CorrelationSpec,
    results: Results,
    drawn: bootstrap.Drawn,
) -> Results:
    """Add intervals for other systems, segments or both, if there are enough systems."""
    values = {name: result.value for name, result in results.items()}
    least = LEAST_SYSTEMS[question.level == "sys"]
    if not np.isfinite([*values.values()]).any() or len(panel.systems) < least:
        return results
    intervals = bootstrap.find_intervals(
        panel, question.level, question.options, values, drawn=drawn
    )
    return {
        name: replace(result, interval=intervals[name])
        for name, result in results.items()
    }


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
            *parse_specs(["pearson"], "sys", correlation.Options()),
            *parse_specs(["pearson"], "seg", correlation.Options()),
            *parse_specs(["acc_eq:item"], "seg", correlation.Options(average="micro")),
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
