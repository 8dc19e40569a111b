"""Equal first, then fast: comparisons that stop the run at the first difference."""

import math
from collections.abc import Callable, Iterable
from operator import eq

from inputs import Corpus
from record import DisagreementError

#: How far apart two scores may be, relatively: the last digits of a float.
TOLERANCE = 1e-9


def same_score(corpus: Corpus, theirs: float, ours: float) -> None:
    """Refuse two corpus scores that differ in more than rounding."""
    if not close(theirs, ours):
        raise DisagreementError(corpus, None, theirs, ours)


def same_segments(
    corpus: Corpus,
    theirs: Iterable[object],
    ours: Iterable[object],
    equal: Callable[..., bool] = eq,
) -> None:
    """Refuse statistics that differ in any segment."""
    for at, (left, right) in enumerate(zip(theirs, ours, strict=True)):
        if not equal(left, right):
            raise DisagreementError(corpus, at, left, right)


def close(left: float, right: float) -> bool:
    """Whether two scores differ in rounding only."""
    return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
