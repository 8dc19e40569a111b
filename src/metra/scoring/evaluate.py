"""Score outputs by metrics at every level: the evaluation of one or more systems."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from metra.errors import CorpusError, MetraError, OptionError
from metra.formats.recognise import PARQUET
from metra.metrics.registry import metric as make_metric
from metra.scoring.guards import TextGuard, list_toks
from metra.scoring.statistics import (
    CHUNK,
    CorpusStatistics,
    count_corpus,
    fit_metrics,
    split_corpus,
)
from metra.scoring.totals import build_results
from metra.stats import defaults, totals
from metra.stats.parallel import Progress

if TYPE_CHECKING:
    from metra.corpus.batch import CorpusChunk
    from metra.corpus.outputs import Corpus, Outputs
    from metra.formats.texts.sources import Source
    from metra.metrics.llm.endpoint import Estimate
    from metra.metrics.record import Array, Metric
    from metra.scoring.files import CorpusFiles, FileCorpus
    from metra.scoring.results import Results, Score
    from metra.stats.resampling import Sample

LEVELS = ("system", "document", "segment")
CI_UNITS = ("auto", "segment", "document")

NO_DOCUMENTS = "Document scores need documents; give `documents`."

# Fewer documents than this say little about documents in general: segments are resampled.
ENOUGH_DOCUMENTS = 20


class EvaluationOptions(NamedTuple):
    """Levels, intervals and details to compute."""

    documents: bool = False
    segments: bool = False
    ci: bool = False
    ci_method: defaults.Method = "percentile"
    ci_unit: str = "auto"
    trials: int = defaults.TRIALS
    seed: int = defaults.SEED
    #: Word alignments of all segments.
    alignments: bool = False
    #: Details that metrics noted.
    details: bool = False


class ScoringRequest(NamedTuple):
    """Files to score, the metrics, and further results beside the scores of systems."""

    files: "CorpusFiles"
    metrics: "Mapping[str, Metric]"
    options: EvaluationOptions = EvaluationOptions()
    #: Labels or columns: segments that agree in them are scored apart, too.
    group_by: Sequence[str] = ()
    #: For tables in Parquet, see `metra.scoring.tables.score_table`.
    scores_out: str | None = None
    resume: str | None = None
    engine: str = "local"
    settings: Mapping[str, Any] = MappingProxyType({})

    @property
    def is_table(self) -> bool:
        """True if a table in Parquet is scored by its columns, file by file."""
        if self.engine != "local" or self.scores_out or self.resume:
            return True
        if not (self.group_by and self.files.outputs) or self.files.score_columns:
            return False
        from metra.formats.texts.long_tables import is_plain_table

        sources = list_table_files(self.files)
        return len(sources) == 1 and is_plain_table(sources[0], self.group_by)

    def open(self) -> "tuple[FileCorpus | Outputs, dict[str, Metric]]":
        """Open the files as one corpus, with the metrics of its columns beside those given."""
        from metra.scoring.files import open_scored

        return open_scored(self.files, self.metrics)


def list_table_files(files: "CorpusFiles") -> "list[Source]":
    """List the outputs; Parquet files are one table together."""
    alone = files._replace(references=(), source=None, documents=None)
    return [file for file in alone.list_sources() if file.use == "output"]


def build_options(levels: Sequence[str]) -> EvaluationOptions:
    """Ask for these levels and for nothing else."""
    if isinstance(levels, str):
        raise OptionError(_ONE_STRING.format("levels", "system"))
    for level in levels:
        if level not in LEVELS:
            msg = f"{level!r} is not a level; expected some of {', '.join(LEVELS)}."
            raise OptionError(msg)
    return EvaluationOptions(
        documents="document" in levels, segments="segment" in levels
    )


def make_metrics(metrics: "Sequence[str | Metric]") -> "dict[str, Metric]":
    """Make the metrics; the spec as given is each one's name in the results."""
    if isinstance(metrics, str):
        raise OptionError(_ONE_STRING.format("metrics", "bleu"))
    if not metrics:
        msg = "No metric was given; give at least one, for example 'bleu'."
        raise OptionError(msg)
    made: dict[str, Metric] = {}
    for entry in metrics:
        if isinstance(entry, str):
            made[entry] = make_metric(entry)
        elif (
            entry.notes.scored and entry.name not in made
        ):  # its file or values are its options
            made[entry.name] = entry
        else:
            made[entry.signature()] = entry
    return made


_ONE_STRING = "{} is one string; expected a list, for example [{!r}]."


def evaluate_files(
    request: ScoringRequest,
    progress: Progress = lambda *_: None,
) -> "Results":
    """Score files of any format: segment by segment, or tables of any size in parts.

    `progress` is told how many segments are done, and what share of all, if it is known.
    """
    if request.is_table:
        return _score_parquet(request, progress)
    corpus, metrics = request.open()
    results = evaluate_corpus(
        corpus,
        metrics,
        request.options,
        group_by=request.group_by,
        progress=progress,
    )
    return replace(results, layouts=corpus.layouts, joined=corpus.joined)


def estimate_files(request: ScoringRequest) -> "dict[str, Estimate]":
    """Return what scoring files will take, for each metric that asks other machines."""
    if request.is_table:
        msg = (
            "Estimates need files that are scored as one corpus on this machine; "
            "leave out `scores_out`, `resume` and `group_by`."
        )
        raise OptionError(msg)
    corpus, metrics = request.open()
    metrics = fit_metrics(corpus, metrics)
    return {
        spec: metric.notes.estimate(
            chunk.batch(system)
            for chunk in split_corpus(corpus, metrics)
            for system in corpus.systems
        )
        for spec, metric in metrics.items()
        if metric.notes.estimate
    }


def check_first_rows(request: ScoringRequest) -> None:
    """Warn of likely mistakes in the first rows of a table, before it is scored in parts."""
    guard = TextGuard(list_toks(request.metrics), scope="the first")
    # What cannot be read is reported when it is scored.
    with suppress(MetraError):
        for chunk in islice(request.open()[0].chunks(CHUNK), 1):
            guard.visit(chunk)
    guard.warn()


def _score_parquet(request: ScoringRequest, progress: Progress) -> "Results":
    """Score a table in Parquet by its columns, on this machine or another engine."""
    from metra.text.columns import import_pyarrow

    files, settings = request.files, request.settings
    if files.reading and files.reading.clean:
        msg = (
            "`clean` works on files that are scored as one corpus on this machine; leave "
            "out `scores_out`, `resume`, `group_by` and `engine`, or clean the table first "
            "with metra convert."
        )
        raise OptionError(msg)
    if files.score_columns:
        msg = (
            "Columns of scores are read from files that are scored as one corpus on this "
            "machine; leave out `scores_out`, `resume` and `engine`, or the columns."
        )
        raise OptionError(msg)
    paths, system, purpose = files.outputs, None, f"on {request.engine.title()}"
    if request.engine == "local":
        sources = list_table_files(files)
        if len(sources) != 1 or sources[0].format is not PARQUET:
            msg = (
                "`scores_out` and `resume` need Parquet files with a column for each "
                "system; `metra convert` writes them from other formats."
            )
            raise OptionError(msg)
        from metra.formats.texts.long_tables import is_plain_table

        if not is_plain_table(sources[0], request.group_by):
            msg = (
                "`scores_out` and `resume` need tables with a column for each system and "
                "rows of one language pair; `metra convert` chooses a pair with -l."
            )
            raise OptionError(msg)
        paths, system = sources[0].shards or (sources[0].path,), sources[0].name
        settings, purpose = {}, "Parquet in parts"
    import_pyarrow(f"Scoring {purpose}")
    from metra.formats.texts.columns import ColumnNames
    from metra.scoring.tables import score_table

    names = files.columns or ColumnNames()
    return score_table(
        list(paths),
        list(request.metrics),
        hypothesis=names.outputs,
        reference=names.references,
        source=names.source,
        document=names.document,
        group_by=request.group_by,
        scores_out=request.scores_out,
        resume=request.resume,
        engine=request.engine,
        system=system,
        progress=progress,
        **settings,
    )


def evaluate_corpus(
    corpus: "Corpus",
    metrics: "Mapping[str, Metric]",
    options: EvaluationOptions,
    *,
    group_by: Sequence[str] = (),
    chunk: int = CHUNK,
    progress: Progress = lambda *_: None,
    guarded: bool = True,
) -> "Results":
    """Score a corpus, wherever it is kept, reading it once (twice for fitted metrics).

    `group_by` names labels of the corpus; segments that agree in them are scored apart, too.
    """
    notes = None
    if options.alignments or options.details:
        from metra.scoring.alignments import SegmentNotes

        notes = SegmentNotes(metrics, options)
    if options.documents and not corpus.has_documents:
        raise CorpusError(NO_DOCUMENTS)
    need_rows = options.documents or options.segments or options.ci
    if group_by and need_rows:
        msg = (
            "`group_by` gives system scores only; leave it out, or leave out "
            "document scores, segment scores and intervals."
        )
        raise OptionError(msg)
    statistics = count_guarded(
        corpus,
        metrics,
        keep=need_rows,
        group_by=group_by,
        visitors=[notes.visit] if notes else [],
        in_order=notes is not None,
        chunk=chunk,
        progress=progress,
        guarded=guarded,
    )
    results = evaluate_statistics(statistics, options)
    return notes.add_to(results) if notes else results


def count_guarded(
    corpus: "Corpus",
    metrics: "Mapping[str, Metric]",
    *,
    visitors: Sequence[Callable[["CorpusChunk"], None]] = (),
    guarded: bool = True,
    **options: Any,
) -> CorpusStatistics:
    """Count a corpus as `count_corpus` does, and warn of texts that look like a mistake."""
    if not guarded:
        return count_corpus(corpus, metrics, visitors=visitors, **options)
    guard = TextGuard(list_toks(metrics))
    visitors = [*visitors, guard.visit]
    statistics = count_corpus(corpus, metrics, visitors=visitors, **options)
    guard.warn()
    return statistics


Intervals: TypeAlias = Mapping[tuple[str, str], tuple[float, float] | None]


def evaluate_statistics(
    statistics: CorpusStatistics,
    options: EvaluationOptions,
    intervals: Intervals | None = None,
) -> "Results":
    """Score what was counted.

    Intervals are computed if the options ask for them and they are not given.
    """
    results = build_results(
        statistics.totals,
        statistics.metrics,
        statistics.systems,
        statistics.references,
        statistics.group_by,
        documents=len(set(statistics.documents)) or None,
    )
    if not (options.documents or options.segments or options.ci):
        return results
    if options.ci and intervals is None:
        intervals = _compute_intervals(statistics, options)
    systems = [
        system._replace(
            scores={
                spec: _add_levels(
                    score, (system.name, spec), statistics, options, intervals or {}
                )
                for spec, score in system.scores.items()
            },
        )
        for system in results.systems
    ]
    return replace(results, systems=systems)


def _compute_intervals(
    statistics: CorpusStatistics, options: EvaluationOptions
) -> Intervals:
    """Resample all systems' statistics for all metrics with the same unit together."""
    from metra.stats import resampling

    intervals: dict[tuple[str, str], tuple[float, float] | None] = {}
    for unit in ("segment", "document"):
        specs = [
            spec
            for spec, metric in statistics.metrics.items()
            if choose_unit(options, statistics, [metric]) == unit
        ]
        if not specs:
            continue
        computed = resampling.compute_intervals(
            build_samples(statistics, unit, specs),
            method=options.ci_method,
            trials=options.trials,
            seed=options.seed,
        )
        keys = [key for key in statistics.tallies if key[1] in specs]
        intervals |= zip(keys, computed, strict=True)
    return intervals


def build_samples(
    statistics: CorpusStatistics, unit: str, specs: Iterable[str]
) -> "list[Sample]":
    """Give what can be resampled, a row for each unit, in the order of the tallies."""
    from metra.stats.resampling import Sample

    def get_units(rows: "Array") -> "Array":
        if unit == "segment":
            return rows
        return totals.sum_by_group(rows, statistics.documents)[1]

    return [
        Sample(get_units(tally.rows), metric.aggregate, metric.direction)
        for (_, spec), tally in statistics.tallies.items()
        for metric in [statistics.metrics[spec]]
        if spec in specs
    ]


def choose_unit(
    options: EvaluationOptions,
    statistics: CorpusStatistics,
    metrics: "Iterable[Metric]",
) -> str:
    """Choose whether documents or segments are resampled."""
    if options.ci_unit == "auto":
        # What is counted by document stands at one segment of it, and belongs to all.
        enough = len(set(statistics.documents)) >= ENOUGH_DOCUMENTS or (
            bool(statistics.documents)
            and any("whole_documents" in metric.needs for metric in metrics)
        )
        return "document" if enough else "segment"
    if options.ci_unit == "document" and not statistics.documents:
        msg = "Resampling documents needs documents; give `documents`."
        raise CorpusError(msg)
    return options.ci_unit


def _add_levels(
    score: "Score",
    key: tuple[str, str],
    statistics: CorpusStatistics,
    options: EvaluationOptions,
    intervals: Intervals,
) -> "Score":
    """Add the interval and the scores of documents and segments, as they are asked for."""
    metric, rows = statistics.metrics[key[1]], statistics.tallies[key].rows
    added: dict[str, Any] = {"interval": intervals.get(key)}
    nrefs = statistics.nrefs
    if options.ci:
        added["signature"] = metric.signature(
            nrefs=nrefs,
            ci=options.ci_method,
            ci_unit=choose_unit(options, statistics, [metric]),
            trials=options.trials,
            seed=options.seed,
        )
    if options.documents:
        names, by_document = totals.sum_by_group(rows, statistics.documents)
        scores = metric.aggregate(by_document).tolist()
        added["documents"] = dict(zip(names, scores, strict=True))
    if options.segments:
        single = metric.for_segments or metric
        added["segments"] = single.aggregate(rows)
        if metric.for_segments:
            added["segment_signature"] = single.signature(nrefs=nrefs)
    return score._replace(**added)
