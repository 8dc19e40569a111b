"""Checks for what the lines of an output have in common, and those of the references lack.

No list of marks is complete. Whatever stands around each line, in its place or between its
words shows by comparison: beginnings and ends, repeated lines, length, blanks, tabs and case.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, islice
from operator import itemgetter
from string import digits

from metra.scoring.text_sample import (
    LEAST_LINES,
    TextLines,
    TextSample,
    has_reference,
    is_many,
)

#: This share of lines begins or ends alike; or fewer do, with so many characters.
MOST_ALIKE, SOME_ALIKE, LONG_PART = 0.8, 0.2, 10
#: So many characters of a line are read from its beginning and its end.
END = 30
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
#: Fewer characters than this show nothing about a text.
LEAST_CHARACTERS = 400

#: An id before the text, with zeros for numbers: utt0 or spk0_0.
_ID = re.compile(r"(?=\S*[^\W\d_])\S*0\S* ")
_SENTENCE_ENDS = ".!?。！？।؟…"
_SENTENCE_MARKS = ".,;:!?。，、；：！？।؟،"


def find_contrasts(sample: TextSample, named: Collection[str]) -> Iterator[str]:
    """Find outputs that differ from all references in what their lines have in common.

    Of `named` texts something has been said already.
    """
    if not sample.refs:
        return
    usual = sample.references
    is_unspaced = bool(sample.reference.unspaced_script)
    for name, own in sample.texts.items():
        if not own.filled:
            continue
        problems = _find_columns(own)
        if not has_reference([name]) and name not in named:
            problems = chain(
                _find_repeats(own, usual),
                _find_parts(own, usual),
                problems,
                _compare_totals(own, usual, is_unspaced),
            )
        for problem in islice(problems, 1):
            yield f"{name.title() if has_reference([name]) else f'The {name}'} {problem}."


def _find_parts(own: TextLines, usual: TextLines) -> Iterator[str]:
    """Find beginnings and ends of lines that the references do not have."""
    for verb, step in (("begin", 1), ("end", -1)):
        if step > 0 and not _begin_alike(own):
            continue
        part, count = _find_common_part(own, step)
        if not part:
            continue
        test = str.startswith if step > 0 else str.endswith
        lines = _cut_ends(usual, step, None)
        share = sum(test(line, part) for line in lines) / (len(usual) or 1)
        is_most = count >= MOST_ALIKE * len(own)
        if (is_most and share < MOST_ALIKE / 2) or (
            len(part) >= LONG_PART and share < SOME_ALIKE / 2
        ):
            rest = "those of the references do not"
        elif is_most and step > 0 and (len(part) >= LONG_BEGINNING or _ID.match(part)):
            rest = "so do those of the references"
        else:
            continue
        yield (
            f"has {count} of {len(own)} lines that {verb} with {part!r} (0 for any number), "
            f"and {rest}; remove what is not part of the translation"
        )


def _begin_alike(text: TextLines) -> bool:
    """Return True if some lines begin with the same character; any digit is one."""
    counts = Counter(text.firsts)
    counts["0"] = sum(counts.pop(digit, 0) for digit in digits)
    return is_many(max(counts.values()), SOME_ALIKE, len(text))


def _find_common_part(text: TextLines, step: int) -> tuple[str, int]:
    """Return the longest part that most lines begin with, or some, and how many do.

    With a step of -1, lines are read from their ends.
    """
    part = "", 0
    # Few texts have such parts: short ends show that at less cost.
    for width in (END, None):
        part = _find_part(_cut_ends(text, step, width), step, text.size)
        if not part[0]:
            break
    return part


def _cut_ends(text: TextLines, step: int, width: int | None) -> list[str]:
    """Cut lines off after some characters, or before, with a zero for any number."""
    cut = slice(width) if step > 0 else slice(width and -width, None)
    ends = "\n".join(line[cut] for line in text.filled)
    return re.sub(r"\d+", "0", ends).split("\n")


def _find_part(lines: Sequence[str], step: int, total: int) -> tuple[str, int]:
    """Find the longest common part of lines that have so many characters in total."""
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
        is_mark = not is_word or re.match(r"0\W|\w{3}\W", best) or _ID.match(best)
        # Lines that are the same as a whole have no text beside such a part.
        if words and is_mark and 2 * len(words) * len(lines) <= total:
            return best, number
    return "", 0


def _find_columns(own: TextLines) -> Iterator[str]:
    """Find texts whose lines have several columns."""
    for mark, title in (("\t", "tabs"), ("|||", "bars (|||)")):
        if mark[0] not in own.joined:
            continue
        count = sum(mark in line.strip() for line in own.filled)
        if is_many(count, MOST_ALIKE, len(own)):
            yield (
                f"has {title} in {count} of {len(own)} lines, as tables have; give the "
                "column of texts alone"
            )


def _find_repeats(own: TextLines, usual: TextLines) -> Iterator[str]:
    """Find an output of which many lines are one, are said twice, or are cut at a length."""
    line, count = max(own.repeats.items(), key=itemgetter(1))
    others = max(usual.repeats.values(), default=0) if count >= LEAST_LINES else 0
    expected = others * len(own) / len(usual) if others > 1 else 0
    is_odd = is_many(count, MANY_REPEATED, len(own)) and count > 2 * expected + 2
    if is_odd or (line == "0" and is_many(count, MANY_NUMBERS, len(own))):
        what = "has numbers alone" if line == "0" else f"repeats the line {line[:40]!r}"
        yield (
            f"{what} in {count} of {len(own)} lines with text; check that these are "
            "translations"
        )
    doubled = sum(map(_is_doubled, own.filled))
    if is_many(doubled, MOST_DOUBLED, len(own)):
        yield f"says {doubled} of {len(own)} lines twice; check that each is given once"
    lengths = [*map(len, own.filled)]
    cut = lengths.count(longest := max(lengths))
    if is_many(cut, MOST_CUT, len(own)) and longest > 1:
        if longest in map(len, usual.filled):
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
    own: TextLines, usual: TextLines, is_unspaced: bool
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


def _divide_frequent(own: TextLines, usual: TextLines) -> float:
    """Divide the share of the references' frequent words by the one that they have."""
    counts = _count_words(own), _count_words(usual)
    frequent = [word for word, _ in counts[1].most_common(FREQUENT_WORDS)]
    share, expected = (sum(map(c.__getitem__, frequent)) / c.total() for c in counts)
    return share / expected


def _count_words(text: TextLines) -> Counter[str]:
    return Counter(text.joined.lower().split())


def _divide_shares(
    own: TextLines, usual: TextLines, is_kind: Callable[[str], bool]
) -> float:
    """Divide the share of a kind of characters by that of others; 1 if neither has it."""
    count, others = own.count(is_kind), usual.count(is_kind)
    if not count and not others:
        return 1.0
    total, size = own.characters.total(), usual.characters.total()
    return count / total / max(others / size, 0.5 / size)
