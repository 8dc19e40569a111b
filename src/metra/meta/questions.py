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
    """The options of a question and the help of its command."""

    options: type
    help: str
    #: False if it is asked of all answers instead of one scorer.
    of_scorer: bool = True

    def write_help(self, name: str) -> str:
        """Return the help with an example."""
        scorer = " --scorer da" if self.of_scorer else ""
        return f"{self.help}\n\n\b\nmetra meta {name} judgements.jsonl{scorer}\n"


QUESTIONS = {
    "rank": QuestionEntry(RankOptions, "Rank systems."),
    "preferences": QuestionEntry(
        PreferenceOptions,
        "Compare the outputs of each pair of systems, judge by judge.",
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
