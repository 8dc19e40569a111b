"""Verdicts on answers: the second look at gaps and questions, blind to system and reader."""

from metra.human.protocols.record import Protocol, Step
from metra.human.protocols.verdict import Verdict

VERDICTS = Protocol(
    "verdicts",
    "Close answers",
    (
        Step(
            "verdict",
            "Is this answer close enough in meaning to the expected one?",
            Verdict(),
        ),
    ),
    "reference",
    seconds=6,
)
