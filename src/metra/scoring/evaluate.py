"""From outputs and metrics to results: the one way through, for every level and question.

The shortest way in: one output, one metric, one score.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Corpus, Outputs
from metra.errors import CorpusError, OptionError
from metra.metrics.record import Array, Metric, Parts
from metra.metrics.registry import metric as make_metric
from metra.scoring.results import Results, Score, SystemScores
from metra.scoring.statistics import (
    CHUNK,
    CorpusStatistics,
    Tally,
    Visitor,
    check_inputs,
    count_corpus,
    fit_metrics,
)
from metra.stats import defaults, resampling, totals
from metra.stats import totals as pool
from metra.text.columns import Segments

LEVELS = ("system", "document", "segment")
CI_UNITS = ("auto", "segment", "document")

# Fewer documents than this say little about documents in general: segments are resampled.
ENOUGH_DOCUMENTS = 20


class EvaluationOptions(NamedTuple):
    """What is asked about the scores beside the corpus score itself."""

    documents: bool = False
    segments: bool = False
    ci: bool = False
    ci_method: defaults.Method = "percentile"
    ci_unit: str = "auto"
    trials: int = defaults.TRIALS
    seed: int = defaults.SEED

    @property
    def need_rows(self) -> bool:
        """Whether sums alone cannot answer."""
        return self.documents or self.segments or self.ci


def evaluate(
    evalset: EvalSet,
    outputs: Mapping[str, Segments],
    metrics: Sequence[str | Metric],
    *,
    levels: Sequence[str] = ("system",),
    ci: bool = False,
    ci_method: defaults.Method = "percentile",
    ci_unit: str = "auto",
    trials: int = defaults.TRIALS,
    seed: int = defaults.SEED,
) -> Results:
    """Score the outputs of one or more systems by one or more metrics.

    >>> evalset = EvalSet([["the cat sat on the mat"]])
    >>> results = evaluate(evalset, {"a": ["the cat sat on a mat"]}, ["bleu"])
    >>> round(results["a"]["bleu"].score, 2)
    53.73
    """
    if ci_unit not in CI_UNITS:
        msg = f"ci_unit={ci_unit!r} is not possible; expected one of {', '.join(CI_UNITS)}."
        raise OptionError(msg)
    questions = build_options(levels)._replace(
        ci=ci,
        ci_method=ci_method,
        ci_unit=ci_unit,
        trials=trials,
        seed=seed,
    )
    return evaluate_corpus(Outputs(evalset, outputs), make_metrics(metrics), questions)


def build_options(levels: Sequence[str]) -> EvaluationOptions:
    """Ask for these levels and for nothing else."""
    _refuse_string(levels, "levels", "system")
    for level in levels:
        if level not in LEVELS:
            msg = f"There is no level {level!r}; expected some of {', '.join(LEVELS)}."
            raise OptionError(msg)
    return EvaluationOptions(
        documents="document" in levels, segments="segment" in levels
    )


def make_metrics(metrics: Sequence[str | Metric]) -> dict[str, Metric]:
    """Make the metrics; the spec as given is each one's name in the results."""
    _refuse_string(metrics, "metrics", "bleu")
    if not metrics:
        msg = "There is no metric; give at least one, for example 'bleu'."
        raise OptionError(msg)
    made: dict[str, Metric] = {}
    for entry in metrics:
        chosen = make_metric(entry) if isinstance(entry, str) else entry
        spec = entry if isinstance(entry, str) else entry.signature()
        made[spec] = chosen
    return made


def _refuse_string(value: object, name: str, example: str) -> None:
    if isinstance(value, str):
        msg = f"{name} is one string; expected a list, for example [{example!r}]."
        raise OptionError(msg)


def evaluate_corpus(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    questions: EvaluationOptions,
    *,
    chunk: int = CHUNK,
    progress: Callable[[int], None] = lambda _: None,
) -> Results:
    """Score a corpus, wherever it is kept, reading it once (twice for fitted measures)."""
    metrics, sheets = count_statistics(
        corpus,
        metrics,
        questions,
        keep=questions.need_rows,
        chunk=chunk,
        progress=progress,
    )
    return evaluate_statistics(corpus, metrics, sheets, questions)


def evaluate_statistics(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    sheets: CorpusStatistics,
    questions: EvaluationOptions,
) -> Results:
    """Score systems whose statistics are counted, by metrics that are fitted."""
    intervals = _compute_intervals(metrics, sheets, questions)
    return build_results(corpus, metrics, sheets, questions, intervals)


def count_statistics(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    questions: EvaluationOptions,
    *,
    keep: bool,
    visitors: Sequence[Visitor] = (),
    chunk: int = CHUNK,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[Mapping[str, Metric], "CorpusStatistics"]:
    """Check what was asked for, fit the metrics, and count; rows are kept if `keep`.

    Visitors see every chunk that is counted.
    """
    if questions.documents and not corpus.has_documents:
        msg = "Document scores were asked for, but no documents are known; give --docs."
        raise CorpusError(msg)
    check_inputs(corpus, metrics)
    metrics = fit_metrics(corpus, metrics, chunk)
    return metrics, count_corpus(
        corpus, metrics, keep=keep, visitors=visitors, chunk=chunk, progress=progress
    )


Intervals: TypeAlias = Mapping[tuple[str, str], tuple[float, float] | None]


def build_results(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    sheets: "CorpusStatistics",
    questions: EvaluationOptions,
    intervals: Intervals,
) -> Results:
    """Put together what was counted: the scores of all systems, with their intervals."""
    systems = [
        SystemScores(
            name,
            {
                spec: _build_score(
                    metric,
                    sheets.tallies[name, spec],
                    intervals.get((name, spec)),
                    sheets,
                    questions,
                )
                for spec, metric in metrics.items()
            },
        )
        for name in corpus.systems
    ]
    documents = len(set(sheets.documents)) if corpus.has_documents else None
    return Results(systems, sheets.segments, sheets.references, documents)


def _compute_intervals(
    metrics: Mapping[str, Metric],
    sheets: CorpusStatistics,
    questions: EvaluationOptions,
) -> Intervals:
    """Resample all systems' statistics for all metrics with the same unit together."""
    found: dict[tuple[str, str], tuple[float, float] | None] = {}
    if not questions.ci:
        return found
    for unit in ("segment", "document"):
        some = {
            spec: metric
            for spec, metric in metrics.items()
            if choose_unit(questions, sheets, [metric]) == unit
        }
        if some:
            found |= _resample_intervals(some, sheets, questions, unit)
    return found


def _resample_intervals(
    metrics: Mapping[str, Metric],
    sheets: CorpusStatistics,
    questions: EvaluationOptions,
    unit: str,
) -> Intervals:
    found = resampling.compute_intervals(
        build_samples(metrics, sheets, unit),
        method=questions.ci_method,
        trials=questions.trials,
        seed=questions.seed,
    )
    keys = [key for key in sheets.tallies if key[1] in metrics]
    return dict(zip(keys, found, strict=True))


def build_samples(
    metrics: Mapping[str, Metric], sheets: CorpusStatistics, unit: str
) -> "list[resampling.Sample]":
    """Give what can be resampled, a row for each unit, in the order of the tallies."""

    def units(rows: Array) -> Array:
        return (
            pool.sum_by_group(rows, sheets.documents)[1] if unit == "document" else rows
        )

    return [
        resampling.Sample(units(tally.rows), metrics[spec].aggregate)
        for (_, spec), tally in sheets.tallies.items()
        if spec in metrics
    ]


def choose_unit(
    questions: EvaluationOptions, sheets: CorpusStatistics, metrics: Iterable[Metric]
) -> str:
    """Settle whether documents or segments are resampled."""
    if questions.ci_unit == "auto":
        # What is counted by document stands at one segment of it, and belongs to all.
        enough = len(set(sheets.documents)) >= ENOUGH_DOCUMENTS or (
            bool(sheets.documents) and any(metric.whole_documents for metric in metrics)
        )
        return "document" if enough else "segment"
    if questions.ci_unit == "document" and not sheets.documents:
        msg = "Documents were to be resampled, but none are known; give --docs."
        raise CorpusError(msg)
    return questions.ci_unit


def _build_score(
    metric: Metric,
    tally: Tally,
    interval: tuple[float, float] | None,
    sheets: CorpusStatistics,
    questions: EvaluationOptions,
) -> Score:
    total = tally.total
    more: dict[str, object] = {}
    if questions.ci:
        more = {
            "ci": questions.ci_method,
            "ci_unit": choose_unit(questions, sheets, [metric]),
            "trials": questions.trials,
            "seed": questions.seed,
        }
    documents = segments = segment_signature = None
    if questions.documents:
        names, totals = pool.sum_by_group(tally.rows, sheets.documents)
        documents = dict(zip(names, metric.aggregate(totals).tolist(), strict=True))
    if questions.segments:
        single = metric.for_segments or metric
        segments = single.aggregate(tally.rows)
        if metric.for_segments:
            segment_signature = single.signature(nrefs=sheets.nrefs)
    return Score(
        score=float(metric.aggregate(total)),
        signature=metric.signature(nrefs=sheets.nrefs, **more),
        higher_is_better=metric.higher_is_better,
        interval=interval,
        parts=metric.parts(total),
        documents=documents,
        segments=segments,
        segment_signature=segment_signature,
    )


def score(
    hyps: Segments,
    refs: Sequence[Segments] | Segments | None = None,
    metric: str | Metric = "bleu",
    *,
    refs_per_segment: Sequence[Sequence[str]] | None = None,
    source: Segments | None = None,
    documents: Sequence[str] | None = None,
) -> "Result":
    """Score one system's output.

    `refs` is a list of streams, each as long as `hyps`; one stream may stand alone.
    Measures that compare with no reference need none. `documents` names each segment's
    document, for measures that weigh words by document.

    >>> result = score(["the cat sat on the mat"], [["a cat sat on the mat"]])
    >>> round(result.score, 2)
    75.98
    """
    chosen = make_metric(metric) if isinstance(metric, str) else metric
    evalset = EvalSet(refs, source, documents, refs_per_segment=refs_per_segment)
    corpus = Outputs(evalset, {"hyps": hyps})
    check_inputs(corpus, {chosen.name: chosen})
    chosen = fit_metrics(corpus, {"metric": chosen})["metric"]
    sheets = count_corpus(corpus, {"metric": chosen}, keep=True)
    return Result(chosen, sheets.tallies["hyps", "metric"].rows, sheets.nrefs)


class Result:
    """A score, and everything else that the same statistics answer."""

    def __init__(self, metric: Metric, rows: Array, nrefs: int | str) -> None:
        self.metric = metric
        self.rows = rows
        self.nrefs = nrefs

    @cached_property
    def total(self) -> Array:
        """The statistics added up over all segments."""
        return totals.sum_rows(self.rows)

    @cached_property
    def score(self) -> float:
        """The corpus score."""
        return float(self.metric.aggregate(self.total))

    @cached_property
    def segments(self) -> Array:
        """The score of each segment."""
        return (self.metric.for_segments or self.metric).aggregate(self.rows)

    @property
    def parts(self) -> Parts:
        """The named pieces of the corpus score."""
        return self.metric.parts(self.total)

    @property
    def signature(self) -> str:
        """The measure with all its options."""
        return self.metric.signature(nrefs=self.nrefs)

    def interval(
        self,
        *,
        level: float = 0.95,
        method: defaults.Method = "percentile",
        trials: int = defaults.TRIALS,
        seed: int = defaults.SEED,
    ) -> tuple[float, float] | None:
        """Bootstrap interval of the corpus score; None for a single segment."""
        sample = resampling.Sample(self.rows, self.metric.aggregate)
        (found,) = resampling.compute_intervals(
            [sample], method=method, trials=trials, level=level, seed=seed
        )
        return found

    def standard_error(self) -> float | None:
        """Jackknife standard error of the corpus score; None for a single segment."""
        if len(self.rows) < 2:
            return None
        sample = resampling.Sample(self.rows, self.metric.aggregate)
        return resampling.standard_error(resampling.jackknife_scores(sample))

    def __float__(self) -> float:
        """Give the corpus score."""
        return self.score

    def __repr__(self) -> str:
        return f"<{self.metric.name} {self.score:.2f} {self.signature}>"
