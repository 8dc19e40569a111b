"""Which judgements are looked at: every number is computed again from those that are left."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from metra.human.judgement import Judgement, latest
from metra.human.protocols import protocol
from metra.human.protocols.orders import Order
from metra.judging.flags import Rules, flagged
from metra.judging.judges import judge_table


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is kept; an empty choice keeps all."""

    judges: frozenset[str] = frozenset()
    systems: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    #: Answers that came in from then on, and before then; those without a time go.
    since: float | None = None
    until: float | None = None
    #: Whether judges with a flag are left out.
    without_flagged: bool = False


def chosen(
    judgements: Iterable[Judgement], choice: Chosen, rules: Rules | None = None
) -> list[Judgement]:
    """Keep the last revisions that the choice allows.

    Who is flagged is told from all judgements, not from those that are left. Where outputs
    were compared, the order among the chosen systems is what remains.
    """
    return chosen_of(latest(judgements), choice, rules)


def chosen_of(
    kept: Sequence[Judgement], choice: Chosen, rules: Rules | None = None
) -> list[Judgement]:
    """The same from last revisions."""
    rules = rules or Rules()
    rows = (
        judge_table(kept, words_per_minute=rules.words_per_minute)
        if choice.without_flagged
        else []
    )
    out = flagged(rows, rules)
    wanted = [
        one
        for one in kept
        if one.judge not in out
        and _in(one.judge, choice.judges)
        and _in(one.document, choice.documents)
        and _in(one.kind, choice.kinds)
        and _within(one.submitted_at, choice)
    ]
    if not choice.systems:
        return wanted
    among = (_among(one, choice.systems) for one in wanted)
    return [one for one in among if one is not None]


def _in(value: str, wanted: frozenset[str]) -> bool:
    return not wanted or value in wanted


def _within(at: float | None, choice: Chosen) -> bool:
    if choice.since is None and choice.until is None:
        return True
    if at is None:
        return False
    early = choice.since is not None and at < choice.since
    return not early and (choice.until is None or at < choice.until)


def _among(judgement: Judgement, systems: frozenset[str]) -> Judgement | None:
    """Leave the other systems out of a judgement; None if it then says nothing."""
    places = [at for at, name in enumerate(judgement.systems) if name in systems]
    if len(places) == len(judgement.systems):
        return judgement
    if len(places) < 2:
        return None
    value = dict(judgement.value)
    for step in protocol(judgement.protocol).steps:
        if isinstance(step.asks, Order) and step.name in value:
            ranks = [value[step.name][at] for at in places]
            texts = {str(at): "" for at in range(len(ranks))}
            value[step.name] = step.asks.check(ranks, step.name, texts)
    return replace(
        judgement,
        systems=tuple(judgement.systems[at] for at in places),
        outputs=tuple(judgement.outputs[at] for at in places),
        value=value,
    )
