"""The protocols' scales for the page about them, from the records themselves."""

from metra.campaign.protocols.record import Protocol, Step
from metra.campaign.protocols.registry import PROTOCOLS


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
    if asked.over == "references":
        shown.append("references")
    shows = f"shows the {' and the '.join(shown)}" if shown else before
    question = step.question.replace("{language}", "language")
    head = f"**{step.name}** {shows}. *{question}*"
    return f"{head}\n\n{step.asks.document()}"
