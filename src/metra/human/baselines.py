"""How fast each judge reads any text, filled into what they read of the systems."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from metra.human.protocols.entries import KEY
from metra.human.protocols.reading import per_minute

if TYPE_CHECKING:
    from metra.human.judgement import Judgement


def with_baselines(judgements: "Sequence[Judgement]") -> "list[Judgement]":
    """Give each reading the speed at which its judge read the baseline text."""
    natural = _speeds(judgements)
    if not natural:
        return list(judgements)
    return [_with_natural(one, natural.get(one.judge)) for one in judgements]


def _speeds(judgements: "Sequence[Judgement]") -> dict[str, float]:
    found = {}
    for one in judgements:
        if one.kind == "baseline" and one.cannot is None:
            for step in one.value.values():
                if step["ms"] and step[KEY]["words"]:
                    found[one.judge] = per_minute(step)
    return found


def _with_natural(judgement: "Judgement", natural: float | None) -> "Judgement":
    if natural is None or not any(map(_is_reading, judgement.value.values())):
        return judgement
    value = {
        name: step | {KEY: step[KEY] | {"natural": natural}}
        if _is_reading(step)
        else step
        for name, step in judgement.value.items()
    }
    return replace(judgement, value=value)


def _is_reading(step: Any) -> bool:
    return isinstance(step, dict) and "natural" in step.get(KEY, {})
