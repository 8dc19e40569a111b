"""The record that every metric is, what metrics need, and what they note in segments."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from metra import __version__
from metra.corpus.batch import Batch, SegmentColumn, Sentence
from metra.errors import (
    CorpusError,
    OptionError,
    UnfittedError,
    UnknownNameError,
    no_such,
)
from metra.metrics.options import format_value, read_parameters
from metra.stats import totals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from metra.metrics.alignment import Alignment


Array: TypeAlias = totals.Array
Parts: TypeAlias = dict[str, float | list[float]]
Aligner: TypeAlias = "Callable[[Batch | Sentence, int], list[Alignment]]"


def _no_parts(_: Array) -> Parts:
    return {}


#: Arrays of numbers by their names, as a file keeps them.
Tables: TypeAlias = Mapping[str, Any]


class TermCounts(NamedTuple):
    """What a metric counts to find its weights: keys with whole numbers, which add up.

    The keys lie one behind the other in `keys`; `ends` says where each ends. Keys of several
    words have the byte 0xFF between them, which no UTF-8 has.
    """

    keys: bytes
    ends: "NDArray[np.int64]"
    counts: "NDArray[np.int64]"


@dataclass(frozen=True, slots=True)
class TwoPassFit:
    """`fit` in two steps, for a corpus whose parts are counted in different places."""

    #: What the references of a batch have, in no order, each key once.
    count: Callable[[Batch], TermCounts]
    #: The metric with the weights of all batches, from the sums of all that was counted, in
    #: the order of the keys' bytes. It has no `fit` and no `weighing` itself.
    weigh: "Callable[[TermCounts], Metric]"
    #: What all batches have, as arrays to be kept in a file, and the metric with the weights
    #: of such arrays, which is made much more quickly than they are counted.
    tables: Callable[[Iterable[Batch]], Tables]
    restore: "Callable[[Tables], Metric]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric: additive statistics of segments, and a score from their sums.

    `rows` gives one row of statistics per segment; `aggregate` gives the score of each
    row of totals, over any leading shape: NaN where there was nothing to score. Everything
    else (corpus and document scores, intervals, tests) is a choice of totals.
    """

    name: str
    columns: tuple[str, ...]
    rows: Callable[[Batch | Sentence], Array]
    aggregate: Callable[[Array], Array]
    higher_is_better: bool = True
    #: Named pieces of one row of totals that users expect beside the score.
    parts: Callable[[Array], Parts] = _no_parts
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
    weighing: TwoPassFit | None = None
    #: Metrics that align words: a segment of the batch with each of its references.
    align: "Aligner | None" = None
    #: Metrics that can say what they found or missed: in every segment of the batch.
    details: "Callable[[Batch | Sentence], Iterable[Detail]] | None" = None
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
        pairs = {**self.options, **self.settled}
        if nrefs is not None:
            pairs["nrefs"] = nrefs
        pairs |= more
        pairs["version"] = __version__
        listed = "|".join(
            f"{key}:{format_value(value)}" for key, value in pairs.items()
        )
        return f"{self.name}|{listed}"

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
            raise CorpusError(msg)
        missing = find_missing_need(
            self, has_references=bool(refs), has_source=source is not None
        )
        if missing == "references":
            msg = "refs is empty; a segment needs at least one reference."
            raise CorpusError(msg)
        if missing == "source":
            msg = f"{self.name} compares with the source, but none was given."
            raise CorpusError(msg)


#: What a metric may need beside the outputs, by the name of the parameter.
Need: TypeAlias = Literal["references", "source", "documents"]

_MISSING: dict[Need, str] = {
    "references": (
        "compares with references, but there is none; give one with `references`, or a "
        "table with one."
    ),
    "source": "compares with the source, but none was given; give `source`.",
    "documents": (
        "weighs words by their document, but no documents are known; give `documents` "
        "(ids that all differ make every segment a document)."
    ),
}


def find_missing_need(
    metric: Metric,
    *,
    has_references: bool,
    has_source: bool,
    has_documents: bool = True,
) -> Need | None:
    """Return the first thing that a metric needs and that is not there, None if it is all."""
    if metric.needs_reference and not has_references:
        return "references"
    if metric.needs_source and not has_source:
        return "source"
    if metric.needs_documents and not has_documents:
        return "documents"
    return None


def check_needs(
    metrics: Mapping[str, Metric],
    *,
    has_references: bool,
    has_source: bool,
    has_documents: bool,
) -> None:
    """Raise an error if a metric, given by its spec, needs what the corpus does not have."""
    for spec, metric in metrics.items():
        missing = find_missing_need(
            metric,
            has_references=has_references,
            has_source=has_source,
            has_documents=has_documents,
        )
        if missing:
            msg = f"{spec} {_MISSING[missing]}"
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
        return _with_options(factory(**values), values)

    return make


def _with_options(metric: Metric, options: Mapping[str, object]) -> Metric:
    """Record the options in the metric and in the metrics that come of it."""
    segments, fit, weighing = metric.for_segments, metric.fit, metric.weighing
    if segments is not None:
        segments = _with_options(segments, options)
    if fit is not None:
        plain = fit

        def fit(batches: Iterable[Batch]) -> Metric:
            return _with_options(plain(batches), options)

    if weighing is not None:
        weigh, restore = weighing.weigh, weighing.restore
        weighing = replace(
            weighing,
            weigh=lambda terms: _with_options(weigh(terms), options),
            restore=lambda tables: _with_options(restore(tables), options),
        )

    return replace(
        metric, options=options, for_segments=segments, fit=fit, weighing=weighing
    )


def check_on_fit(metric: Metric, check: Callable[[Iterable[Batch]], None]) -> Metric:
    """Return the metric with a `fit` that checks the whole test set and changes nothing."""

    def fit(batches: Iterable[Batch]) -> Metric:
        check(batches)
        return metric

    return replace(metric, fit=fit)


def refuse_unfitted(name: str) -> Callable[[Batch | Sentence], Array]:
    """Return the `rows` of a metric that has to be fitted first: they refuse."""

    def rows(_: Batch | Sentence) -> Array:
        msg = (
            f"{name} weighs what it counts by the references of the whole test set and "
            f"has not seen them; use the metric that metric.fit([metra.Batch(hyps, refs)]) "
            "returns."
        )
        raise UnfittedError(msg)

    return rows


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing that a metric noted in a segment, such as a name that the output lacks.

    `about` says what else is known of it, by name: the type of a name, the source's term.
    """

    #: Which segment of the batch, counted from 0.
    at: int
    #: What was noted, in a word or two: missed, untranslated.
    note: str
    #: The words that it is about.
    text: str
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """Equal details of all segments, together."""

    note: str
    text: str
    about: Mapping[str, str]
    #: The segments, counted from 1; one that has it twice is there twice.
    segments: tuple[int, ...]

    @property
    def count(self) -> int:
        """How often it was noted."""
        return len(self.segments)


def compute_share(part: Array, whole: Array) -> Array:
    """Return a part in per cent of the whole; NaN of nothing.

    >>> import numpy as np
    >>> compute_share(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([25., nan])
    """
    import numpy as np  # only here: the BLEU of a system needs none

    is_defined = whole > 0
    return np.where(is_defined, 100 * part / np.where(is_defined, whole, 1), np.nan)
