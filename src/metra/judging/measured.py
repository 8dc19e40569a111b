"""What a campaign of the workbook's measures has to tell beside its ranking."""

from collections.abc import Sequence
from dataclasses import dataclass

from metra.human.campaign import Campaign
from metra.human.files import undefined
from metra.human.judgement import Judgement, latest
from metra.human.protocols.reading import interrupted
from metra.human.protocols.tagging import SETTLED_BY
from metra.human.reconciling import rater_agreement
from metra.human.remembering import shows_judged
from metra.judging.exercise import Exercise, exercise, of_text_scores
from metra.judging.running import Running, running
from metra.judging.tagged_files import checked_table, entities_table, terms_table
from metra.judging.text_scores import TextScore, text_scores
from metra.judging.word_counts import how_words_were_counted


@dataclass(frozen=True, slots=True)
class Interrupted:
    """An attempt with a pause: it counts, but is to be looked at."""

    judge: str
    system: str
    document: str
    pauses: int
    hidden_seconds: float


@dataclass(frozen=True, slots=True)
class Measured:
    """Scores of texts, evaluators and metrics compared, and what has no score and why."""

    texts: Sequence[TextScore]
    exercise: Exercise | None
    undefined: Sequence[Sequence[str]]
    interrupted: Sequence[Interrupted]
    running: Sequence[Running]
    raters: dict[tuple[str, str], float | None]
    #: How words were counted, in a sentence; empty where none were.
    words: str = ""


def measured(campaign: Campaign, judgements: Sequence[Judgement]) -> Measured:
    """Gather it from a campaign's answers."""
    kept = latest(judgements)
    texts = text_scores(kept)
    results = of_text_scores(texts)
    tags = campaign.protocol.name in SETTLED_BY
    return Measured(
        texts,
        exercise(results) if results else None,
        [line.split("\t") for line in undefined.write(kept).split("\n")[1:-1]],
        [
            Interrupted(
                one.judge,
                one.systems[0],
                one.document,
                step["pauses"],
                step["hidden_ms"] / 1000,
            )
            for one in kept
            for step in one.value.values()
            if isinstance(step, dict) and interrupted(step)
        ],
        running(campaign, kept) if shows_judged(campaign.protocol) else [],
        rater_agreement(kept) if tags else {},
        how_words_were_counted(kept),
    )


def annotations(
    judgements: Sequence[Judgement], campaign: Campaign | None = None
) -> tuple[str, str] | None:
    """The file that tags make for a measure: its name and its content; None without tags.

    Where names were looked for again, the campaign tells all names that there are.
    """
    name = judgements[0].protocol if judgements else ""
    if name == "entity-check":
        if campaign is None:
            return None
        listed = campaign.material.get("entities", {})
        return "entities.tsv", checked_table(judgements, listed)
    if name.startswith("entity-"):
        return "entities.tsv", entities_table(judgements)
    if name.startswith("term-"):
        return "terms.tsv", terms_table(judgements)
    return None
