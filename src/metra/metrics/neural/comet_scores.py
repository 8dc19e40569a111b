"""From texts to scores and error spans with a network of the COMET family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metra.metrics.neural.checkpoints import Tokeniser
from metra.metrics.neural.comet_network import SEPARATORS
from metra.metrics.neural.inference import Answer, Replica, Runner
from metra.metrics.neural.segment_scores import Item, PredictedSpan, SegmentScore
from metra.metrics.record import Array

# Texts whose vectors are kept, for pairs of texts and for the next system.
_KEPT = 65_536
# Pairs that the regression takes at once.
_AT_ONCE = 8192

# xCOMET's weights of the three regressions and of the score from error spans; the weights of
# the three in the probabilities of errors; the points of an error, of which 25 are the most.
_SCORE_WEIGHTS = (0.12, 0.33, 0.33, 0.22)
_SPAN_WEIGHTS = np.array([0.1667, 0.3333, 0.5], dtype=np.float32)
_POINTS = {"minor": 1, "major": 5, "critical": 10}
_MOST_POINTS = 25


@dataclass(slots=True)
class VectorScorer:
    """Networks that make a vector of each text by itself, and a score from two or three."""

    runner: Runner
    tokeniser: Tokeniser
    #: The most tokens of a text.
    longest: int
    is_ranking: bool
    #: Vectors of texts, on the first device, and the row of each text.
    _table: Any = None
    _rows: dict[str, int] = field(default_factory=dict)

    def score(self, items: Sequence[Item]) -> list[SegmentScore]:
        """Score items, none of which occurs twice."""
        columns = list(zip(*items, strict=True))
        texts = dict.fromkeys(text for item in items for text in item)
        with self.runner.lock:
            self._remember([text for text in texts if text is not None])
            rows = self._rows
            scores = self._estimate(
                *(
                    None if column[0] is None else [rows[text] for text in column]
                    for column in columns
                )
            )
        return [SegmentScore((score,)) for score in scores.tolist()]

    def score_pairs(
        self,
        texts: Sequence[str],
        hyps: Sequence[int],
        refs: Sequence[int],
        source: str,
    ) -> Array:
        """Score all pairs of outputs and references, given by their places in the texts."""
        with self.runner.lock:
            self._remember([*texts, source])
            rows = np.array([self._rows[text] for text in texts])
            grid = np.array([(rows[hyp], rows[ref]) for hyp in hyps for ref in refs])
            sources = np.full(len(grid), self._rows[source])
            scores = self._estimate(sources, grid[:, 0], grid[:, 1])
        return scores.astype(np.float64).reshape(len(hyps), len(refs))

    def _remember(self, texts: Sequence[str]) -> None:
        """See to it that the vectors of texts are in the table."""
        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if self._table is not None and len(self._rows) + len(new) > _KEPT:
            self.forget()
            new = list(dict.fromkeys(texts))
        if not new:
            return
        torch = self.runner.torch
        first = self.runner.replicas[0].device
        tables = [] if self._table is None else [self._table]
        with torch.inference_mode():
            for places, vectors in self._compute_vectors(new):
                start = sum(len(part) for part in tables)
                self._rows.update((new[p], start + n) for n, p in enumerate(places))
                tables.append(vectors.to(first))
            self._table = torch.cat(tables)

    def forget(self) -> None:
        """Drop the vectors of all texts."""
        self._table = None
        self._rows.clear()

    def _compute_vectors(self, texts: Sequence[str]) -> list[Answer]:
        tokens = self.tokeniser.encode_ids(texts, self.longest - 2)

        def compute(replica: Replica, places: list[int]) -> Any:
            ids = [tokens[place] for place in places]
            return replica.network.embed(ids, replica.device)[0]

        return self.runner.run([len(ids) for ids in tokens], compute)

    def _estimate(self, *columns: Any) -> Array:
        """Return the scores of items, whose texts are given by their rows."""
        torch = self.runner.torch
        device, network = self.runner.replicas[0]
        indices = [
            None if column is None else torch.as_tensor(column).to(device)
            for column in columns
        ]
        scores = []
        with torch.inference_mode():
            for start in range(0, len(columns[1]), _AT_ONCE):
                source, hyp, ref = (
                    None
                    if rows is None
                    else self._table[rows[start : start + _AT_ONCE]]
                    for rows in indices
                )
                if self.is_ranking:
                    scores.append(_compare_distances(torch, source, hyp, ref))
                else:
                    features = _join_features(torch, source, hyp, ref)
                    scores.append(network.head(features).view(-1))
            return torch.cat(scores).cpu().numpy()


def _join_features(torch: Any, source: Any, hyp: Any, ref: Any) -> Any:
    """Return what the regression reads: vectors, their products and differences."""
    about_source = (hyp * source, (hyp - source).abs())
    if ref is None:
        return torch.cat((hyp, source, *about_source), dim=1)
    return torch.cat((hyp, ref, hyp * ref, (hyp - ref).abs(), *about_source), dim=1)


def _compare_distances(torch: Any, source: Any, hyp: Any, ref: Any) -> Any:
    """Return 1 / (1 + d), d the harmonic mean of the distances to source and reference."""
    distance = torch.nn.functional.pairwise_distance
    to_source, to_ref = distance(hyp, source), distance(hyp, ref)
    return 1 / (1 + 2 * to_source * to_ref / (to_source + to_ref))


@dataclass(frozen=True, slots=True)
class JointScorer:
    """Networks that read the output together with its source, its reference, or both."""

    runner: Runner
    tokeniser: Tokeniser
    #: The most tokens of texts that are read together.
    longest: int
    #: The severities of errors that it finds, if it looks for any.
    labels: Sequence[str]
    is_xcomet: bool

    def score(self, items: Sequence[Item]) -> list[SegmentScore]:
        """Score items, none of which occurs twice."""
        texts = list(
            dict.fromkeys(text for item in items for text in item if text is not None)
        )
        listed = [_list_inputs(item) for item in items]
        inputs = list(dict.fromkeys(each for inputs in listed for each in inputs))
        with self.runner.lock:
            encoded = self.tokeniser.encode(texts, self.longest - 2)
            tokens = dict(zip(texts, encoded, strict=True))
            values, probabilities = self._run(inputs, tokens)
        places = {each: place for place, each in enumerate(inputs)}
        labels = ["", *self.labels]
        scores = []
        for item, inputs_of_item in zip(items, listed, strict=True):
            chosen = [places[each] for each in inputs_of_item]
            spans: tuple[PredictedSpan, ...] = ()
            if self.labels:
                joined = _mix_probabilities([probabilities[place] for place in chosen])
                spans = find_spans(joined, tokens[item.hyp].offsets, labels)
            scores.append(self._combine(values[chosen].tolist(), spans))
        return scores

    def _combine(
        self, values: list[float], spans: tuple[PredictedSpan, ...]
    ) -> SegmentScore:
        if not self.is_xcomet:
            mean = sum(values) / len(values)
            return SegmentScore((mean, *(values if len(values) > 1 else ())), spans)
        points = sum(_POINTS[span.severity] for span in spans)
        mqm = (_MOST_POINTS - min(points, _MOST_POINTS)) / _MOST_POINTS
        clipped = [min(value, 1.0) for value in values]
        *weights, span_weight = _SCORE_WEIGHTS
        if len(values) == 1:
            regression = clipped[0] * sum(weights)
            values = clipped
        else:
            regression = sum(w * v for w, v in zip(weights, clipped, strict=True))
        score = regression + span_weight * mqm
        return SegmentScore((score, *values, mqm), spans)

    def _run(
        self, inputs: Sequence[tuple[str, ...]], tokens: Mapping[str, Any]
    ) -> tuple[Array, list[Array]]:
        """Return the regression's value of each input, and probabilities of labels."""
        # The package takes the padding's token out of texts that it joins.
        padding, separator = self.tokeniser.padding, self.tokeniser.last
        ids = {
            text: [number for number in each.ids if number != padding]
            for text, each in tokens.items()
        }

        def join(texts: tuple[str, ...]) -> list[int]:
            joined = list(ids[texts[0]])
            for text in texts[1:]:
                joined += [separator] * (SEPARATORS - 1) + ids[text][1:]
            return joined[: self.longest]

        def compute(replica: Replica, places: list[int]) -> Any:
            network = replica.network
            sequences = [join(inputs[place]) for place in places]
            vectors, states = network.embed(sequences, replica.device)
            values = network.head(vectors).view(-1)
            if not self.labels:
                return values, None
            longest = max(len(tokens[inputs[place][0]]) for place in places)
            return values, network.tag(states, longest)

        lengths = [
            min(self.longest, sum(len(ids[text]) for text in texts)) for texts in inputs
        ]
        answers = self.runner.run(lengths, compute)
        values = self.runner.gather([(places, each[0]) for places, each in answers])
        probabilities: list[Array] = [np.empty(0)] * len(inputs)
        for places, (_, tagged) in answers:
            if tagged is not None:
                for place, each in zip(
                    places, tagged.float().cpu().numpy(), strict=True
                ):
                    probabilities[place] = each[: len(tokens[inputs[place][0]])]
        return values, probabilities


def _list_inputs(item: Item) -> list[tuple[str, ...]]:
    """List the texts to read together: with the source, the reference, and both."""
    others = [text for text in (item.source, item.ref) if text is not None]
    pairs: list[tuple[str, ...]] = [(item.hyp, other) for other in others]
    return pairs if len(others) == 1 else [*pairs, (item.hyp, *others)]


def _mix_probabilities(tables: Sequence[Array]) -> Array:
    """Return the weighted sum of probabilities; of one alone, itself."""
    if len(tables) == 1:
        return tables[0]
    return (np.stack(tables) * _SPAN_WEIGHTS[:, None, None]).sum(0)


def find_spans(
    probabilities: Array, offsets: Sequence[tuple[int, int]], labels: Sequence[str]
) -> tuple[PredictedSpan, ...]:
    """Return the runs of tokens whose most probable label is an error.

    A run has the severity of its first token. As in the package unbabel-comet, the marks at
    the ends of a text are tokens too, and a run that reaches the end of the text is dropped.
    """
    chosen = probabilities.argmax(1).tolist()
    spans = []
    start: int | None = None
    for place, label in enumerate(chosen):
        if label and start is None:
            start = place
        elif not label and start is not None:
            confidence = probabilities[start:place].max(1).mean()
            spans.append(
                PredictedSpan(
                    offsets[start][0],
                    offsets[place - 1][1],
                    labels[chosen[start]],
                    float(confidence),
                )
            )
            start = None
    return tuple(spans)
