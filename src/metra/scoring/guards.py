"""Guards: what in the texts looks like a mistake of files or settings, as warnings.

A `TextGuard` is a visitor of the pass in which metrics are counted. It keeps a bounded sample
of lines, so that its cost does not grow with the corpus. A check is a function of the sample
that gives a sentence for each problem, a `TextWarning` of Python's warnings module;
docs/guards.md lists the checks, and the texts that their limits were set on.
"""

import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from metra.errors import TextWarning

if TYPE_CHECKING:
    from metra.corpus.batch import CorpusChunk, SegmentColumn
    from metra.metrics.record import Metric

#: So many blocks of lines are taken from the first chunk, and from others; lines of a block.
FIRST_BLOCKS, BLOCKS, BLOCK = 6, 2, 16
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

#: Name of the source among the texts.
SOURCE = "source"


#: Blocks of lines of a chunk, and these lines by the names of the texts.
_Excerpt: TypeAlias = tuple[list[tuple[int, int]], dict[str, list[str | None]]]


class TextGuard:
    """A visitor of the pass over a corpus: it samples lines and warns of what looks wrong."""

    def __init__(self, toks: Mapping[str, str], *, scope: str = "all") -> None:
        """Expect texts cut into words by `toks`, tokenisers by metric spec.

        The guard sees `scope` segments of the corpus: all, or the first.
        """
        self._sample = TextSample(toks, scope)
        #: The length of the first chunk, and lines of chunks by their first segment.
        self._unit = 0
        self._excerpts: dict[int, _Excerpt] = {}

    def visit(self, chunk: "CorpusChunk") -> None:
        """Take lines from the first chunk, and from those that reach 1, 2, 4, … times its end.

        After the first chunk, they may come in any order.
        """
        size, sample = len(chunk), self._sample
        if not self._unit:
            self._unit = size
            if size >= LEAST:
                excerpt = _take_excerpt(chunk, FIRST_BLOCKS)
                self._excerpts[chunk.first] = excerpt
                names = [name for name in excerpt[1] if name != SOURCE]
                sample.equal = _part_equal([names], excerpt[1], LEAST // 2)
        elif self._excerpts:
            least = max(1, -(-chunk.first // self._unit))
            power = 1 << (least - 1).bit_length()
            if chunk.first <= power * self._unit < chunk.first + size:
                self._excerpts[chunk.first] = _take_excerpt(chunk, BLOCKS)
        sample.systems = tuple(chunk.systems) if chunk.refs else ()
        sample.segments += size
        if sample.equal:
            columns = _name_columns(chunk)
            lines = {
                name: _take_lines(columns[name], range(size))
                for name in chain.from_iterable(sample.equal)
            }
            sample.equal = _part_equal(sample.equal, lines)

    def find_problems(self) -> list[tuple[str, str]]:
        """Say what looks wrong, a sentence each, with the name of the guard."""
        sample = self.build_sample()
        checks = {"names": check_names, **(CHECKS if len(sample) else {})}
        return [(name, text) for name in checks for text in checks[name](sample)]

    def build_sample(self) -> "TextSample":
        """Join the lines that were taken, in the order of the corpus."""
        sample, lines = replace(self._sample, columns={}, blocks=[]), 0
        for first, (blocks, columns) in sorted(self._excerpts.items()):
            for name, own in columns.items():
                sample.columns.setdefault(name, []).extend(own)
            for start, stop in blocks:
                block = LineBlock(first + start + 1, lines, lines + stop - start)
                sample.blocks.append(block)
                lines = block.stop
        sample.source = sample.columns.pop(SOURCE, None)
        return sample

    def warn(self) -> None:
        """Give a warning for each problem, at the line of the code that called metra."""
        for _, problem in self.find_problems():
            warnings.warn(problem, TextWarning, stacklevel=_count_own_frames())


def list_toks(metrics: "Mapping[str, Metric]") -> dict[str, str]:
    """Give the tokeniser of each metric whose score depends on where words are cut."""
    return {
        spec: str(metric.options["tok"])
        for spec, metric in metrics.items()
        if "tok" in metric.options
        and metric.name != "ser"
        and not metric.options.get("asian")
    }


def _take_excerpt(chunk: "CorpusChunk", most: int) -> _Excerpt:
    """Take lines of so many blocks of a chunk."""
    blocks = _choose_blocks(len(chunk), most)
    indices = [index for bounds in blocks for index in range(*bounds)]
    columns = _name_columns(chunk)
    columns |= {SOURCE: chunk.source} if chunk.source else {}
    return blocks, {name: _take_lines(columns[name], indices) for name in columns}


def _choose_blocks(size: int, most: int) -> list[tuple[int, int]]:
    """Spread blocks over a chunk, from its first to its last line; all of a small one."""
    if size <= most * BLOCK:
        count = max(1, round(size / BLOCK))
        bounds = [size * number // count for number in range(count + 1)]
        return list(pairwise(bounds))
    starts = [(size - BLOCK) * number // (most - 1) for number in range(most)]
    return [(start, start + BLOCK) for start in starts]


def _take_lines(column: "SegmentColumn", indices: Iterable[int]) -> list[str | None]:
    return [column.text[index] for index in indices]


def _part_equal(
    groups: Iterable[Sequence[str]],
    columns: Mapping[str, Sequence[str | None]],
    least: int = 0,
) -> list[list[str]]:
    """Part groups of texts by lines; drop a text alone, or of few different lines."""
    parted: list[list[str]] = []
    for names in groups:
        by_text: dict[tuple[str, ...], list[str]] = {}
        for name in names:
            text = tuple((line or "").strip() for line in columns[name])
            by_text.setdefault(text, []).append(name)
        parted += [
            equal
            for text, equal in by_text.items()
            if len(equal) > 1 and len({*text} - {""}) >= least
        ]
    return parted


def _count_own_frames() -> int:
    """Count the frames of this package from the caller on, so that warnings name its user."""
    depth = 1
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("metra."):
        depth += 1
        frame = frame.f_back
    return depth


class LineBlock(NamedTuple):
    """Consecutive lines in a sample, and which segment the first is, counted from 1."""

    segment: int
    start: int
    stop: int


@dataclass
class TextSample:
    """Some lines of every text of a corpus; missing lines are None."""

    #: How metrics that have a choice cut text into words, by spec.
    toks: Mapping[str, str]
    scope: str
    #: The outputs that are compared with references, in a corpus of any size.
    systems: Sequence[str] = ()
    #: Names of texts whose lines are all equal, in so many segments: all, or the first.
    equal: list[list[str]] = field(default_factory=list)
    segments: int = 0
    #: References and outputs by their names in messages.
    columns: dict[str, list[str | None]] = field(default_factory=dict)
    source: list[str | None] | None = None
    blocks: list[LineBlock] = field(default_factory=list)

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
        columns = self.columns.items()
        return {name: [line or "" for line in lines] for name, lines in columns}

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
        lines = [(line or "").strip() for line in self.source]
        is_unspaced = bool(_find_unspaced_script(_count_letters(lines)))
        references = self.reference if self.refs else [""] * len(self)
        indices = [
            index
            for index, line in enumerate(lines)
            if line != references[index].strip()
            and len(line if is_unspaced else line.split()) > 1
        ]
        copies = {}
        for name, output in self.texts.items():
            equal = sum(output[index].strip() == lines[index] for index in indices)
            is_output = not _has_reference([name])
            if is_output and _is_many(equal, MANY_COPIED, len(indices)):
                copies[name] = equal / len(indices)
        return copies


def _name_columns(chunk: "CorpusChunk") -> "dict[str, SegmentColumn]":
    """Give columns by their names in messages, references first."""
    references = enumerate(chunk.refs, 1)
    columns = {f"reference {number}": column for number, column in references}
    return columns | {f"output {n!r}": column for n, column in chunk.systems.items()}


def check_names(sample: TextSample) -> Iterator[str]:
    """Find outputs with the name of a reference, but other lines."""
    equal = {name for names in sample.equal if _has_reference(names) for name in names}
    for name in sample.systems:
        if re.fullmatch(_REFERENCE_NAME, name) and f"output {name!r}" not in equal:
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
    expected = _collect_words(sample.reference, sample.is_unspaced)
    for name, lines in list(sample.texts.items())[1:]:
        words = _collect_words(lines, sample.is_unspaced)
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


def _collect_words(lines: Sequence[str], is_unspaced: bool) -> list[set[str]]:
    """Collect the words of each line; of unspaced scripts, bigrams."""
    if is_unspaced:
        return [set(map("".join, pairwise(line))) for line in lines]
    return [set(line.lower().split()) for line in lines]


def _find_offset(
    words: list[set[str]], expected: list[set[str]], block: LineBlock
) -> int:
    """Return how many lines later the words of a block are in the reference, mostly 0."""
    inner = range(block.start + MARGIN, block.stop - MARGIN)
    if len(inner) < LEAST - 2 * MARGIN:
        return 0

    def measure_overlaps(offset: int) -> list[float]:
        pairs = ((words[index], expected[index + offset]) for index in inner)
        return [
            2 * len(own & others) / (len(own) + len(others) or 1)
            for own, others in pairs
        ]

    here = measure_overlaps(0)
    # A few lines that are in place clear a block.
    if sum(here[::3]) > IN_PLACE * len(here[::3]):
        return 0
    shifts = [(measure_overlaps(offset), offset) for offset in (-2, -1, 1, 2)]
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

    others = [
        name
        for name, lines in sample.texts.items()
        if name not in sample.copies and is_other(name, lines)
    ]
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
    if copies := sample.copies:
        verb, limit = ("equals", "") if len(copies) == 1 else ("equal", "up to ")
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
    parted = _count_lines(r" ,(?= )| \.\s*$", lines)
    if _is_many(parted, MANY_PARTED, _count_lines(r",|\.\s*$", lines)):
        return True
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
    if specs and (cut := next(filter(None, map(_find_cut, texts)), None)):
        toks = dict.fromkeys(sample.toks[spec] for spec in specs)
        yield (
            f"The texts are {cut[0]}, which has no spaces between words, but "
            f"{', '.join(specs)} cut{'s' if len(specs) == 1 else ''} words with "
            f"tok={', '.join(toks)}; choose tok={cut[1]}."
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
            noun = f"{article}{kind}{'s' if own[1:] else ''}"
            parts.append(f"{noun} {', '.join(own[:4])}{more}")
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
