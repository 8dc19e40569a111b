"""Correction of whole texts: time, keys and edits.

The ISLE workbook's H2; Dabbadie et al. 2002, LREC workshop. HTER: Snover et al. 2006.
"""

from metra.errors import OptionError
from metra.human.protocols.edit import Edit
from metra.human.protocols.record import Protocol, Step

_BRIEF = (
    "The text will be published: correct what a careful reader would not accept, and leave "
    "the rest."
)


def correction(
    *, brief: str = _BRIEF, worst_minutes: float = 1.0, worst_keys: float = 6.0
) -> Protocol:
    """Correct a text as the brief says.

    `worst_minutes` for ten words and `worst_keys` for a word are 0 of 100: about what it
    takes to write a translation anew.
    """
    if not (worst_minutes > 0 and worst_keys > 0):
        msg = (
            f"correction: worst_minutes is {worst_minutes:g} and worst_keys is "
            f"{worst_keys:g}; expected numbers above 0."
        )
        raise OptionError(msg)
    asks = Edit(brief, float(worst_minutes), float(worst_keys))
    question = "Start, correct the text, and finish. You may pause at any time."
    return Protocol(
        "correction",
        "Correction",
        (Step("correction", question, asks, ("basis",)),),
        "source",
        seconds=900,
        whole=True,
    )
