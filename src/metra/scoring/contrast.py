"""Checks for what the lines of an output have in common, and those of the references lack.

No list of marks is complete. Whatever stands around each line, in its place or between its
words shows by comparison: beginnings and ends, repeated lines, length, blanks, tabs and case.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice

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
#: Fewer characters than this show nothing about a text.
LEAST_CHARACTERS = 400

_SENTENCE_ENDS = ".!?。！？।؟…"
_SENTENCE_MARKS = re.compile(r"[.,;:!?。，、；：！？।؟،]")
#: A line that is a number alone.
_NUMBER = re.compile(r"\A\d+\Z")
_BLANKS = re.compile(r"\s")


def find_contrasts(sample: TextSample, named: Collection[str]) -> Iterator[str]:
    """Find outputs that differ from all references in what their lines have in common.

    Of `named` texts something has been said already.
    """
    if not sample.refs:
        return
    references = [n for n in sample.texts if has_reference([n])]
    usual = [line for name in references for line in sample.texts[name] if line]
    for name, lines in sample.texts.items():
        own = [line for line in lines if line.strip()]
        if not own:
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


def _find_parts(own: Sequence[str], usual: Sequence[str]) -> Iterator[str]:
    """Find beginnings and ends of lines that the references do not have."""
    for verb, step in (("begin", 1), ("end", -1)):
        part, count, others = _find_part(own, usual, step)
        share = others / (len(usual) or 1)
        is_mark = count >= MOST_ALIKE * len(own) and share < MOST_ALIKE / 2
        is_long = len(part) >= LONG_PART and share < SOME_ALIKE / 2
        is_common = len(part) >= LONG_BEGINNING and step > 0
        if is_mark or is_long:
            rest = "those of the references do not"
        elif is_common and count >= MOST_ALIKE * len(own):
            rest = "so do those of the references"
        else:
            continue
        yield (
            f"has {count} of {len(own)} lines that {verb} with {part!r} (0 for any number), "
            f"and {rest}; remove what is not part of the translation"
        )
        return


def _find_part(
    own: Sequence[str], usual: Sequence[str], step: int
) -> tuple[str, int, int]:
    """Return the longest part that most lines begin with, or some; its lines here and there.

    A number is a zero. With a step of -1, lines are read from their ends.
    """
    output, reference = (
        [re.sub(r"\d+", "0", line)[::step] for line in lines] for lines in (own, usual)
    )
    best = ("", 0, 0)
    for share, size in ((MOST_ALIKE, 1), (SOME_ALIKE, LONG_PART)):
        while True:
            counts = Counter(line[:size] for line in output if len(line) >= size)
            part, count = max(counts.items(), key=lambda item: item[1], default=("", 0))
            if not is_many(count, share, len(output)):
                break
            best = part[::step], count, sum(line.startswith(part) for line in reference)
            size += 1
        words = best[0].strip().strip(_SENTENCE_ENDS if step < 0 else "").strip()
        is_word = words.replace(" ", "").isalnum() and len(words) < SHORT_WORDS
        is_mark = not is_word or re.match(r"0\W|\w{3}\W", best[0])
        # Lines that are the same as a whole have no text beside such a part.
        if words and is_mark and 2 * len(words) <= sum(map(len, output)) / len(output):
            return best
        best = ("", 0, 0)
    return best


def _find_columns(lines: Sequence[str]) -> Iterator[str]:
    """Find texts whose lines have several columns."""
    for mark, title in (("\t", "tabs"), ("|||", "bars (|||)")):
        count = sum(mark in line.strip() for line in lines)
        if is_many(count, MOST_ALIKE, len(lines)):
            yield (
                f"has {title} in {count} of {len(lines)} lines, as tables have; give the "
                "column of texts alone"
            )


def _find_repeats(own: Sequence[str], usual: Sequence[str]) -> Iterator[str]:
    """Find an output of which many lines are one, are said twice, or are cut at a length."""
    output, reference = (
        Counter(_NUMBER.sub("0", line.strip()) for line in lines)
        for lines in (own, usual)
    )
    line, count = output.most_common(1)[0]
    others = max(reference.values(), default=0)
    expected = others * len(own) / len(usual) if others > 1 else 0
    is_odd = is_many(count, MANY_REPEATED, len(own)) and count > 2 * expected + 2
    if is_odd or (line == "0" and is_many(count, MANY_NUMBERS, len(own))):
        words = (
            "has numbers alone" if line == "0" else f"repeats the line {line[:40]!r}"
        )
        yield (
            f"{words} in {count} of {len(own)} lines with text; check that these are "
            "translations"
        )
    doubled = sum(_is_doubled(line) for line in own)
    if is_many(doubled, MOST_DOUBLED, len(own)):
        yield f"says {doubled} of {len(own)} lines twice; check that each is given once"
    longest = max(map(len, own))
    cut, others = (sum(len(x) == longest for x in lines) for lines in (own, usual))
    if is_many(cut, MOST_CUT, len(own)) and not others and longest > 1:
        yield (
            f"has {cut} of {len(own)} lines of {longest} characters, and none has more; check "
            "that they are not cut off"
        )


def _is_doubled(line: str) -> bool:
    """Return True if both halves of a line are the same."""
    half = len(line) // 2
    return half > 0 and line[:half].strip() == line[-half:].strip() != ""


def _compare_totals(
    own: Sequence[str], usual: Sequence[str], is_unspaced: bool
) -> Iterator[str]:
    """Compare length, blanks, capital letters and punctuation of whole texts."""
    output, reference = "".join(own), "".join(usual)
    if min(len(output), len(reference)) < LEAST_CHARACTERS:
        return
    own_blanks, usual_blanks = (
        len(_BLANKS.findall(text)) for text in (output, reference)
    )
    blanks = _divide_shares(own_blanks, len(output), usual_blanks, len(reference))
    if not is_unspaced and not FEWEST_BLANKS <= blanks <= MOST_BLANKS:
        kind = "fewer" if blanks < 1 else "more"
        yield (
            f"has far {kind} spaces between words than the references; check how its words "
            "are separated"
        )
    ratio = len(output) / len(own) * len(usual) / len(reference)
    is_double = ratio > LONG and _divide_frequent(own, usual) < HALF
    if is_double or not SHORTEST <= ratio <= LONGEST:
        yield (
            f"is {ratio:.1f} times as long as the references; check that each line is the "
            "translation of its segment, whole and alone"
        )
    yield from _compare_case(output, reference)
    marks, usual_marks = (
        len(_SENTENCE_MARKS.findall(text)) for text in (output, reference)
    )
    if usual_marks >= LEAST_MARKS and (
        _divide_shares(marks, len(output), usual_marks, len(reference)) < FEWEST_MARKS
    ):
        yield (
            "has hardly any punctuation, and the references have; choose metrics that ignore "
            "it, or restore it"
        )


def _divide_frequent(own: Sequence[str], usual: Sequence[str]) -> float:
    """Divide the share of the references' frequent words by the one that they have."""
    output, reference = (Counter(" ".join(x).lower().split()) for x in (own, usual))
    frequent = [word for word, _ in reference.most_common(FREQUENT_WORDS)]
    share, expected = (
        sum(map(c.__getitem__, frequent)) / c.total() for c in (output, reference)
    )
    return share / expected


def _compare_case(output: str, reference: str) -> Iterator[str]:
    """Compare shares of capital letters."""
    capitals, usual = (sum(map(str.isupper, text)) for text in (output, reference))
    letters, all_letters = (sum(map(str.isalpha, text)) for text in (output, reference))
    if max(capitals, usual) < LEAST_CAPITALS or not letters or not all_letters:
        return
    share = _divide_shares(capitals, letters, usual, all_letters)
    if share < FEWEST_CAPITALS or share > MOST_CAPITALS:
        kind = "hardly any" if share < 1 else "mostly"
        yield (
            f"has {kind} capital letters, unlike the references; restore the case, or choose "
            "case=lower"
        )


def _divide_shares(count: int, total: int, usual: int, usual_total: int) -> float:
    """Divide the share of something in a text by its share in others; 1 if neither has it."""
    if not count and not usual:
        return 1.0
    return count / total / max(usual / usual_total, 0.5 / usual_total)
