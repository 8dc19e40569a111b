"""Fluency, then adequacy, as the LDC asked for DARPA's TIDES evaluations of 2001 and after."""

from metra.human.protocols.record import Protocol, Step
from metra.human.protocols.scales import Anchor, Scale

FLUENCY_SCALE = Scale(
    1,
    5,
    (
        Anchor(
            5, "Flawless", "Flawless {language}: a careful writer would change nothing."
        ),
        Anchor(4, "Good", "Good {language}, with at most a small slip."),
        Anchor(
            3,
            "Non-native",
            "Non-native {language}: understandable, but nobody would put it so.",
        ),
        Anchor(
            2, "Disfluent", "Disfluent {language}: broken, and hard to read in places."
        ),
        Anchor(1, "Incomprehensible", "Incomprehensible: it cannot be read as a text."),
    ),
)
ADEQUACY_SCALE = Scale(
    1,
    5,
    (
        Anchor(5, "All", "All of the meaning is there."),
        Anchor(4, "Most", "Most of the meaning is there; little is lost or wrong."),
        Anchor(3, "Much", "Much of the meaning is there, and some is lost or wrong."),
        Anchor(2, "Little", "Little of the meaning is there."),
        Anchor(1, "None", "None of the meaning is there."),
    ),
)

_ADEQUACY = Step(
    "adequacy",
    "How much of the meaning of the other text does this text express?",
    ADEQUACY_SCALE,
    ("basis",),
)

LDC = Protocol(
    "ldc",
    "Fluency, then adequacy (LDC)",
    (
        Step("fluency", "How good is the {language} of this text?", FLUENCY_SCALE),
        _ADEQUACY,
    ),
    "reference",
    guidance_seconds=30,
)

ADEQUACY = Protocol(
    "adequacy", "Adequacy", (_ADEQUACY,), "reference", seconds=20, guidance_seconds=30
)
