"""The record that every metric is, the factory that makes it, and what metrics need."""

import copyreg
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from metra import __version__
from metra.corpus.batch import Batch, CorpusChunk, Sentence
from metra.errors import (
    CorpusError,
    MissingReferenceError,
    OptionError,
    UnknownNameError,
    no_such,
)
from metra.metrics.options import format_value, read_parameters
from metra.stats import totals

if TYPE_CHECKING:
    from metra.metrics.alignment import Alignment
    from metra.metrics.corpus_weights import TwoPassFit
    from metra.metrics.llm.budget import Estimate
    from metra.metrics.spans import MarkedErrors
    from metra.metrics.units import Detail
    from metra.scores.table import Scores

Array: TypeAlias = totals.Array
AnyBatch: TypeAlias = Batch | Sentence
Parts: TypeAlias = dict[str, float | list[float]]
Basis: TypeAlias = Literal["people", "neural", "string"]
Aligner: TypeAlias = "Callable[[AnyBatch, int], list[Alignment]]"
#: A function and arguments, both of which can be pickled, that make a metric.
Recipe: TypeAlias = "tuple[Callable[..., Metric], tuple[Any, ...]]"


def give_no_parts(_: Array) -> Parts:
    """Return the parts of a score that has none."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Metric:
    """A metric: additive statistics of segments, and a score from their sums.

    `rows` returns one row of statistics per segment; `aggregate` returns the score of each
    row of totals, for any leading shape, and NaN if there was nothing to score. Corpus and
    document scores, intervals and tests are computed from different totals.
    """

    name: str
    columns: tuple[str, ...]
    rows: Callable[[AnyBatch], Array]
    aggregate: Callable[[Array], Array]
    higher_is_better: bool = True
    #: Named pieces of one row of totals that users expect beside the score.
    parts: Callable[[Array], Parts] = give_no_parts
    #: A shorter way to the sums of a batch's rows, if there is one and all are whole numbers;
    #: `aggregate` and `parts` then take a plain list of totals as well as an array.
    sums: Callable[[Batch], list[float]] | None = None
    #: The metric for single segments where that is another configuration; same rows.
    for_segments: "Metric | None" = None
    #: A shorter way from one output and its references to the same score, if there is one.
    single: Callable[[str, Sequence[str]], float] | None = None
    #: A shorter way to the scores of all pairs of outputs and references, both given by their
    #: places in a column of texts, if there is one: (outputs, references). A metric that needs
    #: the source takes it as a fourth argument.
    pairs: Callable[..., Array] | None = None
    #: The rows of outputs against references that stand for one, by the expected counts of
    #: their n-grams, if the metric counts n-grams: (outputs, columns). Outputs and references
    #: are places in a column of texts; each reference has a weight.
    expected_rows: Callable[..., Array] | None = None
    #: Called with a chunk before `rows` is called with each system's batch of it: a metric
    #: can do at once what the systems have in common.
    prepare: Callable[[CorpusChunk], None] | None = None
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
    #: Digits after the point in tables, beyond those of scores up to 100.
    more_digits: int = 0
    #: What scores are based on; people are trusted most, then neural metrics.
    basis: Basis = "string"
    #: Metrics of scores that were made elsewhere: which systems and segments have them.
    scored: "Scores | None" = None
    #: Metrics that know errors in outputs and their places.
    marked: "MarkedErrors | None" = None
    #: Whether `rows` works on many segments at once by itself, as where it waits for other
    #: machines: batches are then counted one after the other.
    own_threads: bool = False
    #: Metrics that cost money: what the scores of these batches will take.
    estimate: "Callable[[Iterable[AnyBatch]], Estimate] | None" = None
    #: Options as they turned out, where the parameter alone does not say it.
    settled: Mapping[str, object] = field(default_factory=dict)
    #: Every option on which scores depend, with its value, filled in by `metric_factory`.
    options: Mapping[str, object] = field(default_factory=dict)
    #: How to make the metric again in another process, filled in by `metric_factory`.
    origin: "MetricOrigin | None" = field(default=None, compare=False)

    def __repr__(self) -> str:
        """Name the metric with all its options."""
        return f"<Metric {self.signature()}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle how the metric was made; one that was put together by hand, its fields."""
        if self.origin and self.origin.describes(self):
            return self.origin.get_recipe()
        return copyreg.__newobj__, (Metric,), [*_list_values(self), None]  # type: ignore[attr-defined]

    def __copy__(self) -> "Metric":
        """Return the metric itself: it cannot change."""
        return self

    def __deepcopy__(self, _: object) -> "Metric":
        """Return the metric itself: it cannot change."""
        return self

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
                f"{self.name} does not align words; choose a metric that does, such "
                "as wer."
            )
            raise OptionError(msg)
        self._check(refs)
        segment = Sentence(hyp, refs)
        try:
            return self.align(segment, 0)
        except (TypeError, UnicodeEncodeError):
            segment.texts()
            raise

    def _check(self, refs: Sequence[str], source: str | None = None) -> None:
        if isinstance(refs, str):
            msg = "refs is one string; expected the list of the segment's references."
        elif self.needs_reference and not refs:
            msg = "refs is empty; a segment needs at least one reference."
        elif self.needs_source and source is None:
            msg = f"{self.name} needs the source, but none was given."
        else:
            return
        raise CorpusError(msg)


#: What a metric may need beside the outputs, by the name of the parameter.
Need: TypeAlias = Literal["references", "source", "documents"]

# The field that says so, and what to say if it is not there.
_NEEDS: dict[Need, tuple[str, str]] = {
    "references": (
        "needs_reference",
        "needs a reference; give one with `references`, or a table with a column "
        "named ref.",
    ),
    "source": (
        "needs_source",
        "needs the source; give `source`.",
    ),
    "documents": (
        "needs_documents",
        "weights words by document, but documents are missing; give `documents` "
        "(unique ids make every segment a document).",
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
            raise (MissingReferenceError if missing == "references" else CorpusError)(
                msg
            )


@dataclass(frozen=True, slots=True, eq=False)
class MetricOrigin:
    """How a metric was made, so that another process can make the same one."""

    get_recipe: Callable[[], Recipe]
    #: The values of the metric's fields: one with other fields was made in another way.
    values: tuple[object, ...]

    def describes(self, metric: Metric) -> bool:
        """Whether the metric is still as it was made."""
        values = _list_values(metric)
        return all(a is b for a, b in zip(values, self.values, strict=True))


def metric_factory(factory: Callable[..., Metric]) -> Callable[..., Metric]:
    """Check a factory's options against its annotations and record them in the metric.

    The metric also records how it was made, so that it can be pickled.
    """

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
        recipe = (_make_again, (make, given, metric.settled))
        signed = {
            name: value for name, value in values.items() if parameters[name].is_signed
        }
        return _record_options(metric, signed, lambda: recipe)

    return make


def _record_options(
    metric: Metric, options: Mapping[str, object], get_recipe: Callable[[], Recipe]
) -> Metric:
    """Record options and origin in the metric and in the metrics that come of it."""
    segments, plain, weighing = metric.for_segments, metric.fit, metric.weighing
    if segments:
        segments = _record_options(
            segments, options, lambda: (_make_for_segments, get_recipe())
        )
    fit: Callable[[Iterable[Batch]], Metric] | None = None
    if plain:
        fit = partial(_fit_plainly, plain, options, get_recipe)
    if weighing:
        apply, to_tables = weighing.apply, weighing.to_tables

        def apply_recorded(counts: Any) -> Metric:
            return _record_options(
                apply(counts),
                options,
                lambda: (_restore_fitted, (*get_recipe(), to_tables(counts))),
            )

        weighing = replace(weighing, apply=apply_recorded)
        fit = weighing.fit
    recorded = replace(
        metric, options=options, for_segments=segments, fit=fit, weighing=weighing
    )
    return replace(recorded, origin=MetricOrigin(get_recipe, _list_values(recorded)))


def _fit_plainly(
    fit: Callable[[Iterable[Batch]], Metric],
    options: Mapping[str, object],
    get_recipe: Callable[[], Recipe],
    batches: Iterable[Batch],
) -> Metric:
    """Fit a metric whose fitting leaves no counts."""
    fitted = fit(batches)
    if fitted.origin:  # it says how it was put together, but not the options
        of_members = fitted.origin.get_recipe
        return _record_options(
            fitted, options, lambda: (_record_again, (*of_members(), options))
        )
    return _record_options(
        fitted, options, lambda: (_end_fit, (*get_recipe(), fitted.settled))
    )


def set_recipe(metric: Metric, make: Callable[..., Metric], *arguments: Any) -> Metric:
    """Return a metric that is not a factory's, with the call that makes it again."""
    origin = MetricOrigin(lambda: (make, arguments), _list_values(metric))
    return replace(metric, origin=origin)


def _list_values(metric: Metric) -> tuple[object, ...]:
    return tuple(getattr(metric, each.name) for each in _FIELDS[:-1])


# The origin is the last.
_FIELDS = fields(Metric)


def _make_again(
    factory: Callable[..., Metric],
    given: Mapping[str, object],
    settled: Mapping[str, object],
) -> Metric:
    """Make a metric that was pickled; refuse if files or versions have changed since."""
    metric = factory(**given)
    if not metric.fit:  # else the files are read again anyway
        _check_settled(metric, settled)
    return metric


def _check_settled(metric: Metric, settled: Mapping[str, object]) -> None:
    for name, value in settled.items():
        if metric.settled.get(name) != value:
            msg = (
                f"{metric.name} was pickled with {name}:{format_value(value)}, but here it "
                f"is {name}:{format_value(metric.settled.get(name))}; use the same files "
                "and package versions in all processes."
            )
            raise OptionError(msg)


def _make_for_segments(make: Callable[..., Metric], arguments: Iterable[Any]) -> Metric:
    metric = make(*arguments)
    return metric.for_segments or metric


def _restore_fitted(
    make: Callable[..., Metric], arguments: Iterable[Any], tables: Mapping[str, Any]
) -> Metric:
    metric = make(*arguments)
    return metric.weighing.restore(tables) if metric.weighing else metric


def _end_fit(
    make: Callable[..., Metric],
    arguments: Iterable[Any],
    settled: Mapping[str, object],
) -> Metric:
    """Make a fitted metric whose fitting changed at most what is settled."""
    metric = make(*arguments)
    _check_settled(metric, {name: settled[name] for name in metric.settled})
    fitted = replace(metric, fit=None, weighing=None, settled=settled)
    recipe = (_end_fit, (make, arguments, settled))
    return _record_options(fitted, metric.options, lambda: recipe)


def _record_again(
    make: Callable[..., Metric], arguments: Iterable[Any], options: Mapping[str, object]
) -> Metric:
    """Make a metric that was put together from others, with the options of the whole."""
    recipe = (_record_again, (make, arguments, options))
    return _record_options(make(*arguments), options, lambda: recipe)


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
