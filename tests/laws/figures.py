"""Figures as they are read from a surface, in full or printed, and how they are compared."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Number:
    """A figure as it was read: in full, or with the decimals that were printed."""

    value: float
    decimals: int | None = None
    #: Whether it was printed as `< value`.
    is_bound: bool = False

    def __str__(self) -> str:
        bound = "< " if self.is_bound else ""
        if self.decimals is None:
            return bound + repr(self.value).removesuffix(".0")
        return f"{bound}{self.value:.{self.decimals}f}"


#: A figure, a scorer, and a system (or a metric, or a text with its system; or nothing).
Key = tuple[str, str, str]
#: Numbers by key: several where a surface says the same in several places, none where it
#: says that there is no figure.
Figures = dict[Key, list[Number]]


@dataclass(frozen=True)
class Reading:
    """What a surface says: its figures, refusals, and the rows that it claims to count."""

    figures: Figures = field(default_factory=lambda: defaultdict(list))
    refusals: list[str] = field(default_factory=list)
    #: Texts that must contain the selection, or in JSON be the selection.
    selections: list[str] = field(default_factory=list)
    in_json: bool = False

    def add(self, figure: str, scorer: str, system: str, number: Number | None) -> None:
        """Add a figure; one that is missing leaves its key without numbers."""
        self.figures[figure, scorer, system] += [] if number is None else [number]

    def add_interval(
        self, figure: str, scorer: str, system: str, ends: Iterable[Number]
    ) -> None:
        """Add the ends of an interval."""
        low, high = [*ends] or (None, None)
        self.add(f"{figure} low", scorer, system, low)
        self.add(f"{figure} high", scorer, system, high)

    def add_range(self, scorer: str, system: str, text: str) -> None:
        """Add the best and the worst rank of a printed range; none where it is a dash."""
        best, worst = re.findall(r"\d+", text) or (None, None)
        self.add("best rank", scorer, system, read_full(best))
        self.add("worst rank", scorer, system, read_full(worst))


def read_number(text: str) -> Number | None:
    """Read a printed number; None for a dash.

    >>> read_number("−0.67"), read_number("< 0.0001").is_bound, read_number("–")
    (Number(value=-0.67, decimals=2, is_bound=False), True, None)
    """
    match = re.match(r"\s*(<)?\s*([+−-]?)(\d+(?:\.(\d+))?)(?![\d.])", text)
    if match is None:
        return None
    bound, sign, digits, decimals = match.groups()
    value = -float(digits) if sign in ("−", "-") and sign else float(digits)
    return Number(value, len(decimals) if decimals else None, bool(bound))


def read_interval(text: str) -> list[Number]:
    """Read the ends of a printed interval: `80.52 to 89.56`, `80.52–89.56`, or a dash."""
    number = r"[+−-]?\d+\.\d+"
    match = re.search(rf"({number})(?: to |–|, )({number})", text)
    return [one for end in match.groups() if (one := read_number(end))] if match else []


def read_full(value: object) -> Number | None:
    """Read a number of JSON or a cell of a table with tabs, all of whose digits count."""
    if value is None or isinstance(value, bool) or value in ("", "n/a"):
        return None
    return Number(float(str(value)))


def are_equal(one: Number, other: Number) -> bool:
    """Compare two numbers with all digits, or with those that are printed."""
    if one.is_bound or other.is_bound:
        printed, value = (one, other) if one.is_bound else (other, one)
        return value == printed or (not value.is_bound and value.value < printed.value)
    slack = 1e-9
    if one.decimals != other.decimals:
        shown = (one.decimals, other.decimals)
        slack += sum(0.5 * 10**-decimals for decimals in shown if decimals is not None)
    return abs(one.value - other.value) <= slack
