"""EvalTrans: a score from 0 to 10 beside the nearest outputs that already have one.

Niessen et al. 2000, LREC; the ISLE workbook's A2.
"""

from metra.errors import OptionError
from metra.human.protocols.near import Near
from metra.human.protocols.record import Protocol, Step


def evaltrans(*, k: int = 3) -> Protocol:
    """Show the `k` nearest judged outputs of the sentence; an identical one pre-fills."""
    if k < 0:
        msg = f"evaltrans: k is {k}; expected how many judged outputs to show."
        raise OptionError(msg)
    question = (
        "From 0 (nonsense) to 10 (perfect), how good is this text as a translation? Give "
        "like texts like scores."
    )
    return Protocol(
        "evaltrans",
        "EvalTrans",
        (Step("evaltrans", question, Near(k), ("basis",)),),
        "source",
        seconds=15,
    )
