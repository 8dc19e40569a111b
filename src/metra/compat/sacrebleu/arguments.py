"""The arguments of sacreBLEU's command line, with its flags, choices and defaults."""

import argparse
import os
from collections.abc import Sequence
from typing import Any, NoReturn

from metra.errors import OptionError
from metra.metrics.signatures import SACREBLEU

FORMATS = ("json", "text", "latex")
METRIC_NAMES = ("bleu", "chrf", "ter")
SMOOTHINGS = ("none", "floor", "add-k", "exp")
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
        """Raise what is wrong with the arguments."""
        msg = f"sacrebleu: {message}; see metra sacrebleu --help."
        raise OptionError(msg)


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of all flags."""
    # Help is click's, as that of the other commands.
    parser = ArgumentParser(prog="metra sacrebleu", add_help=False)
    parser.add_argument("refs", nargs="*", metavar="REF", help="Reference files.")
    _add_data_flags(parser)
    _add_metric_flags(parser)
    _add_test_flags(parser.add_argument_group("intervals and paired tests"))
    _add_output_flags(parser.add_argument_group("output"))
    version = f"sacrebleu {SACREBLEU}"
    parser.add_argument(
        "--version", "-V", action="version", version=version, help="Print the version."
    )
    return parser


def _add_data_flags(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("test sets and files")
    add = group.add_argument
    add("--citation", "--cite", action="store_true", help="Cite a test set.")
    add("--list", action="store_true", help="List the test sets on this machine.")
    add("--test-set", "-t", help="Test sets, separated by commas.")
    add("--language-pair", "-l", dest="langpair", help="Languages, such as en-de.")
    add(
        "--origlang", "-ol", help="Only documents written in this language (or non-XX)."
    )
    add("--subset", help="Only documents whose tag matches this regular expression.")
    add("--download", help="Download a test set into sacreBLEU's cache.")
    add("--echo", nargs="+", help="Print fields of the test set: src, ref, docid, all.")
    add("--input", "-i", nargs="*", help="Output files; by default standard input.")
    add("--num-refs", "-nr", type=int, default=1, help="Tab-separated references.")
    add("--encoding", "-e", default="utf-8", help="The encoding of all files.")


def _add_metric_flags(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("metrics").add_argument
    add(
        "--metrics",
        "-m",
        nargs="+",
        choices=METRIC_NAMES,
        default=["bleu"],
        help="Metrics to compute (bleu).",
    )
    add("--sentence-level", "-sl", action="store_true", help="Score each segment.")
    bleu: Any = parser.add_argument_group("BLEU").add_argument
    bleu(
        "--smooth-method",
        "-s",
        choices=SMOOTHINGS,
        default="exp",
        help="Smoothing method (exp).",
    )
    bleu(
        "--smooth-value",
        "-sv",
        type=float,
        help="Smoothing value for floor (0.1) and add-k (1).",
    )
    bleu(
        "--tokenize",
        "-tok",
        choices=TOKENIZERS,
        help="Tokeniser; by default chosen by language, else 13a.",
    )
    bleu("--lowercase", "-lc", action="store_true", help="Ignore case.")
    bleu("--force", action="store_true", help="Do not warn about tokenised text.")
    chrf: Any = parser.add_argument_group("chrF").add_argument
    chrf(
        "--chrf-char-order",
        "-cc",
        type=int,
        default=6,
        help="Character n-gram order (6).",
    )
    chrf(
        "--chrf-word-order",
        "-cw",
        type=int,
        default=0,
        help="Word n-gram order; 2 is chrF++.",
    )
    chrf("--chrf-beta", type=int, default=2, help="Weight of recall.")
    chrf("--chrf-whitespace", action="store_true", help="Count white space.")
    chrf("--chrf-lowercase", action="store_true", help="Ignore case.")
    chrf("--chrf-eps-smoothing", action="store_true", help="Use epsilon smoothing.")
    ter: Any = parser.add_argument_group("TER").add_argument
    ter("--ter-case-sensitive", action="store_true", help="Respect case.")
    ter("--ter-asian-support", action="store_true", help="Split East Asian text.")
    ter("--ter-no-punct", action="store_true", help="Remove punctuation.")
    ter("--ter-normalized", action="store_true", help="Separate punctuation.")


def _add_test_flags(group: Any) -> None:
    add = group.add_argument
    add("--confidence", "-ci", action="store_true", help="Add bootstrap intervals.")
    add("--confidence-n", "-cin", type=int, default=1000, help="Resamples (1000).")
    tests = group.add_mutually_exclusive_group()
    tests.add_argument(
        "--paired-ar",
        "-par",
        action="store_true",
        help="Paired approximate randomisation test.",
    )
    tests.add_argument(
        "--paired-bs", "-pbs", action="store_true", help="Paired bootstrap test."
    )
    add("--paired-ar-n", "-parn", type=int, default=10_000, help="Trials (10000).")
    add("--paired-bs-n", "-pbsn", type=int, default=1000, help="Resamples (1000).")
    add("--paired-jobs", "-j", type=int, default=1, help="Ignored.")


def _add_output_flags(group: Any) -> None:
    add = group.add_argument
    add("--quiet", "-q", action="store_true", help="Print no messages.")
    add("--short", "-sh", action="store_true", help="Shorten signatures in text.")
    add("--score-only", "-b", action="store_true", help="Print only the score.")
    add("--width", "-w", type=int, default=1, help="Decimal places (1).")
    add("--detail", "-d", action="store_true", help="Scores by original language.")
    add("--no-color", "-nc", action="store_true", help="Print no colours.")
    add(
        "--format",
        "-f",
        choices=FORMATS,
        default="json",
        help="JSON or text for one system, any for several (json).",
    )
