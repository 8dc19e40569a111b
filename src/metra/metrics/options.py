"""Options of metrics: read from factories, checked against their types and ranges.

A factory declares an option by a keyword parameter; numbers declare their range beside it,
as in `n: Annotated[int, Range(1, 1000)] = 4`.
"""

import inspect
import math
import re
import typing
from collections.abc import Callable
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args, get_origin

from metra.errors import OptionError, not_possible


class Range(NamedTuple):
    """The numbers that an option may have: from `low` to `high`, both included.

    `above` leaves `low` itself out. NaN and infinity are in no range.
    """

    low: float
    high: float = math.inf
    above: bool = False

    def __contains__(self, value: object) -> bool:
        """Return True if the number lies in the range."""
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            return False
        return self.low <= value <= self.high and not (self.above and value == self.low)

    def __str__(self) -> str:
        """Say it as in "expected a number from 0 to 1"."""
        if self.above:
            most = f" and at most {self.high:g}" if self.high < math.inf else ""
            return f"above {self.low:g}{most}"
        if self.high < math.inf:
            return f"from {self.low:g} to {self.high:g}"
        return f"of at least {self.low:g}"


#: Nobody counts longer n-grams, and each order costs memory for every segment.
LONGEST = 1000
NgramOrder: TypeAlias = Annotated[int, Range(1, LONGEST)]
Share: TypeAlias = Annotated[float, Range(0, 1)]
FromZero: TypeAlias = Annotated[float, Range(0)]
Case: TypeAlias = Literal["mixed", "lower"]
#: The tokeniser of metrics that take words as they are by default. A text beside a type
#: is the meaning of options of this type.
PlainTokenizer: TypeAlias = Annotated[str, "tokeniser; none splits at white space."]

#: Marks an option that changes no score, such as a time-out: signatures leave it out.
UNSIGNED = object()

_NO = object()


class Parameter(NamedTuple):
    """An option of a metric: its type, its default, and the range if it is a number."""

    name: str
    annotation: Any
    default: object
    range: Range | None = None
    #: Whether scores depend on it, so that signatures name it.
    is_signed: bool = True
    #: Meaning by its type, where the docstring of the factory does not explain it.
    meaning: str = ""

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The types that its value may have."""
        is_union = get_origin(self.annotation) in (typing.Union, UnionType)
        return get_args(self.annotation) if is_union else (self.annotation,)

    def choices(self) -> list[str]:
        """List the values it can have, empty where there are too many to list."""
        if get_origin(self.annotation) is Literal:
            return [str(value) for value in get_args(self.annotation)]
        return ["yes", "no"] if self.annotation is bool else []

    def convert(self, owner: str, value: object) -> object:
        """Return the value as the type of the option, or raise an error that says more."""
        for kind in self.kinds:
            converted = _convert_kind(kind, value)
            # A number is finite, whatever its range.
            is_number = isinstance(converted, (int, float)) and kind is not bool
            if is_number and converted not in (self.range or Range(-math.inf)):
                continue
            if converted is not _NO:
                return converted
        names = {int: "a whole number", float: "a number"}
        kinds = (names.get(k, "a text") for k in self.kinds if k is not NoneType)
        limits = "" if self.range is None else f" {self.range}"
        choices = self.choices()
        listed = f"one of {', '.join(choices)}" if choices else " or ".join(kinds)
        given = f"{owner}: {self.name}={format_value(value)}"
        raise OptionError(not_possible(given, listed + limits))


@lru_cache(maxsize=256)
def read_parameters(factory: Callable[..., object]) -> dict[str, Parameter]:
    """Return the options of a metric from its factory's keyword parameters."""
    plain = inspect.unwrap(factory)
    hints = typing.get_type_hints(plain)
    annotated = typing.get_type_hints(plain, include_extras=True)
    parameters = {}
    for name, entry in inspect.signature(plain).parameters.items():
        # The range stands beside the type, or beside one of several.
        kinds = (annotated[name], *get_args(annotated[name]))
        extras = [
            extra for kind in kinds for extra in getattr(kind, "__metadata__", ())
        ]
        limits = next((extra for extra in extras if isinstance(extra, Range)), None)
        meaning = next((extra for extra in extras if isinstance(extra, str)), "")
        parameters[name] = Parameter(
            name, hints[name], entry.default, limits, UNSIGNED not in extras, meaning
        )
    return parameters


def parse_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split `NAME:option=value,option=value`, or `NAME@FILE`, scores made elsewhere.

    >>> parse_spec("bleu:tok=intl,n=3")
    ('bleu', {'tok': 'intl', 'n': '3'})
    >>> parse_spec("comet@a:b/scores.tsv:better=higher")
    ('outside', {'name': 'comet', 'file': 'a:b/scores.tsv', 'better': 'higher'})
    """
    name, _, rest = spec.partition(":")
    options: dict[str, str] = {}
    outside = match_outside(spec)
    if outside:
        name, rest = "outside", outside[3] or ""
        options = {"name": outside[1], "file": outside[2]}
    for piece in filter(None, rest.split(",")):
        option, equals, value = piece.partition("=")
        if not equals:
            msg = (
                f"{spec!r} has {piece!r} where option=value was expected; give each "
                "metric separately."
            )
            raise OptionError(msg)
        if option in options:
            msg = f"{spec!r} gives the option {option!r} twice; give it once."
            raise OptionError(msg)
        options[option] = value
    return name, options


def match_outside(spec: str) -> re.Match[str] | None:
    """Match the name of scores made elsewhere, their file, and options."""
    pattern = r"([^@:=]+)@(.+?)(?::(\w+=[^:=]*(?:,\w+=[^:=]*)*))?"
    return re.fullmatch(pattern, spec) if "@" in spec else None


def format_value(value: object) -> str:
    """Write an option's value as in a spec.

    >>> format_value(True), format_value(2.0), format_value(0.1234567890123)
    ('yes', '2', '0.1234567890123')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return str(value)


def _convert_kind(kind: Any, value: object) -> object:
    if get_origin(kind) is Literal:
        text = format_value(value) if isinstance(value, bool) else value
        return text if text in get_args(kind) else _NO
    if kind is bool:
        return {"yes": True, "no": False}.get(format_value(value), _NO)
    if kind is NoneType:
        return None if value is None else _NO
    if isinstance(value, bool) or value is None:
        return _NO
    if kind is str:
        return value if isinstance(value, str) else _NO
    try:
        converted = kind(value)
    except (TypeError, ValueError, OverflowError):
        return _NO
    return converted if isinstance(value, str) or converted == value else _NO
