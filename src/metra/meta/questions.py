"""The questions about judgements, in the order of a results page; needs no numpy.

A question is a module of its name with a record `QUESTION`, a dataclass of options, and an
entry here: `metra meta`, the results page of a campaign and exports of figures then have it.
"""

from typing import NamedTuple

from metra.meta.judge_options import (
    AgreeOptions,
    DistributionOptions,
    FlagRules,
    MissingOptions,
    PaceOptions,
    PreferenceOptions,
    RankOptions,
)


class QuestionEntry(NamedTuple):
    """The options of a question, the help of its command, and whether it has a scorer."""

    options: type
    help: str
    #: False if it is asked of all answers instead of one scorer.
    of_scorer: bool = True


QUESTIONS = {
    "rank": QuestionEntry(RankOptions, "Rank systems."),
    "preferences": QuestionEntry(
        PreferenceOptions, "Compare the outputs of each two systems, judge by judge."
    ),
    "distribution": QuestionEntry(
        DistributionOptions, "Show quartiles and the spread of each system's scores."
    ),
    "missing": QuestionEntry(
        MissingOptions,
        "List outputs without a score, with the reasons.",
        of_scorer=False,
    ),
    "judges": QuestionEntry(
        FlagRules,
        "Describe each judge: leniency, drift, repeats, degraded items, speed, flags.",
    ),
    "agree": QuestionEntry(AgreeOptions, "Measure agreement between judges."),
    "pace": QuestionEntry(
        PaceOptions, "Show the active time of answers, by judge.", of_scorer=False
    ),
}
