"""Names for the kinds of arrays, and arithmetic that respects missing values."""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metra.errors import CorpusError, LengthError

Array: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Name = TypeVar("Name", bound=Hashable)
#: Values that differ by less than this share of the largest one differ in rounding only.
ROUNDING = 1e-11


def divide(
    above: ArrayLike,
    below: ArrayLike,
    where: Mask | None = None,
    *,
    fill: float = float("nan"),
) -> Array:
    """Return the quotient where `where` holds, and `fill` elsewhere.

    Where nothing is said, it is where the divisor is above zero.

    >>> divide([1.0, 2.0], [2.0, 0.0]).tolist()
    [0.5, nan]
    """
    above, below = np.broadcast_arrays(above, below)
    defined = below > 0 if where is None else where
    return np.divide(above, below, out=np.full(below.shape, fill), where=defined)


def drop_nan(value: float) -> float | None:
    """Return a figure, or None instead of NaN."""
    return value if value == value else None


def choose_round_step(
    span: float, most: int, by: Sequence[float] = (1, 2, 2.5, 5, 10, 20)
) -> float:
    """Give the smallest round number that parts a span into no more parts than this."""
    rough = span / most
    size = 10.0 ** math.floor(math.log10(rough))
    return next(size * times for times in by if size * times >= rough)


def row_means(values: Array) -> Array:
    """Mean of each row over its finite cells; NaN where there are none."""
    present = np.isfinite(values)
    total = np.where(present, values, 0.0).sum(-1)
    return divide(total, present.sum(-1))


def find_quantiles(rows: Array, shares: Sequence[float]) -> Array:
    """Return the quantiles of each row, a row for each share, to np.quantile's last digit.

    The first call of np.quantile loads numpy.ma, a tenth of a short run.

    >>> find_quantiles(np.array([3.0, 1.0, 2.0]), [0.5, 0.25]).tolist()
    [2.0, 1.5]
    """
    ordered = np.sort(rows, axis=-1)
    place = np.array(shares) * (rows.shape[-1] - 1)
    below, above = (np.int64(each(place)) for each in (np.floor, np.ceil))
    low, high, part = ordered[..., below], ordered[..., above], place - below
    between = high - low
    values = np.where(part < 0.5, low + between * part, high - between * (1 - part))
    return np.moveaxis(np.where(np.isnan(ordered[..., -1:]), np.nan, values), -1, 0)


def add_rows(rows: Array, codes: Codes, count: int) -> Array:
    """Add up the rows of each code below `count`; a code without any has a row of zeros."""
    return np.column_stack([np.bincount(codes, each, count) for each in rows.T])


def group_lines(codes: Codes) -> Iterator[tuple[int, Codes]]:
    """Give each different code, in rising order, and the places where it stands."""
    order = np.argsort(codes, kind="stable")
    values, starts = np.unique(codes[order], return_index=True)
    # Without any code there is nothing to split, which `split` gives as one part.
    parts = np.split(order, starts[1:]) if len(codes) else []
    return zip(values.tolist(), parts, strict=True)


def number_names(names: Sequence[Name]) -> tuple[tuple[Name, ...], Codes]:
    """Return different names in the order of their first appearance, and each one's number."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    codes = np.fromiter(map(numbers.__getitem__, names), np.int64, len(names))
    return tuple(numbers), codes


def number_by_appearance(codes: Codes) -> tuple[Codes, Codes]:
    """Return different codes in the order of their first appearance, and each one's number.

    >>> number_by_appearance(np.array([7, 3, 7]))
    (array([7, 3]), array([0, 1, 0]))
    """
    values, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.empty(len(values), np.int64)
    places[order] = np.arange(len(values))
    return values[order], places[numbers]


def expand_ranges(starts: Codes, sizes: Codes) -> tuple[Codes, Codes]:
    """Return the numbers of ranges one after the other, each with the number of its range.

    >>> [each.tolist() for each in expand_ranges(np.array([5, 2]), np.array([2, 3]))]
    [[0, 0, 1, 1, 1], [5, 6, 2, 3, 4]]
    """
    number = np.repeat(np.arange(len(sizes)), sizes)
    skipped = starts - (np.cumsum(sizes) - sizes)
    return number, np.arange(len(number)) + skipped[number]


def pair_equal(codes: Codes) -> tuple[Codes, Codes]:
    """Return the places of each two equal codes, which stand together; near ones first.

    >>> [each.tolist() for each in pair_equal(np.array([4, 4, 4, 7]))]
    [[0, 1, 0], [1, 2, 2]]
    """
    firsts, steps = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for step in range(1, len(codes)):
        first = np.flatnonzero(codes[:-step] == codes[step:])
        if not len(first):
            break
        firsts.append(first)
        steps.append(np.full(len(first), step))
    first = np.concatenate(firsts)
    return first, first + np.concatenate(steps)


def pair_gaps(values: Array) -> Array:
    """Differences of each two rows, the upper minus the lower: (n, …) to (pairs, …)."""
    first, second = np.triu_indices(len(values), 1)
    return values[first] - values[second]


def subtract_values(a: Array, b: Array) -> Array:
    """Return differences of values, 0 where they differ in rounding only."""
    gaps, largest = a - b, np.fmax(np.abs(a), np.abs(b))
    return np.where(np.abs(gaps) <= ROUNDING * largest, 0.0, gaps)


def round_values(values: ArrayLike, digits: int = 3) -> list[float | int | None]:
    """Round to some digits: whole numbers as such, and None instead of NaN and infinity."""
    unit = 10**digits
    exact = np.asarray(values, np.float64)
    exact = np.where(np.isfinite(exact), exact, np.nan)
    scaled = exact * unit
    near = np.rint(scaled) / unit
    rounded: list[float | int | None] = near.tolist()
    # In the middle between two, the rounding of the product must not decide.
    for at in np.flatnonzero(np.abs(scaled % 1 - 0.5) < 1e-6).tolist():
        rounded[at] = near[at] = round(float(exact[at]), digits)
    for at in np.flatnonzero(near == np.rint(near)).tolist():
        rounded[at] = int(near[at])
    for at in np.flatnonzero(np.isnan(near)).tolist():
        rounded[at] = None
    return rounded


def round_for_display(values: Array, digits: int) -> list[float | int | None]:
    """Round to one digit more than is shown, but not to a 5: then two roundings are as one.

    >>> round_for_display(np.array([0.1246, 0.1251, 0.5]), 2)
    [0.124, 0.126, 0.5]
    """
    rounded = round_values(values, digits + 1)
    unit = 10 ** (digits + 1)
    with np.errstate(invalid="ignore"):
        doubtful = np.rint(values * unit) % 10 == 5
    for at in np.flatnonzero(doubtful).tolist():
        near, shown = rounded[at] or 0, round(float(values[at]), digits)
        rounded[at] = round(near + (1 if shown > near else -1) / unit, digits + 1)
    return rounded


def order_pairs(gaps: Array, eps: float | Array = 0.0) -> Array:
    """Order of two values by their difference: 0 for a tie, up to `eps`, else its sign.

    >>> order_pairs(np.array([-3.0, 0.5, 2, np.nan]), 1.0).tolist()
    [-1.0, 0.0, 1.0, nan]
    """
    return np.where(np.abs(gaps) <= eps, 0.0, np.sign(gaps))


def check_scores(
    gold: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    dimensions: Sequence[int] = (1, 2),
) -> tuple[Array, dict[str, Array]]:
    """Return scores as arrays, which must all have the shape of the gold scores."""
    g = np.asarray(gold, np.float64)
    if g.ndim not in dimensions:
        shapes = {1: "one value per system", 2: "systems × segments"}
        expected = " or ".join(shapes[each] for each in dimensions)
        msg = f"The gold scores have the shape {g.shape}; expected {expected}."
        raise LengthError(msg)
    arrays = {name: np.asarray(metric, np.float64) for name, metric in metrics.items()}
    for name, m in arrays.items():
        if m.shape != g.shape:
            msg = f"{name!r} has the shape {m.shape}, the gold {g.shape}; expected the same."
            raise LengthError(msg)
    for name, x in {"gold": g, **arrays}.items():
        check_finite(x, f"The scores of {name}")
    return g, arrays


def check_finite(values: Array, what: str) -> None:
    """Refuse infinite values and say where the first is; NaN stands for a missing value."""
    infinite = np.argwhere(np.isinf(values))
    if len(infinite):
        place = ", ".join(str(at) for at in infinite[0].tolist())
        msg = (
            f"{what} have {len(infinite)} infinite values, the first at [{place}]; expected "
            "finite numbers, and NaN where a value is missing."
        )
        raise CorpusError(msg)
