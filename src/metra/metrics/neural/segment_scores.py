"""From a batch to rows: texts collected, scored once, kept in memory and on disk."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from metra.corpus.batch import CorpusChunk
from metra.formats.lines import list_strings
from metra.metrics import record
from metra.metrics.neural.checkpoints import LocalModel
from metra.metrics.neural.score_store import ScoreStore
from metra.metrics.record import AnyBatch, Array, Metric, Notes, Parts
from metra.metrics.units import Detail
from metra.scores.spans import Mark, RatingKey, Spans, build_spans
from metra.scores.table import ScoredItem
from metra.text.columns import window

#: Most scores are between 0 and 1: with two digits, systems would look the same.
MORE_DIGITS = 2
# So many scores are kept in memory; then it is emptied.
_KEPT = 100_000


class Item(NamedTuple):
    """A text to score: an output, with its source and a reference if the network takes them."""

    source: str | None
    hyp: str
    ref: str | None


class PredictedSpan(NamedTuple):
    """Characters of an output that a network takes for an error."""

    start: int
    end: int
    severity: str
    #: The probability of the severity, averaged over the span's tokens.
    confidence: float


class SegmentScore(NamedTuple):
    """The values of a segment, and the errors found in it."""

    values: tuple[float, ...]
    spans: tuple[PredictedSpan, ...] = ()


@dataclass(eq=False)
class SegmentScorer:
    """Scores segments by a network, which is loaded when something is not known yet."""

    #: Differs between networks that may give different scores.
    identity: str
    #: Return the network, whose method `score` takes a list of items, each once.
    load: Callable[[], Any]
    with_source: bool
    with_reference: bool
    choose_best: Callable[[Sequence[SegmentScore]], SegmentScore] = max
    #: Who finds errors; empty if the network finds none.
    marks_errors_as: str = ""

    def __post_init__(self) -> None:
        self._marks: dict[RatingKey, list[Mark]] = {}
        digest = blake2b(self.identity.encode(), digest_size=16).hexdigest()
        self._store = ScoreStore(digest)
        self._known: dict[Item, SegmentScore] = {}
        self._lock = Lock()

    def rows(self, batch: AnyBatch) -> Array:
        """Return the values of each segment, for its best reference, and 1: (segments, k)."""
        best = self.score_batch(batch)
        if self.marks_errors_as and batch.place.system is not None:
            self._mark_errors(batch, best)
        return np.array([[*score.values, 1.0] for score in best])

    def details(self, batch: AnyBatch) -> list[Detail]:
        """Return the errors found in each segment, compared with its best reference."""
        hyps = batch.hyps.text
        return [
            Detail(
                place,
                span.severity,
                (hyps[place] or "")[span.start : span.end],
                {
                    "start": str(span.start),
                    "end": str(span.end),
                    "confidence": f"{span.confidence:.6f}",
                },
            )
            for place, score in enumerate(self.score_batch(batch))
            for span in score.spans
        ]

    def build_marks(self) -> Spans:
        """Return the errors in the outputs that were scored last."""
        return build_spans(self.identity, self._marks, is_automatic=True)

    def prepare(self, chunk: CorpusChunk) -> None:
        """Score the outputs of all systems together, so that no text is encoded twice."""
        self.score_items(
            item
            for name in chunk.systems
            for items in self._list_items(chunk.batch(name))
            for item in items
        )

    def score_batch(self, batch: AnyBatch) -> list[SegmentScore]:
        """Return the score of each segment against its best reference."""
        listed = self._list_items(batch)
        scores = iter(self.score_items(item for items in listed for item in items))
        return [self.choose_best([next(scores) for _ in items]) for items in listed]

    def score_items(self, items: Iterable[Item]) -> list[SegmentScore]:
        """Return the scores of items: from memory, from disk, or by the network."""
        listed = list(items)
        with self._lock:
            if len(self._known) > _KEPT:
                self._known.clear()
            new = [item for item in dict.fromkeys(listed) if item not in self._known]
            if new:
                self._complete(new)
            return [self._known[item] for item in listed]

    def _complete(self, new: Sequence[Item]) -> None:
        keys = {item: _digest_item(item) for item in new} if self._store.path else {}
        stored = self._store.read(keys.values())
        for item, key in keys.items():
            if key in stored:
                values, spans = json.loads(stored[key])
                self._known[item] = SegmentScore(
                    tuple(values), tuple(PredictedSpan(*span) for span in spans)
                )
        new = [item for item in new if item not in self._known]
        if not new:
            return
        computed = dict(zip(new, self.load().score(new), strict=True))
        self._known |= computed
        if keys:
            texts = {keys[item]: json.dumps(score) for item, score in computed.items()}
            self._store.write(texts)

    def _mark_errors(self, batch: AnyBatch, scores: Sequence[SegmentScore]) -> None:
        """Note the errors of a system's segments, instead of those of an earlier test set."""
        system, first = batch.place.system or "", batch.place.first
        if first == 0:
            for key in [key for key in self._marks if key[0] == system]:
                del self._marks[key]
        for number, score in enumerate(scores, first + 1):
            self._marks[system, ScoredItem(str(number)), self.marks_errors_as] = [
                Mark(severity, start, end)
                for start, end, severity, _ in score.spans
                if start < end  # else it is of the mark at the beginning of the text
            ]

    def _list_items(self, batch: AnyBatch) -> list[list[Item]]:
        hyps = list_strings(batch.hyps.text)
        sources: Sequence[str | None] = [None] * len(hyps)
        if self.with_source and batch.source:
            sources = list_strings(batch.source.text)
        if not self.with_reference:
            return [[Item(*pair, None)] for pair in zip(sources, hyps, strict=True)]
        columns = [window(ref.text, 0, len(hyps)) for ref in batch.refs]
        return [
            [Item(source, hyp, ref) for ref in refs if ref is not None]
            for source, hyp, refs in zip(
                sources, hyps, zip(*columns, strict=True), strict=True
            )
        ]


def build_metric(
    model: LocalModel,
    load: Callable[[], Any],
    values: Sequence[str],
    settled: Mapping[str, object],
    *,
    identity: str = "",
    with_source: bool = True,
    with_reference: bool = True,
    choose_best: Callable[[Sequence[SegmentScore]], SegmentScore] = max,
    marks_errors: bool = False,
    pairs: Callable[..., Array] | None = None,
) -> Metric:
    """Make the metric of a network: the mean of the first value, the others as parts.

    `identity` tells settings apart with which the same model gives other scores.
    """
    scorer = SegmentScorer(
        f"{model.owner} {model.digest} {model.precision} {identity}",
        load,
        with_source=with_source,
        with_reference=with_reference,
        choose_best=choose_best,
        marks_errors_as=f"{model.owner} {model.name}" if marks_errors else "",
    )
    return Metric(
        name=model.owner,
        columns=(*values, "segments"),
        rows=scorer.rows,
        aggregate=partial(record.compute_mean, count_column=-1),
        parts=partial(name_means, names=values[1:]),
        needs=record.select_needs(references=with_reference, source=with_source),
        more_digits=MORE_DIGITS,
        settled={**model.settled, **settled},
        fast=record.Fast(prepare=scorer.prepare, pairs=pairs, own_threads=True),
        notes=Notes(
            details=scorer.details if marks_errors else None,
            marked=scorer.build_marks if marks_errors else None,
            basis="neural",
        ),
    )


def name_means(totals: Array, *, names: Sequence[str]) -> Parts:
    """Return the means of the values beside the score, by their names."""
    if not totals[-1] > 0:
        return {}
    return {
        name: float(value / totals[-1])
        for name, value in zip(names, totals[1:-1], strict=True)
    }


def _digest_item(item: Item) -> bytes:
    digest = blake2b(digest_size=16)
    for text in item:
        encoded = b"" if text is None else text.encode("utf-8", "surrogatepass")
        digest.update(f"{-1 if text is None else len(encoded)}:".encode())
        digest.update(encoded)
    return digest.digest()
