"""Protocols in which judges rate, mark or compare outputs.

ESA asks for error spans and then a score (Kocmi et al. 2024, WMT), MQM weighs the errors
(Freitag et al. 2021, TACL); intelligibility and clarity go from 0 to 3; direct assessment is
one number from 0 to 100; the LDC asked for fluency, then adequacy, in DARPA's TIDES evaluations
of 2001 and after; EvalTrans shows the nearest outputs that already have a score; comparisons
rank two outputs or all of them, ties allowed.
"""

from metra.campaign.protocols.kind import Anchor
from metra.campaign.protocols.marks import Marks
from metra.campaign.protocols.near import Near
from metra.campaign.protocols.orders import RankOrder
from metra.campaign.protocols.record import Protocol, Step
from metra.campaign.protocols.scales import RatingScale
from metra.errors import OptionError
from metra.formats.scores.mqm import MQM_WEIGHTS, NON_TRANSLATION

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
            RatingScale(
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
    NON_TRANSLATION,
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
                costs=MQM_WEIGHTS,
            ),
            ("basis", "context"),
        ),
    ),
    "source",
    seconds=120,
)


INTELLIGIBILITY = Protocol(
    "intelligibility",
    "Intelligibility",
    (
        Step(
            "intelligibility",
            "How much of the message of the numbered sentence comes through in this text?",
            RatingScale(
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
            RatingScale(
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


_QUESTION = "How well does this text express the meaning of the other text?"

DA = Protocol(
    "da",
    "Direct assessment",
    (
        Step(
            "da",
            _QUESTION,
            RatingScale(
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
    """Return where the mark 0 to 6 stands on the scale to 100."""
    return 100 * at / 6


DA_SQM = Protocol(
    "da-sqm",
    "Direct assessment with scalar quality marks",
    (
        Step(
            "da-sqm",
            _QUESTION,
            RatingScale(
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


FLUENCY_SCALE = RatingScale(
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
ADEQUACY_SCALE = RatingScale(
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


PAIRWISE = Protocol(
    "pairwise",
    "Which is better?",
    (
        Step(
            "pairwise",
            "Which text expresses the meaning of the other text better?",
            RankOrder(),
            ("basis",),
        ),
    ),
    "source",
    outputs=2,
    seconds=20,
)

RANKING = Protocol(
    "ranking",
    "Ranking",
    (
        Step(
            "ranking",
            "Put the texts in order, the best first; equally good ones share a rank.",
            RankOrder(),
            ("basis",),
        ),
    ),
    "source",
    outputs=0,
    seconds=15,
)
