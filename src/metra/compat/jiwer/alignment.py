"""Drawings of alignments and lists of errors, as jiwer writes them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from metra.compat.jiwer.process import AlignmentChunk, CharacterOutput, WordOutput

_MARKS = {"equal": " ", "substitute": "S", "insert": "I", "delete": "D"}
_GAP = "*"
_HEADS = ("REF: ", "HYP: ", "     ")
_WORD_MEASURES = ("mer", "wil", "wip", "wer")


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
            if chunk.type == "equal":
                continue
            ref = separator.join(ref_words[chunk.ref_start_idx : chunk.ref_end_idx])
            hyp = separator.join(hyp_words[chunk.hyp_start_idx : chunk.hyp_end_idx])
            if chunk.type == "substitute":
                substitutions[ref, hyp] += 1
            elif chunk.type == "insert":
                insertions[hyp] += 1
            else:
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
    refs: list[str] = []
    hyps: list[str] = []
    marks: list[str] = []
    blocks = []
    used = len(_HEADS[0])
    for ref, hyp, mark in columns:
        width = max(len(ref), len(hyp), 1)
        if line_width is not None and used + width > line_width:
            blocks.append((refs, hyps, marks))
            refs, hyps, marks = [], [], []
            used = len(_HEADS[0])
        # A word that is a star looks as a gap does; jiwer draws it so.
        if ref == _GAP:
            ref = _GAP * width
        elif hyp == _GAP:
            hyp = _GAP * width
        refs.append(ref.rjust(width))
        hyps.append(hyp.rjust(width))
        marks.append(mark.rjust(width))
        used += width + len(separator)
    blocks.append((refs, hyps, marks))
    return "\n".join(_join_rows(rows, separator) for rows in blocks)


def _join_rows(rows: Iterable[Sequence[str]], separator: str) -> str:
    lines = zip(_HEADS, rows, strict=True)
    # jiwer takes the last separator away, and a blank where there are no words.
    return "".join(
        f"{head + separator.join(row) if row else head.removesuffix(separator)}\n"
        for head, row in lines
    )


def _describe_measures(output: WordOutput | CharacterOutput) -> str:
    names = ("cer",) if isinstance(output, CharacterOutput) else _WORD_MEASURES
    measures = "".join(f"\n{name}={100 * getattr(output, name):.2f}%" for name in names)
    return (
        f"=== SUMMARY ===\nnumber of sentences: {len(output.alignments)}\n"
        f"substitutions={output.substitutions} deletions={output.deletions} "
        f"insertions={output.insertions} hits={output.hits}\n{measures}\n"
    )


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
