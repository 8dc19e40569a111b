"""Protocols in which judges rate, mark or compare outputs.

ESA asks for error spans and then a score (Kocmi et al. 2024, WMT), MQM weighs the errors
(Freitag et al. 2021, TACL); intelligibility and clarity go from 0 to 3; direct assessment is
one number from 0 to 100; the LDC asked for fluency, then adequacy, in DARPA's TIDES evaluations
of 2001 and after, where a bilingual judge chose the gold standard among several references;
EvalTrans shows the nearest outputs that already have a score; comparisons
rank two outputs or all of them, ties allowed.
"""

from collections.abc import Mapping
from typing import Any

from metra.campaign.protocols.kind import Anchor
from metra.campaign.protocols.ratings import Choice, Near, RankOrder, RatingScale
from metra.campaign.protocols.record import Protocol, Step, ask_once
from metra.campaign.protocols.spans import Marks
from metra.errors import OptionError
from metra.scores.mqm import MQM_WEIGHTS, NON_TRANSLATION


def _build_scale(
    low: float, high: float, points: Mapping[Any, str], *, whole: bool = True
) -> RatingScale:
    """Return a scale whose points are given as `label: meaning`."""
    anchors = (Anchor(at, *text.split(": ", 1)) for at, text in points.items())
    return RatingScale(low, high, tuple(anchors), whole)


_ESA_SCALE = {
    0: "No meaning kept: Nearly all of the message is lost.",
    33: "Some meaning kept: Some of the message comes through, important parts do not.",
    66: "Most meaning kept: The message comes through, with few errors.",
    100: "Perfect: The message is complete and reads well.",
}
ESA = Protocol(
    "esa",
    "Error span annotation",
    (
        Step(
            "errors",
            "Mark every error: minor if the meaning is still clear, major if it is "
            "not. Mark omissions as missing.",
            Marks(("minor", "major")),
            ("basis", "context"),
        ),
        Step(
            "esa",
            "With these errors in mind, how good is the translation as a whole?",
            _build_scale(0.0, 100.0, _ESA_SCALE, whole=False),
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

MQM = ask_once(
    "mqm",
    "Multidimensional quality metrics",
    "Mark at most five errors, the most serious first, with category and severity.",
    Marks(("major", "minor", "neutral"), CATEGORIES, most=5, costs=MQM_WEIGHTS),
    ("basis", "context"),
    seconds=120,
)

_INTELLIGIBILITY_SCALE = {
    3: "Very intelligible: The whole message can be understood, even if style or spelling is "
    "wrong, or a word is missing or not quite right.",
    2: "Fairly intelligible: The greater part of the message comes through.",
    1: "Barely intelligible: Only a part can be understood, less than half of the message.",
    0: "Unintelligible: Nothing, or next to nothing, of the message can be understood.",
}
INTELLIGIBILITY = ask_once(
    "intelligibility",
    "Intelligibility",
    "How much of the message of the numbered sentence comes through in this text?",
    _build_scale(0, 3, _INTELLIGIBILITY_SCALE),
    ("basis",),
    "reference",
    seconds=15,
    numbered=True,
)

_CLARITY_SCALE = {
    3: "Perfectly clear: The meaning is clear on first reading.",
    2: "Clear on reflection: The meaning is clear, but only after some thought.",
    1: "Partly clear: With some effort, some of the meaning can be understood.",
    0: "Not clear: Even after some thought, no meaning appears.",
}
CLARITY = ask_once(
    "clarity",
    "Clarity",
    "At first glance, how clear is the meaning of this sentence? It does not have to "
    "be true or correct {language}.",
    _build_scale(0, 3, _CLARITY_SCALE),
    basis="reference",
    seconds=8,
    guidance_seconds=10,
    shuffled=True,
)

_QUESTION = "How well does this text express the meaning of the other text?"
_DA_SCALE = {
    0: "Not at all: It expresses none of the meaning.",
    100: "Perfectly: It expresses all of the meaning.",
}
DA = ask_once(
    "da",
    "Direct assessment",
    _QUESTION,
    _build_scale(0.0, 100.0, _DA_SCALE, whole=False),
    ("basis",),
    seconds=25,
)

#: The seven marks of scalar quality metrics, by what a judge types for them.
_SQM_SCALE = {
    0: "Nonsense: Almost none of the meaning is kept.",
    17: "17: Between 0 and 33.",
    33: "Some meaning: Some of the meaning is kept, important parts are lost; the grammar may "
    "be poor.",
    50: "50: Between 33 and 67.",
    67: "Most meaning: Most of the meaning is kept, with few grammar errors.",
    83: "83: Between 67 and 100.",
    100: "Perfect: Meaning and style match the source, and the grammar is correct.",
}
DA_SQM = ask_once(
    "da-sqm",
    "Direct assessment with a scalar quality metric",
    _QUESTION,
    _build_scale(0.0, 100.0, _SQM_SCALE, whole=False),
    ("basis", "context"),
    seconds=30,
)

_FLUENCY_SCALE = {
    5: "Flawless: Flawless {language}: a careful writer would change nothing.",
    4: "Good: Good {language}, with at most one small error.",
    3: "Non-native: Non-native {language}: understandable, but not natural.",
    2: "Disfluent: Disfluent {language}: broken, and hard to read in places.",
    1: "Incomprehensible: Incomprehensible: it cannot be read as a text.",
}
_ADEQUACY_SCALE = {
    5: "All: All of the meaning is there.",
    4: "Most: Most of the meaning is there; little is lost or wrong.",
    3: "Much: Much of the meaning is there, and some is lost or wrong.",
    2: "Little: Little of the meaning is there.",
    1: "None: None of the meaning is there.",
}
ADEQUACY = ask_once(
    "adequacy",
    "Adequacy",
    "How much of the meaning of the other text does this text express?",
    _build_scale(1, 5, _ADEQUACY_SCALE),
    ("basis",),
    "reference",
    seconds=20,
    guidance_seconds=30,
)
_FLUENCY = "How good is the {language} of this text?"
LDC = Protocol(
    "ldc",
    "Fluency, then adequacy (LDC)",
    (Step("fluency", _FLUENCY, _build_scale(1, 5, _FLUENCY_SCALE)), *ADEQUACY.steps),
    "reference",
    guidance_seconds=30,
)


def evaltrans(*, k: int = 3) -> Protocol:
    """Show the `k` nearest judged outputs of the sentence; an identical one pre-fills."""
    if k < 0:
        msg = (
            f"evaltrans: k is {k}; expected the number of judged outputs to show, 0 "
            "or more."
        )
        raise OptionError(msg)
    question = (
        "From 0 (nonsense) to 10 (perfect), how good is this text as a translation? Give "
        "similar texts similar scores."
    )
    return ask_once("evaltrans", "EvalTrans", question, Near(k), ("basis",), seconds=15)


PAIRWISE = ask_once(
    "pairwise",
    "Which is better?",
    "Which text expresses the meaning of the other text better?",
    RankOrder(),
    ("basis",),
    outputs=2,
    seconds=20,
)

RANKING = ask_once(
    "ranking",
    "Ranking",
    "Rank the texts, the best first; equally good texts share a rank.",
    RankOrder(),
    ("basis",),
    outputs=0,
    seconds=15,
)

GOLD_STANDARD = ask_once(
    "gold-standard",
    "Choice of the gold standard",
    "Which text is the best translation of the source, for comparison with others?",
    Choice(),
    ("basis",),
    step="gold",
    outputs=0,
    seconds=20,
    over="references",
)
