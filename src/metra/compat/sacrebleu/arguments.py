"""The arguments of sacreBLEU's command line, with its flags, choices and defaults."""

import argparse
import os
from collections.abc import Sequence
from typing import Any, NoReturn

from metra.errors import OptionError
from metra.metrics.signatures import SACREBLEU

FORMATS = ("json", "text", "latex")
TOKENIZERS = (
    *("none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab"),
    *("spm", "flores101", "flores200", "spBLEU-1K"),
)


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the arguments; `SACREBLEU_FORMAT` replaces the format."""
    parsed = build_parser().parse_args(list(arguments))
    form = os.environ.get("SACREBLEU_FORMAT", "").lower()
    if form in FORMATS:
        parsed.format = form
    return parsed


def list_flags() -> list[argparse.Action]:
    """List the flags with their names, choices, defaults and help."""
    actions = build_parser()._actions
    return [action for action in actions if action.option_strings]


class ArgumentParser(argparse.ArgumentParser):
    """A parser whose errors are metra's."""

    def error(self, message: str) -> NoReturn:
        """Raise an error about the arguments."""
        msg = f"sacrebleu: {message}; see metra sacrebleu --help."
        raise OptionError(msg)


#: Flags with their defaults and help. A default of False makes a switch, a number sets the
#: type; further settings of argparse come last.
_FLAGS: tuple[tuple[Any, ...], ...] = (
    ("--citation --cite", False, "Cite a test set."),
    ("--list", False, "List the test sets on this machine."),
    ("--test-set -t", None, "Test sets, separated by commas."),
    ("--language-pair -l", None, "Languages, such as en-de.", {"dest": "langpair"}),
    ("--origlang -ol", None, "Only documents written in this language (or non-XX)."),
    ("--subset", None, "Only documents whose tag matches this regular expression."),
    ("--download", None, "Download a test set into sacreBLEU's cache."),
    (
        "--echo",
        None,
        "Print fields of the test set: src, ref, docid, all.",
        {"nargs": "+"},
    ),
    ("--input -i", None, "Output files; by default standard input.", {"nargs": "*"}),
    ("--num-refs -nr", 1, "Tab-separated references."),
    ("--encoding -e", "utf-8", "The encoding of all files."),
    (
        "--metrics -m",
        ["bleu"],
        "Metrics to compute (bleu).",
        {"nargs": "+", "choices": ("bleu", "chrf", "ter")},
    ),
    ("--sentence-level -sl", False, "Score each segment."),
    (
        "--smooth-method -s",
        "exp",
        "Smoothing method (exp).",
        {"choices": ("none", "floor", "add-k", "exp")},
    ),
    (
        "--smooth-value -sv",
        None,
        "Smoothing value for floor (0.1) and add-k (1).",
        {"type": float},
    ),
    (
        "--tokenize -tok",
        None,
        "Tokeniser; by default chosen by language, else 13a.",
        {"choices": TOKENIZERS},
    ),
    ("--lowercase -lc", False, "Ignore case."),
    ("--force", False, "Do not warn about tokenised text."),
    ("--chrf-char-order -cc", 6, "Character n-gram order (6)."),
    ("--chrf-word-order -cw", 0, "Word n-gram order; 2 is chrF++."),
    ("--chrf-beta", 2, "Weight of recall."),
    ("--chrf-whitespace", False, "Count white space."),
    ("--chrf-lowercase", False, "Ignore case."),
    ("--chrf-eps-smoothing", False, "Use epsilon smoothing."),
    ("--ter-case-sensitive", False, "Respect case."),
    ("--ter-asian-support", False, "Split East Asian text."),
    ("--ter-no-punct", False, "Remove punctuation."),
    ("--ter-normalized", False, "Separate punctuation."),
    ("--confidence -ci", False, "Add bootstrap intervals."),
    ("--confidence-n -cin", 1000, "Resamples (1000)."),
    ("--paired-ar -par", False, "Paired approximate randomisation test."),
    ("--paired-bs -pbs", False, "Paired bootstrap test."),
    ("--paired-ar-n -parn", 10_000, "Trials (10000)."),
    ("--paired-bs-n -pbsn", 1000, "Resamples (1000)."),
    ("--paired-jobs -j", 1, "Ignored."),
    ("--quiet -q", False, "Print no messages."),
    ("--short -sh", False, "Shorten signatures in text."),
    ("--score-only -b", False, "Print only the score."),
    ("--width -w", 1, "Decimal places (1)."),
    ("--detail -d", False, "Scores by original language."),
    ("--no-color -nc", False, "Print no colours."),
    (
        "--format -f",
        "json",
        "JSON or text for one system, any for several (json).",
        {"choices": FORMATS},
    ),
)


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of all flags."""
    # Help is click's, as that of the other commands.
    parser = ArgumentParser(prog="metra sacrebleu", add_help=False)
    parser.add_argument("refs", nargs="*", metavar="REF", help="Reference files.")
    tests = parser.add_mutually_exclusive_group()
    for names, default, text, *more in _FLAGS:
        settings: dict[str, Any] = {"default": default, "help": text}
        if default is False:
            settings["action"] = "store_true"
        elif isinstance(default, int):
            settings["type"] = int
        for extra in more:
            settings |= extra
        group = tests if settings.get("action") and "--paired" in names else parser
        group.add_argument(*names.split(), **settings)
    version = f"sacrebleu {SACREBLEU}"
    parser.add_argument(
        "--version", "-V", action="version", version=version, help="Print the version."
    )
    return parser
