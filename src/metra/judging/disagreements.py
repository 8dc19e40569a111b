"""Outputs on which judges are far apart: where one should look, or ask somebody else."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metra.errors import CorpusError
from metra.human.campaign import Campaign
from metra.human.judgement import Judgement, latest
from metra.human.opaque import opaque
from metra.human.settings import following
from metra.human.task import Item, Task
from metra.judging.figures import figures_by_scorer
from metra.judging.judges import plain
from metra.judging.second_looks import FIRST, second_looks
from metra.store import answers, audit, campaigns, tasks
from metra.store.campaigns import Stored
from metra.store.tokens import new_id

if TYPE_CHECKING:
    from sqlalchemy import Connection

#: Apart by so much of 100 is worth a look.
APART = 25.0


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One output, and what its judges say of it by the question they differ most on."""

    system: str
    segment: int
    scorer: str
    #: Between the highest and the lowest score, of 100.
    apart: float
    answers: tuple[Judgement, ...]
    #: The judges' scores, in the order of the answers: native, and between 0 and 100.
    scores: tuple[tuple[float, float], ...]

    @property
    def output(self) -> str:
        """The text that they judged."""
        first = self.answers[0]
        return first.outputs[first.systems.index(self.system)]


def disagreements(
    judgements: Iterable[Judgement], *, apart: float = APART
) -> list[Disagreement]:
    """Outputs whose judges are at least so far apart, the farthest first; each once."""
    shown = plain(latest(judgements))
    answers: dict[tuple[str, int], dict[str, Judgement]] = {}
    for one in shown:
        for system in one.systems:
            answers.setdefault((system, one.segment), {}).setdefault(one.judge, one)
    found: dict[tuple[str, int], Disagreement] = {}
    for (scorer, _), figures in figures_by_scorer(shown).items():
        by_output: dict[tuple[str, int], dict[str, tuple[float, float]]] = {}
        for figure in figures:
            mine = by_output.setdefault((figure.system, figure.segment), {})
            mine.setdefault(figure.judge, (figure.native, figure.hundred))
        for key, mine in by_output.items():
            hundreds = [hundred for _, hundred in mine.values()]
            gap = max(hundreds) - min(hundreds)
            farther = key not in found or gap > found[key].apart
            if len(mine) > 1 and gap >= apart and farther:
                found[key] = Disagreement(
                    *key,
                    scorer,
                    gap,
                    tuple(answers[key][judge] for judge in mine),
                    tuple(mine.values()),
                )
    return sorted(found.values(), key=lambda one: (-one.apart, one.segment, one.system))


def adjudication(
    stored: Stored,
    found: Sequence[Disagreement],
    *,
    judges: Sequence[str],
    name: str,
    secret: bytes,
) -> tuple[Campaign, list[Task]]:
    """A campaign in which others judge these outputs anew, blind to systems and judges.

    Every judge sees all of them, each for itself, in an order that tells nothing.
    """
    first = stored.campaign
    wrong = {
        "outputs are compared here, so that none can be judged for itself": (
            first.protocol.contrastive
        ),
        "there is nothing that judges are so far apart on": not found,
        "a second look needs at least one judge": not judges,
    }
    for what, is_wrong in wrong.items():
        if is_wrong:
            msg = f"{stored.name}: {what}."
            raise CorpusError(msg)
    wishes = following(
        first.settings,
        name=name,
        protocol=first.settings.protocol,
        judges=judges,
        each=len(judges),
    )
    material = first.material | {FIRST: stored.id}
    content = replace(first, settings=wishes, material=material)
    places = {first.number(at): at for at in range(len(first.segments))}
    given = []
    for judge in judges:
        hidden = [
            (opaque(secret, name, judge, one.system, one.segment), one) for one in found
        ]
        for at, (key, one) in enumerate(sorted(hidden, key=lambda pair: pair[0]), 1):
            item = Item(
                opaque(secret, name, judge, "output", key),
                one.system,
                places[one.segment],
                one.output,
            )
            given.append(Task(key, judge, at, "judged", (item,)))
    return content, given


def ask_others(
    db: "Connection",
    stored: Stored,
    found: Sequence[Disagreement],
    *,
    judges: Sequence[str],
    now: float,
    who: str,
) -> str:
    """Keep such a campaign as a draft; give its id."""
    secret = secrets.token_bytes(32)
    number = len(second_looks(db, stored)) + 1
    name = f"{stored.name}: second look {number}"
    content, given = adjudication(
        stored, found, judges=judges, name=name, secret=secret
    )
    key = new_id()
    ids = campaigns.add(db, key, content, secret=secret, now=now, state="draft")
    tasks.add(db, key, content, given, ids)
    data = {"first": stored.name, "outputs": len(found)}
    audit.note(db, who, "create", data, now=now, campaign=key)
    return key


def looked_again(
    db: "Connection", stored: Stored
) -> dict[tuple[str, int], list[Judgement]]:
    """What others said who were asked anew, by system and segment."""
    found: dict[tuple[str, int], list[Judgement]] = {}
    for second in second_looks(db, stored):
        if second.campaign.protocol == stored.campaign.protocol:
            for one in latest(answers.judgements(db, second)):
                found.setdefault((one.systems[0], one.segment), []).append(one)
    return found
