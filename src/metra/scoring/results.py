"""Results of an evaluation, as plain frozen data."""

from collections.abc import ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from metra import show_record
from metra.errors import MissingResourceError, OptionError, not_possible
from metra.metrics.record import Array, Basis
from metra.stats.direction import HIGHER, Direction

if TYPE_CHECKING:
    import pandas
    import polars

    from metra.metrics.alignment import Alignment
    from metra.metrics.units import Finding
    from metra.scoring.compare import SignificanceSettings, SystemComparison


#: Name of people beside the metrics.
HUMAN_SCORE = "people"


class Score(NamedTuple):
    """One metric's score of one system, at every level that was asked for."""

    score: float
    signature: str
    #: Higher or lower is better, or closest to a target.
    direction: Direction = HIGHER
    interval: tuple[float, float] | None = None
    parts: Mapping[str, float | list[float]] = {}
    documents: Mapping[str, float] | None = None
    segments: Array | None = None
    #: Where single segments are scored by another configuration than the corpus.
    segment_signature: str | None = None
    #: By segment, counted from 1: the alignment with each reference that is there.
    alignments: "Mapping[int, Sequence[Alignment]] | None" = None
    #: What the metric noted, the most frequent first.
    details: "Sequence[Finding] | None" = None
    #: Digits after the point in tables, beyond those of scores up to 100.
    more_digits: int = 0
    #: What the measure is based on, see `metra.analysis.headlines`.
    basis: Basis = "string"

    @property
    def higher_is_better(self) -> bool | None:
        """True or False, or None if the score closest to `target` is best."""
        return self.direction.higher_is_better

    @property
    def target(self) -> float | None:
        """The best score, if one exists."""
        return self.direction.target

    def __repr__(self) -> str:
        """Give the score with its interval and its signature."""
        interval = " [{:.2f}, {:.2f}]".format(*self.interval) if self.interval else ""
        return f"<Score {self.score:.2f}{interval} {self.signature}>"


class SystemScores(NamedTuple):
    """One system's scores by metric spec, as given."""

    name: str
    scores: Mapping[str, Score]


class GroupScores(NamedTuple):
    """The systems' scores on the segments of one group."""

    #: What the group's segments have in common: values by column.
    key: Mapping[str, object]
    segments: int
    systems: Sequence[SystemScores]


@dataclass(frozen=True, slots=True, repr=False)
class Results:
    """Scores of all systems, in the given order.

    `results["name"]["bleu"]` is a score; iteration gives the names of the systems.
    """

    systems: Sequence[SystemScores]
    segments: int
    references: int
    documents: int | None = None
    comparisons: "Sequence[SystemComparison]" = ()
    #: Where systems were compared.
    terms: "SignificanceSettings | None" = None
    #: By metric spec, where all pairs were compared: systems that belong together, best first.
    clusters: Mapping[str, Sequence[Sequence[str]]] | None = None
    #: Where segments were grouped: every group's scores, in the order of their keys.
    groups: Sequence[GroupScores] | None = None
    #: How tables were read, by path, where that had to be recognised.
    layouts: Mapping[str, str] = field(default_factory=dict)
    #: How rows of several files were found to belong together, if not by position.
    joined: str = ""

    def __getitem__(self, system: str) -> Mapping[str, Score]:
        """Give a system's scores by spec."""
        for entry in self.systems:
            if entry.name == system:
                return entry.scores
        raise KeyError(system)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the systems' names."""
        return (entry.name for entry in self.systems)

    def __len__(self) -> int:
        """Count the systems."""
        return len(self.systems)

    def __contains__(self, system: object) -> bool:
        """Tell whether a system has this name."""
        return any(entry.name == system for entry in self.systems)

    def items(self) -> ItemsView[str, Mapping[str, Score]]:
        """Return the systems' names with their scores by spec."""
        return {entry.name: entry.scores for entry in self.systems}.items()

    @property
    def specs(self) -> list[str]:
        """List the metric specs, as given."""
        return list(self.systems[0].scores)

    def rank_systems(self, spec: str) -> list[SystemScores]:
        """List systems from best to worst by this metric; those without a score come last."""
        direction = self.systems[0].scores[spec].direction

        def place(entry: SystemScores) -> tuple[bool, float]:
            score = entry.scores[spec].score
            return score != score, -direction.orient(score)

        return sorted(self.systems, key=place)

    def find_cluster(self, spec: str, system: str) -> int | None:
        """Return the number of a system's cluster by a metric, 1 for the best."""
        clusters = (self.clusters or {}).get(spec, ())
        numbers = (n for n, members in enumerate(clusters, 1) if system in members)
        return next(numbers, None)

    @property
    def levels(self) -> list[str]:
        """List the available levels: system, then the requested ones."""
        scores = list(self.systems[0].scores.values())
        is_present = {
            "document": any(score.documents is not None for score in scores),
            "segment": any(score.segments is not None for score in scores),
            "detail": any(score.details is not None for score in scores),
            "group": self.groups is not None,
            "comparison": self.terms is not None,
        }
        return [
            "system",
            *(level for level, is_known in is_present.items() if is_known),
        ]

    def to_columns(self, level: str = "system") -> dict[str, list[Any]]:
        """Return a table as a dict of columns: one row per system, one column per metric.

        `level` is one of `levels`. Documents, segments (counted from 1) and groups have
        one row per system; each comparison and each detail has one row. Intervals are in
        separate columns, such as `bleu_low` and `bleu_high`.
        """
        if level not in self.levels:
            given, expected = f"level={level!r}", f"one of {', '.join(self.levels)}"
            raise OptionError(not_possible(given, expected))
        rows = list(_ROWS[level](self))
        return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}

    def to_pandas(self, level: str = "system") -> "pandas.DataFrame":
        """Return `to_columns` as a pandas data frame."""
        return _import_frames("pandas").DataFrame(self.to_columns(level))

    def to_polars(self, level: str = "system") -> "polars.DataFrame":
        """Return `to_columns` as a polars data frame."""
        return _import_frames("polars").DataFrame(self.to_columns(level))

    def to_dict(self) -> dict[str, Any]:
        """Return the document of `to_json` as plain dicts, lists and numbers."""
        from metra.scoring.json import build_document, convert_results

        return build_document(convert_results(self))

    def to_json(self) -> str:
        """Return all results as JSON, as `metra score --format json` writes them."""
        from metra.scoring.json import write_results

        return "".join(write_results(self))

    def __repr__(self) -> str:
        """Lay out the systems' scores as a table."""
        return show_record(self, "text")

    def _repr_html_(self) -> str:
        """Show the systems' scores in a notebook."""
        return show_record(self, "html")


def _list_system_rows(results: Results) -> Iterator[dict[str, Any]]:
    with_interval = [
        spec
        for spec in results.specs
        if any(entry.scores[spec].interval for entry in results.systems)
    ]
    for entry in results.systems:
        row: dict[str, Any] = {"system": entry.name}
        for spec, score in entry.scores.items():
            row[spec] = score.score
        for spec in with_interval:
            interval = entry.scores[spec].interval or (None, None)
            row[f"{spec}_low"], row[f"{spec}_high"] = interval
        yield row


def _list_document_rows(results: Results) -> Iterator[dict[str, Any]]:
    for entry in results.systems:
        documents = {spec: score.documents for spec, score in entry.scores.items()}
        for name in next(filter(None, documents.values())):
            by_metric = {spec: (of or {}).get(name) for spec, of in documents.items()}
            yield {"system": entry.name, "document": name, **by_metric}


def _list_segment_rows(results: Results) -> Iterator[dict[str, Any]]:
    for entry in results.systems:
        columns = {
            spec: score.segments.tolist()
            for spec, score in entry.scores.items()
            if score.segments is not None
        }
        for number, values in enumerate(zip(*columns.values(), strict=True), 1):
            by_metric = dict(zip(columns, values, strict=True))
            yield {"system": entry.name, "segment": number, **by_metric}


def _list_detail_rows(results: Results) -> Iterator[dict[str, Any]]:
    details = [
        (entry.name, spec, detail)
        for entry in results.systems
        for spec, score in entry.scores.items()
        for detail in score.details or ()
    ]
    # What is known beside the text differs between metrics and notes.
    names = dict.fromkeys(name for *_, detail in details for name in detail.about)
    for system, spec, detail in details:
        row = {"system": system, "metric": spec, "note": detail.note}
        about = {name: detail.about.get(name) for name in names}
        counts = {"count": detail.count, "segments": list(detail.segments)}
        yield {**row, "text": detail.text, **about, **counts}


def _list_group_rows(results: Results) -> Iterator[dict[str, Any]]:
    for group in results.groups or ():
        for entry in group.systems:
            scores = {spec: score.score for spec, score in entry.scores.items()}
            about = {**group.key, "segments": group.segments}
            yield {"system": entry.name, **about, **scores}


def _list_comparison_rows(results: Results) -> Iterator[dict[str, Any]]:
    for entry in results.comparisons:
        row = entry._asdict()
        low, high = row.pop("interval") or (None, None)
        yield {**row, "low": low, "high": high}


_ROWS = {
    "system": _list_system_rows,
    "document": _list_document_rows,
    "segment": _list_segment_rows,
    "detail": _list_detail_rows,
    "group": _list_group_rows,
    "comparison": _list_comparison_rows,
}


def _import_frames(package: str) -> Any:
    try:
        return import_module(package)
    except ImportError:
        msg = (
            f"to_{package} needs the package {package!r}, which is not installed; install "
            f"it with: pip install {package}"
        )
        raise MissingResourceError(msg) from None
