"""Score outputs by metrics at every level: the evaluation of one or more systems."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Corpus, Outputs
from metra.errors import CorpusError, OptionError
from metra.formats.recognise import PARQUET
from metra.metrics.record import Array, Metric, Parts
from metra.metrics.registry import metric as make_metric
from metra.scoring.results import Results, Score, SystemScores
from metra.scoring.statistics import (
    CHUNK,
    CorpusStatistics,
    Visitor,
    count_corpus,
    fit_metrics,
)
from metra.scoring.totals import build_results, build_score
from metra.stats import defaults, totals
from metra.text.columns import Segments

if TYPE_CHECKING:
    from metra.formats.texts.columns import ColumnNames
    from metra.formats.texts.sources import Source
    from metra.stats.resampling import Sample

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


class ScoringRequest(NamedTuple):
    """Files to score, the metrics, and what is wanted beside the scores of systems."""

    outputs: Sequence[str]
    metrics: Mapping[str, Metric]
    references: Sequence[str] = ()
    source: str | None = None
    documents: str | None = None
    input_format: str = "auto"
    #: Which columns of a table are what; others are recognised by their names.
    columns: "ColumnNames | None" = None
    options: EvaluationOptions = EvaluationOptions()
    #: Labels or columns: segments that agree in them are scored apart, too.
    group_by: Sequence[str] = ()
    #: How words are aligned, of these segments, counted from 1; of all if None.
    alignments: bool = False
    aligned_segments: Sequence[range] | None = None
    #: What metrics noted.
    details: bool = False
    #: For tables in Parquet, see `metra.scoring.tables.score_table`.
    scores_out: str | None = None
    resume: str | None = None
    engine: str = "local"
    settings: Mapping[str, Any] = MappingProxyType({})

    @property
    def is_table(self) -> bool:
        """Whether a table in Parquet is scored by its columns, file by file."""
        if self.engine != "local" or self.scores_out or self.resume:
            return True
        return bool(self.group_by) and all(
            file.format is PARQUET for file in self._list_files()
        )

    def _list_files(self) -> "list[Source]":
        from metra.formats.texts.sources import list_sources

        return list_sources(self.outputs, input_format=self.input_format)


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
    group_by: Mapping[str, Sequence[Any]] | None = None,
) -> Results:
    """Score the outputs of one or more systems by one or more metrics.

    `group_by` gives values of each segment by name, such as its domain: the results then
    have `groups`, the scores of the segments that agree in all of them.

    >>> evalset = EvalSet([["the cat sat on the mat"]])
    >>> results = evaluate(evalset, {"a": ["the cat sat on a mat"]}, ["bleu"])
    >>> round(results["a"]["bleu"].score, 2)
    53.73
    """
    if ci_unit not in CI_UNITS:
        msg = f"ci_unit={ci_unit!r} is not possible; expected one of {', '.join(CI_UNITS)}."
        raise OptionError(msg)
    options = build_options(levels)._replace(
        ci=ci,
        ci_method=ci_method,
        ci_unit=ci_unit,
        trials=trials,
        seed=seed,
    )
    return evaluate_corpus(
        Outputs(evalset, outputs, group_by),
        make_metrics(metrics),
        options,
        group_by=tuple(group_by or ()),
    )


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


def evaluate_files(
    request: ScoringRequest,
    progress: Callable[[int, float | None], None] = lambda *_: None,
) -> Results:
    """Score files of any format: segment by segment, or tables of any size in parts.

    `progress` is told how many segments are done, and what share of all, if it is known.
    """
    if request.is_table:
        return _score_parquet(request, progress)
    from metra.scoring.files import open_corpus

    corpus = open_corpus(
        request.outputs,
        request.references,
        request.source,
        request.documents,
        input_format=request.input_format,
        columns=request.columns,
    )
    metrics = request.metrics
    if request.alignments:
        from metra.scoring.alignments import add_alignments, find_aligners

        aligners = find_aligners(metrics)
    if request.details:
        from metra.scoring.alignments import add_details, select_detailed

        detailed = select_detailed(metrics)
    results = evaluate_corpus(
        corpus,
        metrics,
        request.options,
        group_by=request.group_by,
        progress=lambda done: progress(done, corpus.share()),
    )
    if request.alignments:
        results = add_alignments(results, corpus, aligners, request.aligned_segments)
    return add_details(results, corpus, detailed) if request.details else results


def _score_parquet(
    request: ScoringRequest, progress: Callable[[int, float | None], None]
) -> Results:
    """Score a table in Parquet by its columns, on this machine or another engine."""
    from metra.text.columns import import_pyarrow

    paths, system = request.outputs, None
    if request.engine == "local":
        files = request._list_files()
        if len(files) != 1 or files[0].format is not PARQUET:
            msg = (
                "`scores_out` and `resume` are for a table in Parquet files, with a column "
                "for each system; `metra convert` makes one of files in other formats."
            )
            raise OptionError(msg)
        paths, system = files[0].shards or (files[0].path,), files[0].name
        import_pyarrow("Scoring Parquet in parts")
    else:
        import_pyarrow(f"Scoring on {request.engine.title()}")
    from metra.scoring.tables import score_table

    return score_table(
        paths,
        list(request.metrics),
        columns=request.columns,
        group_by=request.group_by,
        scores_out=request.scores_out,
        resume=request.resume,
        engine=request.engine,
        system=system,
        progress=progress,
        **request.settings if request.engine != "local" else {},
    )


def evaluate_corpus(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    options: EvaluationOptions,
    *,
    group_by: Sequence[str] = (),
    chunk: int = CHUNK,
    progress: Callable[[int], None] = lambda _: None,
) -> Results:
    """Score a corpus, wherever it is kept, reading it once (twice for fitted metrics).

    `group_by` names labels of the corpus; segments that agree in them are scored apart, too.
    """
    metrics, statistics = count_statistics(
        corpus,
        metrics,
        options,
        keep=options.need_rows,
        group_by=group_by,
        chunk=chunk,
        progress=progress,
    )
    return evaluate_statistics(corpus, metrics, statistics, options)


def count_statistics(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    options: EvaluationOptions,
    *,
    keep: bool,
    group_by: Sequence[str] = (),
    visitors: Sequence[Visitor] = (),
    chunk: int = CHUNK,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[Mapping[str, Metric], CorpusStatistics]:
    """Check what was asked for, fit the metrics, and count; `keep` keeps the rows.

    Visitors see every chunk that is counted.
    """
    if options.documents and not corpus.has_documents:
        msg = "Document scores were asked for, but no documents are known; give `documents`."
        raise CorpusError(msg)
    if group_by and options.need_rows:
        msg = (
            "Scores of groups are scores of systems; leave out `group_by`, or document and "
            "segment scores and intervals."
        )
        raise OptionError(msg)
    metrics = fit_metrics(corpus, metrics, chunk)
    return metrics, count_corpus(
        corpus,
        metrics,
        keep=keep,
        group_by=group_by,
        visitors=visitors,
        chunk=chunk,
        progress=progress,
    )


Intervals: TypeAlias = Mapping[tuple[str, str], tuple[float, float] | None]


def evaluate_statistics(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    statistics: CorpusStatistics,
    options: EvaluationOptions,
    intervals: Intervals | None = None,
) -> Results:
    """Score what was counted by metrics that are fitted.

    Intervals are computed if the options ask for them and they are not given.
    """
    if statistics.shape.group_by:
        return build_results(statistics.totals, statistics.shape, metrics)
    if options.ci and intervals is None:
        intervals = _compute_intervals(metrics, statistics, options)
    systems = [
        SystemScores(
            name,
            {
                spec: _build_score(
                    name,
                    spec,
                    metric,
                    (intervals or {}).get((name, spec)),
                    statistics,
                    options,
                )
                for spec, metric in metrics.items()
            },
        )
        for name in corpus.systems
    ]
    documents = len(set(statistics.documents)) if corpus.has_documents else None
    return Results(systems, statistics.segments, statistics.shape.references, documents)


def _compute_intervals(
    metrics: Mapping[str, Metric],
    statistics: CorpusStatistics,
    options: EvaluationOptions,
) -> Intervals:
    """Resample all systems' statistics for all metrics with the same unit together."""
    from metra.stats import resampling

    intervals: dict[tuple[str, str], tuple[float, float] | None] = {}
    for unit in ("segment", "document"):
        chosen = {
            spec: metric
            for spec, metric in metrics.items()
            if choose_unit(options, statistics, [metric]) == unit
        }
        if not chosen:
            continue
        computed = resampling.compute_intervals(
            build_samples(chosen, statistics, unit),
            method=options.ci_method,
            trials=options.trials,
            seed=options.seed,
        )
        keys = [key for key in statistics.tallies if key[1] in chosen]
        intervals |= zip(keys, computed, strict=True)
    return intervals


def build_samples(
    metrics: Mapping[str, Metric], statistics: CorpusStatistics, unit: str
) -> "list[Sample]":
    """Give what can be resampled, a row for each unit, in the order of the tallies."""
    from metra.stats.resampling import Sample

    def get_units(rows: Array) -> Array:
        if unit == "segment":
            return rows
        return totals.sum_by_group(rows, statistics.documents)[1]

    return [
        Sample(get_units(tally.rows), metrics[spec].aggregate)
        for (_, spec), tally in statistics.tallies.items()
        if spec in metrics
    ]


def choose_unit(
    options: EvaluationOptions,
    statistics: CorpusStatistics,
    metrics: Iterable[Metric],
) -> str:
    """Choose whether documents or segments are resampled."""
    if options.ci_unit == "auto":
        # What is counted by document stands at one segment of it, and belongs to all.
        enough = len(set(statistics.documents)) >= ENOUGH_DOCUMENTS or (
            bool(statistics.documents)
            and any(metric.whole_documents for metric in metrics)
        )
        return "document" if enough else "segment"
    if options.ci_unit == "document" and not statistics.documents:
        msg = "Documents were to be resampled, but none are known; give `documents`."
        raise CorpusError(msg)
    return options.ci_unit


def _build_score(
    system: str,
    spec: str,
    metric: Metric,
    interval: tuple[float, float] | None,
    statistics: CorpusStatistics,
    options: EvaluationOptions,
) -> Score:
    signed: dict[str, object] = {}
    if options.ci:
        signed = {
            "ci": options.ci_method,
            "ci_unit": choose_unit(options, statistics, [metric]),
            "trials": options.trials,
            "seed": options.seed,
        }
    sums = statistics.totals[(), system, spec].sums
    score = build_score(metric, sums, statistics.nrefs, **signed)
    if not options.need_rows:
        return score
    rows = statistics.tallies[system, spec].rows
    documents = segments = segment_signature = None
    if options.documents:
        names, by_document = totals.sum_by_group(rows, statistics.documents)
        documents = dict(
            zip(names, metric.aggregate(by_document).tolist(), strict=True)
        )
    if options.segments:
        single = metric.for_segments or metric
        segments = single.aggregate(rows)
        if metric.for_segments:
            segment_signature = single.signature(nrefs=statistics.nrefs)
    return replace(
        score,
        interval=interval,
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
    fitted = fit_metrics(corpus, {chosen.name: chosen})
    statistics = count_corpus(corpus, fitted, keep=True)
    rows = statistics.tallies["hyps", chosen.name].rows
    return Result(fitted[chosen.name], rows, statistics.nrefs)


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
        from metra.stats import resampling

        sample = resampling.Sample(self.rows, self.metric.aggregate)
        (interval,) = resampling.compute_intervals(
            [sample], method=method, trials=trials, level=level, seed=seed
        )
        return interval

    def standard_error(self) -> float | None:
        """Jackknife standard error of the corpus score; None for a single segment."""
        from metra.stats import resampling

        if len(self.rows) < 2:
            return None
        sample = resampling.Sample(self.rows, self.metric.aggregate)
        return resampling.standard_error(resampling.jackknife_scores(sample))

    def __float__(self) -> float:
        """Give the corpus score."""
        return self.score

    def __repr__(self) -> str:
        return f"<{self.metric.name} {self.score:.2f} {self.signature}>"
