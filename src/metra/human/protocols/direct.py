"""Direct assessment: one figure from 0 to 100.

Graham et al. 2013, LAW; with labelled marks (DA+SQM) Kocmi et al. 2022, WMT.
"""

from metra.human.protocols.record import Protocol, Step
from metra.human.protocols.scales import Anchor, Scale

_QUESTION = "How well does this text express the meaning of the other text?"

DA = Protocol(
    "da",
    "Direct assessment",
    (
        Step(
            "da",
            _QUESTION,
            Scale(
                0.0,
                100.0,
                (
                    Anchor(0, "Not at all", "It says nothing of what it should say."),
                    Anchor(100, "Perfectly", "It says all that it should say."),
                ),
                whole=False,
            ),
            ("basis",),
        ),
    ),
    "source",
    seconds=25,
)


def _mark(at: int) -> float:
    """Where the mark 0 to 6 stands on the scale to 100."""
    return 100 * at / 6


DA_SQM = Protocol(
    "da-sqm",
    "Direct assessment with scalar quality marks",
    (
        Step(
            "da-sqm",
            _QUESTION,
            Scale(
                0.0,
                100.0,
                (
                    Anchor(
                        _mark(0), "0 Nonsense", "Almost none of the meaning is kept."
                    ),
                    Anchor(_mark(1), "1", "Between 0 and 2."),
                    Anchor(
                        _mark(2),
                        "2 Some meaning",
                        "Some of the meaning is kept, important parts are lost; "
                        "the grammar may be poor.",
                    ),
                    Anchor(_mark(3), "3", "Between 2 and 4."),
                    Anchor(
                        _mark(4),
                        "4 Most meaning",
                        "Most of the meaning is kept, with few mistakes of grammar.",
                    ),
                    Anchor(_mark(5), "5", "Between 4 and 6."),
                    Anchor(
                        _mark(6),
                        "6 Perfect",
                        "Meaning and style are those of the source, the grammar is right.",
                    ),
                ),
                whole=False,
            ),
            ("basis", "context"),
        ),
    ),
    "source",
    seconds=30,
)
