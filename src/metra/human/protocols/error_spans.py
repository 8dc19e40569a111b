"""Marking errors: ESA, which then asks for a score, and MQM, which weighs the errors.

Kocmi et al. 2024, WMT (ESA); Freitag et al. 2021, TACL (MQM and its weights).
"""

from metra.human.protocols.marks import Marks
from metra.human.protocols.record import Protocol, Step
from metra.human.protocols.scales import Anchor, Scale

ESA = Protocol(
    "esa",
    "Error span annotation",
    (
        Step(
            "errors",
            "Mark every error: minor if the meaning survives, major if it does not. "
            "Mark what is left out as missing.",
            Marks(("minor", "major")),
            ("basis", "context"),
        ),
        Step(
            "esa",
            "With these errors in mind, how good is the translation as a whole?",
            Scale(
                0.0,
                100.0,
                (
                    Anchor(0, "No meaning kept", "Nearly all of the message is lost."),
                    Anchor(
                        33,
                        "Some meaning kept",
                        "Parts of the message come through, important ones do not.",
                    ),
                    Anchor(
                        66,
                        "Most meaning kept",
                        "The message comes through, with few errors.",
                    ),
                    Anchor(100, "Perfect", "The message is whole and reads well."),
                ),
                whole=False,
            ),
        ),
    ),
    "source",
    seconds=60,
)

NO_TRANSLATION = "non-translation"
CATEGORIES = (
    "accuracy/addition",
    "accuracy/omission",
    "accuracy/mistranslation",
    "accuracy/untranslated text",
    "fluency/punctuation",
    "fluency/spelling",
    "fluency/grammar",
    "fluency/register",
    "fluency/inconsistency",
    "fluency/character encoding",
    "terminology/inappropriate for context",
    "terminology/inconsistent use",
    "style/awkward",
    "locale convention/address format",
    "locale convention/currency format",
    "locale convention/date format",
    "locale convention/name format",
    "locale convention/telephone format",
    "locale convention/time format",
    "source error",
    "other",
    NO_TRANSLATION,
)

MQM = Protocol(
    "mqm",
    "Multidimensional quality metrics",
    (
        Step(
            "mqm",
            "Mark at most five errors, the gravest first, with kind and severity.",
            Marks(
                ("major", "minor", "neutral"),
                CATEGORIES,
                most=5,
                costs=(
                    ("neutral", "", 0),
                    ("", "source", 0),
                    ("", "accuracy/creative reinterpretation", 0),
                    ("major", NO_TRANSLATION, 250),
                    ("minor", "fluency/punctuation", 1),
                    ("major", "", 50),
                    ("minor", "", 10),
                ),
            ),
            ("basis", "context"),
        ),
    ),
    "source",
    seconds=120,
)
