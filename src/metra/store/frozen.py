"""A campaign as JSON and back, equal in every field, though metra's protocols may change."""

from dataclasses import asdict, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from metra.human.campaign import Campaign
from metra.store.encoding import decoded, encoded


def to_json(campaign: Campaign) -> str:
    """Write all of it, with the kind of what each step asks."""
    content = asdict(campaign)
    for step, entry in zip(
        campaign.protocol.steps, content["protocol"]["steps"], strict=True
    ):
        entry["asks"]["kind"] = step.asks.kind
    return encoded(content)


def from_json(text: str) -> Campaign:
    """Read it again."""
    found = _made(Campaign, decoded(text))
    if not isinstance(found, Campaign):
        raise TypeError(text[:80])
    return found


def _made(wanted: Any, value: Any) -> Any:
    """Make what a type says of plain lists and tables."""
    if is_dataclass(wanted):
        hints = _hints(wanted)  # type: ignore[arg-type]
        return wanted(  # type: ignore[operator]
            **{
                field.name: _made(hints[field.name], value[field.name])
                for field in fields(wanted)
                if field.name in value
            }
        )
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return tuple(_made(arguments[0], one) for one in value)
        pairs = zip(arguments, value, strict=True)
        return tuple(_made(kind, one) for kind, one in pairs)
    if origin in (Union, UnionType):
        return _one_of(arguments, value)
    return value


def _one_of(kinds: tuple[Any, ...], value: Any) -> Any:
    if isinstance(value, dict):
        records = [kind for kind in kinds if is_dataclass(kind)]
        asked = value.get("kind")
        [record] = [
            kind for kind in records if getattr(kind, "kind", None) == asked
        ] or records[:1]
        return _made(record, value)
    if isinstance(value, list):
        [kind] = [kind for kind in kinds if get_origin(kind) is tuple]
        return _made(kind, value)
    return value


@cache
def _hints(record: type) -> dict[str, Any]:
    return get_type_hints(record)
