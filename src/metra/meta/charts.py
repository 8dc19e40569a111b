"""Records of charts: a question fills one, and `metra.report.pictures` draws it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from metra.stats.curves import LineFit
from metra.stats.resampling import Interval


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """A value (or NaN) of each series at each label, with bands or errors."""

    title: str
    caption: str
    across: str
    down: str
    labels: Sequence[str]
    series: Mapping[str, Sequence[float]]
    bands: Mapping[str, Sequence[Interval]] = field(default_factory=dict)
    #: An interval of each value, or None: drawn as error bars, side by side.
    errors: Mapping[str, Sequence[Interval | None]] = field(default_factory=dict)
    #: Series that stand apart, such as people against people: drawn dashed.
    dashed: Sequence[str] = ()
    #: The number of a series' colour, where it is not that of its place.
    colours: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ForestPanel:
    """A coefficient: the value of each row, and its interval if there is one."""

    heading: str
    values: Sequence[float]
    intervals: Sequence[Interval | None]


@dataclass(frozen=True, slots=True)
class ForestPlot:
    """Rows by name, and panels side by side."""

    title: str
    caption: str
    names: Sequence[str]
    panels: Sequence[ForestPanel]
    #: A line is drawn between rows of different clusters.
    clusters: Sequence[int] = ()
    #: A value that all panels mark by a line, such as the one that is expected.
    line: float | None = None


@dataclass(frozen=True, slots=True)
class Heatmap:
    """Names down and across, a value or NaN in each cell."""

    title: str
    caption: str
    names: Sequence[str]
    values: Sequence[Sequence[float]]
    #: p: small is dark, and shown as p-values are; r: from -1 to 1.
    kind: Literal["p", "r"]
    #: The cluster of each row, in order; framed.
    clusters: Sequence[int] = ()


@dataclass(frozen=True)
class ScatterPoints:
    """Points with names and outliers, and a line."""

    title: str
    across: str
    down: str
    names: list[str]
    x: list[float]
    y: list[float]
    outliers: list[bool]
    fit: LineFit | None
    caption: str
    #: The meaning of points, and of hollow ones.
    points: str = "systems"
    hollow: str = "outlier"
    #: True if all points are named, not only the hollow ones.
    all_named: bool = True


@dataclass(frozen=True, slots=True)
class JudgePlot:
    """Two judges' values, as given and as drawn."""

    title: str
    caption: str
    across: str
    down: str
    given: Sequence[tuple[float, float]]
    moved: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Histogram:
    """A label and a count for each bar."""

    title: str
    caption: str
    across: str
    bars: Sequence[tuple[str, int]]


Chart: TypeAlias = (
    CurvePlot | ForestPlot | Heatmap | ScatterPoints | JudgePlot | Histogram
)
