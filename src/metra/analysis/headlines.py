"""Disagreements of people, neural metrics and string metrics, and whom to trust more.

The order of trust is people, then neural metrics, then string metrics: metrics are made to
predict people's judgements, and neural metrics do so better than string metrics (Freitag et
al. 2022, WMT).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from metra.metrics.record import Basis
from metra.scoring.results import Results, SystemScores

#: Whom to trust, the most trusted first, and what they are called.
TRUST: dict[Basis, str] = {
    "people": "people",
    "neural": "neural metrics",
    "string": "string metrics",
}


class BestSystem(NamedTuple):
    """The system that metrics of one kind put first."""

    basis: Basis
    metrics: Sequence[str]
    system: str
    #: Systems that other metrics put first and that do not differ significantly from this
    #: one by any of these metrics.
    equals: Sequence[str] = ()


class ContraryVerdict(NamedTuple):
    """Metrics by which a system is significantly better than another, and worse."""

    system: str
    baseline: str
    better: Sequence[tuple[Basis, str]]
    worse: Sequence[tuple[Basis, str]]


def list_best_systems(results: Sequence[Results]) -> list[BestSystem]:
    """List who is best by which metrics, the most trusted metrics first."""
    best = {spec: each.ranked(spec)[0].name for each in results for spec in each.specs}
    specs_by_best: dict[tuple[Basis, str, tuple[str, ...]], list[str]] = {}
    for each in results:
        for spec in each.specs:
            basis = each.systems[0].scores[spec].basis
            others = dict.fromkeys(name for name in best.values() if name != best[spec])
            equals = _list_equals(each, spec, best[spec], list(others))
            specs_by_best.setdefault((basis, best[spec], equals), []).append(spec)
    order = list(TRUST)
    listed = sorted(specs_by_best.items(), key=lambda entry: order.index(entry[0][0]))
    return [
        BestSystem(basis, specs, system, equals)
        for (basis, system, equals), specs in listed
    ]


def _list_equals(
    results: Results, spec: str, system: str, others: Sequence[str]
) -> tuple[str, ...]:
    """List the systems that were tested against this one without a significant difference."""
    tested = {
        frozenset((entry.system, entry.baseline)): entry.significant
        for entry in results.comparisons
        if entry.metric == spec and entry.p_value is not None
    }
    return tuple(n for n in others if tested.get(frozenset((system, n))) is False)


def rank_by_trust(
    results: Results, people: Results | None = None
) -> list[SystemScores]:
    """List the systems, the best by the most trusted first; those it does not know last.

    The most trusted are people, then the first neural metric, then the first string metric.
    """
    ranked = results.ranked(choose_trusted_metric(results))
    if people is None:
        return ranked
    judged = [entry.name for entry in people.ranked(people.specs[0])]
    places = {name: place for place, name in enumerate(judged)}
    return sorted(ranked, key=lambda entry: places.get(entry.name, len(places)))


def choose_trusted_metric(results: Results) -> str:
    """Choose the first metric of the most trusted kind."""
    order, scores = list(TRUST), results.systems[0].scores
    return min(results.specs, key=lambda spec: order.index(scores[spec].basis))


def has_disagreement(results: Sequence[Results]) -> bool:
    """Return True if the best system of one kind of metric is not in another's first group.

    Where all pairs of systems were compared, groups differ significantly.
    """
    best = list_best_systems(results)
    for each in results:
        for spec, groups in (each.clusters or {}).items():
            basis = each.systems[0].scores[spec].basis
            ranked = {name for group in groups for name in group}
            for other in best:
                is_contrary = other.system in ranked and other.system not in groups[0]
                if other.basis != basis and is_contrary:
                    return True
    return False


def list_contrary_verdicts(results: Results) -> list[ContraryVerdict]:
    """List systems with a significant gain by one kind of metric and a loss by another."""
    verdicts = []
    order = list(TRUST)
    pairs = dict.fromkeys((each.system, each.baseline) for each in results.comparisons)
    for system, baseline in pairs:
        sides: dict[bool, list[tuple[Basis, str]]] = {True: [], False: []}
        for each in results.comparisons:
            if (each.system, each.baseline) == (system, baseline) and each.significant:
                basis = results.systems[0].scores[each.metric].basis
                sides[each.gain > 0].append((basis, each.metric))
        better, worse = (
            sorted(sides[side], key=lambda entry: order.index(entry[0]))
            for side in (True, False)
        )
        kinds = {basis for basis, _ in (*better, *worse)}
        if better and worse and len(kinds) > 1:
            verdicts.append(ContraryVerdict(system, baseline, better, worse))
    return verdicts


def describe_trust(kinds: Sequence[Basis]) -> str:
    """Say whom to trust more, of these kinds.

    >>> describe_trust(["string", "people", "neural"])
    'Trust people more than neural metrics, and neural metrics more than string metrics.'
    """
    names = [TRUST[basis] for basis in TRUST if basis in kinds]
    pairs = pairwise(names)
    return f"Trust {', and '.join(f'{one} more than {two}' for one, two in pairs)}."
