"""The protocols' scales for the page about them, from the records themselves."""

import re

from metra.campaign.protocols.record import Protocol, Step
from metra.campaign.protocols.registry import PROTOCOLS

#: Scales are tables; a list of points takes less room.
SCALE_HEAD = re.compile(r"^\| at \| label \| meaning \|\n.*\n", re.MULTILINE)
POINT = re.compile(r"^\| ([\d.]+) \| (.+) \| (.+) \|$", re.MULTILINE)
#: Longest answer that follows its question on the same line.
ONE_LINE = 100


def scales() -> str:
    """Every protocol with its steps, what they show and what they ask; each step once."""
    texts: list[str] = []
    places: dict[str, str] = {}
    for asked in PROTOCOLS.values():
        steps = []
        for number, step in enumerate(asked.steps, 1):
            text = _step(step, number, asked)
            name = places.setdefault(text, asked.name)
            steps.append(
                text if name == asked.name else f"**{step.name}** as in `{name}`."
            )
        texts.append(f"### {asked.title}\n\n`{asked.name}`: " + "\n\n".join(steps))
    return "\n\n".join(texts)


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
    answer = POINT.sub(r"- \1, *\2*: \3", SCALE_HEAD.sub("", step.asks.document()))
    return f"{head} {answer}" if len(answer) < ONE_LINE else f"{head}\n\n{answer}"
