"""How good a ranked list of documents is: average precision and nDCG."""

import math
from collections.abc import Mapping, Sequence


def average_precision(ranked: Sequence[str], relevance: Mapping[str, float]) -> float:
    """Mean, over the relevant documents, of the precision where each is found, in percent.

    Relevant documents that are not found count 0.

    >>> round(average_precision(["a", "x", "b"], {"a": 1, "b": 1}), 2)
    83.33
    """
    relevant = {name for name, degree in relevance.items() if degree > 0}
    found = 0
    total = 0.0
    for rank, name in enumerate(ranked, 1):
        if name in relevant:
            found += 1
            total += found / rank
    return 100 * total / len(relevant)


def ndcg(ranked: Sequence[str], relevance: Mapping[str, float]) -> float:
    """Relevance discounted by log2(rank + 1), over that of the best order, in percent.

    >>> round(ndcg(["x", "a"], {"a": 1}), 2)
    63.09
    """
    best = sorted(relevance.values(), reverse=True)
    gained = [relevance.get(name, 0.0) for name in ranked]
    return 100 * _discounted(gained) / _discounted(best)


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
