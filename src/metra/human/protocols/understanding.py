"""Whether a text can be understood: intelligibility and clarity, each from 0 to 3.

The ISLE workbook's H4a (after Halliday, in Van Slype 1979) and H4b (Vanni and Miller 2002);
Dabbadie et al. 2002, LREC workshop.
"""

from metra.human.protocols.record import Protocol, Step
from metra.human.protocols.scales import Anchor, Scale

INTELLIGIBILITY = Protocol(
    "intelligibility",
    "Intelligibility",
    (
        Step(
            "intelligibility",
            "How much of the message of the numbered sentence comes through in this text?",
            Scale(
                0,
                3,
                (
                    Anchor(
                        3,
                        "Very intelligible",
                        "The whole message can be understood, even if style or spelling is "
                        "wrong, or a word is missing or not quite right.",
                    ),
                    Anchor(
                        2,
                        "Fairly intelligible",
                        "The greater part of the message comes through.",
                    ),
                    Anchor(
                        1,
                        "Barely intelligible",
                        "Only a part can be understood, less than half of the message.",
                    ),
                    Anchor(
                        0,
                        "Unintelligible",
                        "Nothing, or next to nothing, of the message can be understood.",
                    ),
                ),
            ),
            ("basis",),
        ),
    ),
    "reference",
    seconds=15,
    numbered=True,
)

CLARITY = Protocol(
    "clarity",
    "Clarity",
    (
        Step(
            "clarity",
            "At a first glance, how clear is it what this sentence means? It need be "
            "neither true nor correct {language}.",
            Scale(
                0,
                3,
                (
                    Anchor(
                        3, "Perfectly clear", "The meaning is clear on first reading."
                    ),
                    Anchor(
                        2,
                        "Clear on reflection",
                        "The meaning is clear, but only after some thought.",
                    ),
                    Anchor(
                        1,
                        "Partly clear",
                        "With some effort, some of the meaning can be made out.",
                    ),
                    Anchor(
                        0, "Not clear", "Even after some thought, no meaning appears."
                    ),
                ),
            ),
        ),
    ),
    "reference",
    seconds=8,
    guidance_seconds=10,
    shuffled=True,
)
