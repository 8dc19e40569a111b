"""Reading time: to oneself until the text is understood, or the first paragraph aloud.

The ISLE workbook's H1, oral reading after Van Slype 1979; Dabbadie et al. 2002, LREC
workshop.
"""

from metra.errors import OptionError
from metra.human.protocols.questions import Questions
from metra.human.protocols.reading import Reading
from metra.human.protocols.record import Protocol, Step

AFTERWARDS = Step(
    "comprehension",
    "Answer from what you have read. Say so if you do not know.",
    Questions(hidden=True),
    optional=True,
)


def reading(*, natural: float = 0.0) -> Protocol:
    """Read a text until it is understood well enough to answer questions about it.

    `natural` is the speed, in words per minute, that counts as that of natural text where
    there is no baseline text.
    """
    question = (
        "Start, read the text, and stop as soon as you understand it well enough to answer "
        "simple questions about it."
    )
    step = Step(
        "reading-speed", question, Reading(natural=_natural("reading", natural))
    )
    return Protocol(
        "reading",
        "Reading time",
        (step, AFTERWARDS),
        "source",
        seconds=180,
        whole=True,
    )


def reading_aloud(*, natural: float = 0.0, first: int = 4) -> Protocol:
    """Read the first paragraph aloud: the first segments of each text."""
    if first < 0:
        msg = (
            f"reading-aloud: first is {first}; expected segments, or 0 for all of them."
        )
        raise OptionError(msg)
    question = "Start, read the text aloud at your own pace, and stop at its end."
    asks = Reading(aloud=True, natural=_natural("reading-aloud", natural))
    return Protocol(
        "reading-aloud",
        "Reading aloud",
        (Step("oral-reading-speed", question, asks),),
        "source",
        seconds=60,
        whole=True,
        first=first,
    )


def _natural(name: str, words: float) -> float:
    if words < 0:
        msg = f"{name}: natural is {words:g}; expected words per minute."
        raise OptionError(msg)
    return float(words)
