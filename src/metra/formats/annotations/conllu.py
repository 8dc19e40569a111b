"""Dependency parses in CoNLL-U, the format of Universal Dependencies.

A file has a block of lines for each sentence and a blank line after it. A sentence belongs
to the segment that a comment `# segment = N`, counted from 1, names; without one, to the
segment of the sentence before it. In a file without any such comment every sentence is a
segment. Segments without such a comment have no sentences, as empty outputs have none.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from metra.errors import FormatError
from metra.formats.lines import read_lines
from metra.formats.stream import cache_by_file

COLUMNS = 10


class ParsedWord(NamedTuple):
    """A word of a parse; `head` is the head's place in the sentence from 1, 0 for the root."""

    form: str
    lemma: str
    upos: str
    xpos: str
    features: str
    head: int
    deprel: str


@dataclass(frozen=True, slots=True)
class Parse:
    """A sentence: its words, and its text without white space, as its tokens spell it."""

    words: tuple[ParsedWord, ...]
    spelling: str

    def children(self, place: int) -> Iterator[int]:
        """Yield the places, from 1, of the words that hang on the word at this place."""
        return (child for child, word in enumerate(self.words, 1) if word.head == place)


@dataclass(frozen=True, slots=True)
class Parses:
    """The sentences of each segment, by the segment's index from 0."""

    path: str
    segments: Mapping[int, Sequence[Parse]]
    #: How many segments there are, where every sentence is one; None if that is not known.
    count: int | None

    def of(self, segment: int, text: str | None = None) -> Sequence[Parse]:
        """Return a segment's sentences; `text` must be what they spell, if it is given."""
        if self.count is not None and segment >= self.count:
            msg = (
                f"{self.path} has {self.count} sentences, but the text has a segment "
                f"{segment + 1}; expected one sentence for each segment, or comments "
                "such as '# segment = 1'."
            )
            raise FormatError(msg)
        parses = self.segments.get(segment, ())
        spelled = "".join(parse.spelling for parse in parses)
        if text is not None and spelled != "".join(text.split()):
            msg = (
                f"{self.path}: the parse of segment {segment + 1} does not match the text "
                f"(ignoring white space): it begins with {spelled[:40]!r}; parse these "
                "outputs, or give match=no."
            )
            raise FormatError(msg)
        return parses


@cache_by_file(64)
def read_conllu(path: str) -> Parses:
    """Read a file; what was read is cached until the file changes."""
    return parse_conllu(read_lines(path), path)


def parse_conllu(lines: Sequence[str], path: str) -> Parses:
    """Read lines of CoNLL-U; `path` is for error messages."""
    sentences: list[tuple[int | None, Parse]] = []
    block: list[tuple[int, str]] = []
    for number, line in enumerate([*lines, ""], 1):
        if line.strip():
            block.append((number, line.removesuffix("\r")))
        elif block:
            sentences.append(_parse_sentence(block, path))
            block = []
    if all(named is None for named, _ in sentences):
        each = {index: (parse,) for index, (_, parse) in enumerate(sentences)}
        return Parses(path, each, len(each))
    segments: dict[int, list[Parse]] = {}
    segment = 0
    for named, parse in sentences:
        segment = segment if named is None else named - 1
        segments.setdefault(segment, []).append(parse)
    return Parses(path, segments, None)


def _parse_sentence(
    block: list[tuple[int, str]], path: str
) -> tuple[int | None, Parse]:
    """Read one block: the segment it names, if any, and its words."""
    segment = None
    words: list[ParsedWord] = []
    spelling = ""
    # Words up to this place are spelled by the token of several words before them.
    covered = 0
    for number, line in block:
        if line.startswith("#"):
            named = re.fullmatch(r"#\s*segment\s*=\s*(.*?)\s*", line)
            if named:
                what = f"{path}, line {number}: segment"
                segment = _parse_number(named[1], 1, what, "a number from 1")
            continue
        fields = line.split("\t")
        if len(fields) != COLUMNS:
            expected = f"expected the {COLUMNS} of CoNLL-U, separated by tabs"
            msg = f"{path}, line {number}: {len(fields)} columns; {expected}."
            raise FormatError(msg)
        place, form = fields[0], fields[1]
        if re.fullmatch(r"\d+\.\d+", place):
            continue  # an empty node of the enhanced graph stands for no word
        span = re.fullmatch(r"(\d+)-(\d+)", place)
        if span:
            covered = int(span[2])
            spelling += "".join(form.split())
            continue
        if place != str(len(words) + 1):
            msg = f"{path}, line {number}: word {place!r}; expected {len(words) + 1}."
            raise FormatError(msg)
        if len(words) >= covered:
            spelling += "".join(form.split())
        lemma, upos, xpos, features, head, deprel = fields[2:8]
        what = f"{path}, line {number}: head"
        above = _parse_number(head, 0, what, "the number of a word, or 0 for the root")
        words.append(ParsedWord(form, lemma, upos, xpos, features, above, deprel))
    for position, word in enumerate(words, 1):
        if word.head > len(words) or word.head == position:
            msg = (
                f"{path}, sentence at line {block[0][0]}: word {position} has the "
                f"head {word.head}; expected another of the {len(words)} words, or 0."
            )
            raise FormatError(msg)
    return segment, Parse(tuple(words), spelling)


def _parse_number(text: str, least: int, what: str, expected: str) -> int:
    if not text.isdecimal() or int(text) < least:
        msg = f"{what} {text!r}; expected {expected}."
        raise FormatError(msg)
    return int(text)


def format_conllu(
    segments: Iterable[Sequence[Parse]], *, made_by: str = ""
) -> Iterator[str]:
    """Yield the lines of a file with the sentences of each segment."""
    if made_by:
        yield f"# parser = {made_by}"
    for number, sentences in enumerate(segments, 1):
        for parse in sentences:
            yield f"# segment = {number}"
            for place, word in enumerate(parse.words, 1):
                columns = (place, *word, "_", "_")
                yield "\t".join(map(str, columns))
            yield ""
