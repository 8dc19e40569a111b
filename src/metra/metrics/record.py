"""The record of a metric, with its three optional groups, and the factory that makes it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    get_args,
    overload,
)

from metra import __version__
from metra.corpus.batch import Batch, CorpusChunk, Sentence
from metra.errors import (
    CorpusError,
    MissingReferenceError,
    OptionError,
    UnfittedError,
    UnknownNameError,
    no_such,
)
from metra.metrics.options import format_value, read_parameters
from metra.stats import totals
from metra.stats.direction import HIGHER, Direction

if TYPE_CHECKING:
    from metra.metrics.alignment import Alignment
    from metra.metrics.llm.endpoint import Estimate
    from metra.metrics.units import Detail
    from metra.scores.spans import Spans
    from metra.scores.table import Scores
    from metra.text.salience import DocumentWords

Array: TypeAlias = totals.Array
AnyBatch: TypeAlias = Batch | Sentence
Parts: TypeAlias = dict[str, float | list[float]]
Basis: TypeAlias = Literal["people", "neural", "string"]
Aligner: TypeAlias = "Callable[[AnyBatch, int], list[Alignment]]"
#: A function and arguments, both of which can be pickled, that make a metric.
Recipe: TypeAlias = "tuple[Callable[..., Metric], tuple[Any, ...]]"
#: Input that a metric may require beside the outputs. With `whole_documents`, `rows` has to
#: see all segments of a document in one batch (all segments if documents are unknown).
Need: TypeAlias = Literal["references", "source", "documents", "whole_documents"]


class Fast(NamedTuple):
    """Shorter ways to the same numbers; without them `rows` and `aggregate` are called."""

    #: Sums of a batch's rows, if all are whole numbers; `aggregate` and `parts` then take a
    #: plain list of totals as well as an array.
    sums: Callable[[Batch], list[float]] | None = None
    single: Callable[[str, Sequence[str]], float] | None = None
    #: Scores of all pairs of outputs and references, both given by their places in a column
    #: of texts: (outputs, references). A metric that needs the source takes it as a fourth
    #: argument.
    pairs: Callable[..., Array] | None = None
    #: Called with a chunk before `rows` is called with each system's batch of it, to do the
    #: work that systems share.
    prepare: Callable[[CorpusChunk], None] | None = None
    #: True if `rows` works on many segments at once by itself, for example because it waits
    #: for other machines: batches are then counted one after the other.
    own_threads: bool = False


class TermCounts(NamedTuple):
    """Counts behind a metric's weights: keys with whole numbers, which add up.

    The keys lie one behind the other in `keys`; `ends` says where each ends. Keys of several
    words have the byte 0xFF between them, which no UTF-8 has.
    """

    keys: bytes
    ends: Any
    counts: Any


class CorpusTerms(NamedTuple):
    """Terms of some rows with the numbers of the whole corpus."""

    #: Each term once, in the order of the keys' bytes, with its count in the corpus.
    terms: TermCounts
    #: The salience of each term, for metrics with `Fit.weigh`.
    salience: Array
    #: The number of words in the corpus, or the largest weight for metrics with `Fit.weigh`.
    whole: float


#: The weights of so many references at most are kept in memory: 4 to 8 gigabytes for NIST.
MOST_WEIGHED = 4_000_000


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Fit:
    """Weights from the references of a whole corpus: `metric.fit(batches)` applies them.

    `count` returns counts of the metric's own kind, and `apply` the metric with the weights
    of such counts, which has no `fit` itself.
    """

    count: Callable[[Iterable[Batch]], Any]
    apply: "Callable[[Any], Metric]"
    #: Counts as plain data, for a pickle, and back.
    to_plain: Callable[[Any], Any] = lambda counts: counts
    from_plain: Callable[[Any], Any] = lambda plain: plain
    #: True if weights depend on references and documents only, in any order.
    by_references: bool = False
    #: The metric for rows of a corpus whose terms do not fit into memory, from the terms of
    #: these rows; None if the terms of every corpus fit. Counts then have a method `terms()`.
    apply_some: "Callable[[CorpusTerms], Metric] | None" = None
    #: Salience and weights of words in documents, if terms are pairs of a document and a word:
    #: rows then need all terms of their documents.
    weigh: "Callable[[DocumentWords], tuple[Array, Array]] | None" = None

    def __call__(self, batches: Iterable[Batch]) -> "Metric":
        """Return the metric with the weights of these batches' references."""
        segments = references = 0

        def limit_size() -> Iterator[Batch]:
            nonlocal segments, references
            for batch in batches:
                segments += len(batch)
                references += len(batch) * len(batch.refs)
                self.check_size(references)
                yield batch

        metric = self.apply(self.count(limit_size()))
        # Scores of a part of the corpus differ from those of the part alone.
        return settle(metric, fitted=segments) if self.by_references else metric

    def check_size(self, references: int) -> None:
        """Refuse a corpus with so many references that weights do not fit into memory."""
        if self.apply_some and references > MOST_WEIGHED:
            msg = (
                "nist and ltv keep the terms of all references in memory, for up to "
                f"{MOST_WEIGHED:,} references; score a larger table on Spark (`engine` "
                "spark), or use saved weights (nist:info=FILE, ltv:weights=FILE)."
            )
            raise CorpusError(msg)


class Notes(NamedTuple):
    """Information beside the scores: evidence for them, their basis and their cost."""

    #: Matches and errors in every segment of a batch.
    details: "Callable[[AnyBatch], Iterable[Detail]] | None" = None
    align: "Aligner | None" = None
    marked: "Callable[[], Spans] | None" = None
    #: Scores by another program, by system and segment.
    scored: "Scores | None" = None
    estimate: "Callable[[Iterable[AnyBatch]], Estimate] | None" = None
    #: Basis of the scores; people are trusted most, then neural metrics.
    basis: Basis = "string"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Metric:
    """A metric: additive statistics of segments, and a score from their sums.

    `rows` returns one row of statistics per segment, in the order of `columns`; `aggregate`
    returns the score of each row of totals, for any leading shape, and NaN if there was
    nothing to score. Corpus and document scores, intervals and tests are computed from
    different totals.

    `name`, `columns`, `rows` and `aggregate` are required. Eight more fields describe the
    score, and three optional groups hold the rest: `fast` (shorter ways to the same
    numbers), `fit` (weights from a whole corpus) and `notes` (evidence, basis and cost).
    """

    name: str
    columns: tuple[str, ...]
    rows: Callable[[AnyBatch], Array]
    aggregate: Callable[[Array], Array]
    #: Higher or lower is better, or closest to a target.
    direction: Direction = HIGHER
    #: Named components of one row of totals.
    parts: Callable[[Array], Parts] = lambda _: {}
    #: The metric for single segments where that is another configuration; same rows.
    for_segments: "Metric | None" = None
    needs: frozenset[Need] = frozenset({"references"})
    #: Digits after the point in tables, beyond those of scores up to 100.
    more_digits: int = 0
    #: Resolved values of options, such as the version of a file, for the signature.
    settled: Mapping[str, object] = field(default_factory=dict)
    #: Every option on which scores depend, with its value, filled in by `metric_factory`.
    options: Mapping[str, object] = field(default_factory=dict)
    fast: Fast = Fast()  # noqa: RUF009, it cannot change
    fit: Fit | None = None
    notes: Notes = Notes()  # noqa: RUF009, it cannot change
    #: Returns the call that makes the metric again in another process. Only functions that
    #: make metrics set it, and a metric changed with `replace` has none.
    origin: Callable[[], Recipe] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Accept any collection of needs."""
        object.__setattr__(self, "needs", frozenset(self.needs))

    def __repr__(self) -> str:
        """Name the metric with all its options."""
        return f"<Metric {self.signature()}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle the call that makes the metric; if it was built by hand, its fields."""
        return self.origin() if self.origin else object.__reduce_ex__(self, protocol)

    def __copy__(self) -> "Metric":
        """Return the metric itself: it cannot change."""
        return self

    def __deepcopy__(self, _: object) -> "Metric":
        """Return the metric itself: it cannot change."""
        return self

    @property
    def higher_is_better(self) -> bool | None:
        """True or False, or None if the score closest to a target is best."""
        return self.direction.higher_is_better

    def signature(self, *, nrefs: int | str | None = None, **more: object) -> str:
        """Return the metric with all options, the number of references and the version."""
        references = {} if nrefs is None else {"nrefs": nrefs}
        pairs = {**self.options, **self.settled, **references, **more}
        listed = (f"{key}:{format_value(value)}" for key, value in pairs.items())
        return "|".join([self.name, *listed, f"version:{__version__}"])

    def sentence(
        self, hyp: str, refs: Sequence[str] = (), source: str | None = None
    ) -> float:
        """Return the score of one segment, with little overhead."""
        metric = self.for_segments or self
        self._check(refs, source)
        try:
            single = metric.fast.single
            if single:
                return single(hyp, refs)
            return float(metric.aggregate(metric.rows(Sentence(hyp, refs, source)))[0])
        except (TypeError, UnicodeEncodeError):
            # To look at the texts before each call would take a good part of the time.
            Sentence(hyp, refs).texts()
            raise

    def alignments(self, hyp: str, refs: Sequence[str]) -> "list[Alignment]":
        """Align one segment with each of its references."""
        if self.notes.align is None:
            msg = (
                f"{self.name} does not align words; choose a metric that does, such "
                "as wer."
            )
            raise OptionError(msg)
        self._check(refs)
        segment = Sentence(hyp, refs)
        try:
            return self.notes.align(segment, 0)
        except (TypeError, UnicodeEncodeError):
            segment.texts()
            raise

    def _check(self, refs: Sequence[str], source: str | None = None) -> None:
        if isinstance(refs, str):
            msg = "refs is one string; expected the list of the segment's references."
        elif not refs and "references" in self.needs:
            msg = "refs is empty; a segment needs at least one reference."
        elif source is None and "source" in self.needs:
            msg = f"{self.name} needs the source, but none was given."
        else:
            return
        raise CorpusError(msg)


# Messages for input that is missing.
_MISSING: dict[Need, str] = {
    "references": "needs a reference; give one with `references`, or a table with a "
    "column named ref.",
    "source": "needs the source; give `source`.",
    "documents": "weights words by document, but documents are missing; give "
    "`documents` (unique ids make every segment a document).",
}


def select_needs(
    *,
    references: bool = False,
    source: bool = False,
    documents: bool = False,
    whole_documents: bool = False,
) -> frozenset[Need]:
    """Return the needs that hold.

    >>> sorted(select_needs(source=True, references=False))
    ['source']
    """
    given = locals()
    return frozenset(need for need in get_args(Need) if given[need])


def find_missing_need(metric: Metric, has: Mapping[Need, bool]) -> Need | None:
    """Return the first need of a metric that the corpus does not meet, or None."""
    for need in _MISSING:
        if need in metric.needs and not has[need]:
            return need
    return None


def check_needs(metrics: Mapping[str, Metric], has: Mapping[Need, bool]) -> None:
    """Raise an error if the corpus lacks input that a metric, given by spec, needs."""
    for spec, metric in metrics.items():
        missing = find_missing_need(metric, has)
        if missing:
            msg = f"{spec} {_MISSING[missing]}"
            raise (MissingReferenceError if missing == "references" else CorpusError)(
                msg
            )


Factory: TypeAlias = Callable[..., Metric]


@overload
def metric_factory(factory: Factory) -> Factory: ...


@overload
def metric_factory(
    *, title: str = "", papers: str = ""
) -> Callable[[Factory], Factory]: ...


def metric_factory(
    factory: Factory | None = None, *, title: str = "", papers: str = ""
) -> Factory | Callable[[Factory], Factory]:
    """Check a factory's options against its annotations and record them in the metric.

    `title` is the metric's name in print, and `papers` the keys of the entries in
    `papers.bib` that define it. The metric is pickled as this call, and a fitted one with
    the tables of its counts.
    """
    if factory is None:
        return lambda factory: _wrap_factory(factory, title, papers)
    return _wrap_factory(factory, title, papers)


def _wrap_factory(factory: Factory, title: str, papers: str) -> Factory:
    @wraps(factory)
    def make(**given: object) -> Metric:
        parameters = read_parameters(factory)
        values = {name: entry.default for name, entry in parameters.items()}
        for name, value in given.items():
            if name not in parameters:
                owner = factory.__name__
                raise UnknownNameError(no_such("option", name, parameters, owner=owner))
            values[name] = parameters[name].convert(factory.__name__, value)
        metric = factory(**values)
        signed = {
            name: value for name, value in values.items() if parameters[name].is_signed
        }
        recipe = (_make_again, (make, given, metric.settled))
        return _record_call(metric, signed, lambda: recipe)

    make.__dict__.update(title=title or factory.__name__, papers=tuple(papers.split()))
    return make


def _record_call(
    metric: Metric, options: Mapping[str, object], origin: Callable[[], Recipe]
) -> Metric:
    """Record options and origin in the metric and in the metrics derived from it."""
    segments, fit = metric.for_segments, metric.fit
    if segments:
        segments = _record_call(
            segments, options, lambda: (_make_for_segments, origin())
        )
    if fit:
        apply, to_plain = fit.apply, fit.to_plain

        def apply_recorded(counts: Any) -> Metric:
            fitted = apply(counts)
            return _record_call(
                fitted,
                options,
                lambda: (_fit_again, (*origin(), to_plain(counts), fitted.settled)),
            )

        fit = replace(fit, apply=apply_recorded)
    return _set_origin(
        replace(metric, options=options, for_segments=segments, fit=fit), origin
    )


def _set_origin(metric: Metric, origin: Callable[[], Recipe]) -> Metric:
    """Set the origin of a metric that nobody else has seen yet."""
    object.__setattr__(metric, "origin", origin)
    return metric


def set_recipe(metric: Metric, make: Callable[..., Metric], *arguments: Any) -> Metric:
    """Return a metric that no factory made, with the call that makes it again."""
    return _set_origin(replace(metric), lambda: (make, arguments))


def _make_again(
    factory: Factory, given: Mapping[str, object], settled: Mapping[str, object]
) -> Metric:
    """Make a metric that was pickled; refuse if files or versions have changed since."""
    metric = factory(**given)
    # A metric that is yet to be fitted reads its files again anyway.
    return metric if metric.fit else _check_settled(metric, settled)


def _make_for_segments(make: Callable[..., Metric], arguments: Iterable[Any]) -> Metric:
    metric = make(*arguments)
    return metric.for_segments or metric


def _fit_again(
    make: Callable[..., Metric],
    arguments: Iterable[Any],
    counts: Any,
    settled: Mapping[str, object],
) -> Metric:
    metric = make(*arguments)
    if metric.fit:
        metric = metric.fit.apply(metric.fit.from_plain(counts))
    return _check_settled(metric, settled)


def _check_settled(metric: Metric, settled: Mapping[str, object]) -> Metric:
    for name, value in settled.items():
        if metric.settled.get(name) != value:
            msg = (
                f"{metric.name} was pickled with {name}:{format_value(value)}, but here it "
                f"is {name}:{format_value(metric.settled.get(name))}; use the same files "
                "and package versions in all processes."
            )
            raise OptionError(msg)
    return metric


def get_ordered_formula(metric: Metric) -> tuple[Callable[[Array], Array], bool]:
    """Return `aggregate`, and True if higher scores are better or False if lower ones are.

    The formula of a metric with a target returns the negative distance to it.
    """
    if metric.higher_is_better is not None:
        return metric.aggregate, metric.higher_is_better
    return lambda totals: metric.direction.orient(metric.aggregate(totals)), True


def settle(metric: Metric, **more: object) -> Metric:
    """Return the metric with more in its signature, and in that for single segments."""
    segments = metric.for_segments and settle(metric.for_segments, **more)
    settled = replace(metric, settled={**metric.settled, **more}, for_segments=segments)
    if not metric.origin:
        return settled
    return _set_origin(settled, lambda: (_settle_again, (metric, more)))


def _settle_again(metric: Metric, more: Mapping[str, object]) -> Metric:
    return settle(metric, **more)


def check_on_fit(metric: Metric, check: Callable[[Iterable[Batch]], object]) -> Metric:
    """Return the metric with a `fit` that checks the whole test set and changes nothing."""
    fit = Fit(count=check, apply=lambda _: metric, to_plain=lambda _: None)
    return replace(metric, fit=fit)


def name_columns(totals: Array, *, columns: Sequence[str]) -> Parts:
    """Return the totals as the parts of a score, by the names of the columns."""
    return dict(zip(columns, totals.tolist(), strict=True))


def compute_share(part: Array, whole: Array) -> Array:
    """Return a part in per cent of the whole; NaN of nothing.

    >>> import numpy as np
    >>> compute_share(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([25., nan])
    """
    import numpy as np  # only here: the BLEU of a system needs none

    is_defined = whole > 0
    return np.where(is_defined, 100 * part / np.where(is_defined, whole, 1), np.nan)


def compute_mean(totals: Array, *, count_column: int = 1) -> Array:
    """Return the first column by the count, of each row of totals; NaN of nothing."""
    import numpy as np

    count = totals[..., count_column]
    return np.where(count > 0, totals[..., 0] / np.where(count > 0, count, 1), np.nan)


def refuse_unfitted(name: str) -> Callable[[AnyBatch], Array]:
    """Return the `rows` of a metric that has to be fitted first: they refuse."""

    def rows(_: AnyBatch) -> Array:
        msg = (
            f"{name} needs weights from the references of the whole test set; use the "
            "metric that metric.fit([metra.Batch(hyps, refs)]) returns."
        )
        raise UnfittedError(msg)

    return rows
