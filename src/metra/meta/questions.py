"""The list of questions, in the order in which one meets them; needs no numpy.

A question is a record in a module, a dataclass of options, its help in `questions.txt` and
an entry here: a command of `metra meta` then has it, and the results page of a campaign
and exports of figures if it is one of `JUDGEMENT_QUESTIONS`.
"""

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from metra.meta import options


class QuestionEntry(NamedTuple):
    """The command that asks a question, its module, its options, and its other input."""

    #: As in `judges --show each`; of a command's questions, the first is its default.
    command: str
    module: str
    options: type
    #: Options of its command: gold, metrics, scorer, test-set, plot, and those of outputs
    #: that are scored (output, references, source, docs, specs). Ways of asking: of each
    #: language pair (pairs) or of one (one-pair); with scores of outputs (own); of files
    #: without scores (files).
    takes: frozenset[str] = frozenset()
    #: Its files, in the usage of the command.
    files: str = "SCORES..."

    @property
    def of_scorer(self) -> bool:
        """True if it is asked of one scorer."""
        return "scorer" in self.takes


def _enter(
    command: str, module: str, record: type, takes: str = "", files: str = "SCORES..."
) -> QuestionEntry:
    return QuestionEntry(command, module, record, frozenset(takes.split()), files)


_OUTPUTS = "output references source specs"
_METRICS = "gold metrics test-set plot"
_VARIANTS = "gold output references specs one-pair plot"
_ANY = "[SCORES]..."
QUESTIONS = {
    "correlate": _enter(
        "correlate",
        "systems",
        options.CorrelateOptions,
        f"{_METRICS} {_OUTPUTS} docs own pairs",
    ),
    "compare": _enter(
        "compare", "compare", options.CompareOptions, f"{_METRICS} pairs"
    ),
    "rank": _enter(
        "rank --show ranking",
        "rank",
        options.RankOptions,
        f"scorer test-set plot {_OUTPUTS} docs own",
        _ANY,
    ),
    "preferences": _enter(
        "rank --show preferences",
        "preferences",
        options.PreferenceOptions,
        "scorer plot",
    ),
    "distribution": _enter(
        "rank --show distribution", "answers", options.NoOptions, "scorer"
    ),
    "missing": _enter("rank --show missing", "answers", options.NoOptions),
    "task": _enter(
        *("task", "task", options.TaskOptions, "gold metrics specs test-set"),
        "PROTOCOL SCORES...",
    ),
    "agree": _enter(
        "judges --show agreement", "agree", options.AgreeOptions, "scorer plot"
    ),
    "judges": _enter("judges --show each", "judges", options.FlagRules, "scorer"),
    "normalise": _enter(
        "judges --show normalised", "judges", options.NormaliseOptions, "scorer"
    ),
    "pace": _enter("judges --show pace", "answers", options.NoOptions),
    "plan": _enter("plan", "plan", options.PlanOptions, "scorer one-pair plot", _ANY),
    "spans": _enter(
        "spans", "spans", options.SpanOptions, "files read output", "ERRORS..."
    ),
    "pseudo": _enter(
        "curve --over length",
        "pseudo",
        options.PseudoOptions,
        f"gold metrics plot {_OUTPUTS} docs own one-pair",
    ),
    "refs": _enter(
        "curve --over references", "variants", options.RefsOptions, _VARIANTS
    ),
    "tune": _enter("curve --over OPTION", "variants", options.TuneOptions, _VARIANTS),
    "card": _enter(
        "card --show all", "card", options.CardOptions, f"gold metrics {_OUTPUTS}"
    ),
    "sentinel": _enter(
        "card --show sentinels",
        "sentinel",
        options.SentinelOptions,
        f"gold metrics {_OUTPUTS} own pairs",
    ),
    "deltas": _enter(
        "card --show differences", "uses", options.DeltaOptions, "gold metrics plot"
    ),
    "select": _enter(
        "card --show selection", "uses", options.SelectOptions, "gold metrics pairs"
    ),
    "challenge": _enter(
        *("card --show challenge", "challenge", options.ChallengeOptions),
        *("files specs", "PAIRS"),
    ),
}

#: Protocols of `task` whose files hold no scores of systems.
FILE_PROTOCOLS = ("wmt25-correction",)
#: Questions of the results page of a campaign and of its downloads, in their order.
JUDGEMENT_QUESTIONS = (
    *("rank", "preferences", "distribution", "missing", "judges", "agree", "pace"),
)


@cache
def _read_texts() -> dict[str, str]:
    text = files("metra.meta").joinpath("questions.txt").read_text("utf-8")
    sections = re.split("^# ", text.replace("\\b", "\b"), flags=re.MULTILINE)[1:]
    return {
        name: body.strip() for name, _, body in (s.partition("\n") for s in sections)
    }


@cache
def read_words() -> dict[str, str]:
    """Return the meaning of columns by their headings, some after the name of a table."""
    entries = (
        each.partition(": ") for each in re.split(r"\n(?=\S)", _read_texts()["words"])
    )
    return {heading: " ".join(words.split()) for heading, _, words in entries}


def read_help(name: str) -> tuple[str, dict[str, str]]:
    """Return the help of a question's command, and of its options by field."""
    about, _, own = _read_texts()[name].partition("\n\nOptions:\n")
    listed = re.split(r"\n(?=\w)", f"{_read_texts()['shared']}\n{own}")
    entries = (each.partition(": ") for each in listed)
    return about, {field: " ".join(words.split()) for field, _, words in entries}
