"""Sentences aligned word by word or character by character, and the measures."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, TypeAlias

from metra.compat.jiwer.transforms import (
    Compose,
    ReduceToListOfListOfChars,
    ReduceToListOfListOfWords,
    cer_default,
    wer_default,
)
from metra.errors import CorpusError, LengthError
from metra.text.diff import (
    WordMatches,
    compare_words,
    count_edit_kinds,
    list_edit_runs,
)
from metra.text.preparation import build_text_hits, make_preparation

Sentences: TypeAlias = str | list[str]
Words: TypeAlias = list[list[str]]
Transform: TypeAlias = Callable[[list[str]], Any]

_TYPES = {"H": "equal", "S": "substitute", "I": "insert", "D": "delete"}
_MEANINGS = {name: name for name in _TYPES.values()} | {"replace": "substitute"}


@dataclass
class AlignmentChunk:
    """Neighbouring words with the same edit: equal, substitute, insert or delete."""

    type: str
    ref_start_idx: int
    ref_end_idx: int
    hyp_start_idx: int
    hyp_end_idx: int

    def __post_init__(self) -> None:
        """Check the chunk; rapidfuzz's word for a substitution is replace."""
        if self.type not in _MEANINGS:
            msg = f"type={self.type!r}; expected one of {', '.join(_MEANINGS)}."
            raise CorpusError(msg)
        self.type = _MEANINGS[self.type]
        if (
            self.ref_start_idx > self.ref_end_idx
            or self.hyp_start_idx > self.hyp_end_idx
        ):
            msg = f"{self} ends before it starts."
            raise CorpusError(msg)


@dataclass
class WordOutput:
    """Words after the transforms, their alignments, the measures and the counts.

    Words and alignments are listed when they are first read.
    """

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

    def __reduce__(self) -> tuple[Any, ...]:
        return WordOutput, _list_values(self)


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

    def __reduce__(self) -> tuple[Any, ...]:
        return CharacterOutput, _list_values(self)


def wer(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> float:
    """Return the word error rate."""
    return process_words(
        reference, hypothesis, reference_transform, hypothesis_transform
    ).wer


def mer(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> float:
    """Return the match error rate."""
    return process_words(
        reference, hypothesis, reference_transform, hypothesis_transform
    ).mer


def wil(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> float:
    """Return the share of word information that is lost."""
    return process_words(
        reference, hypothesis, reference_transform, hypothesis_transform
    ).wil


def wip(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> float:
    """Return the share of word information that is preserved."""
    return process_words(
        reference, hypothesis, reference_transform, hypothesis_transform
    ).wip


def cer(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = cer_default,
    hypothesis_transform: Transform = cer_default,
) -> float:
    """Return the character error rate."""
    return process_characters(
        reference, hypothesis, reference_transform, hypothesis_transform
    ).cer


def process_words(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> WordOutput:
    """Align the words of each hypothesis with its reference's, and count."""
    compared = _compare(
        reference, hypothesis, reference_transform, hypothesis_transform
    )
    counts = compared.count_edits()
    measures: dict[str, Any] = {
        "wer": counts.wer,
        "mer": counts.mer,
        "wil": 1 - counts.wip,
        "wip": counts.wip,
    }
    return WordOutput(**compared.list_fields(), **measures, **counts._asdict())


def process_characters(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = cer_default,
    hypothesis_transform: Transform = cer_default,
) -> CharacterOutput:
    """Align the characters of each hypothesis with its reference's, and count."""
    compared = _compare(
        reference, hypothesis, reference_transform, hypothesis_transform
    )
    counts = compared.count_edits()
    return CharacterOutput(**compared.list_fields(), cer=counts.wer, **counts._asdict())


class _LazyList:
    """A field that may be given as a function, which is called when the field is read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, record: Any, owner: type) -> Any:
        value = vars(record)[self._name]
        if callable(value):
            value = vars(record)[self._name] = value()
        return value

    def __set__(self, record: Any, value: object) -> None:
        vars(record)[self._name] = value


for _record in (WordOutput, CharacterOutput):
    for _name in ("references", "hypotheses", "alignments"):
        setattr(_record, _name, _LazyList(_name))


def _list_values(record: WordOutput | CharacterOutput) -> tuple[Any, ...]:
    return tuple(getattr(record, field.name) for field in fields(record))


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


class _TransformedText(NamedTuple):
    """One side after the transform: lists of words, or texts that are still to be cut."""

    words: Words | None
    texts: list[str]
    #: The last step of the transform, and the tokeniser that does the same.
    cut: Transform
    tok: str | None

    def list_words(self) -> Words:
        return self.cut(self.texts) if self.words is None else self.words


class _ComparedText(NamedTuple):
    """Both sides, and which of their words are equal."""

    refs: _TransformedText
    hyps: _TransformedText
    hits: WordMatches

    def count_edits(self) -> _Counts:
        totals = count_edit_kinds(self.hits, "rapidfuzz").sum(0)
        return _Counts(*(int(total) for total in totals[:4]))

    def list_fields(self) -> dict[str, Any]:
        return {
            "references": self.refs.list_words,
            "hypotheses": self.hyps.list_words,
            "alignments": self.list_alignments,
        }

    def list_alignments(self) -> list[list[AlignmentChunk]]:
        return [
            [
                AlignmentChunk(_TYPES[letter], ref, ref_end, hyp, hyp_end)
                for letter, ref, ref_end, hyp, hyp_end in runs
            ]
            for runs in list_edit_runs(self.hits, "rapidfuzz")
        ]


def _compare(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform,
    hypothesis_transform: Transform,
) -> _ComparedText:
    """Transform both sides and compare them."""
    refs = _apply_transform(reference, reference_transform, "reference")
    hyps = _apply_transform(hypothesis, hypothesis_transform, "hypothesis")
    sizes = [
        len(side.texts if side.words is None else side.words) for side in (refs, hyps)
    ]
    if sizes[0] != sizes[1]:
        msg = (
            f"After the transforms there are {sizes[0]} references and {sizes[1]} "
            "hypotheses; their numbers must be equal."
        )
        raise LengthError(msg)
    if refs.tok is not None and refs.tok == hyps.tok:
        text = make_preparation(tok=refs.tok, case="mixed", stem="no")
        return _ComparedText(refs, hyps, build_text_hits(hyps.texts, refs.texts, text))
    return _ComparedText(
        refs, hyps, compare_words(hyps.list_words(), refs.list_words())
    )


def _apply_transform(
    sentences: Sentences, transform: Transform, what: str
) -> _TransformedText:
    texts: Any = [sentences] if isinstance(sentences, str) else sentences
    if not _is_list_of_strings(texts):
        msg = f"{what} is {sentences!r}; expected a string or a list of strings."
        raise CorpusError(msg)
    steps = transform.transforms if type(transform) is Compose else [transform]
    for step in steps:
        tok = _find_tokenizer(step, texts) if step is steps[-1] else None
        if tok is not None:
            return _TransformedText(None, [*texts] or [""], step, tok)
        texts = step(texts)
    if not isinstance(texts, list) or not all(map(_is_list_of_strings, texts)):
        msg = (
            f"The transform of the {what} gives {texts!r}; expected a list with a list of "
            "words or characters for each sentence."
        )
        raise CorpusError(msg)
    return _TransformedText(texts, [], transform, None)


def _find_tokenizer(cut: Transform, texts: object) -> str | None:
    """Find the tokeniser that cuts texts as the last step of a transform does."""
    if not _is_list_of_strings(texts):
        return None
    if type(cut) is ReduceToListOfListOfChars:
        return "all-code-points"
    is_usual = type(cut) is ReduceToListOfListOfWords and cut.word_delimiter == " "
    return "blanks" if is_usual else None


def _is_list_of_strings(words: object) -> bool:
    kinds = set(map(type, words)) if isinstance(words, list) else {object}
    return all(issubclass(kind, str) for kind in kinds)
