"""The plan for scoring a table: columns, metrics and groups, and the chunks made of rows."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from metra import __version__
from metra.corpus.batch import Batch, CorpusChunk, SegmentColumn, UnnumberedPosition
from metra.errors import OptionError, UnfittedError
from metra.formats.texts.arrow_columns import (
    encode_values,
    get_references,
    get_required_column,
)
from metra.metrics.record import Fit, Metric, Need, TermCounts, find_missing_need
from metra.metrics.registry import metric
from metra.text.columns import RepeatedValues, pack_arrow_column


class ScoredColumn(NamedTuple):
    """A column with the scores of one system's outputs by one metric."""

    metric: str
    system: str
    column: str
    #: None where it is known of the metric.
    higher_is_better: bool | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringPlan:
    """The order for an engine: plain strings, so that it can be pickled and hashed.

    Columns are given by their names in the table. `outputs` are pairs of a system's name and
    the column with its outputs.
    """

    metrics: tuple[str, ...]
    outputs: tuple[tuple[str, str], ...]
    references: tuple[str, ...] = ()
    source: str | None = None
    documents: str | None = None
    #: Columns whose values, together, name the group that a row belongs to.
    group_by: tuple[str, ...] = ()
    #: Whether scores of single segments are wanted beside the totals.
    segments: bool = False
    #: Columns of scores that were made elsewhere.
    scored: tuple[ScoredColumn, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what no table could answer."""
        if not (self.metrics or self.scored) or not self.outputs:
            msg = "A plan needs at least one metric and one column of outputs."
            raise OptionError(msg)
        names = [name for name, _ in self.outputs]
        for what, given in (
            ("system", names),
            ("metric", self.metrics),
            ("column to group by", self.group_by),
            ("column of scores", ["/".join(entry[:2]) for entry in self.scored]),
        ):
            twice = [name for name in given if given.count(name) > 1]
            if twice:
                msg = f"The {what} {twice[0]!r} is given twice; give it once."
                raise OptionError(msg)
        for metric_name, by_system in self.list_scored().items():
            lacking = [name for name in names if name not in by_system]
            if lacking or len(by_system) != len(names):
                msg = (
                    f"{metric_name} has columns of scores for {', '.join(by_system)}, but the "
                    f"systems are {', '.join(names)}; expected a column for each."
                )
                raise OptionError(msg)

    def list_scored(self) -> dict[str, dict[str, ScoredColumn]]:
        """List columns of scores by metric, then by system."""
        by_metric: dict[str, dict[str, ScoredColumn]] = {}
        for entry in self.scored:
            by_metric.setdefault(entry.metric, {})[entry.system] = entry
        return by_metric

    @property
    def number_columns(self) -> list[str]:
        """The columns that must hold numbers."""
        return [entry.column for entry in self.scored]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems' names."""
        return tuple(name for name, _ in self.outputs)

    @property
    def text_columns(self) -> list[str]:
        """The columns that must hold texts."""
        outputs = [column for _, column in self.outputs]
        return [*outputs, *self.references, *filter(None, [self.source])]

    @property
    def key_columns(self) -> list[str]:
        """The columns whose values name documents and groups."""
        return [*filter(None, [self.documents]), *self.group_by]

    @property
    def columns(self) -> list[str]:
        """All columns that totals are made of, each once: no others need be read."""
        columns = [*self.text_columns, *self.number_columns, *self.key_columns]
        return list(dict.fromkeys(columns))

    @property
    def two_passes(self) -> tuple[str, ...]:
        """The metrics that weigh by counts of the whole corpus, which come first."""
        fits = {spec: metric(spec).fit for spec in self.metrics}
        return tuple(spec for spec, fit in fits.items() if fit and fit.from_terms)

    @property
    def score_columns(self) -> dict[tuple[str, str], str]:
        """The column for each system's segment scores by each metric.

        >>> plan = ScoringPlan(metrics=("bleu",), outputs=(("A", "hyp"),), references=("ref",))
        >>> plan.score_columns
        {('A', 'bleu'): 'bleu/A'}
        """
        return {
            (system, spec): f"{spec}/{system}"
            for system in self.systems
            for spec in self.metrics
        }

    def fingerprint(self) -> str:
        """Name the plan by what its numbers depend on, the versions of resources included."""
        signatures = [metric(spec).signature() for spec in self.metrics]
        written = json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)
        parts = [__version__, written, *signatures]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@lru_cache(maxsize=4)
def build_metrics(
    plan: ScoringPlan, weights: bytes | None = None
) -> Mapping[str, Metric]:
    """Make the plan's metrics, those of two passes with their weights.

    The answer is kept: on a worker, weights are unpacked once and not for each batch.
    """
    check_metrics(plan)
    made = build_unweighed(plan)
    weighed = [spec for spec, entry in made.items() if entry.fit]
    if not weighed:
        return made
    if weights is None:
        msg = (
            f"{', '.join(weighed)}: these metrics need weights; give the weights that "
            "`encode_weights` makes of all that `count_terms` counted."
        )
        raise UnfittedError(msg)
    table = pa.ipc.open_stream(pa.py_buffer(weights)).read_all()

    def weigh(spec: str, fit: Fit) -> Metric:
        own = table.filter(pc.equal(table["metric"], spec))
        return fit.apply_terms(unpack_terms(own["term"], own["count"]))

    return {
        spec: weigh(spec, entry.fit) if entry.fit else entry
        for spec, entry in made.items()
    }


def build_unweighed(plan: ScoringPlan) -> Mapping[str, Metric]:
    """Make the metrics as they are before the first pass; closing formulas need no weights."""
    return {spec: metric(spec) for spec in plan.metrics} | _build_scored(plan)


def _build_scored(plan: ScoringPlan) -> dict[str, Metric]:
    """Make metrics of columns of scores; options of one column hold for all of its metric."""
    if not plan.scored:
        return {}
    from metra.metrics.outside import build_column_metric

    made = {}
    for name, entries in plan.list_scored().items():
        columns = {system: entry.column for system, entry in entries.items()}
        given = [
            [value for value in values if value is not None]
            for values in list(zip(*entries.values(), strict=True))[3:]
        ]
        better, low, high = (values[-1] if values else None for values in given)
        made[name] = build_column_metric(name, columns, better, (low, high))
    return made


def check_metrics(plan: ScoringPlan) -> None:
    """Refuse metrics that rows spread over machines cannot answer, or what they lack."""
    for spec, made in build_unweighed(plan).items():
        if "whole_documents" in made.needs:
            msg = (
                f"{spec} needs whole documents, whose rows may be in different parts "
                "of the table; score the files without groups, shards or an engine."
            )
            raise OptionError(msg)
        if made.fit and not made.fit.from_terms:
            msg = (
                f"{spec} reads the whole test set before it scores, which an engine "
                "cannot do; score the files without groups, shards or an engine."
            )
            raise OptionError(msg)
        has: dict[Need, bool] = {
            "references": bool(plan.references),
            "source": plan.source is not None,
            "documents": plan.documents is not None,
        }
        missing = find_missing_need(made, has)
        if missing:
            what, parameter = _COLUMNS[missing]
            msg = f"{spec} needs {what}; name the column with `{parameter}`."
            raise OptionError(msg)


#: What a metric may need, in words, and the parameter that names its column.
_COLUMNS: dict[Need, tuple[str, str]] = {
    "references": ("references", "columns.references"),
    "source": ("the source", "columns.source"),
    "documents": ("documents", "columns.document"),
}


def pack_terms(terms: TermCounts) -> tuple[pa.Array, pa.Array]:
    """Return the keys of terms and their counts as columns."""
    bounds = np.concatenate([[0], terms.ends]).astype(np.int32)
    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(terms.keys)]
    keys = pa.Array.from_buffers(pa.binary(), len(terms.ends), buffers)
    return keys, pa.array(terms.counts, pa.int64())


def unpack_terms(keys: pa.ChunkedArray, counts: pa.ChunkedArray) -> TermCounts:
    """Return terms from columns of keys and counts."""
    keys = pa.concat_arrays(
        [pa.array([], pa.large_binary()), *keys.cast(pa.large_binary()).chunks]
    )
    _, bounds, values = keys.buffers()
    ends = np.frombuffer(bounds, np.int64)[: len(keys) + 1]
    data = values.to_pybytes()[: int(ends[-1])] if values else b""
    return TermCounts(data, ends[1:], np.asarray(counts, np.int64))


# So many rows at a time: their tokens stay in the processor's caches.
PIECE = 2048


def pack_chunk(rows: pa.RecordBatch, plan: ScoringPlan) -> CorpusChunk:
    """Pack the texts of some rows."""

    def pack(name: str, values: pa.Array | None = None) -> SegmentColumn:
        if values is None:
            values = get_required_column(rows, name)
        return SegmentColumn(pack_arrow_column(values, f"the column {name!r}"))

    refs = get_references(rows, plan.references)
    documents = None
    if plan.documents:
        names = get_required_column(rows, plan.documents)
        distinct, codes = encode_values(names)
        documents = RepeatedValues([*map(str, distinct.to_pylist())], codes)
    return CorpusChunk(
        {system: pack(column) for system, column in plan.outputs},
        [pack(*pair) for pair in zip(plan.references, refs, strict=True)],
        pack(plan.source) if plan.source else None,
        documents,
        position=UnnumberedPosition,
        scores={
            (entry.metric, entry.system): _read_numbers(rows, entry.column)
            for entry in plan.scored
        },
    )


def _read_numbers(rows: pa.RecordBatch, name: str) -> NDArray[np.float64]:
    """Read a column of numbers; nulls are NaN."""
    values = rows.column(name).cast(pa.float64()).fill_null(float("nan"))
    return np.asarray(values.to_numpy(), np.float64)


def read_references(batch: pa.RecordBatch, plan: ScoringPlan) -> Iterator[Batch]:
    """Cut a batch into batches of any one system: they share the references."""
    for start in range(0, batch.num_rows, PIECE):
        yield pack_chunk(batch.slice(start, PIECE), plan).batch(plan.systems[0])
