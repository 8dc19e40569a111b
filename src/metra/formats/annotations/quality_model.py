"""Quality models: which metrics count how much, for a stated use of the translations.

A TOML file:

    name = "gisting"
    context = "Somebody reads the output once to learn what a text is about."

    [[measure]]
    spec = "chrf"
    weight = 2
    worst = 20      # this score, or a worse one, is worth 0
    best = 70       # this score, or a better one, is worth 100

In between, worth grows evenly. `worst` and `best` state each metric's scale and direction:
for an error rate, best is the smaller number. `{here}` in a spec stands for the folder of
the file, for metrics that read files of their own.
"""

import math
from dataclasses import dataclass
from itertools import count, repeat
from pathlib import Path

from metra.errors import FormatError
from metra.formats.stream import check_keys, read_toml

KEYS = ("spec", "weight", "worst", "best")


@dataclass(frozen=True, slots=True)
class WeightedMetric:
    """A metric of the model: its weight, and the scores worth 0 and 100."""

    spec: str
    weight: float
    worst: float
    best: float


@dataclass(frozen=True, slots=True)
class QualityModel:
    """Metrics with weights, for a context of use."""

    name: str
    context: str
    members: tuple[WeightedMetric, ...]


def read_quality_model(path: str) -> QualityModel:
    """Read a model; FormatError names the fault."""
    data = read_toml(path)
    if set(data) != {"name", "context", "measure"}:
        keys = ", ".join(data) or "nothing"
        msg = f"{path} has {keys}; expected name, context and tables [[measure]]."
        raise FormatError(msg)
    for key in ("name", "context"):
        if not isinstance(data[key], str) or not data[key].strip():
            msg = f"{path}: {key} is {data[key]!r}; expected a text."
            raise FormatError(msg)
    tables = data["measure"]
    if not isinstance(tables, list) or not tables:
        msg = f"{path} has no metrics; expected tables [[measure]]."
        raise FormatError(msg)
    folder = str(Path(path).parent)
    places = (f"{path}, measure {number}" for number in count(1))
    members = tuple(map(_parse_metric, tables, places, repeat(folder)))
    for member in members:
        if sum(other.spec == member.spec for other in members) > 1:
            msg = f"{path} lists {member.spec!r} twice; give it one weight."
            raise FormatError(msg)
    return QualityModel(data["name"].strip(), data["context"].strip(), members)


def _parse_metric(entry: object, place: str, folder: str) -> WeightedMetric:
    table = check_keys(entry, KEYS, place)
    if not isinstance(table["spec"], str):
        msg = f"{place}: spec is {table['spec']!r}; expected a text such as 'bleu'."
        raise FormatError(msg)
    for key in KEYS[1:]:
        value = table[key]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value):
            msg = f"{place}: {key} is {value!r}; expected a number."
            raise FormatError(msg)
    weight, worst, best = (float(table[key]) for key in KEYS[1:])
    if weight <= 0 or worst == best:
        expected = "expected a weight above 0, and different scores for worst and best"
        msg = f"{place}: weight {weight:g}, worst {worst:g}, best {best:g}; {expected}."
        raise FormatError(msg)
    return WeightedMetric(table["spec"].replace("{here}", folder), weight, worst, best)
