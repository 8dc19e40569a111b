"""The protocols' scales for the page about them, from the records themselves."""

from metra.campaign.protocols.marks import Marks
from metra.campaign.protocols.record import Protocol, Step
from metra.campaign.protocols.registry import PROTOCOLS
from metra.campaign.protocols.scales import RatingScale


def scales() -> str:
    """Every protocol with its steps, what they show and what they ask."""
    return "\n\n".join(map(_protocol, PROTOCOLS.values()))


def _protocol(asked: Protocol) -> str:
    steps = "\n\n".join(
        _step(step, at, asked) for at, step in enumerate(asked.steps, 1)
    )
    return f"### {asked.title}\n\n`{asked.name}`\n\n{steps}"


def _step(step: Step, number: int, asked: Protocol) -> str:
    shown = [asked.basis if what == "basis" else what for what in step.shows]
    before = "shows nothing more" if number > 1 else "shows the output alone"
    if asked.over == "reference":
        before = "shows the reference alone"
    shows = f"shows the {' and the '.join(shown)}" if shown else before
    question = step.question.replace("{language}", "language")
    head = f"**{step.name}** {shows}. *{question}*"
    if isinstance(step.asks, RatingScale):
        return f"{head}\n\n{_scale(step.asks)}"
    if isinstance(step.asks, Marks):
        return f"{head}\n\n{_marks(step.asks)}"
    return f"{head}\n\n{_ANSWERS[step.asks.kind]}"


_ANSWERS = {
    "order": "A rank for each output, 1 the best; outputs may share a rank.",
    "reading": "The time from start to finish, without pauses.",
    "edit": "The corrected text, the time, and keys by kind.",
    "gaps": "A word for each gap; a gap may stay empty.",
    "questions": "A choice or a few words for each question, or that one does not know.",
    "template": "Values for the slots, as many as the text gives.",
    "chips": "What became of each word, or the corrected text.",
    "tags": "Stretches of the text, with a type where there are types.",
    "reconcile": "The stretches that stand, with other accepted wordings.",
    "near": "A whole number from 0 to 10.",
    "verdict": "Yes or no.",
    "missed": "For each name the words that stand for it, or that it is not there.",
}


def _scale(scale: RatingScale) -> str:
    rows = [
        f"| {round(anchor.at, 1):g} | {anchor.label} "
        f"| {anchor.text.replace('{language}', 'language')} |"
        for anchor in sorted(scale.anchors, key=lambda anchor: -anchor.at)
    ]
    return "\n".join(["| at | label | meaning |", "| --: | :-- | :-- |", *rows])


def _marks(marks: Marks) -> str:
    parts = [f"Severities: {', '.join(marks.severities)}."]
    if marks.categories:
        parts.append(f"Categories: {', '.join(marks.categories)}.")
    if marks.costs:
        rows = [
            f"| {severity or 'any'} | {category or 'any'} | {cost / 10:g} |"
            for severity, category, cost in marks.costs
        ]
        table = [
            "| severity | category begins with | costs |",
            "| :-- | :-- | --: |",
            *rows,
        ]
        parts.append("The first line that fits counts:\n\n" + "\n".join(table))
    return "\n\n".join(parts)
