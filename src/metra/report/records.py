"""Records as plain dicts and lists, for JSON: a key for every field."""

import math
from dataclasses import fields, is_dataclass
from typing import Any


def as_data(value: Any) -> Any:
    """Give a record, or whatever is in one, as JSON has it; numbers it lacks become null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: as_data(getattr(value, field.name)) for field in fields(value)
        }
    if isinstance(value, dict):
        return {str(key): as_data(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_data(entry) for entry in value]
    if isinstance(value, float):
        return number(value)
    return value


def number(value: float) -> float | int | None:
    """Write counts as whole numbers, and what JSON has no number for as null."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else value
