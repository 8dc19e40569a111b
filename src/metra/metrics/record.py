"""The record that every metric is, the factory that makes it, and what metrics need."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import TYPE_CHECKING, Literal, TypeAlias

from metra import __version__
from metra.corpus.batch import Batch, SegmentColumn, Sentence
from metra.errors import CorpusError, OptionError, UnknownNameError, no_such
from metra.metrics.options import format_value, read_parameters
from metra.stats import totals

if TYPE_CHECKING:
    from metra.metrics.alignment import Alignment
    from metra.metrics.corpus_weights import TwoPassFit
    from metra.metrics.units import Detail

Array: TypeAlias = totals.Array
AnyBatch: TypeAlias = Batch | Sentence
Parts: TypeAlias = dict[str, float | list[float]]
Aligner: TypeAlias = "Callable[[AnyBatch, int], list[Alignment]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric: additive statistics of segments, and a score from their sums.

    `rows` gives one row of statistics per segment; `aggregate` gives the score of each
    row of totals, over any leading shape: NaN where there was nothing to score. Everything
    else (corpus and document scores, intervals, tests) is a choice of totals.
    """

    name: str
    columns: tuple[str, ...]
    rows: Callable[[AnyBatch], Array]
    aggregate: Callable[[Array], Array]
    higher_is_better: bool = True
    #: Named pieces of one row of totals that users expect beside the score.
    parts: Callable[[Array], Parts] = lambda _: {}
    #: A shorter way to the sums of a batch's rows, if there is one and all are whole numbers;
    #: `aggregate` and `parts` then take a plain list of totals as well as an array.
    sums: Callable[[Batch], list[float]] | None = None
    #: The metric for single segments where that is another configuration; same rows.
    for_segments: "Metric | None" = None
    #: A shorter way from one output and its references to the same score, if there is one.
    single: Callable[[str, Sequence[str]], float] | None = None
    #: A shorter way to the scores of all pairs of outputs and references, both given by their
    #: places in a column of texts, if there is one: (outputs, references).
    pairs: Callable[[SegmentColumn, Sequence[int], Sequence[int]], Array] | None = None
    #: Metrics with corpus weights: gives the same metric with the weights of these
    #: references. What it gives has no `fit` itself and is used as it is.
    fit: "Callable[[Iterable[Batch]], Metric] | None" = None
    #: The same for parts of a corpus in different places, where counts that add up suffice.
    weighing: "TwoPassFit | None" = None
    #: Metrics that align words: a segment of the batch with each of its references.
    align: "Aligner | None" = None
    #: Metrics that can say what they found or missed: in every segment of the batch.
    details: "Callable[[AnyBatch], Iterable[Detail]] | None" = None
    needs_source: bool = False
    #: Whether it compares with references; one that does not can be used without any.
    needs_reference: bool = True
    #: Metrics that look each segment's document up.
    needs_documents: bool = False
    #: Whether `rows` has to see a document's segments together, in one batch; where no
    #: documents are known, all segments.
    whole_documents: bool = False
    #: Options as they turned out, where the parameter alone does not say it.
    settled: Mapping[str, object] = field(default_factory=dict)
    #: Every option with its value, filled in by `metric_factory`.
    options: Mapping[str, object] = field(default_factory=dict)

    def signature(self, *, nrefs: int | str | None = None, **more: object) -> str:
        """Name the metric with all its options, the number of references, the version."""
        references = {} if nrefs is None else {"nrefs": nrefs}
        pairs = {**self.options, **self.settled, **references, **more}
        listed = (f"{key}:{format_value(value)}" for key, value in pairs.items())
        return "|".join([self.name, *listed, f"version:{__version__}"])

    def sentence(
        self, hyp: str, refs: Sequence[str] = (), source: str | None = None
    ) -> float:
        """Score one segment, with as little around it as possible."""
        metric = self.for_segments or self
        self._check(refs, source)
        try:
            if metric.single:
                return metric.single(hyp, refs)
            return float(metric.aggregate(metric.rows(Sentence(hyp, refs, source)))[0])
        except (TypeError, UnicodeEncodeError):
            # To look at the texts before each call would take a good part of the time.
            Sentence(hyp, refs).texts()
            raise

    def alignments(self, hyp: str, refs: Sequence[str]) -> "list[Alignment]":
        """Align one segment with each of its references."""
        if self.align is None:
            msg = (
                f"{self.name} aligns no words; choose a measure that does, such as wer."
            )
            raise OptionError(msg)
        self._check(refs)
        return self.align(Sentence(hyp, refs), 0)

    def _check(self, refs: Sequence[str], source: str | None = None) -> None:
        if isinstance(refs, str):
            msg = "refs is one string; expected the list of the segment's references."
        elif self.needs_reference and not refs:
            msg = "refs is empty; a segment needs at least one reference."
        elif self.needs_source and source is None:
            msg = f"{self.name} compares with the source, but none was given."
        else:
            return
        raise CorpusError(msg)


#: What a metric may need beside the outputs, by the name of the parameter.
Need: TypeAlias = Literal["references", "source", "documents"]

# The field that says so, and what to say if it is not there.
_NEEDS: dict[Need, tuple[str, str]] = {
    "references": (
        "needs_reference",
        "compares with references, but there is none; give one with `references`, or a "
        "table with one.",
    ),
    "source": (
        "needs_source",
        "compares with the source, but none was given; give `source`.",
    ),
    "documents": (
        "needs_documents",
        "weighs words by their document, but no documents are known; give `documents` "
        "(ids that all differ make every segment a document).",
    ),
}


def find_missing_need(metric: Metric, has: Mapping[Need, bool]) -> Need | None:
    """Return the first thing that a metric needs and that is not there, None if it is all."""
    for need, (needs, _) in _NEEDS.items():
        if getattr(metric, needs) and not has[need]:
            return need
    return None


def check_needs(metrics: Mapping[str, Metric], has: Mapping[Need, bool]) -> None:
    """Raise an error if a metric, given by its spec, needs what the corpus does not have."""
    for spec, metric in metrics.items():
        missing = find_missing_need(metric, has)
        if missing:
            msg = f"{spec} {_NEEDS[missing][1]}"
            raise CorpusError(msg)


def metric_factory(factory: Callable[..., Metric]) -> Callable[..., Metric]:
    """Check a factory's options against its annotations and record them in the metric."""

    @wraps(factory)
    def make(**given: object) -> Metric:
        parameters = read_parameters(factory)
        values = {name: entry.default for name, entry in parameters.items()}
        for name, value in given.items():
            if name not in parameters:
                owner = factory.__name__
                raise UnknownNameError(no_such("option", name, parameters, owner=owner))
            values[name] = parameters[name].convert(factory.__name__, value)
        return _record_options(factory(**values), values)

    return make


def _record_options(metric: Metric, options: Mapping[str, object]) -> Metric:
    """Record the options in the metric and in the metrics that come of it."""
    segments, plain, weighing = metric.for_segments, metric.fit, metric.weighing
    if segments:
        segments = _record_options(segments, options)
    fit = plain and (lambda batches: _record_options(plain(batches), options))
    if weighing:
        apply = weighing.apply
        weighing = replace(
            weighing, apply=lambda counts: _record_options(apply(counts), options)
        )
        fit = weighing.fit
    return replace(
        metric, options=options, for_segments=segments, fit=fit, weighing=weighing
    )


def check_on_fit(metric: Metric, check: Callable[[Iterable[Batch]], object]) -> Metric:
    """Return the metric with a `fit` that checks the whole test set and changes nothing."""

    def fit(batches: Iterable[Batch]) -> Metric:
        check(batches)
        return metric

    return replace(metric, fit=fit)


def compute_share(part: Array, whole: Array) -> Array:
    """Return a part in per cent of the whole; NaN of nothing.

    >>> import numpy as np
    >>> compute_share(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([25., nan])
    """
    import numpy as np  # only here: the BLEU of a system needs none

    is_defined = whole > 0
    return np.where(is_defined, 100 * part / np.where(is_defined, whole, 1), np.nan)
