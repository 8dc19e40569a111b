"""All pairs of candidates and references: scores for reranking and minimum Bayes risk."""

from collections.abc import Callable, Mapping, Sequence
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
    return _map_sentences(
        score, candidates, references, source, "source", _check_source
    )


@overload
def score_consensus(
    candidates: Sequence[str],
    references: Sequence[str],
    metric: str | Metric = "chrf",
    *,
    weights: Sequence[float] | None = None,
) -> Array: ...


@overload
def score_consensus(
    candidates: Sentences,
    references: Sentences,
    metric: str | Metric = "chrf",
    *,
    weights: Sequence[Sequence[float]] | None = None,
) -> list[Array]: ...


def score_consensus(
    candidates: Sequence[str] | Sentences,
    references: Sequence[str] | Sentences,
    metric: str | Metric = "chrf",
    *,
    weights: Sequence[float] | Sequence[Sequence[float]] | None = None,
) -> Array | list[Array]:
    """Score every candidate against all references at once, for minimum Bayes risk.

    The references are replaced by one with the expected counts of their n-grams and the
    expected length (DeNero et al. 2009; Vamvas and Sennrich 2024), so that the time grows
    with the number of texts, not of pairs. Return one score per candidate, which is not the
    mean of its scores against each reference. `weights` are the weights of the references,
    by default equal. Available for BLEU and chrF. For lists of lists, one per sentence,
    return a list of arrays.

    >>> sample = ["the cat sat", "a cat sat", "a cat sat"]
    >>> score_consensus(sample, sample, "bleu").round(1).tolist()
    [55.7, 79.0, 79.0]
    """
    chosen = make_metric(metric) if isinstance(metric, str) else metric
    chosen = chosen.for_segments or chosen
    if chosen.fast.expected_rows is None:
        msg = (
            f"{chosen.name} has no n-gram counts of references that could be averaged; "
            "expected bleu or chrf. Score all pairs with metra.pairwise instead."
        )
        raise OptionError(msg)
    score = partial(_score_expected, chosen)
    return _map_sentences(
        score, candidates, references, weights, "weights", lambda given: given
    )


def _map_sentences(
    score: Callable[..., Array],
    candidates: object,
    references: object,
    more: Any,
    name: str,
    check_more: Callable[[Any], Any],
) -> Array | list[Array]:
    """Score one sentence, or each of several on all cores; `more` is what else there is."""
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
        return score(ours, theirs, "", check_more(more))
    if len(ours) != len(theirs):
        msg = (
            f"Candidates cover {len(ours)} sentences and references {len(theirs)}; "
            "expected a list of each for every sentence."
        )
        raise LengthError(msg)
    others = [None] * len(ours) if more is None else _list_texts(more, name)
    if len(others) != len(ours):
        msg = (
            f"`{name}` has {len(others)} entries, but there are candidates for {len(ours)} "
            "sentences; expected one for every sentence."
        )
        raise LengthError(msg)
    sentences = [
        (
            _list_texts(left, f"candidates[{index}]"),
            _list_texts(right, f"references[{index}]"),
            f"[{index}]",
            check_more(others[index]),
        )
        for index, (left, right) in enumerate(zip(ours, theirs, strict=True))
    ]
    return list(ordered_map(lambda each: score(*each), sentences, thread_count()))


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


def _score_expected(
    metric: Metric,
    candidates: list[Any],
    references: list[Any],
    where: str,
    weights: Sequence[float] | None,
) -> Array:
    """The scores of one sentence's candidates against its references in one."""
    _check_present(candidates, references, where)
    given = _check_weights(weights, len(references), where)
    rows, columns = _number_texts(candidates), _number_texts(references)
    by_text = np.zeros(len(columns))
    np.add.at(by_text, [columns[text] for text in references], given)
    expected_rows: Any = metric.fast.expected_rows
    counted = expected_rows(*_place_texts(rows, columns), by_text.tolist())
    return metric.aggregate(counted)[[rows[text] for text in candidates]]


def _check_weights(weights: object, count: int, where: str) -> Array:
    """Give a weight for each reference; refuse those that have no mean."""
    if weights is None:
        return np.ones(count)
    try:
        given = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.array(np.nan)
    if given.shape != (count,):
        msg = (
            f"weights{where} must be {count} numbers, one for each reference; found "
            f"{given.size if given.ndim else 'something else'}."
        )
        raise LengthError(msg)
    if not (np.isfinite(given).all() and (given >= 0).all() and given.sum() > 0):
        msg = (
            f"weights{where} must be numbers of at least 0 with a sum above 0; found "
            f"{given.min():g} to {given.max():g}."
        )
        raise OptionError(msg)
    return given


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
