"""Texts in memory, scored by one metric or by several: the evaluation from Python."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, cast, overload

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import OptionError, not_possible
from metra.metrics import DEFAULT_METRIC
from metra.metrics.record import Array, Metric, Parts
from metra.scoring.evaluate import (
    CI_UNITS,
    build_options,
    count_guarded,
    evaluate_corpus,
    make_metrics,
)
from metra.scoring.guard_checks import LEAST
from metra.scoring.guards import BLOCK, FIRST_BLOCKS
from metra.scoring.results import Results
from metra.stats import defaults, resampling, totals
from metra.text.columns import Segments


class LineAllowance:
    """A budget of lines to sample, for programs with many small calls.

    It starts with some lines and earns one for every `scored_per_line` scored lines: in a
    loop the guards cost little, whatever the number of calls.
    """

    def __init__(self, lines: int = 20_000, *, scored_per_line: int = 1000) -> None:
        self.lines: float = lines
        self.scored_per_line = scored_per_line

    def spend(self, corpus: Outputs) -> bool:
        """Return True if there are lines left for a guard of a corpus, and spend them."""
        columns = len(corpus.outputs) + len(corpus.evalset.refs)
        sampled = columns * min(len(corpus), FIRST_BLOCKS * BLOCK)
        self.lines += columns * len(corpus) / self.scored_per_line
        if sampled > self.lines:
            return False
        self.lines -= sampled
        return True


#: Lines that guards may sample in all calls of a program.
_ALLOWANCE = LineAllowance()


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
    details: bool = False,
) -> Results:
    """Score the outputs of one or more systems by one or more metrics.

    `group_by` maps names to a value per segment, such as its domain; the results then
    have `groups`, with the scores of each combination of values. With `details`, scores
    list the errors that the metric found, such as wrong words, the most frequent first.

    >>> evalset = EvalSet([["the cat sat on the mat"]])
    >>> results = evaluate(evalset, {"a": ["the cat sat on a mat"]}, ["bleu"])
    >>> round(results["a"]["bleu"].score, 2)
    53.73
    """
    if ci_unit not in CI_UNITS:
        expected = f"one of {', '.join(CI_UNITS)}"
        raise OptionError(not_possible(f"ci_unit={ci_unit!r}", expected))
    options = build_options(levels)._replace(
        ci=ci,
        ci_method=ci_method,
        ci_unit=ci_unit,
        trials=trials,
        seed=seed,
        details=details,
    )
    corpus = Outputs(evalset, outputs, group_by)
    names = tuple(group_by or ())
    made = make_metrics(metrics)
    guarded = _ALLOWANCE.spend(corpus)
    return evaluate_corpus(corpus, made, options, group_by=names, guarded=guarded)


@overload
def score(  # type: ignore[overload-overlap]  # a string is a sequence of strings, too
    hyps: Segments,
    refs: Sequence[Segments] | Segments | None = None,
    metric: str | Metric = DEFAULT_METRIC,
    *,
    refs_per_segment: Sequence[Sequence[str]] | None = None,
    source: Segments | None = None,
    documents: Sequence[str] | None = None,
) -> "Result": ...


@overload
def score(
    hyps: Segments,
    refs: Sequence[Segments] | Segments | None,
    metric: Sequence[str | Metric],
    *,
    refs_per_segment: Sequence[Sequence[str]] | None = None,
    source: Segments | None = None,
    documents: Sequence[str] | None = None,
) -> "dict[str, Result]": ...


def score(
    hyps: Segments,
    refs: Sequence[Segments] | Segments | None = None,
    metric: str | Metric | Sequence[str | Metric] = DEFAULT_METRIC,
    *,
    refs_per_segment: Sequence[Sequence[str]] | None = None,
    source: Segments | None = None,
    documents: Sequence[str] | None = None,
) -> "Result | dict[str, Result]":
    """Score one system's output by one metric, or by several at once.

    `refs` is a list of streams, each as long as `hyps`, or a single stream. It is optional
    for metrics without references. `documents` names the document of each segment, for
    metrics with document weights. A list of metrics returns a dict of results by spec,
    computed in one pass.

    >>> result = score(["the cat sat on the mat"], [["a cat sat on the mat"]])
    >>> round(result.score, 2)
    75.98
    >>> results = score(["a b c d"], ["a b c d"], ["bleu", "wer"])
    >>> {spec: result.score for spec, result in results.items()}
    {'bleu': 100.0, 'wer': 0.0}
    """
    single = metric if isinstance(metric, (str, Metric)) else None
    listed = [single] if single is not None else metric
    metrics = make_metrics(cast("Sequence[str | Metric]", listed))
    evalset = EvalSet(refs, source, documents, refs_per_segment=refs_per_segment)
    corpus = Outputs(evalset, {"hyps": hyps})
    guarded = len(corpus) >= LEAST and _ALLOWANCE.spend(corpus)
    statistics = count_guarded(corpus, metrics, keep=True, guarded=guarded)
    results = {
        spec: Result(fitted, statistics.tallies["hyps", spec].rows, statistics.nrefs)
        for spec, fitted in statistics.metrics.items()
    }
    return results if single is None else next(iter(results.values()))


class Result:
    """A score with its segment scores, components, interval and signature."""

    def __init__(self, metric: Metric, rows: Array, nrefs: int | str) -> None:
        self.metric = metric
        self.rows = rows
        self.nrefs = nrefs

    @cached_property
    def total(self) -> Array:
        """The sum of the statistics over all segments."""
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
        """The named components of the corpus score."""
        return self.metric.parts(self.total)

    @property
    def signature(self) -> str:
        """The metric with all its options."""
        return self.metric.signature(nrefs=self.nrefs)

    @property
    def segment_signature(self) -> str:
        """The metric of the segments, which may have other options, with all of them."""
        return (self.metric.for_segments or self.metric).signature(nrefs=self.nrefs)

    def interval(
        self,
        *,
        level: float = 0.95,
        method: defaults.Method = "percentile",
        trials: int = defaults.TRIALS,
        seed: int = defaults.SEED,
    ) -> tuple[float, float] | None:
        """Bootstrap interval of the corpus score; None for fewer than ten segments."""
        sample = resampling.Sample(self.rows, self.metric.aggregate)
        (interval,) = resampling.compute_intervals(
            [sample], method=method, trials=trials, level=level, seed=seed
        )
        return interval

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
        return f"<Result {self.score:.2f} {self.signature}>"
