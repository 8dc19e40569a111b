"""All pairs of candidates and references: scores for reranking and minimum Bayes risk."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, overload

import numpy as np

from metra.corpus.batch import Batch, SegmentColumn
from metra.errors import CorpusError, LengthError, OptionError
from metra.metrics.record import Array, Metric
from metra.metrics.registry import metric as make_metric
from metra.stats.parallel import ordered_map, thread_count
from metra.text.columns import as_column, pack, window

# Pairs that a measure without a way of its own counts at once.
PAIRS_AT_ONCE = 2048

# Not just any sequences: a string is one too.
Sentences: TypeAlias = Sequence[list[str] | tuple[str, ...]]


@overload
def pairwise(
    candidates: Sequence[str],
    references: Sequence[str],
    metric: str | Metric = "chrf",
    *,
    source: str | None = None,
) -> Array: ...


@overload
def pairwise(
    candidates: Sentences,
    references: Sentences,
    metric: str | Metric = "chrf",
    *,
    source: Sequence[str] | None = None,
) -> list[Array]: ...


def pairwise(
    candidates: Sequence[str] | Sentences,
    references: Sequence[str] | Sentences,
    metric: str | Metric = "chrf",
    *,
    source: str | Sequence[str] | None = None,
) -> Array | list[Array]:
    """Score every pair of candidate and reference, as `metric.sentence` does.

    Return an array with one row per candidate and one column per reference. The references
    can be the candidates themselves. For lists of such lists, one per sentence, return a
    list of arrays, computed on all cores. chrF, BLEU, COMET and BERTScore prepare each text
    once; other metrics score the pairs one by one. `source` is the source sentence, for
    metrics that need it, or a list of them for several sentences.

    >>> pairwise(["the cat sat", "a cat sat"], ["the cat sat"], "chrf").round(1).tolist()
    [[100.0], [53.6]]
    """
    chosen = make_metric(metric) if isinstance(metric, str) else metric
    _check(chosen, source is not None)
    score = partial(_score_matrix, chosen.for_segments or chosen)
    ours = _list_texts(candidates, "candidates")
    theirs = _list_texts(references, "references")
    nested = _are_lists(ours, "candidates")
    if nested != _are_lists(theirs, "references"):
        msg = (
            "One of candidates and references is a list of strings and the other a "
            "list of lists; expected strings in both (one sentence) or lists in "
            "both."
        )
        raise CorpusError(msg)
    if not nested:
        return score(ours, theirs, "", _check_source(source))
    sentences = _list_sentences(ours, theirs, source)
    return list(ordered_map(lambda each: score(*each), sentences, thread_count()))


def _list_sentences(
    candidates: list[Any], references: list[Any], source: object
) -> list[tuple[Any, ...]]:
    """List the candidates, references, place and source of each sentence."""
    count = len(candidates)
    if count != len(references):
        msg = (
            f"Candidates cover {count} sentences and references {len(references)}; "
            "expected a list of each for every sentence."
        )
        raise LengthError(msg)
    sources = [None] * count if source is None else _list_texts(source, "source")
    if len(sources) != count:
        msg = (
            f"`source` has {len(sources)} entries, but there are candidates for {count} "
            "sentences; expected one for every sentence."
        )
        raise LengthError(msg)
    return [
        (
            _list_texts(left, f"candidates[{index}]"),
            _list_texts(right, f"references[{index}]"),
            f"[{index}]",
            _check_source(text),
        )
        for index, (left, right, text) in enumerate(
            zip(candidates, references, sources, strict=True)
        )
    ]


def _check(metric: Metric, has_source: bool) -> None:
    """Refuse measures that need more than a candidate, a reference and the source."""
    if metric.notes.scored is not None:
        msg = (
            f"{metric.name} has scores from another program for each segment of a "
            "system, and none for pairs of texts; score every candidate against "
            "every other one with the program that made them, and take the highest "
            "mean of that matrix's rows."
        )
        raise OptionError(msg)
    if "source" in metric.needs and not has_source:
        lacking = "needs the source (give `source`)"
    elif metric.needs & {"documents", "whole_documents"}:
        lacking = "needs whole documents"
    elif metric.fit is not None:
        lacking = "needs weights from a whole test set (give metric.fit([batch]))"
    elif "references" not in metric.needs:
        lacking = "uses no reference"
    else:
        return
    msg = (
        f"{metric.name} {lacking}; pairwise scores need a metric of a candidate and a "
        "reference only, such as chrf or bleu."
    )
    raise OptionError(msg)


def _list_texts(texts: object, what: str) -> list[Any]:
    """Give a column as a list; refuse one without anything in it."""
    column = as_column(texts, what)
    listed: list[Any] = window(column, 0, len(column))
    if not listed:
        msg = f"{what} is empty; expected at least one text."
        raise CorpusError(msg)
    return listed


def _are_lists(texts: list[Any], what: str) -> bool:
    nested = [not (isinstance(text, str) or text is None) for text in texts]
    if any(nested) and not all(nested):
        msg = (
            f"{what} mixes strings and lists; expected strings, or a list for each "
            "sentence."
        )
        raise CorpusError(msg)
    return all(nested)


def _check_source(source: object) -> str | None:
    """Refuse a source of another type than text."""
    if source is None or isinstance(source, str):
        return source
    kind = type(source).__name__
    msg = f"source is a {kind}; expected the text that all candidates translate."
    raise CorpusError(msg)


def _score_matrix(
    metric: Metric,
    candidates: list[Any],
    references: list[Any],
    where: str,
    source: str | None,
) -> Array:
    """The scores of one sentence; equal texts are looked at once."""
    _check_present(candidates, references, where)
    rows, columns = _number_texts(candidates), _number_texts(references)
    if metric.fast.pairs is None:
        scores = _score_pairs(metric, list(rows), list(columns), source)
    else:
        more = (source,) if "source" in metric.needs else ()
        scores = metric.fast.pairs(*_place_texts(rows, columns), *more)
    if scores.shape == (len(candidates), len(references)):
        return scores
    row_indices = [rows[text] for text in candidates]
    return scores[np.ix_(row_indices, [columns[text] for text in references])]


def _check_present(candidates: list[Any], references: list[Any], where: str) -> None:
    for texts, what in ((candidates, "candidates"), (references, "references")):
        gone = pack(texts, f"{what}{where}").missing()
        if gone:
            msg = (
                f"Segment {gone[0] + 1} of {what}{where} is missing; expected a string."
            )
            raise CorpusError(msg)


def _place_texts(
    rows: Mapping[Any, int], columns: Mapping[Any, int]
) -> tuple[SegmentColumn, list[int], list[int]]:
    """Put all texts into a column, each once; return it and the places of both kinds."""
    numbers = _number_texts([*rows, *columns])
    column = SegmentColumn(pack(list(numbers), "the texts"))
    return column, [numbers[text] for text in rows], [numbers[text] for text in columns]


def _number_texts(texts: list[Any]) -> dict[Any, int]:
    """Number the texts that differ, in the order in which they first come."""
    return {text: index for index, text in enumerate(dict.fromkeys(texts))}


def _score_pairs(
    metric: Metric, candidates: list[Any], references: list[Any], source: str | None
) -> Array:
    """Score the pairs as segments of a batch, some candidates at a time."""
    at_once = max(1, PAIRS_AT_ONCE // len(references))
    scores = []
    for start in range(0, len(candidates), at_once):
        chosen = candidates[start : start + at_once]
        hyps = pack([text for text in chosen for _ in references], "hyps")
        refs = pack(references * len(chosen), "refs")
        sources = None
        if "source" in metric.needs:
            sources = SegmentColumn(pack([source] * len(refs), "source"))
        batch = Batch.of(SegmentColumn(hyps), [SegmentColumn(refs)], sources)
        scores.append(metric.aggregate(metric.rows(batch)))
    return np.concatenate(scores).reshape(-1, len(references))
