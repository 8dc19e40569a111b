"""jiwer 4 with error rates and alignments computed by metra; needs the package jiwer.

Replace `import jiwer` with `from metra.compat import jiwer`. Transforms, drawings and error
lists are jiwer's own. Scores range from 0 to 1, references come first, and ties between
alignments are resolved as in jiwer.

>>> out = process_words("the bus stops here", "the sub stops")
>>> out.wer, out.substitutions, out.deletions
(0.5, 1, 1)
>>> print(jiwer.visualize_alignment(out, show_measures=False))
=== SENTENCE 1 ===
<BLANKLINE>
REF: the bus stops here
HYP: the sub stops ****
           S          D
<BLANKLINE>
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple, TypeAlias

from metra.errors import CorpusError, LengthError, require_package
from metra.text.diff import Hits, compare_words, edit_rows, list_edit_runs
from metra.text.preparation import build_text_hits, make_preparation

with require_package("metra.compat.jiwer", "jiwer", "jiwer"):
    import jiwer


def __getattr__(name: str) -> Any:
    """Return a name of jiwer that metra does not replace."""
    return getattr(jiwer, name)


Sentences: TypeAlias = str | list[str]
Words: TypeAlias = list[list[str]]
Transform: TypeAlias = Callable[[list[str]], Any]

_COUNTS = ("substitutions", "insertions", "deletions", "hits")
_TYPES = {"H": "equal", "S": "substitute", "I": "insert", "D": "delete"}


def process_words(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = jiwer.wer_default,
    hypothesis_transform: Transform = jiwer.wer_default,
) -> jiwer.WordOutput:
    """Align the words of each hypothesis with its reference's, and count."""
    texts = (reference, hypothesis, reference_transform, hypothesis_transform)
    comparison = _compare(*texts)
    figures = comparison.count_edits() | comparison.compute_measures()
    return _build_output(jiwer.WordOutput, comparison, **figures)


def process_characters(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = jiwer.cer_default,
    hypothesis_transform: Transform = jiwer.cer_default,
) -> jiwer.CharacterOutput:
    """Align the characters of each hypothesis with its reference's, and count."""
    texts = (reference, hypothesis, reference_transform, hypothesis_transform)
    comparison = _compare(*texts)
    figures = comparison.count_edits() | {"cer": comparison.compute_measures()["wer"]}
    return _build_output(jiwer.CharacterOutput, comparison, **figures)


def _make_measure(
    name: str, transform: Transform, meaning: str
) -> Callable[..., float]:
    """Make the function that returns one measure of a comparison."""

    def measure(
        reference: Sentences,
        hypothesis: Sentences,
        reference_transform: Transform = transform,
        hypothesis_transform: Transform = transform,
    ) -> float:
        texts = (reference, hypothesis, reference_transform, hypothesis_transform)
        measures = _compare(*texts).compute_measures()
        return measures["wer" if name == "cer" else name]

    measure.__name__ = measure.__qualname__ = name
    measure.__doc__ = f"Return the {meaning}."
    return measure


wer = _make_measure("wer", jiwer.wer_default, "word error rate")
mer = _make_measure("mer", jiwer.wer_default, "match error rate")
wil = _make_measure("wil", jiwer.wer_default, "share of word information lost")
wip = _make_measure("wip", jiwer.wer_default, "share of word information kept")
cer = _make_measure("cer", jiwer.cer_default, "character error rate")


class _TransformedText(NamedTuple):
    """One side after the transform: lists of words, or texts before the last step."""

    sentences: list[Any]
    #: The last step of the transform, and the tokeniser that does the same, if any does.
    cut: Transform
    tok: str | None

    def list_words(self) -> Words:
        return self.sentences if self.tok is None else self.cut(self.sentences)


class _Comparison(NamedTuple):
    """Both sides after the transforms, and which of their words are equal."""

    refs: _TransformedText
    hyps: _TransformedText
    matches: Hits

    def count_edits(self) -> dict[str, int]:
        totals = map(int, edit_rows(self.matches, "rapidfuzz", "best").sum(0)[:4])
        return dict(zip(_COUNTS, totals, strict=True))

    def compute_measures(self) -> dict[str, Any]:
        """Compute the measures of a corpus; an empty reference counts as one word."""
        substitutions, insertions, deletions, hits = self.count_edits().values()
        edits = substitutions + insertions + deletions
        ref_words = hits + substitutions + deletions
        hyp_words = hits + substitutions + insertions
        wip = (hits / max(ref_words, 1)) * (hits / max(hyp_words, 1))
        if not ref_words and not hyp_words:
            wip = 1.0
        return {
            "wer": edits / max(ref_words, 1),
            "mer": edits / max(edits + hits, 1),
            "wil": 1 - wip,
            "wip": wip,
        }


class _LateLists:
    """An output of jiwer whose words and alignments are listed when they are first used.

    To list them takes several times as long as to count. Copies are jiwer's own records.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in _LISTS:
            msg = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(msg)
        self.__dict__[name] = values = _LISTS[name](self._comparison)
        return values

    def __eq__(self, other: object) -> bool:
        kind = type(self).__bases__[1]
        return isinstance(other, kind) and _list_values(self) == _list_values(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self).__bases__[1], _list_values(self)


_LISTS: dict[str, Callable[[_Comparison], list[Any]]] = {
    "references": lambda comparison: comparison.refs.list_words(),
    "hypotheses": lambda comparison: comparison.hyps.list_words(),
    "alignments": lambda comparison: _list_alignments(comparison.matches),
}
_OUTPUTS: dict[type, type] = {
    kind: type(kind.__name__, (_LateLists, kind), {})
    for kind in (jiwer.WordOutput, jiwer.CharacterOutput)
}


def _build_output(kind: type, comparison: _Comparison, **figures: float) -> Any:
    output: Any = object.__new__(_OUTPUTS[kind])
    vars(output).update(figures, _comparison=comparison)
    return output


def _list_values(output: Any) -> tuple[Any, ...]:
    return tuple(getattr(output, entry.name) for entry in fields(output))


def _compare(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform,
    hypothesis_transform: Transform,
) -> _Comparison:
    """Transform and compare both sides."""
    refs = _apply_transform(reference, reference_transform, "reference")
    hyps = _apply_transform(hypothesis, hypothesis_transform, "hypothesis")
    sizes = [len(side.sentences) for side in (refs, hyps)]
    if sizes[0] != sizes[1]:
        msg = (
            f"After the transforms there are {sizes[0]} references and {sizes[1]} "
            "hypotheses; their numbers must be equal."
        )
        raise LengthError(msg)
    if refs.tok is not None and refs.tok == hyps.tok:
        text = make_preparation(tok=refs.tok, case="mixed", stem="no")
        matches = build_text_hits(hyps.sentences, refs.sentences, text)
    else:
        matches = compare_words(hyps.list_words(), refs.list_words())
    return _Comparison(refs, hyps, matches)


def _list_alignments(matches: Hits) -> list[list[jiwer.AlignmentChunk]]:
    return [
        [
            jiwer.AlignmentChunk(_TYPES[letter], ref, ref_end, hyp, hyp_end)
            for letter, ref, ref_end, hyp, hyp_end in runs
        ]
        for runs in list_edit_runs(matches, "rapidfuzz")
    ]


def _apply_transform(
    sentences: Sentences, transform: Transform, what: str
) -> _TransformedText:
    texts: Any = [sentences] if isinstance(sentences, str) else sentences
    if not _is_list_of_strings(texts):
        msg = f"{what} is {sentences!r}; expected a string or a list of strings."
        raise CorpusError(msg)
    steps = transform.transforms if type(transform) is jiwer.Compose else [transform]
    for step in steps:
        tok = _find_tokenizer(step, texts) if step is steps[-1] else None
        if tok is not None:
            return _TransformedText([*texts] or [""], step, tok)
        texts = step(texts)
    if not isinstance(texts, list) or not all(map(_is_list_of_strings, texts)):
        msg = (
            f"The transform of the {what} gives {texts!r}; expected a list with a list of "
            "words or characters for each sentence."
        )
        raise CorpusError(msg)
    return _TransformedText(texts, transform, None)


def _find_tokenizer(cut: Transform, texts: object) -> str | None:
    """Find the tokeniser that cuts texts as the last step of a transform does."""
    if not _is_list_of_strings(texts):
        return None
    if type(cut) is jiwer.ReduceToListOfListOfChars:
        return "all-code-points"
    is_usual = (
        type(cut) is jiwer.ReduceToListOfListOfWords and cut.word_delimiter == " "
    )
    return "blanks" if is_usual else None


def _is_list_of_strings(words: object) -> bool:
    kinds = set(map(type, words)) if isinstance(words, list) else {object}
    return all(issubclass(kind, str) for kind in kinds)
