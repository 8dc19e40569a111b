"""Checks for what the lines of an output have in common, and those of the references lack.

No list of marks is complete. Whatever stands around each line, in its place or between its
words shows by comparison: beginnings and ends, repeated lines, length, blanks, tabs and case.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from operator import itemgetter

from metra.scoring.text_sample import TextSample, has_reference, is_many

#: This share of lines begins or ends alike; or fewer do, with so many characters.
MOST_ALIKE, SOME_ALIKE, LONG_PART = 0.8, 0.2, 10
#: Letters and numbers that are shorter may be words of the text, if no mark follows.
SHORT_WORDS = 5
#: Lines of all texts that begin with so many characters alike have marks of a tool.
LONG_BEGINNING = 8
#: This share of lines is one line, or numbers alone.
MANY_REPEATED, MANY_NUMBERS = 0.1, 0.2
#: Characters of an output for each of the references', at least and at most.
SHORTEST, LONGEST = 0.2, 3.0
#: This share of lines is said twice, or has as many characters as the longest one.
MOST_DOUBLED, MOST_CUT = 0.5, 0.4
#: An output of two languages is so many times as long as the references, and has at most so
#: many of their frequent words for each of its words.
LONG, HALF = 1.6, 0.75
#: Blanks for each character, relative to the references, at least and at most.
FEWEST_BLANKS, MOST_BLANKS = 0.4, 2.0
#: Letters that are capital, relative to the references, at least and at most; such letters.
FEWEST_CAPITALS, MOST_CAPITALS, LEAST_CAPITALS = 0.1, 6.0, 10
#: Marks at ends of sentences and between their parts, relative to the references, at least.
FEWEST_MARKS, LEAST_MARKS = 0.1, 10
FREQUENT_WORDS = 50
#: Of so many lines, half are looked at.
ENOUGH_LINES = 80
#: Fewer characters than this show nothing about a text.
LEAST_CHARACTERS = 400

_SENTENCE_ENDS = ".!?。！？।؟…"
_SENTENCE_MARKS = ".,;:!?。，、；：！？।؟،"


class LineStatistics:
    """Lines with text; their counts are made on first use."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Leave out lines without text."""
        self.lines = [line for line in lines if line.strip()]

    def __len__(self) -> int:
        """Count the lines."""
        return len(self.lines)

    @cached_property
    def numbered(self) -> list[str]:
        """The lines with a zero for any number."""
        return re.sub(r"\d+", "0", "\n".join(self.lines)).split("\n")

    @cached_property
    def repeats(self) -> Counter[str]:
        """The number of times each line occurs; a number alone is a zero."""
        lines = map(str.strip, self.lines)
        return Counter("0" if line.isdecimal() else line for line in lines)

    @cached_property
    def characters(self) -> Counter[str]:
        """The number of times each character occurs."""
        return Counter("".join(self.lines))

    @cached_property
    def size(self) -> int:
        """The number of characters."""
        return self.characters.total()

    def count(self, is_kind: Callable[[str], bool]) -> int:
        """Count the characters of a kind."""
        return sum(n for character, n in self.characters.items() if is_kind(character))

    def count_words(self) -> Counter[str]:
        """Count words in small letters."""
        return Counter(" ".join(self.lines).lower().split())


def find_contrasts(sample: TextSample, named: Collection[str]) -> Iterator[str]:
    """Find outputs that differ from all references in what their lines have in common.

    Of `named` texts something has been said already.
    """
    if not sample.refs:
        return
    references = [n for n in sample.texts if has_reference([n])]
    # Every second line of many is enough.
    step = 1 + (len(sample) >= ENOUGH_LINES)
    usual = LineStatistics(
        [line for n in references for line in sample.texts[n][::step]]
    )
    for name, lines in sample.texts.items():
        own = LineStatistics(lines[::step])
        if not len(own):
            continue
        problems = _find_columns(own)
        if name not in references and name not in named:
            problems = chain(
                _find_repeats(own, usual),
                _find_parts(own, usual),
                problems,
                _compare_totals(own, usual, sample.is_unspaced),
            )
        for problem in islice(problems, 1):
            yield f"{name.title() if name in references else f'The {name}'} {problem}."


def _find_parts(own: LineStatistics, usual: LineStatistics) -> Iterator[str]:
    """Find beginnings and ends of lines that the references do not have."""
    for verb, step in (("begin", 1), ("end", -1)):
        part, count = _find_part(own.numbered, step)
        if not part:
            continue
        test = str.startswith if step > 0 else str.endswith
        share = sum(test(line, part) for line in usual.numbered) / (len(usual) or 1)
        is_most = count >= MOST_ALIKE * len(own)
        if (is_most and share < MOST_ALIKE / 2) or (
            len(part) >= LONG_PART and share < SOME_ALIKE / 2
        ):
            rest = "those of the references do not"
        elif is_most and len(part) >= LONG_BEGINNING and step > 0:
            rest = "so do those of the references"
        else:
            continue
        yield (
            f"has {count} of {len(own)} lines that {verb} with {part!r} (0 for any number), "
            f"and {rest}; remove what is not part of the translation"
        )


def _find_part(lines: Sequence[str], step: int) -> tuple[str, int]:
    """Return the longest part that most lines begin with, or some, and how many do.

    With a step of -1, lines are read from their ends.
    """
    for share, size in ((MOST_ALIKE, 1), (SOME_ALIKE, LONG_PART)):
        best, number = "", 0
        while True:
            cut = slice(size) if step > 0 else slice(-size, None)
            counts = Counter(line[cut] for line in lines if len(line) >= size)
            part, count = max(counts.items(), key=itemgetter(1), default=("", 0))
            if not is_many(count, share, len(lines)):
                break
            best, number, size = part, count, size + 1
        words = best.strip().strip(_SENTENCE_ENDS if step < 0 else "").strip()
        is_word = words.replace(" ", "").isalnum() and len(words) < SHORT_WORDS
        is_mark = not is_word or re.match(r"0\W|\w{3}\W", best)
        # Lines that are the same as a whole have no text beside such a part.
        if words and is_mark and 2 * len(words) * len(lines) <= sum(map(len, lines)):
            return best, number
    return "", 0


def _find_columns(own: LineStatistics) -> Iterator[str]:
    """Find texts whose lines have several columns."""
    for mark, title in (("\t", "tabs"), ("|||", "bars (|||)")):
        count = sum(mark in line.strip() for line in own.lines if mark in line)
        if is_many(count, MOST_ALIKE, len(own)):
            yield (
                f"has {title} in {count} of {len(own)} lines, as tables have; give the "
                "column of texts alone"
            )


def _find_repeats(own: LineStatistics, usual: LineStatistics) -> Iterator[str]:
    """Find an output of which many lines are one, are said twice, or are cut at a length."""
    ((line, count),) = own.repeats.most_common(1)
    others = max(usual.repeats.values(), default=0)
    expected = others * len(own) / len(usual) if others > 1 else 0
    is_odd = is_many(count, MANY_REPEATED, len(own)) and count > 2 * expected + 2
    if is_odd or (line == "0" and is_many(count, MANY_NUMBERS, len(own))):
        what = "has numbers alone" if line == "0" else f"repeats the line {line[:40]!r}"
        yield (
            f"{what} in {count} of {len(own)} lines with text; check that these are "
            "translations"
        )
    doubled = sum(map(_is_doubled, own.lines))
    if is_many(doubled, MOST_DOUBLED, len(own)):
        yield f"says {doubled} of {len(own)} lines twice; check that each is given once"
    lengths = [*map(len, own.lines)]
    cut = lengths.count(longest := max(lengths))
    if is_many(cut, MOST_CUT, len(own)) and longest > 1:
        if longest in map(len, usual.lines):
            return
        yield (
            f"has {cut} of {len(own)} lines of {longest} characters, and none has more; check "
            "that they are not cut off"
        )


def _is_doubled(line: str) -> bool:
    """Return True if both halves of a line are the same."""
    half = len(line) // 2
    return half >= LONG_PART and line[:half].strip() == line[-half:].strip()


def _compare_totals(
    own: LineStatistics, usual: LineStatistics, is_unspaced: bool
) -> Iterator[str]:
    """Compare length, blanks, capital letters and punctuation of whole texts."""
    if min(own.size, usual.size) < LEAST_CHARACTERS:
        return
    blanks = _divide_shares(own, usual, str.isspace)
    if not is_unspaced and not FEWEST_BLANKS <= blanks <= MOST_BLANKS:
        kind = "fewer" if blanks < 1 else "more"
        yield (
            f"has far {kind} spaces between words than the references; check how its words "
            "are separated"
        )
    ratio = own.size / len(own) * len(usual) / usual.size
    is_double = ratio > LONG and _divide_frequent(own, usual) < HALF
    if is_double or not SHORTEST <= ratio <= LONGEST:
        yield (
            f"is {ratio:.1f} times as long as the references; check that each line is the "
            "translation of its segment, whole and alone"
        )
    capitals = max(text.count(str.isupper) for text in (own, usual))
    share = _divide_shares(own, usual, str.isupper)
    if capitals >= LEAST_CAPITALS and not FEWEST_CAPITALS <= share <= MOST_CAPITALS:
        kind = "hardly any" if share < 1 else "mostly"
        yield (
            f"has {kind} capital letters, unlike the references; restore the case, or choose "
            "case=lower"
        )
    is_common = usual.count(_SENTENCE_MARKS.__contains__) >= LEAST_MARKS
    marks = _divide_shares(own, usual, _SENTENCE_MARKS.__contains__)
    if is_common and marks < FEWEST_MARKS:
        yield (
            "has hardly any punctuation, and the references have; choose metrics that ignore "
            "it, or restore it"
        )


def _divide_frequent(own: LineStatistics, usual: LineStatistics) -> float:
    """Divide the share of the references' frequent words by the one that they have."""
    counts = own.count_words(), usual.count_words()
    frequent = [word for word, _ in counts[1].most_common(FREQUENT_WORDS)]
    share, expected = (sum(map(c.__getitem__, frequent)) / c.total() for c in counts)
    return share / expected


def _divide_shares(
    own: LineStatistics, usual: LineStatistics, is_kind: Callable[[str], bool]
) -> float:
    """Divide the share of a kind of characters by that of others; 1 if neither has it."""
    count, others = own.count(is_kind), usual.count(is_kind)
    if not count and not others:
        return 1.0
    return count / own.size / max(others / usual.size, 0.5 / usual.size)
