"""Guards: what in the texts looks like a mistake of files or settings, as warnings.

A `TextGuard` is a visitor of the pass in which metrics are counted. It keeps a bounded sample
of lines, so that its cost does not grow with the corpus; each check is a function of that
sample. Its warnings are `TextWarning`s of Python's warnings module; docs/guards.md lists them.
"""

import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from metra.errors import TextWarning

if TYPE_CHECKING:
    from metra.corpus.batch import CorpusChunk, SegmentColumn
    from metra.metrics.record import Metric

#: Fewer segments than this prove nothing about a file.
LEAST = 10
#: The sample has so many blocks of so many consecutive lines from a chunk.
BLOCKS, BLOCK = 6, 16
#: Segments at both ends of a block that are not looked for at other lines.
MARGIN = 2

#: Shares of lines from which on a warning is given.
MANY_EMPTY, MANY_TOKENISED, MANY_COPIED = 0.05, 0.25, 0.15
#: The frequent words of the reference, and how frequent an output has them at least,
#: relative to the reference. Real outputs had 0.64 at least, other languages 0.33 at most.
FREQUENT_WORDS, SAME_LANGUAGE = 50, 0.45
#: Fewer words than this show no language, and about so many lines are enough.
LEAST_WORDS, LANGUAGE_LINES = 100, 48
#: Shifted lines share this many times the words, and at least this share of them.
SHIFT_RATIO, SHIFT_LEAST = 2.0, 0.15
#: This share of a block's lines has to fit better where the block is shifted to.
SHIFTED_LINES = 2 / 3
#: Lines that share so many words with their reference are where they belong.
IN_PLACE = 0.35
#: Characters between two blanks, on average, from which on words are not parted by blanks.
UNSPACED_LENGTH = 6

#: What tokenisers leave behind; French, too, has no blank before these marks.
_TOKENISED = (" , ", " .\n", " ， ", " 。\n", "@-@", "&apos;", "&quot;", "&#91;")
_REFERENCE_NAME = re.compile(
    r"(?:.*[._-])?ref(?:erence)?s?(?:[._-]?(?:[a-z]|[0-9]{1,2}))?", re.IGNORECASE
)
#: Tokenisers that part words at blanks and punctuation only.
_BY_BLANKS = ("13a", "intl", "none")
#: What cuts scripts without blanks, by script.
_CUTS = {
    "CJK": ("Chinese", "zh"),
    "JAPANESE": ("Japanese", "ja-mecab (install metra[ja]) or tok=char"),
    "MYANMAR": ("Burmese", "char or tok=spm@MODEL"),
}
_OTHER_CUT = "char or tok=spm@MODEL"


class LineBlock(NamedTuple):
    """Consecutive lines in a sample, and which segment the first is, counted from 1."""

    segment: int
    start: int
    stop: int


@dataclass(slots=True)
class TextSample:
    """Some lines of every text of a corpus."""

    #: The outputs that are compared with references, in a corpus of any size.
    systems: Sequence[str] = ()
    outputs: dict[str, list[str]] = field(default_factory=dict)
    #: A missing reference is None.
    refs: list[list[str | None]] = field(default_factory=list)
    source: list[str | None] | None = None
    blocks: list[LineBlock] = field(default_factory=list)
    #: Names of texts whose lines are all equal, in the whole corpus of so many segments.
    equal: list[list[str]] = field(default_factory=list)
    segments: int = 0
    #: How metrics that have a choice cut text into words, by spec.
    toks: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        """Count the lines of each text."""
        return self.blocks[-1].stop if self.blocks else 0

    @property
    def reference(self) -> list[str]:
        """The first reference that each line has."""
        if len(self.refs) == 1:
            return [line or "" for line in self.refs[0]]
        return [
            next((line for line in lines if line is not None), "")
            for lines in zip(*self.refs, strict=True)
        ]

    def list_columns(self) -> "dict[str, Sequence[str | None]]":
        """Give all texts but the source, by their names in messages."""
        return _name_columns(self.refs, self.outputs)

    def list_texts(self) -> dict[str, list[str]]:
        """Give the same, with nothing in place of a missing reference."""
        columns = self.list_columns()
        return {name: [line or "" for line in columns[name]] for name in columns}


class LineAllowance:
    """How many lines may still be looked at, where calls are many and small.

    It holds lines in advance, and earns one for so many that are scored: in a loop the
    guards cost little, whatever the number of calls.
    """

    def __init__(self, lines: int = 20_000, *, scored_per_line: int = 50) -> None:
        self.lines: float = lines
        self.scored_per_line = scored_per_line

    def spend(self, looked: int, scored: int) -> bool:
        """Earn what scored lines earn; then take the lines, if there are so many left."""
        self.lines += scored / self.scored_per_line
        if looked > self.lines:
            return False
        self.lines -= looked
        return True


class TextGuard:
    """A visitor of the pass over a corpus: it samples lines and warns of what looks wrong."""

    def __init__(
        self, toks: Mapping[str, str], allowance: LineAllowance | None = None
    ) -> None:
        """Expect texts that are cut into words by `toks`, tokenisers by metric spec."""
        self.sample = TextSample(toks=toks)
        self._allowance = allowance
        self._chunks = 0

    def visit(self, chunk: "CorpusChunk") -> None:
        """Take lines from the chunks 0, 1, 2, 4, 8, … of the corpus."""
        number, size = self._chunks, len(chunk)
        self._chunks += 1
        if not number & (number - 1) and (number or size >= LEAST):
            self._take_sample(chunk, is_first=not number)
        sample = self.sample
        sample.systems = tuple(chunk.systems) if chunk.refs else ()
        sample.segments += size
        if sample.equal:
            sample.equal = _group_equal(sample.equal, chunk)

    def _take_sample(self, chunk: "CorpusChunk", *, is_first: bool) -> None:
        """Add lines of a chunk to the sample, if the first chunk is in it and they may be."""
        sample, held, size = self.sample, len(self.sample), len(chunk)
        if not is_first and not held:
            return
        columns = len(chunk.systems) + len(chunk.refs)
        blocks = _choose_blocks(size)
        looked = sum(stop - start for start, stop in blocks) * columns
        if self._allowance and not self._allowance.spend(looked, size * columns):
            return
        indices = [index for bounds in blocks for index in range(*bounds)]
        for name, column in chunk.systems.items():
            lines = sample.outputs.setdefault(name, [])
            lines += [line or "" for line in _take_lines(column, indices)]
        if not held:
            sample.refs = [[] for _ in chunk.refs]
            sample.source = [] if chunk.source else None
        for reference, column in zip(sample.refs, chunk.refs, strict=True):
            reference += _take_lines(column, indices)
        if sample.source is not None and chunk.source:
            sample.source += _take_lines(chunk.source, indices)
        for start, stop in blocks:
            block = LineBlock(chunk.first + start + 1, held, held + stop - start)
            sample.blocks.append(block)
            held = block.stop
        if is_first:
            sample.equal = _find_equal(sample)

    def list_problems(self) -> list[str]:
        """Say what looks wrong, a sentence each."""
        problems = list(_check_names(self.sample))
        if len(self.sample):
            problems += [text for check in CHECKS for text in check(self.sample)]
        return problems

    def warn(self) -> None:
        """Give a warning for each problem, at the line of the code that called metra."""
        for problem in self.list_problems():
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


_Column = TypeVar("_Column")


def _name_columns(
    refs: Iterable[_Column], outputs: Mapping[str, _Column]
) -> dict[str, _Column]:
    """Give columns by their names in messages."""
    columns = {f"reference {number}": column for number, column in enumerate(refs, 1)}
    return columns | {f"output {name!r}": outputs[name] for name in outputs}


def _choose_blocks(size: int) -> list[tuple[int, int]]:
    """Spread blocks over a chunk, from its first to its last line; all of a small one."""
    if size <= BLOCKS * BLOCK:
        count = max(1, round(size / BLOCK))
        bounds = [size * number // count for number in range(count + 1)]
        return list(pairwise(bounds))
    starts = [(size - BLOCK) * number // (BLOCKS - 1) for number in range(BLOCKS)]
    return [(start, start + BLOCK) for start in starts]


def _take_lines(column: "SegmentColumn", indices: Sequence[int]) -> list[str | None]:
    text = column.text
    return [text[index] for index in indices]


def _find_equal(sample: TextSample) -> list[list[str]]:
    """Group the texts that are equal in the sample; texts that say next to nothing are not."""
    names_by_text: dict[tuple[str, ...], list[str]] = {}
    for name, lines in sample.list_texts().items():
        names_by_text.setdefault(tuple(map(str.strip, lines)), []).append(name)
    return [
        names
        for lines, names in names_by_text.items()
        if len(names) > 1 and len(set(lines) - {""}) >= LEAST // 2
    ]


def _group_equal(groups: list[list[str]], chunk: "CorpusChunk") -> list[list[str]]:
    """Part the groups by the lines of a chunk; a text alone is dropped."""
    columns = _name_columns(chunk.refs, chunk.systems)
    parted = []
    for names in groups:
        names_by_text: dict[tuple[str, ...], list[str]] = {}
        for name in names:
            lines = _take_lines(columns[name], range(len(chunk)))
            text = tuple((line or "").strip() for line in lines)
            names_by_text.setdefault(text, []).append(name)
        parted += [same for same in names_by_text.values() if len(same) > 1]
    return parted


def _count_own_frames() -> int:
    """Count the frames of this package from the caller on, so that warnings name its user."""
    depth = 1
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("metra."):
        depth += 1
        frame = frame.f_back
    return depth


def _check_names(sample: TextSample) -> Iterator[str]:
    """Find outputs with the name of a reference, but other lines."""
    # The first of equal texts is a reference, if one of them is.
    equal = [names for names in sample.equal if names[0].startswith("reference")]
    for name in sample.systems:
        is_equal = any(f"output {name!r}" in names for names in equal)
        if _REFERENCE_NAME.fullmatch(name) and not is_equal:
            yield (
                f"The output {name!r} has the name of a reference, but is scored as a "
                "system; if it is a reference, give it with `refs`."
            )


def _check_equal_texts(sample: TextSample) -> Iterator[str]:
    """Find outputs and references that are given twice, or one as the other."""
    for names in sample.equal:
        references = [name for name in names if name.startswith("reference")]
        outputs = [name for name in names if name not in references]
        equal = f"equal in all {sample.segments} segments"
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
            yield (
                f"{_begin_sentence(outputs)} are {equal}; check that the files are the "
                "right ones."
            )


def _check_tokenised(sample: TextSample) -> Iterator[str]:
    """Find texts with blanks before punctuation marks and other traces of tokenisers."""
    texts = sample.list_texts()
    tokenised = [name for name, lines in texts.items() if _is_tokenised(lines)]
    by_choice = set(sample.toks.values()) == {"none"} and len(tokenised) == len(texts)
    if tokenised and not by_choice:
        verb = "is" if len(tokenised) == 1 else "are"
        yield (
            f"{_begin_sentence(tokenised)} {verb} tokenised text (blanks before punctuation, "
            "@-@ or &apos;), which changes scores; detokenise it, or if all texts are "
            "tokenised in the same way choose tok=none."
        )


def _is_tokenised(lines: Sequence[str]) -> bool:
    many = max(3, MANY_TOKENISED * sum(map(bool, lines)))
    text = "\n".join([*lines, ""])
    # The marks of the whole text are counted first, which is much quicker.
    if sum(map(text.count, _TOKENISED)) < many:
        return False
    marked = sum(any(mark in f"{line}\n" for mark in _TOKENISED) for line in lines)
    return marked >= many


def _check_tokenisers(sample: TextSample) -> Iterator[str]:
    """Find metrics that cut at blanks, for texts of scripts that have none."""
    specs = [spec for spec, tok in sample.toks.items() if tok in _BY_BLANKS]
    texts = [sample.reference] if sample.refs else sample.outputs.values()
    for lines in texts:
        language, cut = _find_cut(lines)
        if specs and cut:
            toks = dict.fromkeys(sample.toks[spec] for spec in specs)
            yield (
                f"The texts are {language}, which has no blanks between words, but "
                f"{', '.join(specs)} cut{'s' if len(specs) == 1 else ''} words with "
                f"tok={', '.join(toks)}; choose tok={cut}."
            )
            return


def _find_cut(lines: Sequence[str]) -> tuple[str, str]:
    """Name the language and the tokeniser of an unspaced text; nothing for other texts."""
    if not _has_unspaced_script(lines):
        return "", ""
    script = _find_script(lines)
    text = "\n".join(lines)
    if len(text) < UNSPACED_LENGTH * len(text.split()):
        return "", ""
    if script == "CJK":
        has_kana = re.search("[\u3041-\u30fa].*[\u3041-\u30fa]", text)
        return _CUTS["JAPANESE" if has_kana else "CJK"]
    return _CUTS.get(script, (script.capitalize(), _OTHER_CUT))


def _has_unspaced_script(lines: Sequence[str]) -> bool:
    """Whether the script has no blanks between words, even if a tokeniser has put some."""
    from metra.text.scripts import UNSPACED

    return _find_script(lines) in UNSPACED


def _find_script(lines: Sequence[str]) -> str:
    """Find the script of most letters; kana count as Chinese characters."""
    text = "".join(lines[:LANGUAGE_LINES])[:4000]
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        from metra.text.scripts import count_script_letters

        counts = count_script_letters(text).most_common(1)
        script = counts[0][0] if counts else ""
        return "CJK" if script in ("HIRAGANA", "KATAKANA") else script
    return "LATIN"


def _check_copies(sample: TextSample) -> Iterator[str]:
    """Find outputs that repeat the source."""
    copies = _list_copies(sample)
    if copies:
        verb = "equals" if len(copies) == 1 else "equal"
        limit = "" if len(copies) == 1 else "up to "
        yield (
            f"{_begin_sentence(list(copies))} {verb} the source in {limit}"
            f"{max(copies.values()):.0%} of the lines compared; check that the system has "
            "translated them."
        )


def _list_copies(sample: TextSample) -> dict[str, float]:
    """Give the share of lines that are the source's, of outputs with many such lines.

    Lines whose reference is the source, too, such as addresses, do not count.
    """
    if sample.source is None:
        return {}
    references = sample.reference if sample.refs else [""] * len(sample)
    lines = list(zip(sample.source, references, strict=True))
    copies = {}
    for name, output in sample.outputs.items():
        equal = sum(
            text == source != reference and " " in text.strip()
            for text, (source, reference) in zip(output, lines, strict=True)
        )
        if equal >= max(3, MANY_COPIED * len(sample)):
            copies[f"output {name!r}"] = equal / len(sample)
    return copies


def _check_empty_lines(sample: TextSample) -> Iterator[str]:
    """Find texts with many empty lines where other texts have something."""
    rows = zip(*sample.list_texts().values(), strict=True)
    expected = [any(map(str.strip, row)) for row in rows]
    for name, lines in sample.list_columns().items():
        empty = sum(
            line is not None and not line.strip() and is_expected
            for line, is_expected in zip(lines, expected, strict=True)
        )
        if empty >= max(3, MANY_EMPTY * len(lines)):
            yield (
                f"{_begin_sentence([name])} has no text in {empty} of the {len(lines)} lines "
                "compared; check that the file is complete."
            )


def _check_languages(sample: TextSample) -> Iterator[str]:
    """Find texts in another script, or without the frequent words of the reference."""
    if not sample.refs:
        return
    reference = sample.reference
    is_unspaced = _has_unspaced_script(reference)
    script = _find_script(reference)
    counts = Counter(_list_words(reference, is_unspaced))
    total = counts.total()
    if total < LEAST_WORDS:
        return
    frequent = {word for word, _ in counts.most_common(FREQUENT_WORDS)}
    expected = sum(counts[word] for word in frequent) / total
    copies = _list_copies(sample)
    others = []
    for name, lines in sample.list_texts().items():
        words = _list_words(lines, is_unspaced)
        share = sum(map(frequent.__contains__, words)) / (len(words) or 1)
        is_other = len(words) >= LEAST_WORDS and share < SAME_LANGUAGE * expected
        if (is_other or _find_script(lines) not in ("", script)) and name not in copies:
            others.append(name)
    if others:
        yield (
            f"The language of {_name_texts(others)} does not look like that of the reference; "
            "check that the files belong together."
        )


def _list_words(lines: Sequence[str], is_unspaced: bool) -> list[str]:
    """List words of some lines, with marks that follow them; of unspaced scripts, letters."""
    text = " ".join(lines[:: 1 + len(lines) // LANGUAGE_LINES]).lower()
    if is_unspaced:
        return [letter for letter in text if letter.isalpha()]
    return [word for word in text.split() if word[0].isalpha()]


def _check_shifts(sample: TextSample) -> Iterator[str]:
    """Find texts whose lines have the words of the reference's lines before or after."""
    if not sample.refs:
        return
    reference = sample.reference
    is_unspaced = _has_unspaced_script(reference)
    expected = [_collect_words(line, is_unspaced) for line in reference]
    shifted: dict[str, tuple[int, int]] = {}
    for name, lines in list(sample.list_texts().items())[1:]:
        for block in sample.blocks:
            offset = _find_offset(lines, expected, block, is_unspaced)
            if offset:
                shifted[name] = block.segment, offset
                break
    for name, (segment, offset) in shifted.items():
        distance = "one line" if abs(offset) == 1 else f"{abs(offset)} lines"
        yield (
            f"The lines of {_name_texts([name])} seem shifted: from segment {segment} on "
            f"they fit the reference {distance} {'later' if offset > 0 else 'earlier'}; "
            "look for lines that are missing, added or broken in two before it."
        )


def _collect_words(line: str, is_unspaced: bool) -> set[str]:
    if is_unspaced:
        return set(map("".join, pairwise(line)))
    return set(line.lower().split())


def _find_offset(
    lines: Sequence[str],
    expected: Sequence[set[str]],
    block: LineBlock,
    is_unspaced: bool,
) -> int:
    """Return how many lines later the words of a block are in the reference, mostly 0."""
    inner = range(block.start + MARGIN, block.stop - MARGIN)
    if len(inner) < LEAST - 2 * MARGIN:
        return 0

    def measure_overlaps(indices: Sequence[int], offset: int) -> list[float]:
        overlaps = []
        for index in indices:
            words = _collect_words(lines[index], is_unspaced)
            others = expected[index + offset]
            size = len(words) + len(others)
            overlaps.append(2 * len(words & others) / (size or 1))
        return overlaps

    # A few lines that are in place clear a block.
    some = inner[::3]
    if sum(measure_overlaps(some, 0)) > IN_PLACE * len(some):
        return 0
    here = measure_overlaps(inner, 0)
    shifts = [(measure_overlaps(inner, offset), offset) for offset in (-2, -1, 1, 2)]
    there, offset = max(shifts, key=lambda shift: sum(shift[0]))
    least = max(SHIFT_RATIO * sum(here), SHIFT_LEAST * len(inner))
    nearer = sum(map(float.__gt__, there, here))
    is_shifted = sum(there) > least and nearer >= SHIFTED_LINES * len(inner)
    return offset if is_shifted else 0


#: The checks of a sample, in the order of their warnings.
CHECKS = (
    _check_equal_texts,
    _check_shifts,
    _check_languages,
    _check_copies,
    _check_empty_lines,
    _check_tokenised,
    _check_tokenisers,
)


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
