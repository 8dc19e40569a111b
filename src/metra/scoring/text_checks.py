"""Checks of a sample of lines: what looks like a mistake of files or settings.

A check is a function of a `TextSample` that gives a sentence for each problem; docs/guards.md
lists the checks, and the texts that their limits were set on.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeVar

#: Fewer segments than this prove nothing about a file.
LEAST = 10
#: Shares of lines from which on a warning is given, if they are so many lines at least.
MANY_EMPTY, MANY_ESCAPED, MANY_PARTED, MANY_COPIED = 0.05, 0.05, 0.25, 0.15
LEAST_LINES = 3
#: So many frequent words of the reference are looked for. How frequent a text has them at
#: least, relative to the reference; the same for letters of the reference's script.
FREQUENT_WORDS, SAME_LANGUAGE, SAME_SCRIPT = 50, 0.3, 0.45
#: Fewer words or letters than this show no language or script.
LEAST_WORDS, LEAST_LETTERS = 100, 50
#: Lines of so many characters are enough for words, and for letters.
ENOUGH_FOR_WORDS, ENOUGH_FOR_LETTERS = 3000, 1000
#: This share of letters in scripts without blanks makes a text one without blanks, unless
#: it has fewer letters than this for each blank between them: somebody has cut words.
UNSPACED_SHARE, CUT_LENGTH = 0.2, 6
#: Shifted lines share this many times the words, and at least this share of them.
SHIFT_RATIO, SHIFT_LEAST = 2.0, 0.15
#: This share of a block's lines has to fit better where the block is shifted to.
SHIFTED_LINES = 2 / 3
#: Lines that share so many words with their reference are where they belong.
IN_PLACE = 0.25
#: Lines at both ends of a block that are not looked for at other lines.
MARGIN = 2

_REFERENCE_NAME = r"(?i:(?:.*[._-])?ref(?:erence)?s?(?:[._-]?(?:[a-z]|[0-9]{1,2}))?)"
#: Tokenisers that part words at blanks and punctuation only.
_BY_BLANKS = ("13a", "intl", "none")
_CHINESE = {"CJK", "HIRAGANA", "KATAKANA"}
#: What cuts scripts without blanks, by script.
_CUTS = {
    "CJK": ("Chinese", "zh"),
    "JAPANESE": ("Japanese", "ja-mecab (install metra[ja]) or tok=char"),
    "MYANMAR": ("Burmese", "char or tok=spm@MODEL"),
}
_OTHER_CUT = "char or tok=spm@MODEL"

_Column = TypeVar("_Column")
#: Name of the source among the texts.
SOURCE = "source"


class LineBlock(NamedTuple):
    """Consecutive lines in a sample, and which segment the first is, counted from 1."""

    segment: int
    start: int
    stop: int


class TextSample:
    """Some lines of every text of a corpus; missing lines are None."""

    def __init__(self, toks: Mapping[str, str], scope: str) -> None:
        #: How metrics that have a choice cut text into words, by spec.
        self.toks = toks
        #: References and outputs by their names in messages.
        self.columns: dict[str, list[str | None]] = {}
        self.source: list[str | None] | None = None
        self.blocks: list[LineBlock] = []
        #: The outputs that are compared with references, in a corpus of any size.
        self.systems: Sequence[str] = ()
        #: Names of texts whose lines are all equal, in so many segments: all, or the first.
        self.equal: list[list[str]] = []
        self.segments = 0
        self.scope = scope

    def __len__(self) -> int:
        """Count the lines of each text."""
        return self.blocks[-1].stop if self.blocks else 0

    @property
    def refs(self) -> list[list[str | None]]:
        """The references."""
        return [self.columns[name] for name in self.columns if _has_reference([name])]

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """All texts but the source, by their names in messages."""
        return {name: _fill_gaps(lines) for name, lines in self.columns.items()}

    @cached_property
    def reference(self) -> list[str]:
        """The first reference that each line has."""
        rows = zip(*self.refs, strict=True)
        return [next((line for line in row if line is not None), "") for row in rows]

    @cached_property
    def letters(self) -> dict[str, Counter[str]]:
        """Letters of each script, by text."""
        return {name: _count_letters(lines) for name, lines in self.texts.items()}

    @cached_property
    def is_unspaced(self) -> bool:
        """True if the script of the reference has no blanks between words."""
        return bool(_find_unspaced_script(_count_letters(self.reference)))

    @cached_property
    def copies(self) -> dict[str, float]:
        """Share of lines copied from the source, of outputs with many such lines.

        Single words, and lines whose reference is the source, too, such as addresses, do
        not count.
        """
        if self.source is None:
            return {}
        lines = list(map(str.strip, _fill_gaps(self.source)))
        is_unspaced = bool(_find_unspaced_script(_count_letters(lines)))
        references = self.reference if self.refs else [""] * len(self)
        sources = {
            index: line
            for index, (line, reference) in enumerate(
                zip(lines, references, strict=True)
            )
            if line != reference.strip()
            and len(line if is_unspaced else line.split()) > 1
        }
        copies = {}
        for name, output in self.texts.items():
            equal = sum(output[index].strip() == sources[index] for index in sources)
            is_output = not _has_reference([name])
            if is_output and _is_many(equal, MANY_COPIED, len(sources)):
                copies[name] = equal / len(sources)
        return copies


def name_columns(
    refs: Iterable[_Column], outputs: Mapping[str, _Column]
) -> dict[str, _Column]:
    """Give columns by their names in messages, references first."""
    columns = {f"reference {number}": column for number, column in enumerate(refs, 1)}
    return columns | {f"output {name!r}": outputs[name] for name in outputs}


def check_names(sample: TextSample) -> Iterator[str]:
    """Find outputs with the name of a reference, but other lines."""
    equal = {name for names in sample.equal if _has_reference(names) for name in names}
    for name in sample.systems:
        is_reference = re.fullmatch(_REFERENCE_NAME, name)
        if is_reference and f"output {name!r}" not in equal:
            yield (
                f"The output {name!r} has the name of a reference but is scored as a "
                "system; if it is a reference, give it with `refs`."
            )


def _has_reference(names: Iterable[str]) -> bool:
    return any(name.startswith("reference") for name in names)


def check_equal_texts(sample: TextSample) -> Iterator[str]:
    """Find outputs and references given twice, or one as the other."""
    for names in sample.equal:
        references = [name for name in names if _has_reference([name])]
        outputs = [name for name in names if name not in references]
        equal = f"equal in {sample.scope} {sample.segments} segments"
        if len(references) > 1:
            yield (
                f"{_begin_sentence(references)} are {equal}; leave out all but one, because "
                "copies add nothing."
            )
        if references and outputs:
            yield (
                f"{_begin_sentence([references[0], *outputs])} are {equal}; check that the "
                "reference was not given as a system."
            )
        elif outputs:
            yield (f"{_begin_sentence(outputs)} are {equal}; check the files.")


def check_shifts(sample: TextSample) -> Iterator[str]:
    """Find texts whose lines have the words of the reference's lines before or after."""
    if not sample.refs:
        return
    expected = _LineWords(sample.reference, sample.is_unspaced)
    for name, lines in list(sample.texts.items())[1:]:
        words = _LineWords(lines, sample.is_unspaced)
        for block in sample.blocks:
            offset = _find_offset(words, expected, block)
            if offset:
                distance = "one line" if abs(offset) == 1 else f"{abs(offset)} lines"
                yield (
                    f"The lines of {_name_texts([name])} seem shifted: from segment "
                    f"{block.segment} on they match the reference {distance} "
                    f"{'later' if offset > 0 else 'earlier'}; look for lines that are "
                    "missing, added or broken in two before it."
                )
                break


class _LineWords(dict[int, set[str]]):
    """The words of lines, each collected when it is needed; of unspaced scripts, bigrams."""

    def __init__(self, lines: Sequence[str], is_unspaced: bool) -> None:
        self._lines, self._is_unspaced = lines, is_unspaced

    def __missing__(self, index: int) -> set[str]:
        line = self._lines[index]
        pairs = map("".join, pairwise(line)) if self._is_unspaced else None
        self[index] = set(pairs or line.lower().split())
        return self[index]


def _find_offset(words: _LineWords, expected: _LineWords, block: LineBlock) -> int:
    """Return how many lines later the words of a block are in the reference, mostly 0."""
    inner = range(block.start + MARGIN, block.stop - MARGIN)
    if len(inner) < LEAST - 2 * MARGIN:
        return 0

    def measure_overlaps(indices: Sequence[int], offset: int) -> list[float]:
        pairs = ((words[index], expected[index + offset]) for index in indices)
        return [
            2 * len(own & others) / (len(own) + len(others) or 1)
            for own, others in pairs
        ]

    # A few lines that are in place clear a block.
    some = inner[::3]
    if sum(measure_overlaps(some, 0)) > IN_PLACE * len(some):
        return 0
    here = measure_overlaps(inner, 0)
    shifts = [(measure_overlaps(inner, offset), offset) for offset in (-2, -1, 1, 2)]
    shifted, offset = max(shifts, key=lambda shift: sum(shift[0]))
    least = max(SHIFT_RATIO * sum(here), SHIFT_LEAST * len(inner))
    nearer = sum(map(float.__gt__, shifted, here))
    is_shifted = sum(shifted) > least and nearer >= SHIFTED_LINES * len(inner)
    return offset if is_shifted else 0


def check_languages(sample: TextSample) -> Iterator[str]:
    """Find texts in another script, or without the frequent words of the reference."""
    if not sample.refs:
        return
    letters = _count_letters(sample.reference)
    script = _find_script(letters)
    scripts = _CHINESE if script == "CJK" else {script}
    words = _count_words(sample.reference, sample.is_unspaced)
    frequent = {word for word, _ in words.most_common(FREQUENT_WORDS)}

    def is_other(name: str, lines: Sequence[str]) -> bool:
        own = sample.letters[name]
        if _compare_shares(scripts, own, letters, LEAST_LETTERS) < SAME_SCRIPT:
            return True
        own = _count_words(lines, sample.is_unspaced)
        return _compare_shares(frequent, own, words, LEAST_WORDS) < SAME_LANGUAGE

    texts = sample.texts.items()
    others = [name for name, lines in texts if is_other(name, lines)]
    others = [name for name in others if name not in sample.copies]
    if others:
        yield (
            f"The language of {_name_texts(others)} does not look like that of the reference; "
            "check that the files belong together."
        )


def _count_words(lines: Sequence[str], is_unspaced: bool) -> Counter[str]:
    """Count words of some lines, with marks that follow them; of unspaced scripts, letters."""
    text = " ".join(_choose_lines(lines, ENOUGH_FOR_WORDS)).lower()
    words = text if is_unspaced else text.split()
    return Counter(word for word in words if word[0].isalpha())


def _compare_shares(
    keys: set[str], counts: Counter[str], expected: Counter[str], least: int
) -> float:
    """Divide the share of the keys by their expected share; 1 if there are too few counts."""
    if min(counts.total(), expected.total()) < least:
        return 1.0
    share, usual = (sum(map(own.__getitem__, keys)) for own in (counts, expected))
    return share / counts.total() * expected.total() / usual


def check_copies(sample: TextSample) -> Iterator[str]:
    """Find outputs that repeat the source."""
    copies = sample.copies
    if copies:
        verb = "equals" if len(copies) == 1 else "equal"
        limit = "" if len(copies) == 1 else "up to "
        yield (
            f"{_begin_sentence(list(copies))} {verb} the source in {limit}"
            f"{max(copies.values()):.0%} of the lines compared; check that the system has "
            "translated them."
        )


def check_empty_lines(sample: TextSample) -> Iterator[str]:
    """Find texts with many empty lines where other texts have something."""
    rows = zip(*sample.texts.values(), strict=True)
    expected = [any(map(str.strip, row)) for row in rows]
    for name, lines in sample.columns.items():
        empty = sum(
            line is not None and not line.strip() and is_expected
            for line, is_expected in zip(lines, expected, strict=True)
        )
        if _is_many(empty, MANY_EMPTY, len(lines)):
            yield (
                f"{_begin_sentence([name])} has no text in {empty} of the {len(lines)} lines "
                "compared; check that the file is complete."
            )


def check_tokenised(sample: TextSample) -> Iterator[str]:
    """Find texts with blanks before punctuation marks and other traces of tokenisers."""
    tokenised = [
        name
        for name, lines in sample.texts.items()
        if _is_tokenised(lines)
        or (_find_unspaced_script(sample.letters[name]) == "CJK" and _is_cut(lines))
    ]
    is_all = len(tokenised) == len(sample.texts)
    if tokenised and not (is_all and set(sample.toks.values()) == {"none"}):
        verb, pronoun = ("is", "it") if len(tokenised) == 1 else ("are", "them")
        yield (
            f"{_begin_sentence(tokenised)} {verb} tokenised text (spaces before "
            "punctuation or between Chinese characters, @-@ or &quot;), which "
            f"changes scores; detokenise {pronoun}, or if all texts are tokenised in "
            "the same way choose tok=none."
        )


def _is_tokenised(lines: Sequence[str]) -> bool:
    """Look for blanks before commas and full stops (French has none there), and escapes."""
    text = "\n".join(lines)
    # Few texts have any, which is quickly seen.
    if text.count(" ,") + text.count(" .") >= LEAST_LINES:
        parted = _count_lines(r" ,(?= )| \.\s*$", lines)
        if _is_many(parted, MANY_PARTED, _count_lines(r",|\.\s*$", lines)):
            return True
    if text.count("&") + text.count("@-@") < LEAST_LINES:
        return False
    escaped = _count_lines("@-@|&(?:apos|quot|#39|#91|#93);", lines)
    return _is_many(escaped, MANY_ESCAPED, len(lines))


def _count_lines(pattern: str, lines: Sequence[str]) -> int:
    return sum(map(bool, map(re.compile(pattern).search, lines)))


def _is_many(count: int, share: float, total: int) -> bool:
    return count >= max(LEAST_LINES, share * total)


def check_tokenisers(sample: TextSample) -> Iterator[str]:
    """Find metrics that cut at blanks, for texts of scripts that have none."""
    specs = [spec for spec, tok in sample.toks.items() if tok in _BY_BLANKS]
    texts = [sample.reference] if sample.refs else sample.texts.values()
    language_and_cut = (
        next(filter(None, map(_find_cut, texts)), None) if specs else None
    )
    if language_and_cut:
        language, cut = language_and_cut
        toks = dict.fromkeys(sample.toks[spec] for spec in specs)
        yield (
            f"The texts are {language}, which has no spaces between words, but "
            f"{', '.join(specs)} cut{'s' if len(specs) == 1 else ''} words with "
            f"tok={', '.join(toks)}; choose tok={cut}."
        )


def _find_cut(lines: Sequence[str]) -> tuple[str, str] | None:
    """Name the language and the tokeniser of an unspaced text; None for other texts."""
    counts = _count_letters(lines)
    script = _find_unspaced_script(counts)
    if not script or _is_cut(lines):
        return None
    kana = counts["HIRAGANA"] + counts["KATAKANA"]
    if script == "CJK" and kana >= 0.1 * counts["CJK"]:
        script = "JAPANESE"
    return _CUTS.get(script, (script.capitalize(), _OTHER_CUT))


def _is_cut(lines: Sequence[str]) -> bool:
    """Return True for many blanks between the letters of an unspaced script."""
    letter, text = r"[^\x00-\x7f\s]", "\n".join(lines)
    blanks = len(re.findall(f"(?<={letter}) +(?={letter})", text))
    return len(re.findall(letter, text)) < CUT_LENGTH * blanks


def _find_unspaced_script(counts: Counter[str]) -> str:
    """Find the script without blanks between words that many letters are of, if any."""
    if list(counts) == ["LATIN"]:
        return ""
    from metra.text.scripts import UNSPACED

    unspaced = Counter({script: counts[script] for script in {*UNSPACED, "TIBETAN"}})
    is_many = unspaced.total() > UNSPACED_SHARE * counts.total()
    return _find_script(unspaced) if is_many else ""


def _find_script(counts: Counter[str]) -> str:
    """Find the script of most letters; kana count as Chinese characters."""
    (script, _), *_ = counts.most_common(1) or [("", 0)]
    return "CJK" if script in _CHINESE else script


def _count_letters(lines: Sequence[str]) -> Counter[str]:
    """Count the letters of each script in some of the lines."""
    text = "".join(_choose_lines(lines, ENOUGH_FOR_LETTERS))
    if text.isascii():
        return Counter(LATIN=len(text.encode().translate(None, _NO_LETTERS)))
    from metra.text.scripts import count_script_letters

    return count_script_letters(text)


#: The characters of ASCII that are no letters.
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())


def _choose_lines(lines: Sequence[str], enough: int) -> Sequence[str]:
    """Choose lines, spread evenly, that have about so many characters."""
    return lines[:: 1 + sum(map(len, lines)) // enough]


def _fill_gaps(lines: Iterable[str | None]) -> list[str]:
    """Put nothing in the place of missing lines."""
    return [line or "" for line in lines]


def _name_texts(names: Sequence[str]) -> str:
    """Name references and outputs, not more than four outputs.

    >>> _name_texts(["reference 1", "output 'a'", "output 'b'"])
    "reference 1 and the outputs 'a', 'b'"
    """
    parts = []
    for kind, article in (("reference", ""), ("output", "the ")):
        own = [name.partition(" ")[2] for name in names if name.startswith(kind)]
        if own:
            more = f" and {len(own) - 4} more" if own[4:] else ""
            plural = "s" if own[1:] else ""
            parts.append(f"{article}{kind}{plural} {', '.join(own[:4])}{more}")
    return " and ".join(parts)


def _begin_sentence(names: Sequence[str]) -> str:
    """Name references and outputs at the start of a sentence."""
    text = _name_texts(names)
    return text[:1].upper() + text[1:]


#: The checks by the names of their guards, in the order of their warnings.
CHECKS: dict[str, Callable[[TextSample], Iterator[str]]] = {
    "equal texts": check_equal_texts,
    "shifted lines": check_shifts,
    "language": check_languages,
    "copied source": check_copies,
    "empty lines": check_empty_lines,
    "tokenised text": check_tokenised,
    "tokeniser": check_tokenisers,
}
