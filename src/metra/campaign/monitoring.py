"""Outputs on which the judges of a campaign disagree, and campaigns that settle them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from metra.campaign.assignment import Task, TaskItem, make_opaque_id
from metra.campaign.campaign import FIRST, Campaign
from metra.campaign.judgement import build_campaign_scores
from metra.campaign.settings import derive_settings
from metra.errors import CorpusError, refuse_first
from metra.scores.judgement import Judgement
from metra.scores.selection import Selection
from metra.scores.table import COUNTED

#: The rows that are compared.
_SHOWN = Selection(kinds=COUNTED | {"calibration"}, flagged="count")
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


def find_disagreements(
    judgements: Sequence[Judgement], *, apart: float = APART
) -> list[Disagreement]:
    """Return outputs whose judges are at least so far apart, the farthest first.

    Calibration items and flagged judges are included.
    """
    scores = _SHOWN.select(build_campaign_scores(judgements))
    columns = (scores.system, scores.item, scores.scorer, scores.judge, scores.answer)
    rows = zip(
        *(column.tolist() for column in columns),
        zip(scores.value.tolist(), scores.hundred.tolist(), strict=True),
        strict=True,
    )
    by_output: dict[tuple[int, int, int], dict[int, tuple[int, tuple[float, float]]]]
    by_output = {}
    for system, item, scorer, judge, answer, values in rows:
        given = by_output.setdefault((scorer, system, item), {})
        given.setdefault(judge, (answer, values))
    widest: dict[tuple[str, int], Disagreement] = {}
    for (scorer, system, _), given in by_output.items():
        hundreds = [values[1] for _, values in given.values()]
        gap = max(hundreds) - min(hundreds)
        if len(given) < 2 or gap < apart:
            continue
        answers = tuple(judgements[answer] for answer, _ in given.values())
        key = scores.systems[system], answers[0].segment
        if key not in widest or gap > widest[key].apart:
            values = tuple(each for _, each in given.values())
            widest[key] = Disagreement(*key, scores.names[scorer], gap, answers, values)
    return sorted(
        widest.values(), key=lambda one: (-one.apart, one.segment, one.system)
    )


def build_adjudication(
    first: Campaign,
    first_id: str,
    disagreements: Sequence[Disagreement],
    *,
    judges: Sequence[str],
    name: str,
    secret: bytes,
) -> tuple[Campaign, list[Task]]:
    """Return a campaign, with tasks, in which others judge these outputs anew, blind.

    Every judge sees all of them, one by one, in an order that tells nothing.
    """
    wrong = {
        "judges compare outputs here and do not score single outputs": (
            first.protocol.contrastive
        ),
        "there are no outputs on which judges differ that much": not disagreements,
        "a second look needs at least one judge": not judges,
    }
    refuse_first(wrong, first.settings.name, CorpusError)
    asked, each = first.settings.protocol, len(judges)
    settings = derive_settings(first.settings, name, asked, judges, each)
    material = first.material | {FIRST: first_id}
    content = replace(first, settings=settings, material=material)
    places = {first.number(place): place for place in range(len(first.segments))}
    tasks = []
    for judge in judges:
        hidden = {
            make_opaque_id(secret, name, judge, one.system, one.segment): one
            for one in disagreements
        }
        for position, (key, one) in enumerate(sorted(hidden.items()), 1):
            item_id = make_opaque_id(secret, name, judge, "output", key)
            item = TaskItem(item_id, one.system, places[one.segment], one.output)
            tasks.append(Task(key, judge, position, "judged", (item,)))
    return content, tasks
