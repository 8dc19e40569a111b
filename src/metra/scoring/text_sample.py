"""Samples of the texts of a corpus, which guards look at, and counts of their characters."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple

#: Lines that are copied from the source: their share from which on a text has many.
MANY_COPIED = 0.15
#: A share of lines is many if they are so many at least.
LEAST_LINES = 3
#: Lines of so many characters are enough to count characters and words.
ENOUGH_CHARACTERS = 3000
#: This share of letters in scripts without blanks makes a text one without blanks.
UNSPACED_SHARE = 0.2
CHINESE = {"CJK", "HIRAGANA", "KATAKANA"}

#: The last letter of the Latin scripts of Europe.
_LAST_LATIN = "\u024f"


class LineBlock(NamedTuple):
    """Consecutive lines in a sample, and which segment the first is, counted from 1."""

    segment: int
    start: int
    stop: int


class TextLines:
    """Lines of a text; counts are made on first use."""

    def __init__(self, lines: Iterable[str | None]) -> None:
        """Take missing lines as empty."""
        self.all = [line or "" for line in lines]

    def __len__(self) -> int:
        """Count the lines with text."""
        return len(self.filled)

    @cached_property
    def filled(self) -> list[str]:
        """The lines with text."""
        return [line for line in self.all if line and not line.isspace()]

    @cached_property
    def joined(self) -> str:
        """The text as a whole, with a line feed before each line."""
        return "\n".join(["", *self.all])

    @cached_property
    def firsts(self) -> Counter[str]:
        """The number of lines that begin with each character, after blanks."""
        return Counter(line.lstrip()[0] for line in self.filled)

    @cached_property
    def repeats(self) -> Counter[str]:
        """The number of times each line with text occurs; a number alone is a zero."""
        lines = map(str.strip, self.filled)
        return Counter("0" if line.isdecimal() else line for line in lines)

    @cached_property
    def size(self) -> int:
        """The number of characters."""
        return len(self.joined) - len(self.all)

    @cached_property
    def content(self) -> str:
        """Lines, spread evenly, that have characters and words enough."""
        return "\n".join(self.all[:: 1 + self.size // ENOUGH_CHARACTERS])

    @cached_property
    def characters(self) -> Counter[str]:
        """The number of times each character occurs in the content."""
        return Counter(self.content)

    def count(self, is_kind: Callable[[str], bool]) -> int:
        """Count the characters of a kind in the content."""
        return sum(n for character, n in self.characters.items() if is_kind(character))

    @cached_property
    def letters(self) -> Counter[str]:
        """Letters of each script."""
        if all(c <= _LAST_LATIN or not c.isalpha() for c in self.characters):
            return Counter(LATIN=self.count(str.isalpha))
        from metra.text.scripts import count_script_letters

        return count_script_letters(self.characters)

    @cached_property
    def unspaced_script(self) -> str:
        """The script without blanks between words that many letters are of, if any."""
        if list(self.letters) == ["LATIN"]:
            return ""
        from metra.text.scripts import UNSPACED

        counts = {script: self.letters[script] for script in {*UNSPACED, "TIBETAN"}}
        unspaced = Counter(counts)
        is_many = unspaced.total() > UNSPACED_SHARE * self.letters.total()
        return find_script(unspaced) if is_many else ""


@dataclass(eq=False)
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
        return [self.columns[name] for name in self.columns if has_reference([name])]

    @cached_property
    def texts(self) -> dict[str, TextLines]:
        """All texts but the source, by their names in messages."""
        return {name: TextLines(lines) for name, lines in self.columns.items()}

    @cached_property
    def references(self) -> TextLines:
        """The lines of all references, one reference after the other."""
        if len(self.refs) == 1:
            return self.reference
        return TextLines(chain.from_iterable(self.refs))

    @cached_property
    def reference(self) -> TextLines:
        """The first reference that each line has."""
        if len(self.refs) == 1:
            return next(iter(self.texts.values()))
        rows = zip(*self.refs, strict=True)
        return TextLines(
            next((line for line in row if line is not None), None) for row in rows
        )

    @cached_property
    def copies(self) -> dict[str, float]:
        """Share of lines copied from the source, of outputs with many such lines.

        Single words, and lines whose reference is the source, too, such as addresses, do
        not count.
        """
        if self.source is None:
            return {}
        source = TextLines(self.source)
        lines = [*map(str.strip, source.all)]
        references = self.reference.all if self.refs else [""] * len(self)
        indices = [
            index
            for index, line in enumerate(lines)
            if line != references[index].strip()
            and len(line if source.unspaced_script else line.split()) > 1
        ]
        equal = {
            name: sum(text.all[index].strip() == lines[index] for index in indices)
            for name, text in self.texts.items()
            if not has_reference([name])
        }
        total = len(indices)
        return {
            n: equal[n] / total for n in equal if is_many(equal[n], MANY_COPIED, total)
        }


def has_reference(names: Iterable[str]) -> bool:
    """Return True if one of the texts is a reference."""
    return any(name.startswith("reference") for name in names)


def is_many(count: int, share: float, total: int) -> bool:
    """Return True for a share of lines, and more than a few of them."""
    return count >= max(LEAST_LINES, share * total)


def find_script(counts: Counter[str]) -> str:
    """Find the script of most letters; kana count as Chinese characters."""
    script = max(counts, key=counts.__getitem__, default="")
    return "CJK" if script in CHINESE else script
