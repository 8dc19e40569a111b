"""Tokenisers by name: ours, those of optional packages, and third parties'."""

from collections.abc import Callable
from importlib import import_module
from itertools import product
from typing import Any

from metra._core import Text, Tokenizer, Tokens, grapheme_version
from metra.errors import MissingResourceError, UnknownNameError, no_such

BUILT_IN = ("13a", "intl", "zh", "zh-fixed", "char", "none")

# TERCOM's preparation of text, which the options of `ter` ask for.
TERCOM = tuple(
    "".join(["tercom", *options])
    for options in product(
        ("", "+normalized"), ("", "+nopunct"), ("", "+asian"), ("", "+java")
    )
)

# mteval's own ways, which `style=mteval` asks for: not sacreBLEU's in a few corners; the
# characters of a segment with the white space inside it, for `cer`; the words of chrF++;
# the white space of Java programs, which is ASCII's.
PRIVATE = (
    "mteval-13a",
    "mteval-intl",
    "code-points",
    "graphemes",
    "chrf",
    "java-white",
    *TERCOM,
)

# Tokenisers that need a package: module, function in it that makes the tokeniser, extra.
OPTIONAL = {
    "ja-mecab": ("metra.text.mecab", "japanese", "ja"),
    "ko-mecab": ("metra.text.mecab", "korean", "ko"),
    "spm": ("metra.text.sentencepiece", "from_model", "spm"),
}

Cutter = Callable[[str], list[str]]


def tokenizer_names() -> list[str]:
    """List every tokeniser that can be asked for by name."""
    return [*BUILT_IN, "ja-mecab", "ko-mecab", "spm@MODEL", *_third_party()]


def tokenizer(name: str, case: str) -> Callable[[Text], Tokens]:
    """Find a tokeniser; it folds case before it cuts."""
    if name in BUILT_IN or name in PRIVATE:
        return Tokenizer(name, case)
    return _of_strings(_cutter(name), lower=case == "lower")


def tokenizer_version(name: str) -> str:
    """Name the version of a tokeniser that has one, for signatures."""
    if name == "graphemes":
        return f"[Unicode {grapheme_version()}]"
    if name in BUILT_IN or name in PRIVATE:
        return ""
    version = getattr(_cutter(name), "version", "")
    return f"[{version}]" if version else ""


def _cutter(name: str) -> Cutter:
    if name == "meteor-en":
        from metra.text.meteor_normaliser import english

        return english
    if name == "workbook":
        from metra.text.workbook import cut

        return cut
    kind, _, argument = name.partition("@")
    if kind in OPTIONAL:
        module, function, extra = OPTIONAL[kind]
        try:
            make = getattr(import_module(module), function)
            return make(argument) if kind == "spm" else make()
        except ImportError as error:
            msg = (
                f"Tokeniser {kind!r} needs the package {error.name!r}, which is not "
                f"installed; install it with: pip install 'metra[{extra}]'"
            )
            raise MissingResourceError(msg) from None
    entries = _third_party()
    if name in entries:
        return entries[name].load()
    raise UnknownNameError(no_such("tokeniser", name, tokenizer_names()))


def _third_party() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group="metra.tokenizers")}


def _of_strings(cut: Cutter, *, lower: bool) -> Callable[[Text], Tokens]:
    def tokenize(text: Text) -> Tokens:
        segments = (text[index] for index in range(len(text)))
        return Tokens(
            [
                None if segment is None else cut(segment.lower() if lower else segment)
                for segment in segments
            ]
        )

    return tokenize
