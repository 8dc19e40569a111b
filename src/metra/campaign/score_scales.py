"""Scales of measures: which of their values are worth 0 and 100, and who says so.

Evaluators hand in ratings from 0 to 3, percentages, error rates or minutes. A scale maps each
unit to 0 to 100, higher being better, and is always stated beside the results.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from metra.campaign.protocols.registry import PROTOCOLS
from metra.errors import FormatError, MetraError, OptionError
from metra.formats.annotations.quality_model import QualityModel
from metra.metrics.registry import BUILT_IN, WITH_MODEL, list_metrics
from metra.metrics.registry import metric as make_metric
from metra.scores.long_table import guess_scorer_kind

#: Who takes a measure; empty where that is not known.
MeasureKind: TypeAlias = Literal["human", "automated", ""]

#: Metrics whose scores are no percentages.
_OWN_UNITS = frozenset({"nist", "xscore", *WITH_MODEL})
#: How the ISLE workbook numbers its measures: A1 to A6 are automated, H1 to H6 human.
_WORKBOOK = re.compile(r"([AH])[1-6][ab]?\b")
#: Rounding may push a perfect score a little beyond 100.
_SLACK = 1e-9
_SCALE = re.compile(r"\s*(\S+?)\s*\.\.\s*(\S+)\s*")


@dataclass(frozen=True, slots=True)
class NativeScore:
    """What an evaluator found for one translation of one text, in the measure's own unit."""

    metric: str
    evaluator: str
    #: Empty for a score of all texts together.
    text: str
    translation: str
    value: float
    #: The same between 0 and 100, where the file says it.
    hundred: float | None = None
    higher_is_better: bool = True
    kind: MeasureKind = ""
    #: Reason for a missing score; empty if there is a score.
    reason: str = ""
    #: The file it is from, for messages.
    place: str = ""


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """The values that are worth 0 and 100, and who says so."""

    worst: float
    best: float
    origin: str = "given"

    def __str__(self) -> str:
        return f"{self.worst:g}..{self.best:g}"


@dataclass(frozen=True, slots=True)
class MeasureScale:
    """How the values of one measure were mapped to 0 to 100."""

    metric: str
    kind: MeasureKind
    #: What is worth 0 and 100; None where the scale of each judge or answer is its own.
    worst: float | None
    best: float | None
    origin: str
    #: The lowest and the highest value; None where there is none.
    lowest: float | None
    highest: float | None
    values: int
    #: Values beyond the scale, which count as its ends.
    cut: int


def parse_scale(text: str) -> tuple[str, ScoreScale]:
    """Parse `MEASURE=WORST..BEST`.

    >>> parse_scale("correction-time=1..0")
    ('correction-time', ScoreScale(worst=1.0, best=0.0, origin='given'))
    """
    metric, _, ends = text.rpartition("=")
    found = _SCALE.fullmatch(ends)
    try:
        worst, best = map(float, found.groups() if found else ())
    except ValueError:
        worst = best = math.nan
    if not metric or not math.isfinite(worst - best) or worst == best:
        msg = (
            f"{text!r} is not a scale; expected METRIC=WORST..BEST with two different "
            "numbers, such as clarity=0..3 or wer=100..0."
        )
        raise OptionError(msg)
    return metric.strip(), ScoreScale(worst, best)


def read_model_scales(model: QualityModel) -> dict[str, ScoreScale]:
    """Return the scales of a quality model, by measure."""
    origin = f"model {model.name}"
    return {m.spec: ScoreScale(m.worst, m.best, origin) for m in model.members}


def choose_scale(
    metric: str, scores: Sequence[NativeScore], given: Mapping[str, ScoreScale]
) -> ScoreScale | None:
    """Choose the scale of a measure; None if the files map it to 0 to 100 themselves.

    The one that is given for the measure, or for all its options, comes first. Then come
    percentages and rates of errors, and the scales of protocols.
    """
    scale = given.get(metric) or given.get(metric.partition(":")[0])
    if scale is not None:
        _check_direction(metric, scores, scale)
        return scale
    if all(one.hundred is not None for one in scores):
        _check_hundred(scores)
        return None
    higher = scores[0].higher_is_better
    if _is_percentage(metric):
        if higher:
            _check_hundred(scores)
            return ScoreScale(0.0, 100.0, "percentage")
        return ScoreScale(100.0, 0.0, "percentage of errors")
    known = find_protocol_scale(metric)
    values = [one.value for one in scores if not one.reason]
    if known and higher and all(known.worst <= v <= known.best for v in values):
        return known
    place = f"{scores[0].place}: " if scores[0].place else ""
    msg = (
        f"{place}the unit of {metric} is not known; set which values map to 0 and "
        f"100 with `scales`, such as {metric}=0..10."
    )
    raise OptionError(msg)


def classify_measure(
    metric: str,
    scores: Iterable[NativeScore],
    *,
    human: Sequence[str] = (),
    automated: Sequence[str] = (),
) -> MeasureKind:
    """Return who takes a measure: what is said, what the files say, or its name.

    >>> [classify_measure(name, []) for name in ("H4b clarity", "cloze-exact", "bleu:n=3", "x")]
    ['human', 'human', 'automated', '']
    """
    name = metric.partition(":")[0]
    if {metric, name} & set(human):
        return "human"
    if {metric, name} & set(automated):
        return "automated"
    said = {one.kind for one in scores if one.kind}
    if len(said) == 1:
        return said.pop()
    code = _WORKBOOK.match(metric)
    if code:
        return "human" if code[1] == "H" else "automated"
    if name in list_metrics():
        return "automated"
    steps = _list_steps()
    is_asked = any(name == step or name.startswith(f"{step}-") for step in steps)
    return "human" if is_asked or guess_scorer_kind(name) else ""


def find_protocol_scale(metric: str) -> ScoreScale | None:
    """Return the scale on which a protocol asks for a measure, if there is one.

    >>> str(find_protocol_scale("clarity")), find_protocol_scale("hter")
    ('0..3', None)
    """
    ends = _list_steps().get(metric)
    return None if ends is None else ScoreScale(*ends, "protocol")


def is_error_rate(metric: str) -> bool:
    """Tell whether lower scores of a metric are better, as metra computes it.

    >>> is_error_rate("wer"), is_error_rate("bleu:n=3"), is_error_rate("clarity")
    (True, False, False)
    """
    name = metric.partition(":")[0]
    try:
        return name in BUILT_IN and make_metric(name).higher_is_better is False
    except MetraError:  # it needs files
        return False


@cache
def _list_steps() -> dict[str, tuple[float, float] | None]:
    """Return what protocols ask for by name, with the ends of its scale if it has one."""
    steps = [step for asked in PROTOCOLS.values() for step in asked.steps]
    return {step.name: step.asks.native_range for step in steps}


def _is_percentage(metric: str) -> bool:
    name, _, options = metric.partition(":")
    counts = name == "transfer" and "mode=counts" in options.split(",")
    return name in BUILT_IN and name not in _OWN_UNITS and not counts


def _check_direction(
    metric: str, scores: Sequence[NativeScore], scale: ScoreScale
) -> None:
    higher = scores[0].higher_is_better
    # Files that map their values say nothing about the direction of these.
    if scores[0].hundred is None and (scale.best > scale.worst) != higher:
        better = "Higher" if higher else "Lower"
        msg = (
            f"{better} values of {metric} are better, but the scale is {scale}; swap "
            "its ends."
        )
        raise OptionError(msg)


def _check_hundred(scores: Iterable[NativeScore]) -> None:
    for one in scores:
        value = one.value if one.hundred is None else one.hundred
        if not one.reason and not -_SLACK <= value <= 100 + _SLACK:
            place = f"{one.place}: " if one.place else ""
            msg = (
                f"{place}{one.metric} of {one.translation} is {value:g}; expected a number "
                "from 0 to 100, or another scale with `scales`."
            )
            raise FormatError(msg)
