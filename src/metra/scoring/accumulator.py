"""Scores of texts that come in batches: add them up, merge processes, score at the end."""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, cast, overload

from metra.corpus.batch import UnnumberedPosition
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, OptionError
from metra.metrics import DEFAULT_METRIC
from metra.metrics.record import Metric
from metra.scoring.evaluate import make_metrics
from metra.scoring.results import Score
from metra.scoring.statistics import count_corpus
from metra.scoring.totals import Total, Totals, build_results
from metra.stats.totals import PARTS, PartSums
from metra.text.columns import Segments, as_column

_SYSTEM = "hyps"

Computed = TypeVar("Computed", Score, dict[str, Score])


class Accumulator(Generic[Computed]):
    """Scores of outputs that arrive in batches.

    The scores equal those of all segments scored at once, to the last digit, regardless of
    the batches and the order of merging. Accumulators can be pickled and sent between
    processes.

    >>> bleu = Accumulator("bleu")
    >>> bleu.update(["the cat sat on the mat"], ["a cat sat on the mat"])
    >>> bleu.update(["it rains today again"], ["it rains again today"])
    >>> round(bleu.compute().score, 2)
    61.24
    """

    @overload
    def __init__(
        self: "Accumulator[Score]", metrics: str | Metric = DEFAULT_METRIC
    ) -> None: ...

    @overload
    def __init__(
        self: "Accumulator[dict[str, Score]]", metrics: Sequence[str | Metric]
    ) -> None: ...

    def __init__(
        self, metrics: str | Metric | Sequence[str | Metric] = DEFAULT_METRIC
    ) -> None:
        """Take the metrics: one, whose score `compute` gives, or a list for a dict."""
        self._is_one = isinstance(metrics, (str, Metric))
        self.metrics: Mapping[str, Metric] = make_metrics(
            [metrics] if isinstance(metrics, (str, Metric)) else metrics
        )
        for spec, metric in self.metrics.items():
            _refuse_dependent(spec, metric)
        self.reset()

    def reset(self) -> None:
        """Remove all batches."""
        self._totals = Totals()
        self.segments = 0
        #: How many references all segments have together, and how many one has at most.
        self.references = 0
        self.most_references = 0

    def update(
        self,
        hyps: Segments,
        refs: Sequence[Segments] | Segments | None = None,
        *,
        refs_per_segment: Sequence[Sequence[str]] | None = None,
        source: Segments | None = None,
        documents: Sequence[str] | None = None,
    ) -> None:
        """Add a batch; the arguments are those of `metra.score`.

        Segments can have different numbers of references. A batch can be empty.
        """
        hyps = as_column(hyps, _SYSTEM)
        evalset = EvalSet(refs, source, documents, refs_per_segment=refs_per_segment)
        if not len(hyps) and not len(evalset):
            return
        corpus = Outputs(evalset, {_SYSTEM: hyps}, position=UnnumberedPosition)
        counted = count_corpus(corpus, self.metrics, keep=False)
        entry = next(iter(counted.totals.whole.values()))
        references = counted.segments * counted.references - entry.lacking
        self._add(counted.totals, counted.segments, references, counted.references)

    def merge(self, *others: "Accumulator[Computed]") -> None:
        """Add the totals of other accumulators of the same metrics."""
        signatures = _list_signatures(self)
        for other in others:
            if _list_signatures(other) != signatures:
                msg = (
                    f"An accumulator of {', '.join(other.metrics)} cannot be merged "
                    f"with one of {', '.join(self.metrics)}; make both with the same "
                    "metrics."
                )
                raise OptionError(msg)
        for other in others:
            self._add(
                other._totals, other.segments, other.references, other.most_references
            )

    def compute(self) -> Computed:
        """Return the score of all batches, or a dict of scores by spec."""
        if not self.segments:
            msg = "The accumulator is empty; add segments with `update` first."
            raise CorpusError(msg)
        lacking = self.segments * self.most_references - self.references
        whole = self._totals.whole.items()
        totals = Totals({pair: each._replace(lacking=lacking) for pair, each in whole})
        results = build_results(totals, self.metrics, [_SYSTEM], self.most_references)
        scores = dict(results[_SYSTEM])
        computed: Any = next(iter(scores.values())) if self._is_one else scores
        return cast("Computed", computed)

    def get_state(self) -> "AccumulatorState":
        """Return the totals as numbers that can be summed."""
        sums = {
            spec: [0.0] * PARTS * len(metric.columns)
            for spec, metric in self.metrics.items()
        }
        sums |= {spec: total.sums for (_, spec), total in self._totals.whole.items()}
        numbers = self.segments, self.references, self.most_references
        return AccumulatorState(*numbers, sums)

    def set_state(self, state: "AccumulatorState") -> None:
        """Restore totals from `get_state`, or from sums of them."""
        self.reset()
        totals = {
            (_SYSTEM, spec): Total(state.segments, 0, list(state.sums[spec]))
            for spec in self.metrics
        }
        self._add(Totals(totals), *state[:3])

    def _add(
        self, totals: Totals, segments: int, references: int, most_references: int
    ) -> None:
        self._totals.add(totals)
        self.segments += segments
        self.references += references
        self.most_references = max(self.most_references, most_references)

    def __repr__(self) -> str:
        return f"<Accumulator of {', '.join(self.metrics)}: {self.segments} segments>"


class AccumulatorState(NamedTuple):
    """The numbers of an accumulator; those of several add up, but for the largest."""

    segments: int
    #: How many references all segments have together.
    references: int
    #: How many references a segment has at most: the largest number counts.
    most_references: int
    #: By metric spec.
    sums: Mapping[str, PartSums]


def _refuse_dependent(spec: str, metric: Metric) -> None:
    """Refuse metrics by which a segment's statistics depend on other segments."""
    if metric.fit and metric.fit.by_references:
        msg = (
            f"{spec} needs weights from the references of the whole test set; give "
            "the metric that metric.fit([metra.Batch(hyps, refs)]) returns."
        )
    elif metric.fit or "whole_documents" in metric.needs:
        msg = (
            f"{spec} needs the whole test set or whole documents, which batches "
            "split; score the whole test set at once."
        )
    else:
        return
    raise OptionError(msg)


def _list_signatures(accumulator: Accumulator[Computed]) -> dict[str, str]:
    metrics = accumulator.metrics.items()
    return {spec: metric.signature() for spec, metric in metrics}
