"""What is to be scored in a table: which columns, by which measures, in which groups."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from metra import __version__
from metra.errors import OptionError
from metra.metrics import metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The order for an engine: plain strings, so that it can be pickled, hashed or written.

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
    #: Whether a null where a text has to be is an error, or an empty text.
    nulls: Literal["refuse", "empty"] = "refuse"

    def __post_init__(self) -> None:
        """Refuse what no table could answer."""
        if not self.metrics or not self.outputs:
            msg = "A plan needs at least one metric and one column of outputs."
            raise OptionError(msg)
        names = [name for name, _ in self.outputs]
        for what, found in (
            ("system", names),
            ("metric", self.metrics),
            ("column to group by", self.group_by),
        ):
            twice = [name for name in found if found.count(name) > 1]
            if twice:
                msg = f"The {what} {twice[0]!r} is given twice; give it once."
                raise OptionError(msg)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems' names."""
        return tuple(name for name, _ in self.outputs)

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The columns that must hold texts, each once."""
        return tuple(dict.fromkeys(self._texts()))

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that totals are made of, each once: no others need be read."""
        more = [self.documents] if self.documents else []
        return tuple(dict.fromkeys([*self.text_columns, *more, *self.group_by]))

    @property
    def two_passes(self) -> tuple[str, ...]:
        """The measures that weigh by counts of the whole corpus, which come first."""
        return tuple(spec for spec in self.metrics if metric(spec).weighing)

    def score_column(self, system: str, spec: str) -> str:
        """Name the column for a system's segment scores by a measure.

        >>> plan = Plan(metrics=("bleu",), outputs=(("A", "hyp"),), references=("ref",))
        >>> plan.score_column("A", "bleu")
        'bleu/A'
        """
        return f"{spec}/{system}"

    def to_json(self) -> str:
        """Write the plan in one line."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        """Read what `to_json` wrote.

        >>> plan = Plan(metrics=("bleu",), outputs=(("A", "hyp"),), references=("ref",))
        >>> Plan.from_json(plan.to_json()) == plan
        True
        """
        data = json.loads(text)
        data["outputs"] = tuple((name, column) for name, column in data["outputs"])
        for name in ("metrics", "references", "group_by"):
            data[name] = tuple(data[name])
        return cls(**data)

    def fingerprint(self) -> str:
        """Name the plan by what its numbers depend on, the versions of resources included."""
        signatures = [metric(spec).signature() for spec in self.metrics]
        known = [__version__, self.to_json(), *signatures]
        return hashlib.sha256("\n".join(known).encode()).hexdigest()

    def _texts(self) -> Iterator[str]:
        yield from (column for _, column in self.outputs)
        yield from self.references
        if self.source:
            yield self.source
