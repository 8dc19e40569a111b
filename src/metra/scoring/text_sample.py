"""Samples of the texts of a corpus, which guards look at, with the scripts of their letters."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

#: Lines that are copied from the source: their share from which on a text has many.
MANY_COPIED = 0.15
#: A share of lines is many if they are so many at least.
LEAST_LINES = 3
#: Lines of so many characters are enough for letters.
ENOUGH_FOR_LETTERS = 1000
#: This share of letters in scripts without blanks makes a text one without blanks.
UNSPACED_SHARE = 0.2
CHINESE = {"CJK", "HIRAGANA", "KATAKANA"}


class LineBlock(NamedTuple):
    """Consecutive lines in a sample, and which segment the first is, counted from 1."""

    segment: int
    start: int
    stop: int


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
    def texts(self) -> dict[str, list[str]]:
        """All texts but the source, by their names in messages."""
        columns = self.columns.items()
        return {name: [line or "" for line in lines] for name, lines in columns}

    @cached_property
    def joined(self) -> dict[str, str]:
        """Each text as a whole, with a line feed before each line."""
        return {name: "\n".join(["", *lines]) for name, lines in self.texts.items()}

    @cached_property
    def reference(self) -> list[str]:
        """The first reference that each line has."""
        rows = zip(*self.refs, strict=True)
        return [next((line for line in row if line is not None), "") for row in rows]

    @cached_property
    def letters(self) -> dict[str, Counter[str]]:
        """Letters of each script, by text."""
        return {name: count_letters(lines) for name, lines in self.texts.items()}

    @cached_property
    def is_unspaced(self) -> bool:
        """True if the script of the reference has no blanks between words."""
        return bool(find_unspaced_script(count_letters(self.reference)))

    @cached_property
    def copies(self) -> dict[str, float]:
        """Share of lines copied from the source, of outputs with many such lines.

        Single words, and lines whose reference is the source, too, such as addresses, do
        not count.
        """
        if self.source is None:
            return {}
        lines = [(line or "").strip() for line in self.source]
        is_unspaced = bool(find_unspaced_script(count_letters(lines)))
        references = self.reference if self.refs else [""] * len(self)
        indices = [
            index
            for index, line in enumerate(lines)
            if line != references[index].strip()
            and len(line if is_unspaced else line.split()) > 1
        ]
        equal = {
            name: sum(output[index].strip() == lines[index] for index in indices)
            for name, output in self.texts.items()
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


def find_unspaced_script(counts: Counter[str]) -> str:
    """Find the script without blanks between words that many letters are of, if any."""
    if list(counts) == ["LATIN"]:
        return ""
    from metra.text.scripts import UNSPACED

    unspaced = Counter({script: counts[script] for script in {*UNSPACED, "TIBETAN"}})
    is_many = unspaced.total() > UNSPACED_SHARE * counts.total()
    return find_script(unspaced) if is_many else ""


def find_script(counts: Counter[str]) -> str:
    """Find the script of most letters; kana count as Chinese characters."""
    (script, _), *_ = counts.most_common(1) or [("", 0)]
    return "CJK" if script in CHINESE else script


def count_letters(lines: Sequence[str]) -> Counter[str]:
    """Count the letters of each script in some of the lines."""
    text = "".join(choose_lines(lines, ENOUGH_FOR_LETTERS))
    if text.isascii():
        return Counter(LATIN=len(text.encode().translate(None, _NO_LETTERS)))
    from metra.text.scripts import count_script_letters

    return count_script_letters(text)


#: The characters of ASCII that are no letters.
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())


def choose_lines(lines: Sequence[str], enough: int) -> Sequence[str]:
    """Choose lines, spread evenly, that have about so many characters."""
    return lines[:: 1 + sum(map(len, lines)) // enough]
