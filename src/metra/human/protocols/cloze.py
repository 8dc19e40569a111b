"""Cloze: readers supply words that were taken out.

The ISLE workbook's H3, after Van Slype 1979; Dabbadie et al. 2002, LREC workshop.
"""

from metra.errors import OptionError
from metra.human.protocols.gaps import Gaps
from metra.human.protocols.record import Protocol, Step

_QUESTION = (
    "One word is missing in each gap. Write the word that you think stood there; leave the "
    "gap empty if you have no idea."
)


def cloze(
    *,
    every: int = 8,
    offset: int = 0,
    beside: bool = False,
    original: bool = False,
) -> Protocol:
    """Take out every n-th word.

    `offset` is the first word taken out (0: the n-th). `beside` shows the source or the
    reference, which makes it a test of fidelity. `original` lets the original text take
    part, as a measure of how much a text repeats itself.
    """
    if every < 2 or not 0 <= offset <= every:
        msg = (
            f"cloze: every is {every} and offset is {offset}; expected every from 2, and an "
            "offset from 0 to every."
        )
        raise OptionError(msg)
    return Protocol(
        "cloze",
        "Cloze test",
        (Step("cloze", _QUESTION, Gaps(every, offset), ("basis",) if beside else ()),),
        "source",
        seconds=420,
        whole=True,
        control="original" if original else "",
    )
