"""Comprehension: questions about a text, or templates filled from it.

The ISLE workbook's H6; Dabbadie et al. 2002, LREC workshop. Templates as at the Message
Understanding Conferences: Chinchor and Sundheim 1993.
"""

from metra.errors import OptionError
from metra.human.protocols.questions import Questions
from metra.human.protocols.reading import Reading
from metra.human.protocols.record import Protocol, Step
from metra.human.protocols.template import SLOTS, Template


def comprehension(*, hidden: bool = False, control: bool = True) -> Protocol:
    """Ask questions about a text.

    With `hidden` the text is read first and out of sight while the questions are answered.
    With `control` some judges answer without having seen any version of the text, which
    shows how much can be answered without reading.
    """
    before = Step(
        "reading-speed",
        "Start, read the text, and stop as soon as you understand it well enough to answer "
        "questions about it.",
        Reading(compared=False),
        optional=not hidden,
    )
    asks = Step(
        "comprehension",
        "Answer from the text. Say so if you do not know.",
        Questions(hidden=hidden),
    )
    return Protocol(
        "comprehension",
        "Comprehension",
        (before, asks),
        "source",
        seconds=300,
        whole=True,
        control="no text" if control else "",
    )


def templates(*, slots: tuple[str, ...] = SLOTS) -> Protocol:
    """Fill in who did what to whom.

    `slots` are those of texts for which the reference's template names none.
    """
    if not slots or len(set(slots)) < len(slots):
        msg = f"templates: slots is {list(slots)}; expected different names."
        raise OptionError(msg)
    question = "Fill in what the text says; leave empty what it does not say."
    return Protocol(
        "templates",
        "Template filling",
        (Step("template", question, Template(tuple(slots))),),
        "source",
        seconds=300,
        whole=True,
    )
