"""Disagreements of people, neural metrics and string metrics, and whom to trust more.

The order of trust is people, then neural metrics, then string metrics: metrics are made to
predict people's judgements, and neural metrics do so better than string metrics (Freitag et
al. 2022, WMT).
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import TypeAlias

from metra.metrics.record import Basis
from metra.scoring.results import Results, SystemScores

#: Whom to trust, the most trusted first, and what they are called.
TRUST: dict[Basis, str] = {
    "people": "people",
    "neural": "neural metrics",
    "string": "string metrics",
}


#: A system, a baseline, and the metrics by which it is significantly better, and worse.
ContraryVerdict: TypeAlias = tuple[
    str, str, list[tuple[Basis, str]], list[tuple[Basis, str]]
]


def rank_by_trust(
    results: Results, people: Results | None = None
) -> list[SystemScores]:
    """List the systems, the best by the most trusted first; those it does not know last.

    The most trusted are people, then the first neural metric, then the first string metric.
    """
    ranked = results.rank_systems(choose_trusted_metric(results))
    if people is None:
        return ranked
    judged = [entry.name for entry in people.rank_systems(people.specs[0])]
    places = {name: place for place, name in enumerate(judged)}
    return sorted(ranked, key=lambda entry: places.get(entry.name, len(places)))


def choose_trusted_metric(results: Results) -> str:
    """Choose the first metric of the most trusted kind."""
    order, scores = list(TRUST), results.systems[0].scores
    return min(results.specs, key=lambda spec: order.index(scores[spec].basis))


def list_contrary_verdicts(all_results: Sequence[Results]) -> list[ContraryVerdict]:
    """List systems with a significant gain by one kind of metric and a loss by another.

    Results are those of people and of metrics, or of metrics only. Where all pairs were
    compared, only winners by some metric are paired.
    """
    order = list(TRUST)
    winners = (
        each.rank_systems(spec)[0].name for each in all_results for spec in each.specs
    )
    best = list(dict.fromkeys(winners))
    sides: dict[tuple[str, str], dict[bool, list[tuple[Basis, str]]]] = {}
    for results in all_results:
        for spec, system, baseline, is_better in _list_verdicts(results, best):
            basis = results.systems[0].scores[spec].basis
            verdicts = sides.setdefault((system, baseline), {True: [], False: []})
            verdicts[is_better].append((basis, spec))
    contrary = []
    for (system, baseline), verdicts in sides.items():
        better, worse = (
            sorted(verdicts[side], key=lambda entry: order.index(entry[0]))
            for side in (True, False)
        )
        kinds = {basis for basis, _ in (*better, *worse)}
        if better and worse and len(kinds) > 1:
            contrary.append((system, baseline, better, worse))
    return contrary


def _list_verdicts(
    results: Results, best: Sequence[str]
) -> Iterator[tuple[str, str, str, bool]]:
    """Yield the metric, both systems and True if the first is significantly better."""
    if not results.clusters:
        for each in results.comparisons:
            if each.significant:
                yield each.metric, each.system, each.baseline, each.gain > 0
    for spec, groups in (results.clusters or {}).items():
        places = {name: at for at, group in enumerate(groups) for name in group}
        for one, other in combinations([name for name in best if name in places], 2):
            if places[one] != places[other]:
                yield spec, one, other, places[one] < places[other]


def describe_trust(kinds: Sequence[Basis]) -> str:
    """Say whom to trust more, of these kinds.

    >>> describe_trust(["string", "people", "neural"])
    'Trust people more than neural metrics, and neural metrics more than string metrics.'
    """
    names = [TRUST[basis] for basis in TRUST if basis in kinds]
    pairs = pairwise(names)
    return f"Trust {', and '.join(f'{one} more than {two}' for one, two in pairs)}."
