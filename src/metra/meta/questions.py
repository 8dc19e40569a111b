"""The list of questions, in the order in which one meets them; needs no numpy.

A question is a record in a module, a dataclass of options, its help in `questions.txt` and
an entry here: `metra meta` then has it, and the results page of a campaign
and exports of figures if it is one of `JUDGEMENT_QUESTIONS`.
"""

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from metra.meta import options


class QuestionEntry(NamedTuple):
    """The module of a question, its options, and its other input."""

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
    module: str, record: type, takes: str = "", files: str = "SCORES..."
) -> QuestionEntry:
    return QuestionEntry(module, record, frozenset(takes.split()), files)


_METRICS = "gold metrics test-set plot"
_OUTPUTS = "output references source specs"
QUESTIONS = {
    "correlate": _enter(
        "systems", options.CorrelateOptions, f"{_METRICS} {_OUTPUTS} docs own pairs"
    ),
    "compare": _enter("compare", options.CompareOptions, f"{_METRICS} pairs"),
    "tune": _enter(
        "variants",
        options.TuneOptions,
        "gold output references specs one-pair plot",
    ),
    "task": _enter(
        "task", options.TaskOptions, "gold metrics test-set", "PROTOCOL SCORES..."
    ),
    "agree": _enter("agree", options.AgreeOptions, "scorer plot"),
    "judges": _enter("judges", options.FlagRules, "scorer"),
    "normalise": _enter("judges", options.NormaliseOptions, "scorer"),
    "plan": _enter("plan", options.PlanOptions, "scorer one-pair plot", "[SCORES]..."),
    "pseudo": _enter(
        "pseudo",
        options.PseudoOptions,
        f"gold metrics plot {_OUTPUTS} docs own one-pair",
    ),
    "refs": _enter(
        "variants", options.RefsOptions, "gold output references specs one-pair plot"
    ),
    "rank": _enter(
        "rank",
        options.RankOptions,
        f"scorer test-set plot {_OUTPUTS} docs own",
        "[SCORES]...",
    ),
    "preferences": _enter("answers", options.NoOptions, "scorer"),
    "distribution": _enter("answers", options.NoOptions, "scorer"),
    "missing": _enter("answers", options.NoOptions),
    "pace": _enter("answers", options.NoOptions),
    "spans": _enter("spans", options.SpanOptions, "files read output", "ERRORS..."),
    "challenge": _enter("challenge", options.ChallengeOptions, "files specs", "PAIRS"),
    "select": _enter("uses", options.SelectOptions, "gold metrics pairs"),
    "deltas": _enter("uses", options.DeltaOptions, "gold metrics plot"),
    "sentinel": _enter(
        "sentinel", options.SentinelOptions, f"gold metrics {_OUTPUTS} own pairs"
    ),
    "card": _enter("card", options.CardOptions, f"gold metrics {_OUTPUTS}"),
}

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


def read_help(name: str) -> tuple[str, dict[str, str]]:
    """Return the help of a question's command, and of its options by field."""
    about, _, own = _read_texts()[name].partition("\n\nOptions:\n")
    listed = re.split(r"\n(?=\w)", f"{_read_texts()['shared']}\n{own}")
    entries = (each.partition(": ") for each in listed)
    return about, {field: " ".join(words.split()) for field, _, words in entries}
