"""Numbers that are given as a list or as a range, for options."""

import math


def parse_lengths(given: str) -> tuple[int, ...]:
    """Read lengths of documents, with 0 for all segments.

    >>> parse_lengths("1,10,all")
    (1, 10, 0)
    """
    try:
        lengths = [0 if n.strip() == "all" else int(n) for n in given.split(",")]
    except ValueError:
        lengths = [-1]
    if min(lengths) < 0:
        msg = f"{given!r} is no list of lengths; expected numbers and `all`, as in 1,10,all."
        raise ValueError(msg)
    return tuple(lengths)


def parse_values(given: str) -> tuple[float, ...]:
    """Read numbers with commas between them, or as FROM:TO:STEP.

    >>> parse_values("0:1:0.25"), parse_values("0.5,0.9")
    ((0.0, 0.25, 0.5, 0.75, 1.0), (0.5, 0.9))
    """
    try:
        if ":" not in given:
            values = [float(value) for value in given.split(",")]
        else:
            first, last, step = (float(value) for value in given.split(":"))
            count = math.floor((last - first) / step + 1e-9) + 1 if step > 0 else 0
            # Rounded, so that 3 · 0.1 is 0.3.
            values = [round(first + at * step, 12) for at in range(count)]
    except (ValueError, OverflowError):
        values = []
    if not values or not all(map(math.isfinite, values)):
        msg = (
            f"{given!r} is no list of values; expected numbers such as 0.5,0.9, or "
            "FROM:TO:STEP such as 0:1:0.1."
        )
        raise ValueError(msg)
    return tuple(values)


def parse_counts(given: str) -> tuple[int, ...]:
    """Read whole numbers from 1 on, with commas between them.

    >>> parse_counts("1,2,3")
    (1, 2, 3)
    """
    counts = [part.strip() for part in given.split(",")]
    if not all(part.isdecimal() and int(part) for part in counts):
        msg = f"{given!r} is no list of numbers; expected whole ones from 1 on, as in 1,2,3."
        raise ValueError(msg)
    return tuple(dict.fromkeys(map(int, counts)))


def parse_deviations(given: str) -> tuple[tuple[str, float], ...]:
    """Read standard deviations by what judgements vary with.

    >>> parse_deviations("system=2, system×segment=9.5")
    (('system', 2.0), ('system × segment', 9.5))
    """
    found = {}
    for part in filter(None, given.split(",")):
        name, _, number = part.partition("=")
        term = " × ".join(word.strip() for word in name.replace("*", "×").split("×"))
        try:
            deviation = float(number)
        except ValueError:
            deviation = -1.0
        if term not in DEVIATIONS or not 0 <= deviation < math.inf:
            msg = (
                f"{part.strip()!r} is no standard deviation; expected NAME=NUMBER with one of "
                f"{', '.join(name.replace(' ', '') for name in DEVIATIONS)}."
            )
            raise ValueError(msg)
        found[term] = deviation
    return tuple(found.items())


#: What a study before any judgements may be assumed to vary with.
DEVIATIONS = (
    *("system", "system × document", "system × segment", "system × rater"),
    *("rater", "rater × segment", "rating"),
)
