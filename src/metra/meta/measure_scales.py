"""Scales and kinds of measures: which values map to 0 and 100, and who takes a measure."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from metra.errors import FormatError, MetraError, OptionError
from metra.formats.annotations.quality_model import QualityModel
from metra.metrics.registry import BUILT_IN, WITH_MODEL, list_metrics
from metra.metrics.registry import metric as make_metric
from metra.scores.long_table import guess_scorer_kind
from metra.scores.scale import (
    MeasureKind,
    MeasureScale,
    ScoreScale,
    scale_to_hundred,
)
from metra.scores.table import Scorer, Scores
from metra.stats.arrays import Array

#: The scales of the questions of protocols, by name; None if a question has no scale.
ProtocolScales = Mapping[str, ScoreScale | None]
#: Metrics whose scores are no percentages.
_OWN_UNITS = frozenset({"nist", "xscore", *WITH_MODEL})
#: Measures of the ISLE workbook by number: A1 to A6 are automated, H1 to H6 human.
_WORKBOOK = re.compile(r"([AH])[1-6][ab]?\b")
#: Rounding may push a perfect score a little beyond 100.
_SLACK = 1e-9


def read_model_scales(model: QualityModel) -> dict[str, ScoreScale]:
    """Return the scales of a quality model, by measure."""
    origin = f"model {model.name}"
    return {m.spec: ScoreScale(m.worst, m.best, origin) for m in model.members}


def classify_measure(
    metric: str,
    kinds: Collection[MeasureKind] = (),
    *,
    asked: Iterable[str] = (),
    human: Sequence[str] = (),
    automated: Sequence[str] = (),
) -> MeasureKind:
    """Return the kind of a measure: as given, as the files say it, or by its name.

    `asked` are the names of questions that protocols ask people.

    >>> [classify_measure(name) for name in ("H4b clarity", "adequacy", "bleu:n=3", "x")]
    ['human', 'human', 'automated', '']
    """
    name = metric.partition(":")[0]
    if {metric, name} & set(human):
        return "human"
    if {metric, name} & set(automated):
        return "automated"
    stated = {kind for kind in kinds if kind}
    if len(stated) == 1:
        return stated.pop()
    code = _WORKBOOK.match(metric)
    if code:
        return "human" if code[1] == "H" else "automated"
    if name in list_metrics():
        return "automated"
    is_asked = any(name == step or name.startswith(f"{step}-") for step in asked)
    return "human" if is_asked or guess_scorer_kind(name) else ""


def scale_measure(
    scores: Scores,
    places: Sequence[str],
    kind: MeasureKind,
    given: Mapping[str, ScoreScale],
    protocol_scales: ProtocolScales,
) -> tuple[Array, MeasureScale]:
    """Return the rows of one measure from 0 to 100, and their mapping.

    `places` are the files of the rows, for messages.
    """
    [scorer] = scores.scorers
    metric, values = scorer.name, scores.value
    defined = np.isfinite(values)
    scale = _choose_scale(scorer, scores, places, given, protocol_scales)
    cut = 0
    worst: float | None
    best: float | None
    if scale is not None:
        hundreds = scale_to_hundred(values, scale.worst, scale.best)
        low, high = sorted((scale.worst, scale.best))
        cut = int(((values < low) | (values > high)).sum())
        worst, best, origin = scale.worst, scale.best, scale.origin
    else:
        # Rounding may have pushed a mean a little beyond 100.
        hundreds = np.clip(scores.hundred, 0, 100)
        is_same = (values == scores.hundred)[defined].all()
        own = ScoreScale(0.0, 100.0, "as given") if is_same else None
        own = own or protocol_scales.get(metric)
        worst, best = (own.worst, own.best) if own else (None, None)
        origin = own.origin if own else "protocol"
    return hundreds, MeasureScale(
        metric=metric,
        kind=kind,
        worst=worst,
        best=best,
        origin=origin,
        lowest=float(values[defined].min()) if defined.any() else None,
        highest=float(values[defined].max()) if defined.any() else None,
        values=int(defined.sum()),
        cut=cut,
    )


def _choose_scale(
    scorer: Scorer,
    scores: Scores,
    places: Sequence[str],
    given: Mapping[str, ScoreScale],
    protocol_scales: ProtocolScales,
) -> ScoreScale | None:
    """Choose the scale of a measure; None if the files map it to 0 to 100 themselves.

    A scale given for the measure, or for all its options, comes first. Then come
    percentages and rates of errors, and the scales of protocols.
    """
    metric, higher = scorer.name, scorer.higher_is_better
    defined = np.isfinite(scores.value)
    is_mapped = not (defined & np.isnan(scores.hundred)).any()
    scale = given.get(metric) or given.get(metric.partition(":")[0])
    if scale is not None:
        # Files that map their values say nothing about the direction of these.
        is_up = scale.best > scale.worst
        if not is_mapped and higher is not None and is_up != higher:
            better = "Higher" if higher else "Lower"
            msg = (
                f"{better} values of {metric} are better, but the scale is {scale}; swap "
                "its ends."
            )
            raise OptionError(msg)
        return scale
    if is_mapped:
        _check_hundreds(scores, scores.hundred, places)
        return None
    if _is_percentage(metric) and higher is not None:
        if not higher:
            return ScoreScale(100.0, 0.0, "percentage of errors")
        _check_hundreds(scores, scores.value, places)
        return ScoreScale(0.0, 100.0, "percentage")
    own = protocol_scales.get(metric)
    values = scores.value[defined]
    if own and higher and ((own.worst <= values) & (values <= own.best)).all():
        return own
    place = f"{places[0]}: " if places[0] else ""
    msg = (
        f"{place}the unit of {metric} is not known; set which values map to 0 and "
        f"100 with `scales`, such as {metric}=0..10."
    )
    raise OptionError(msg)


def note_scales(
    scales: Iterable[MeasureScale], protocol_scales: ProtocolScales
) -> Iterator[str]:
    """Yield notes on values beyond a scale, and on measures that may be on another one."""
    for scale in scales:
        if scale.cut:
            yield (
                f"{scale.metric}: {scale.cut} of {scale.values} values are outside "
                f"{scale.worst:g}..{scale.best:g} and are clipped to it."
            )
        if scale.origin != "as given":
            continue
        own = protocol_scales.get(scale.metric)
        if own is not None and (scale.highest or 0) <= own.best < 100:
            yield (
                f"{scale.metric}: no value is above {own.best:g}, the best of its "
                f"protocol, but the files declare 0 to 100; if they mean {own}, set "
                "`scales`."
            )
        if is_error_rate(scale.metric):
            yield (
                f"{scale.metric}: this metric usually counts errors, but the files "
                "declare 0 to 100, higher is better; if they mean 100..0, set "
                "`scales`."
            )


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


def _is_percentage(metric: str) -> bool:
    name, _, options = metric.partition(":")
    counts = name == "transfer" and "mode=counts" in options.split(",")
    return name in BUILT_IN and name not in _OWN_UNITS and not counts


def _check_hundreds(scores: Scores, hundreds: Array, places: Sequence[str]) -> None:
    wrong = (hundreds < -_SLACK) | (hundreds > 100 + _SLACK)
    for row in np.flatnonzero(wrong)[:1]:
        place = f"{places[row]}: " if places[row] else ""
        msg = (
            f"{place}{scores.names[0]} of {scores.systems[scores.system[row]]} is "
            f"{hundreds[row]:g}; expected a number from 0 to 100, or another scale "
            "with `scales`."
        )
        raise FormatError(msg)
