"""The shortest way in: one output, one metric, one score."""

from collections.abc import Sequence
from functools import cached_property

from metra import infer, pool
from metra.corpus import EvalSet, Outputs
from metra.counting import check_inputs, count, fitted
from metra.measure import Array, Metric, Parts
from metra.metrics import metric as make_metric
from metra.text import Segments


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
    chosen = fitted(corpus, {"metric": chosen})["metric"]
    sheets = count(corpus, {"metric": chosen}, keep=True)
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
        return pool.total(self.rows)

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
        method: infer.Method = "percentile",
        trials: int = infer.TRIALS,
        seed: int = infer.SEED,
    ) -> tuple[float, float] | None:
        """Bootstrap interval of the corpus score; None for a single segment."""
        sample = infer.Sample(self.rows, self.metric.aggregate)
        (found,) = infer.confidence(
            [sample], method=method, trials=trials, level=level, seed=seed
        )
        return found

    def standard_error(self) -> float | None:
        """Jackknife standard error of the corpus score; None for a single segment."""
        if len(self.rows) < 2:
            return None
        sample = infer.Sample(self.rows, self.metric.aggregate)
        return infer.standard_error(infer.left_out(sample))

    def __float__(self) -> float:
        """Give the corpus score."""
        return self.score

    def __repr__(self) -> str:
        return f"<{self.metric.name} {self.score:.2f} {self.signature}>"
