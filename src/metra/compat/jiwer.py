"""jiwer 4's functions, records and texts over metra's kernels.

Replace `import jiwer` by `from metra.compat import jiwer`. Scores run from 0 to 1, references
come first, and of equally short alignments jiwer's is taken. Transforms are any functions
from a list of sentences to a list of lists of words; jiwer's own can be passed where jiwer
is installed.

>>> out = process_words("the bus stops here", "the sub stops")
>>> out.wer, out.substitutions, out.deletions
(0.5, 1, 1)
>>> print(visualize_alignment(out, show_measures=False))
=== SENTENCE 1 ===
<BLANKLINE>
REF: the bus stops here
HYP: the sub stops ****
           S          D
<BLANKLINE>
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from metra.errors import CorpusError, LengthError
from metra.text.diff import count_edit_kinds, list_edit_steps

__all__ = [
    "AlignmentChunk",
    "CharacterOutput",
    "WordOutput",
    "cer",
    "cer_contiguous",
    "cer_default",
    "collect_error_counts",
    "mer",
    "process_characters",
    "process_words",
    "visualize_alignment",
    "visualize_error_counts",
    "wer",
    "wer_contiguous",
    "wer_default",
    "wil",
    "wip",
]

Sentences: TypeAlias = str | list[str]
Words: TypeAlias = list[list[str]]
Transform: TypeAlias = Callable[[list[str]], Any]

_TYPES = {"H": "equal", "S": "substitute", "I": "insert", "D": "delete"}
_MARKS = {"equal": " ", "substitute": "S", "insert": "I", "delete": "D"}
_GAP = "*"


@dataclass
class AlignmentChunk:
    """Neighbouring words with the same edit: equal, substitute, insert or delete."""

    type: str
    ref_start_idx: int
    ref_end_idx: int
    hyp_start_idx: int
    hyp_end_idx: int


@dataclass
class WordOutput:
    """Words after the transforms, their alignments, the measures and the counts."""

    references: Words
    hypotheses: Words
    alignments: list[list[AlignmentChunk]]
    wer: float
    mer: float
    wil: float
    wip: float
    hits: int
    substitutions: int
    insertions: int
    deletions: int


@dataclass
class CharacterOutput:
    """The same for characters, whose only measure is the error rate."""

    references: Words
    hypotheses: Words
    alignments: list[list[AlignmentChunk]]
    cer: float
    hits: int
    substitutions: int
    insertions: int
    deletions: int


def wer_default(sentences: list[str]) -> Words:
    """Cut sentences at blanks; several white-space characters in a row count as one."""
    stripped = (re.sub(r"\s\s+", " ", sentence).strip() for sentence in sentences)
    return [list(filter(None, sentence.split(" "))) for sentence in stripped] or [[]]


def wer_contiguous(sentences: list[str]) -> Words:
    """Cut sentences as `wer_default` does and join them into one."""
    return [[word for words in wer_default(sentences) for word in words]]


def cer_default(sentences: list[str]) -> Words:
    """Cut sentences into characters, without the white space around them."""
    return [list(sentence.strip()) for sentence in sentences] or [[]]


def cer_contiguous(sentences: list[str]) -> Words:
    """Join sentences with blanks, then cut them into characters."""
    stripped = (sentence.strip() for sentence in sentences)
    return [list(" ".join(filter(None, stripped)))]


def wer(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> float:
    """Return the word error rate."""
    pairs = _pair_words(
        reference, hypothesis, reference_transform, hypothesis_transform
    )
    return _count(pairs).wer


def mer(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> float:
    """Return the match error rate."""
    pairs = _pair_words(
        reference, hypothesis, reference_transform, hypothesis_transform
    )
    return _count(pairs).mer


def wil(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> float:
    """Return the share of word information that is lost."""
    return 1 - wip(reference, hypothesis, reference_transform, hypothesis_transform)


def wip(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> float:
    """Return the share of word information that is preserved."""
    pairs = _pair_words(
        reference, hypothesis, reference_transform, hypothesis_transform
    )
    return _count(pairs).wip


def cer(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = cer_default,
    hypothesis_transform: Transform = cer_default,
) -> float:
    """Return the character error rate."""
    return wer(reference, hypothesis, reference_transform, hypothesis_transform)


def process_words(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> WordOutput:
    """Align the words of each hypothesis with its reference's, and count."""
    pairs = _pair_words(
        reference, hypothesis, reference_transform, hypothesis_transform
    )
    counts = _count(pairs)
    return WordOutput(
        references=[ref for _, ref in pairs],
        hypotheses=[hyp for hyp, _ in pairs],
        alignments=[
            list(_build_chunks(steps)) for steps in list_edit_steps(pairs, "rapidfuzz")
        ],
        wer=counts.wer,
        mer=counts.mer,
        wil=1 - counts.wip,
        wip=counts.wip,
        hits=counts.hits,
        substitutions=counts.substitutions,
        insertions=counts.insertions,
        deletions=counts.deletions,
    )


def process_characters(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = cer_default,
    hypothesis_transform: Transform = cer_default,
) -> CharacterOutput:
    """Align the characters of each hypothesis with its reference's, and count."""
    words = process_words(
        reference, hypothesis, reference_transform, hypothesis_transform
    )
    return CharacterOutput(
        references=words.references,
        hypotheses=words.hypotheses,
        alignments=words.alignments,
        cer=words.wer,
        hits=words.hits,
        substitutions=words.substitutions,
        insertions=words.insertions,
        deletions=words.deletions,
    )


def visualize_alignment(
    output: WordOutput | CharacterOutput,
    show_measures: bool = True,
    skip_correct: bool = True,
    line_width: int | None = None,
) -> str:
    """Draw each reference above its hypothesis with a letter below each edit."""
    separator = "" if isinstance(output, CharacterOutput) else " "
    text = ""
    sentences = zip(
        output.references, output.hypotheses, output.alignments, strict=True
    )
    for number, (ref, hyp, chunks) in enumerate(sentences, 1):
        if skip_correct and all(chunk.type == "equal" for chunk in chunks):
            continue
        columns = _list_columns(ref, hyp, chunks)
        drawing = _draw_columns(columns, separator, line_width)
        text += f"=== SENTENCE {number} ===\n\n{drawing}\n"
    return text + _describe_measures(output) if show_measures else text[:-1]


def collect_error_counts(
    output: WordOutput | CharacterOutput,
) -> tuple[Counter[tuple[str, str]], Counter[str], Counter[str]]:
    """Count substitutions by (reference, hypothesis), insertions and deletions.

    Neighbouring words with the same edit count as one error.
    """
    separator = " " if isinstance(output, WordOutput) else ""
    substitutions: Counter[tuple[str, str]] = Counter()
    insertions: Counter[str] = Counter()
    deletions: Counter[str] = Counter()
    sentences = zip(
        output.references, output.hypotheses, output.alignments, strict=True
    )
    for ref_words, hyp_words, chunks in sentences:
        for chunk in chunks:
            ref = separator.join(ref_words[chunk.ref_start_idx : chunk.ref_end_idx])
            hyp = separator.join(hyp_words[chunk.hyp_start_idx : chunk.hyp_end_idx])
            if chunk.type == "substitute":
                substitutions[ref, hyp] += 1
            elif chunk.type == "insert":
                insertions[hyp] += 1
            elif chunk.type == "delete":
                deletions[ref] += 1
    return substitutions, insertions, deletions


def visualize_error_counts(
    output: WordOutput | CharacterOutput,
    show_substitutions: bool = True,
    show_insertions: bool = True,
    show_deletions: bool = True,
    top_k: int | None = None,
) -> str:
    """List the errors of each kind, the most frequent first."""
    substitutions, insertions, deletions = collect_error_counts(output)
    sections: list[tuple[str, Sequence[tuple[tuple[str, ...], int]]]] = []
    if show_substitutions:
        sections.append(("SUBSTITUTIONS", substitutions.most_common(top_k)))
    if show_insertions:
        sections.append(("INSERTIONS", _wrap_keys(insertions.most_common(top_k))))
    if show_deletions:
        sections.append(("DELETIONS", _wrap_keys(deletions.most_common(top_k))))
    blocks = [f"=== {title} ===\n{_list_errors(errors)}" for title, errors in sections]
    return "\n".join(blocks).removesuffix("\n")


class _Counts(NamedTuple):
    """Edits of a whole corpus, and the measures that follow from them."""

    substitutions: int
    insertions: int
    deletions: int
    hits: int

    @property
    def edits(self) -> int:
        return self.substitutions + self.insertions + self.deletions

    @property
    def ref_words(self) -> int:
        return self.hits + self.substitutions + self.deletions

    @property
    def hyp_words(self) -> int:
        return self.hits + self.substitutions + self.insertions

    @property
    def wer(self) -> float:
        # An empty reference counts as one word.
        return self.edits / max(self.ref_words, 1)

    @property
    def mer(self) -> float:
        return self.edits / max(self.edits + self.hits, 1)

    @property
    def wip(self) -> float:
        if not self.ref_words and not self.hyp_words:
            return 1.0
        shares = [
            self.hits / max(self.ref_words, 1),
            self.hits / max(self.hyp_words, 1),
        ]
        return shares[0] * shares[1]


def _count(pairs: list[tuple[list[str], list[str]]]) -> _Counts:
    totals = count_edit_kinds(pairs, "rapidfuzz").sum(0)
    return _Counts(*(int(total) for total in totals[:4]))


def _pair_words(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform,
    hypothesis_transform: Transform,
) -> list[tuple[list[str], list[str]]]:
    """Transform both sides and pair them: hypothesis, reference."""
    refs = _apply_transform(reference, reference_transform, "reference")
    hyps = _apply_transform(hypothesis, hypothesis_transform, "hypothesis")
    if len(refs) != len(hyps):
        msg = (
            f"After the transforms there are {len(refs)} references and {len(hyps)} "
            "hypotheses; their numbers must be equal."
        )
        raise LengthError(msg)
    return list(zip(hyps, refs, strict=True))


def _apply_transform(sentences: Sentences, transform: Transform, what: str) -> Words:
    given = [sentences] if isinstance(sentences, str) else sentences
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        msg = f"{what} is {sentences!r}; expected a string or a list of strings."
        raise CorpusError(msg)
    words = transform(given)
    if not isinstance(words, list) or not all(map(_is_list_of_strings, words)):
        msg = (
            f"The transform of the {what} gives {words!r}; expected a list with a list of "
            "words or characters for each sentence."
        )
        raise CorpusError(msg)
    return words


def _is_list_of_strings(words: object) -> bool:
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


def _build_chunks(steps: str) -> Iterator[AlignmentChunk]:
    ref = hyp = 0
    for letter, run in groupby(steps):
        words = len(list(run))
        ref_end = ref + (0 if letter == "I" else words)
        hyp_end = hyp + (0 if letter == "D" else words)
        yield AlignmentChunk(_TYPES[letter], ref, ref_end, hyp, hyp_end)
        ref, hyp = ref_end, hyp_end


def _list_columns(
    ref: list[str], hyp: list[str], chunks: Iterable[AlignmentChunk]
) -> Iterator[tuple[str, str, str]]:
    """Give each pair of words with the mark of its edit; a gap is a star."""
    for chunk in chunks:
        ref_words = ref[chunk.ref_start_idx : chunk.ref_end_idx]
        hyp_words = hyp[chunk.hyp_start_idx : chunk.hyp_end_idx]
        if chunk.type == "insert":
            ref_words = [_GAP] * len(hyp_words)
        elif chunk.type == "delete":
            hyp_words = [_GAP] * len(ref_words)
        for one, other in zip(ref_words, hyp_words, strict=True):
            yield one, other, _MARKS[chunk.type]


def _draw_columns(
    columns: Iterable[tuple[str, str, str]], separator: str, line_width: int | None
) -> str:
    """Set words below each other, in lines of about this width."""
    heads = ("REF: ", "HYP: ", "     ")
    blocks = []
    lines = heads
    for ref, hyp, mark in columns:
        width = max(len(ref), len(hyp), 1)
        if line_width is not None and len(lines[0]) + width > line_width:
            blocks.append(lines)
            lines = heads
        # A word that is a star looks as a gap does; jiwer draws it so.
        if ref == _GAP:
            ref = _GAP * width
        elif hyp == _GAP:
            hyp = _GAP * width
        cells = (text.rjust(width) + separator for text in (ref, hyp, mark))
        first, second, third = map("".join, zip(lines, cells, strict=True))
        lines = first, second, third
    drawings = (
        "\n".join(line[: len(line) - len(separator)] for line in block)
        for block in [*blocks, lines]
    )
    return "\n\n".join(drawings) + "\n"


def _describe_measures(output: WordOutput | CharacterOutput) -> str:
    names = ("cer",) if isinstance(output, CharacterOutput) else _WORD_MEASURES
    measures = "".join(f"\n{name}={100 * getattr(output, name):.2f}%" for name in names)
    return (
        f"=== SUMMARY ===\nnumber of sentences: {len(output.alignments)}\n"
        f"substitutions={output.substitutions} deletions={output.deletions} "
        f"insertions={output.insertions} hits={output.hits}\n{measures}\n"
    )


_WORD_MEASURES = ("mer", "wil", "wip", "wer")


def _wrap_keys(errors: list[tuple[str, int]]) -> list[tuple[tuple[str, ...], int]]:
    return [((words,), count) for words, count in errors]


def _list_errors(errors: Sequence[tuple[tuple[str, ...], int]]) -> str:
    """Write a line for each error; all words take the width of the longest."""
    if not errors:
        return "none"
    width = max(len(words) for error, _ in errors for words in error)
    return "".join(
        f"{' --> '.join(words.ljust(width) for words in error)} = {count}x\n"
        for error, count in errors
    )
