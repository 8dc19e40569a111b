"""The arguments of sacreBLEU's command line, with its flags, choices and defaults."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
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


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of all flags."""
    # Help is click's, as that of the other commands.
    parser = ArgumentParser(prog="metra sacrebleu", add_help=False)
    parser.add_argument("refs", nargs="*", metavar="REF", help="Reference files.")
    tests = parser.add_mutually_exclusive_group()
    content = Path(__file__).with_name("flags.tsv").read_text(encoding="utf-8")
    for line in content.strip().split("\n")[1:]:
        names, default, text, *more = line.split("\t")
        settings: dict[str, Any] = {"default": json.loads(default), "help": text}
        if settings["default"] is False:  # a switch; a number sets the type
            settings["action"] = "store_true"
        elif isinstance(settings["default"], int):
            settings["type"] = int
        for extra in more:
            settings |= json.loads(extra)
        if settings.get("type") == "float":
            settings["type"] = float
        group = tests if settings.get("action") and "--paired" in names else parser
        group.add_argument(*names.split(), **settings)
    version = f"sacrebleu {SACREBLEU}"
    parser.add_argument(
        "--version", "-V", action="version", version=version, help="Print the version."
    )
    return parser
