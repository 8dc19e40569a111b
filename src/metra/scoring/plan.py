"""The plan for scoring a table: columns, metrics and groups."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from metra import __version__
from metra.errors import OptionError
from metra.metrics.record import Fit, Metric, Need, find_missing_need
from metra.metrics.registry import metric


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

    def __post_init__(self) -> None:
        """Refuse what no table could answer."""
        if not self.metrics or not self.outputs:
            msg = "A plan needs at least one metric and one column of outputs."
            raise OptionError(msg)
        names = [name for name, _ in self.outputs]
        for what, given in (
            ("system", names),
            ("metric", self.metrics),
            ("column to group by", self.group_by),
        ):
            twice = [name for name in given if given.count(name) > 1]
            if twice:
                msg = f"The {what} {twice[0]!r} is given twice; give it once."
                raise OptionError(msg)

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
        columns = [*self.text_columns, *self.key_columns]
        return list(dict.fromkeys(columns))

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

    def select_references(self) -> "ScoringPlan":
        """Return the part of the plan that corpus weights depend on."""
        one = self.outputs[:1]
        return replace(self, outputs=one, source=None, group_by=())

    def fingerprint(self) -> str:
        """Name the plan by what its numbers depend on, the versions of resources included."""
        signatures = [metric(spec).signature() for spec in self.metrics]
        written = json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)
        parts = [__version__, written, *signatures]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def build_unweighed(plan: ScoringPlan) -> Mapping[str, Metric]:
    """Make the metrics as they are before the first pass; closing formulas need no weights."""
    return {spec: metric(spec) for spec in plan.metrics}


def list_fits(plan: ScoringPlan) -> dict[str, Fit]:
    """List the fits of metrics with corpus weights, by spec."""
    return {spec: made.fit for spec, made in build_unweighed(plan).items() if made.fit}


def check_metrics(plan: ScoringPlan) -> None:
    """Refuse metrics that rows spread over machines cannot answer, or what they lack."""
    for spec, made in build_unweighed(plan).items():
        if "whole_documents" in made.needs:
            msg = (
                f"{spec} needs whole documents, whose rows may be in different parts "
                "of the table; score the files without groups, shards or an engine."
            )
            raise OptionError(msg)
        if made.fit and not made.fit.by_references:
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
