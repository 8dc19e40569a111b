"""Minimal correction: as few changes as make a sentence grammatical.

The ISLE workbook's A4a; Dabbadie et al. 2002, LREC workshop.
"""

from metra.human.protocols.chips import Chips
from metra.human.protocols.record import Protocol, Step

MINIMAL_CORRECTION = Protocol(
    "minimal-correction",
    "Minimal correction",
    (
        Step(
            "syntax",
            "Make this sentence grammatical {language} with as few changes as possible. "
            "It need not make sense.",
            Chips(),
        ),
    ),
    "reference",
    seconds=60,
)
