"""Names that say nothing, for those who look at results before judging is over."""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from metra.human.judgement import Judgement


def blind_names(systems: Sequence[str], secret: bytes) -> dict[str, str]:
    """Call the systems System 1, System 2, …, in an order that only the secret knows.

    >>> sorted(blind_names(["a", "b"], b"x" * 16).values())
    ['System 1', 'System 2']
    """

    def key(name: str) -> bytes:
        return hmac.digest(secret, b"blind\0" + name.encode(), "sha256")

    return {name: f"System {at}" for at, name in enumerate(sorted(systems, key=key), 1)}


def blinded(
    judgements: Iterable[Judgement], names: Mapping[str, str]
) -> list[Judgement]:
    """Put other names in the place of the systems' own; what is no system keeps its name."""
    if all(name == shown for name, shown in names.items()):
        return list(judgements)
    return [
        replace(one, systems=tuple(names.get(name, name) for name in one.systems))
        for one in judgements
    ]
